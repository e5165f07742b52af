"""What estimators of metric-learn's names have in common: a map that a learner of ours has found."""

import inspect
import re
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ..exceptions import callers_stacklevel
from ..files import Savable
from ..learners.base import MappedDistances, MetricLearner
from ..learners.fitting import AtomicFit
from ..learners.parameters import make_estimator
from ..learners.validation import check_magnitude, check_samples
from ..presenting import Presented
from .inputs import distinct_points, formed_points, formed_tuples

DEPRECATED = "deprecated"  # the value of an old name that was not used
LAST: dict[str, Any] = {"verbose": False, "preprocessor": None, "random_state": None}  # parameters of most

DESCRIPTIONS = {
    "n_components": """n_components : int or None
        Dimension of the learned space; None keeps the number of features.""",
    "init": """init : {"auto", "pca", "lda", "identity", "random"} or array of shape (n_components, n_features)
        Where the search begins. "auto": "lda" where there are more classes than components, else "pca" where there are
        fewer components than features and points, else "identity".""",
    "init_of_scale": """init : {"identity", "covariance", "random"} or array of shape (n_features, n_features)
        Sets the scale of the result and nothing else: there is one maximum, whatever the start.""",
    "diagonal": """diagonal : bool
        Learn weights of the features.""",
    "diagonal_c": """diagonal_c : float
        The scale of a diagonal metric: squared distances of similar pairs sum up to half of it.""",
    "prior": """prior : {"identity", "covariance", "random"} or array of shape (n_features, n_features)
        The metric to stay close to, positive definite.""",
    "gamma": """gamma : float
        Weight of the pairs against the prior.""",
    "gamma_of_steps": """gamma : float
        Length of the steps; 60 times this is our parameter of the same name.""",
    "balance_param": """balance_param : float or "auto"
        Weight of a pair against the prior; lowered, with a warning, where there would be no minimum. "auto" (not in
        metric-learn) finds one that needs no warning.""",
    "sparsity_param": """sparsity_param : float
        The price of elements of M beside the diagonal.""",
    "n_constraints": """n_constraints : int or None
        Similar pairs to draw, and dissimilar ones, or quadruplets; None: 20 times the number of classes squared.""",
    "beta": """beta : float
        The price of weight; more makes fewer positive weights.""",
    "n_basis": """n_basis : int or None
        Number of bases to find; None: 80 for every feature, with a warning.""",
    "output_iter": """output_iter : int
        Not used: the objective is computed every 1000 mini-batches.""",
    "batch_size": """batch_size : int
        Triplets of a mini-batch.""",
    "max_iter": """max_iter : int
        Most iterations, or mini-batches.""",
    "max_proj": """max_proj : int
        Not used: there are no projections.""",
    "tol": """tol : float
        Stop when the objective is within the square of this, as a share of it, of the optimum; M is then about as near
        to the solution as this.""",
    "verbose": """verbose : bool
        Log every iteration.""",
    "preprocessor": """preprocessor : array-like of shape (n_points, n_features), callable or None
        What turns indicators into points.""",
    "random_state": """random_state : int, RandomState or None
        Seed of what is drawn, and of a random start or prior.""",
    "num_constraints": """num_constraints : int
        The old name of ``n_constraints``.""",
    "convergence_threshold": """convergence_threshold : float
        The old name of ``tol``.""",
    "components_": """components_ : ndarray of shape (n_components, n_features)
        The map L, with M = L^T L.""",
    "bounds_": """bounds_ : ndarray of shape (2,)
        What squared distances of similar pairs shall not exceed, and those of dissimilar ones not fall short of.""",
    "threshold_": """threshold_ : float
        Pairs at most this far apart are predicted to be similar.""",
    "n_iter_": """n_iter_ : int
        Iterations.""",
    "n_features_in_": """n_features_in_ : int
        Features seen in fit.""",
    "feature_names_in_": """feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X has any.""",
    "iris": """>>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)""",
    "pairs_data": """>>> near, far = [[1.2, 7.5], [1.3, 1.5]], [[1.3, 4.5], [3.2, 4.6]]
    >>> pairs = [near, [[6.4, 2.6], [6.2, 9.7]], far, [[6.2, 5.5], [5.4, 5.4]]]""",
}
"""Descriptions of parameters and attributes by their names, and data of examples."""

