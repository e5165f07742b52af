"""What all learners with metric-learn's signatures share: their inputs, names and translations."""

import inspect
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted

from ..exceptions import callers_stacklevel
from ..learners.base import MappedDistances, MetricLearner
from ..learners.fitting import KeptModel
from ..learners.parameters import make_estimator, parameter
from ..learners.tuples.base import flat, looked_up, merged, samples_of
from ..learners.validation import check_magnitude, check_samples, dense
from .descriptions import ATTRIBUTES, EXAMPLES, PARAMETERS

KINDS = {2: "2D array of formed points", 3: "3D array of formed tuples"}  # by the number of axes


class PreprocessorError(Exception):
    """A preprocessor could not turn indicators into points."""

    def __init__(self, original_error: Exception) -> None:
        super().__init__(f"An error occurred when trying to use the preprocessor: {original_error!r}")


DEPRECATED = "deprecated"  # the value of an old name that was not used
OLD_NAMES = {
    "n_neighbors": "k",
    "n_chunks": "num_chunks",
    "n_constraints": "num_constraints",
    "tol": "convergence_threshold",
}
LAST: dict[str, Any] = {"verbose": False, "preprocessor": None, "random_state": None}  # parameters of most

Class = TypeVar("Class", bound=type)


def translated(**parameters: Any) -> Callable[[Class], Class]:
    """Give a class a constructor with these parameters and defaults, metric-learn's, and the documentation of all.

    Our learners check the values.
    """

    def decorate(cls: Any) -> Any:
        cls.__annotations__ = dict.fromkeys(parameters, Any)
        owners = [f"{base.__name__}." for base in cls.__mro__]
        for name, default in parameters.items():
            kind, text = PARAMETERS[next((owner + name for owner in owners if owner + name in PARAMETERS), name)]
            setattr(cls, name, parameter(default, text, kind))
        if cls.__doc__ is not None:  # it is under python -OO
            own = [name for base in cls.__mro__ for name in vars(base).get("_sets", ())]
            features = "features" if issubclass(cls, TransformerMixin) else "n_features_in_"
            attributes = " ".join(f"{{{name}}}" for name in ("components_", *own, *cls._found, features))
            cls.__doc__ += f"\n\n    {attributes}\n\n    {{example}}"
        return make_estimator(cls, {**ATTRIBUTES, "example": EXAMPLES[cls._fitted_on] % cls._example}, {})

    return decorate


def renamed(value: Any, old_value: Any, name: str) -> Any:
    """The value of a parameter, or that under its old name, with a warning."""
    if isinstance(old_value, str) and old_value == DEPRECATED:
        return value
    message = f'"{OLD_NAMES[name]}" parameter has been renamed to "{name}"; use that.'
    warnings.warn(message, FutureWarning, stacklevel=callers_stacklevel())
    return old_value


