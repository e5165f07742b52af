"""What estimators of metric-learn's names have in common: a map that a learner of ours has found."""

import inspect
import warnings
from collections.abc import Callable
from typing import Any, Self, TypeVar, dataclass_transform

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ..exceptions import callers_stacklevel
from ..files import Savable
from ..learners.base import MappedDistances, MetricLearner
from ..learners.fitting import AtomicFit
from ..learners.parameters import make_estimator
from ..learners.units import check_magnitude
from ..learners.validation import check_samples
from ..presenting import Presented
from .inputs import distinct_points, formed_points, formed_tuples

DEPRECATED = "deprecated"  # the value of an old name that was not used

DESCRIPTIONS = {
    "directions": """n_components : int or None
        Directions to keep; None keeps all.""",
    "dimensions": """n_components : int or None
        Dimension of the learned space; None keeps the number of features.""",
    "init": """init : {"auto", "pca", "lda", "identity", "random"} or array of shape (n_components, n_features)
        Where the search begins. "auto": "lda" where there are more classes than components, else "pca" where there are
        fewer components than features and points, else "identity".""",
    "prior": """prior : {"identity", "covariance", "random"} or array of shape (n_features, n_features)
        The metric to stay close to, positive definite.""",
    "scale": """init : {"identity", "covariance", "random"} or array of shape (n_features, n_features)
        Sets the scale of the result and nothing else: there is one maximum, whatever the start.
    diagonal : bool, default=False
        Learn weights of the features.
    diagonal_c : float, default=1.0
        The scale of a diagonal metric: squared distances of similar pairs sum up to half of it.""",
    "gamma": """gamma : float
        Weight of the pairs against the prior.""",
    "balance_param": """balance_param : float or "auto"
        Weight of a pair against the prior; lowered, with a warning, where there would be no minimum. "auto" (not in
        metric-learn) finds one that needs no warning.
    sparsity_param : float, default=0.01
        The price of elements of M beside the diagonal.""",
    "n_constraints": """n_constraints : int or None
        Similar pairs to draw, and dissimilar ones, or quadruplets; None: 20 times the number of classes squared.""",
    "n_basis": """n_basis : int or None
        Number of bases to find; None: 80 for every feature, with a warning.
    gamma : float, default=5e-3
        Length of the steps; 60 times this is our parameter of the same name.
    max_iter : int, default=10000
        Most mini-batches.
    output_iter : int, default=500
        Not used: the objective is computed every 1000 mini-batches.
    batch_size : int, default=10
        Triplets of a mini-batch.""",
    "beta": """beta : float
        The price of weight; more makes fewer positive weights.""",
    "max_iter": """max_iter : int
        Most iterations.""",
    "max_proj": """max_proj : int
        Not used: there are no projections.""",
    "tol_of_gap": """tol : float
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
    "map": """components_ : ndarray of shape (n_components, n_features)
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
}
"""Descriptions of parameters and attributes that several of these estimators share."""

Class = TypeVar("Class", bound=type)


@dataclass_transform(eq_default=False)
def translated(cls: Class) -> Class:
    """Give a class the constructor and the documentation of its parameters; our learners check their values."""
    return make_estimator(cls, DESCRIPTIONS, {})


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

    preprocessor: Any
    _names: dict[str, str] = {}  # of parameters that a learner of ours calls otherwise: ours to theirs
    _found: tuple[str, ...] = ("n_iter_",)  # attributes to keep beside the map

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
            Class labels, or numbers for MLKR. Where pairs, triplets or chunks are drawn from labels, negative numbers
            are unknown ones.

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