ENTRY = re.compile(r"^    (\w+) : .*\n(?: {8}.*\n)+", re.MULTILINE)  # of a parameter in a docstring

Class = TypeVar("Class", bound=type)


def translated(**parameters: Any) -> Callable[[Class], Class]:
    """Give a class a constructor with these parameters and defaults, metric-learn's, and the documentation of all.

    Its docstring describes only what is particular to it; ``DESCRIPTIONS`` has the rest. Our learners check the values.
    """

    def decorate(cls: Class) -> Class:
        cls.__annotations__ = dict.fromkeys(parameters, Any)
        for name, default in parameters.items():
            setattr(cls, name, default)
        cls.__doc__ = cls.__doc__ and _documentation(cls, parameters)
        return make_estimator(cls, DESCRIPTIONS, {})

    return decorate


def _documentation(cls, parameters):
    """The docstring with all parameters, in their order, and fitted attributes."""
    text, examples = cls.__doc__.split("    Examples\n")
    own = {entry[1]: entry[0] for entry in ENTRY.finditer(text)}
    entries = [own.get(name, f"    {{{cls._described.get(name, name)}}}\n") for name in parameters]
    sets = [name for base in cls.__mro__ for name in vars(base).get("_sets", ())]
    names = ["feature_names_in_"] if issubclass(cls, TransformerMixin) else []
    attributes = " ".join(f"{{{name}}}" for name in ("components_", *sets, *cls._found, "n_features_in_", *names))
    return (
        f"{text.partition('    Parameters')[0]}    Parameters\n    ----------\n{''.join(entries)}\n"
        f"    Attributes\n    ----------\n    {attributes}\n\n    Examples\n{examples}"
    )


def renamed(value: Any, new_value: Any, old: str, new: str) -> Any:
    """The value under the old name of a parameter where there is one, with a warning; else that under the new one."""
    if isinstance(value, str) and value == DEPRECATED:
        return new_value
    message = f'"{old}" parameter has been renamed to "{new}"; use that.'
    warnings.warn(message, FutureWarning, stacklevel=callers_stacklevel())
    return value


