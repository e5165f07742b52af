"""Base of the classifiers of tuples: their points, and the distances of a learner."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.pipeline import Pipeline
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted

from ...sklearn_compat import dense, validate_params
from ..base import MetricLearner
from ..side_information import check_tuples
from ..validation import check_magnitude

Formed = tuple[NDArray[np.float64], NDArray[np.intp]]  # points, indices of tuples


def last_step(learner: Any) -> Any:
    """The learner itself, or the last step of a pipeline."""
    return last_step(learner.steps[-1][1]) if isinstance(learner, Pipeline) else learner


def takes(learner: Any, name: str) -> bool:
    """Whether the ``fit`` of a learner takes an argument of this name."""
    return name in inspect.signature(last_step(learner).fit).parameters


def fitted(learner: Any, X: NDArray, **side_information: Any) -> Any:
    """A clone of the learner, fitted on X with these arguments of its last step."""
    for name in side_information:
        if isinstance(last_step(learner), MetricLearner) and not takes(learner, name):
            kind = type(last_step(learner)).__name__
            raise TypeError(f"{kind} does not learn from {name}.")
    if isinstance(learner, Pipeline):
        last = learner.steps[-1][0]
        side_information = {
            f"{last}__{name}": value for name, value in side_information.items()
        }
    return clone(learner).fit(X, **side_information)


def formed(
    tuples: ArrayLike, width: int, name: str, preprocessor: Any, merges: bool = True
) -> Formed:
    """Points (N, d) of tuples, and the tuples as indices (n, width) of points.

    Tuples are samples (n, width, d), or indices (n, width) into a preprocessor. All
    rows of an array preprocessor are points; a function is called with the distinct
    keys. With ``merges`` equal samples are one point.
    """
    values = np.asarray(tuples)
    samples = f"samples of shape (n, {width}, n_features)"
    if values.ndim not in (2, 3) or values.shape[1] != width or not len(values):
        either = f"{samples}, or indices of shape (n, {width})"
        raise ValueError(f"{name} must be {either}; got shape {values.shape}.")
    if values.ndim == 3:
        return points_of(values, name, merges)
    if preprocessor is None:
        what = f"{name} of shape {values.shape} are indices"
        raise ValueError(f"{what}: they need preprocessor=X, or give {samples}.")
    if callable(preprocessor):
        return looked_up(values, preprocessor)
    points = check_array(dense(preprocessor), dtype=np.float64)
    indices = check_tuples(values, width, len(points), name, "the preprocessor")
    return points, indices


def points_of(samples: NDArray, name: str = "tuples", merges: bool = True) -> Formed:
    """Points of samples (n, t, d), and the tuples as indices of them."""
    n, t, d = samples.shape
    points = check_array(samples.reshape(-1, d), dtype=np.float64, input_name=name)
    if not merges:
        return points, np.arange(n * t).reshape(n, t)
    points, indices = np.unique(points, axis=0, return_inverse=True)
    return points, indices.reshape(n, t)


def looked_up(keys: NDArray, function: Callable[[NDArray], Any]) -> Formed:
    """Points of the distinct keys in tuples (n, t), by a function of those keys."""
    distinct, indices = np.unique(keys, return_inverse=True)
    points = check_array(dense(function(distinct)), dtype=np.float64)
    if len(points) != len(distinct):
        expected = f"{len(distinct)} samples, one for each key"
        raise ValueError(f"preprocessor must return {expected}; got {len(points)}.")
    return points, indices.reshape(keys.shape)


def check_signs(y: ArrayLike, n: int, name: str) -> NDArray[np.intp]:
    """y as +1 and -1."""
    signs = np.asarray(y)
    are_signs = signs.dtype.kind in "iuf" and np.isin(signs, (-1, 1)).all()
    if signs.shape != (n,) or not are_signs:
        raise ValueError(
            f"y must be {n} values of +1 or -1, one for each of the {name}."
        )
    return signs.astype(np.intp)


class TupleClassifier(ClassifierMixin, BaseEstimator):
    """A learner and tuples of ``_width`` points, which are called ``_name``."""

    learner: Any
    preprocessor: Any
    _width: int
    _name: str

    def _points(self, tuples):
        """Checked points (N, d) and indices (n, width)."""
        validate_params(self)
        X, indices = formed(tuples, self._width, self._name, self.preprocessor)
        if len(X) < 2:
            raise ValueError(f"Found array with {len(X)} sample(s); two are required.")
        check_magnitude(X)
        return X, indices

    def _store(self, learner, X):
        self.learner_ = learner
        self.classes_ = np.array([-1, 1])
        self.n_features_in_ = X.shape[1]

    def _distances(self, tuples, width, name, *pairs):
        """Learned distances (n,) for each of the pairs of positions in the tuples."""
        check_is_fitted(self)
        points, indices = formed(tuples, width, name, self.preprocessor, merges=False)
        if points.shape[1] != self.n_features_in_:
            expected = f"is expecting {self.n_features_in_} features"
            what = f"{name} have {points.shape[1]} features"
            raise ValueError(f"{what}, but {type(self).__name__} {expected} as input.")
        used, indices = np.unique(indices, return_inverse=True)
        Z = np.asarray(self.learner_.transform(points[used]))  # a frame, by set_config
        indices = indices.reshape(-1, width)
        return [
            np.linalg.norm(Z[indices[:, i]] - Z[indices[:, j]], axis=1)
            for i, j in pairs
        ]

    def transform(self, X: ArrayLike) -> NDArray:
        """Map samples (n_samples, n_features) to the learned space."""
        check_is_fitted(self)
        return self.learner_.transform(X)

    def pair_distance(self, pairs: ArrayLike) -> NDArray:
        """Compute the learned distances of pairs.

        Parameters
        ----------
        pairs : array-like of shape (n_pairs, 2, n_features) or (n_pairs, 2)
            Pairs of samples, or of rows of the preprocessor.

        Returns
        -------
        distances : ndarray of shape (n_pairs,)
            Their distances in the learned space.
        """
        return self._distances(pairs, 2, "pairs", (0, 1))[0]

    def pair_score(self, pairs: ArrayLike) -> NDArray:
        """Return minus the learned distances: larger for more similar pairs."""
        return -self.pair_distance(pairs)

    def get_mahalanobis_matrix(self) -> NDArray:
        """Return M of shape (n_features, n_features) of the learner."""
        check_is_fitted(self)
        return self.learner_.get_mahalanobis_matrix()

    def get_metric(self) -> Callable[..., float]:
        """Return the distance as a function ``metric(u, v, squared=False)``."""
        check_is_fitted(self)
        return self.learner_.get_metric()

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.three_d_array = True
        tags.classifier_tags.multi_class = False
        return tags