class Mahalanobis(KeptModel, MappedDistances, BaseEstimator):
    """A learned distance |L u - L v| of points and pairs, or of their indicators, as metric-learn has it.

    Subclasses translate their parameters into those of a learner of ours and keep what that has found.
    """

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Parameters of subclasses, which ``translated`` makes."""

    _names: dict[str, str] = {}  # of parameters that a learner of ours calls otherwise: ours to theirs
    _found: tuple[str, ...] = ("n_iter_",)  # attributes of our learner to keep beside the map
    _sets: tuple[str, ...] = ()  # attributes that the class sets itself
    _fitted_on: str  # the kind of example in the docstring
    _example = ""  # its parameters

    def transform(self, X: ArrayLike) -> NDArray:
        """Map points (n_samples, n_features), or indicators of them, to ``X @ components_.T``."""
        check_is_fitted(self)
        return self._image(self._formed_points(X))

    def pair_distance(self, pairs: ArrayLike) -> NDArray:
        """Learned distances (n_pairs,) of pairs (n_pairs, 2, n_features), or of pairs of indicators (n_pairs, 2)."""
        check_is_fitted(self)
        return super().pair_distance(self._formed(pairs, 2))

    def score_pairs(self, pairs: ArrayLike) -> NDArray:
        """The same as ``pair_distance``, under the name that metric-learn gave up."""
        remedy = "Use pair_score to compute similarity scores, or pair_distances to compute distances."
        warnings.warn(f"score_pairs will be deprecated in release 0.7.0. {remedy}", FutureWarning, stacklevel=2)
        return self.pair_distance(pairs)

    def get_metric(self) -> Callable[..., float]:
        metric = super().get_metric()

        def metric_fun(u: ArrayLike, v: ArrayLike, squared: bool = False) -> float:
            return metric(_vector(u), _vector(v), squared)

        return metric_fun

    def _formed_points(self, X):
        """Points (n, d) as they are, or those that the preprocessor has for indicators (n,)."""
        return X if self._checked_ndim(X, 2) == 2 else self._look_up(np.asarray(X), 2)

    def _formed(self, tuples, size):
        """Tuples (n, size, d): as they are, or of what the preprocessor has for indicators (n, size)."""
        points, indices = self._indexed(tuples, size)
        return points[indices]

    def _distinct(self, tuples, size):
        """The different points (m, d) of tuples, checked, and the tuples as indices of them, (n, size)."""
        X, indices = merged(*self._indexed(tuples, size))
        X = check_samples(self, X, dtype=np.float64)
        check_magnitude(X)
        return X, indices

    def _indexed(self, tuples, size):
        """Points (m, d) of tuples, and the tuples as indices of them, (n, size)."""
        if len(tuples) == 0:
            raise ValueError("There are no tuples: the array is empty.")
        given, owner = np.asarray(tuples), type(self).__name__
        ndim = self._checked_ndim(given, 3)
        if given.shape[1] != size:
            what = f"Tuples of {size} element(s) expected by {owner}. Got tuples of {given.shape[1]} element(s) instead"
            raise ValueError(f"{what} (shape={given.shape}):\ninput={given}.\n")
        if ndim == 3:
            return flat(samples_of(given, "tuples", estimator=owner))

        def points_of(indicators):
            points = self._look_up(indicators, 3)
            points = dense(points) if issparse(points) else points
            return check_array(points, dtype=np.float64, estimator=owner, input_name="tuples")

        return looked_up(given, points_of)

    def _checked_ndim(self, X, wanted):
        """The number of axes of X: ``wanted``, or one less with a preprocessor; else ValueError in their words."""
        ndim, owner = _ndim(X), type(self).__name__
        if ndim == wanted or (ndim == wanted - 1 and self.preprocessor is not None):
            return ndim
        if self.preprocessor is None:
            what, remedy = f"{KINDS[wanted]} expected by {owner}", "Reshape your data and/or use a preprocessor."
        else:
            either = f"{wanted - 1}D array of indicators or {KINDS[wanted]}"
            what, remedy = f"{either} expected by {owner} when using a preprocessor", "Reshape your data."
        raise ValueError(f"{what}. Found {ndim}D array instead:\ninput={X}. {remedy}\n")

    def _look_up(self, indicators, wanted):
        """The points (n, d) of indicators (n,), which become an array of ``wanted`` axes."""
        table = self.preprocessor
        if not (callable(table) or issparse(table) or hasattr(table, "__len__")):
            what = f"Invalid type for the preprocessor: {type(table)}: it is None, an array of points"
            raise ValueError(f"{what}, or a function that gives the points of indicators.")
        try:
            if callable(table):
                points = table(indicators)
            else:
                points = (table.tocsr() if issparse(table) else np.asarray(table))[indicators]
        except Exception as problem:
            raise PreprocessorError(problem) from problem
        if _ndim(points) != 2:
            what = f"{KINDS[wanted]} expected by {type(self).__name__} after the preprocessor has been applied"
            found = f"Found {_ndim(points) + wanted - 2}D array instead:\ninput={points}"
            raise ValueError(f"{what}. {found}. Reshape your data.\n")
        return points

    def _given(self, name):
        """The value of a parameter that may have been set under its old name."""
        return renamed(getattr(self, name), getattr(self, OLD_NAMES[name], DEPRECATED), name)

    def _translate(self, cls: type[MetricLearner], **own: Any) -> MetricLearner:
        """A learner of ours with the parameters that both have by the same name, and with ``own`` translations."""
        shared = set(inspect.signature(cls).parameters) & set(vars(self)) - {"n_constraints"}  # constraints are drawn
        return cls(**{name: vars(self)[name] for name in shared} | own)

    def _learn_by(self, learner: MetricLearner, X: NDArray, *y: Any, **side_information: Any) -> Self:
        """Let a learner of ours find the map; errors about its parameters name them as they are called here."""
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


def _ndim(X):
    try:
        return X.ndim if hasattr(X, "ndim") else np.asarray(X).ndim
    except ValueError:  # rows of different lengths, which are reported when they become an array
        return 2


def _vector(u):
    """A point as a vector (d,); a number, or one row of a matrix, is one."""
    vector = np.atleast_1d(np.asarray(u, dtype=np.float64).squeeze())
    if vector.ndim > 1:
        raise ValueError(f"A point is a vector; got an array of shape {np.shape(u)}.")
    return vector