class Mahalanobis(AtomicFit, Savable, Presented, MappedDistances, BaseEstimator):
    """A learned distance |L u - L v| of points and pairs, or of their indicators, as metric-learn has it.

    Subclasses translate their parameters into those of a learner of ours and keep what that has found.
    """

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Parameters of subclasses, which ``translated`` makes."""

    _names: dict[str, str] = {}  # of parameters that a learner of ours calls otherwise: ours to theirs
    _described: dict[str, str] = {}  # parameters with another description than that of their name
    _found: tuple[str, ...] = ("n_iter_",)  # attributes of our learner to keep beside the map
    _sets: tuple[str, ...] = ()  # attributes that the class sets itself

    def transform(self, X: ArrayLike) -> NDArray:
        """Map points to the space where the learned distance is Euclidean.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples,)
            Points, or indicators of points where there is a preprocessor.

        Returns
        -------
        Z : ndarray of shape (n_samples, n_components)
            ``X @ components_.T``.
        """
        check_is_fitted(self)
        return self._image(formed_points(X, self.preprocessor, type(self).__name__))

    def pair_distance(self, pairs: ArrayLike) -> NDArray:
        """Learned distances of pairs.

        Parameters
        ----------
        pairs : array-like of shape (n_pairs, 2, n_features) or (n_pairs, 2)
            Pairs of points, or of indicators where there is a preprocessor.

        Returns
        -------
        distances : ndarray of shape (n_pairs,)
        """
        check_is_fitted(self)
        return super().pair_distance(self._formed(pairs, 2))

    def score_pairs(self, pairs: ArrayLike) -> NDArray:
        """The same as ``pair_distance``, under the name that metric-learn gave up."""
        warnings.warn(
            "score_pairs will be deprecated in release 0.7.0. Use pair_score to compute similarity scores, or "
            "pair_distances to compute distances.",
            FutureWarning,
            stacklevel=2,
        )
        return self.pair_distance(pairs)

    def get_metric(self) -> Callable[..., float]:
        """A function ``metric(u, v, squared=False)`` of two points, independent of this estimator from now on."""
        metric = super().get_metric()

        def metric_fun(u: ArrayLike, v: ArrayLike, squared: bool = False) -> float:
            return metric(_vector(u), _vector(v), squared)

        return metric_fun

    def _formed(self, tuples, size):
        return formed_tuples(tuples, self.preprocessor, size, type(self).__name__)

    def _distinct(self, tuples, size):
        """The different points (m, d) of tuples, checked, and the tuples as indices of them, (n, size)."""
        X, indices = distinct_points(tuples, self.preprocessor, size, type(self).__name__)
        X = check_samples(self, X, dtype=np.float64)
        check_magnitude(X)
        return X, indices

    def _translate(self, cls: type[MetricLearner], **own: Any) -> MetricLearner:
        """A learner of ours with the parameters that both have by the same name, and with ``own`` translations."""
        same = {name: vars(self)[name] for name in inspect.signature(cls).parameters if name in vars(self)}
        return cls(**{**same, "n_constraints": None, **own} if "n_constraints" in same else {**same, **own})

    def _learn_by(self, learner: MetricLearner, X: NDArray, *y: Any, **side_information: Any) -> Self:
        """Let a learner of ours find the map; its complaints about parameters name them as they are called here."""
        try:
            learner.fit(X, *y, **side_information)
        except ValueError as problem:
            message = str(problem)
            for ours, theirs in self._names.items():
                message = message.replace(f"'{ours}' parameter", f"'{theirs}' parameter")
            if message == str(problem):
                raise
            raise ValueError(message) from problem
        self.components_ = learner.components_
        self._n_features_out = len(self.components_)
        for name in self._found:
            setattr(self, name, getattr(learner, name))
        return self


class PointsLearner(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Mahalanobis):
    """Estimators of points with labels, transformers for pipelines; subclasses have ``_learn_points(X, y)``."""

    _needs_labels = True
    _options: dict[str, Any] = {}  # of the validation

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn the metric from labels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples,)
            Points, or indicators of points.
        y : array-like of shape (n_samples,)
            Class labels, or a numeric target for MLKR. Where pairs, triplets or chunks are drawn from labels, negative
            ones are unknown.

        Returns
        -------
        self : object
        """
        return self._learn_points(*self._points(X, y))

    def _learn_points(self, X, y):
        raise NotImplementedError

    def transform(self, X: ArrayLike) -> NDArray:
        """Map points, or indicators of them, to the space where the learned distance is Euclidean."""
        return super().transform(X)  # here, so that set_output finds it

    def _points(self, X: Any, *y: Any) -> Any:
        """Points (N, d) and labels, checked; the number and names of features are learned."""
        X = formed_points(X, self.preprocessor, type(self).__name__)
        options = {"dtype": np.float64, "order": "C", "ensure_min_samples": 2} | self._options
        checked = check_samples(self, X, *y, **options)
        check_magnitude(checked[0] if y else checked)
        return checked

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self._needs_labels
        tags.input_tags.sparse = True
        return tags


def _vector(u):
    """A point as a vector (d,); a number, or one row of a matrix, is one."""
    vector = np.atleast_1d(np.asarray(u, dtype=np.float64).squeeze())
    if vector.ndim > 1:
        raise ValueError(f"A point is a vector; got an array of shape {np.shape(u)}.")
    return vector
