"""Base of the classifiers of tuples: points and indices of the tuples, and the distances of a learner."""

import inspect
from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.pipeline import Pipeline
from sklearn.utils import check_array, gen_batches
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ...files.checks import require
from ...files.estimators import check_attributes
from ...magnitudes import lengths
from ...metrics.training_set import equal_rows
from ...presenting import PROVIDED
from ...printable import counted
from ...sklearn_compat import validate_params
from ..base import PairDistances
from ..fitting import KeptModel
from ..side_information import check_tuples
from ..validation import check_not_huge, check_samples, few

KINDS = ("pairs", "triplets", "quadruplets")
SHARE = 1 / 16  # of working_memory, for the tuples of a block


def takes(learner: Any, name: str) -> bool:
    """Whether the ``fit`` of a learner, or of the last step of a pipeline, takes an argument of this name."""
    if isinstance(learner, Pipeline):
        return takes(learner.steps[-1][1], name)
    parameters = inspect.signature(learner.fit).parameters
    if name in parameters:
        return True
    hands_on = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())
    return hands_on and getattr(learner, "learner", None) is not None and takes(learner.learner, name)


def fitted(learner: Any, X: NDArray, knowledge: dict[str, Any], y: ArrayLike | None = None) -> Any:
    """A clone of the learner, fitted on X with these arguments."""
    last = f"{learner.steps[-1][0]}__" if isinstance(learner, Pipeline) else ""
    return clone(learner).fit(X, y, **{f"{last}{name}": value for name, value in knowledge.items()})


def check_takes(learner: Any, names: tuple[str, ...]) -> str:
    """The first of the names that the learner's ``fit`` takes; ValueError where it takes none."""
    for name in names:
        if takes(learner, name):
            return name
    known = [name for name in KINDS if takes(learner, name)]
    but = f"it learns from {' or '.join(known)}" if known else "it learns from labels alone"
    last = learner.steps[-1][1] if isinstance(learner, Pipeline) else learner
    raise ValueError(f"{type(last).__name__} takes no {names[0]}: {but}.")


def learner_has(name: str) -> Callable[[Any], bool]:
    """Whether the learner inside, fitted or not, has a method."""
    return lambda model: hasattr(getattr(model, "learner_", model.learner), name)


class TupleClassifier(KeptModel, PairDistances, ClassifierMixin, BaseEstimator):
    """Subclasses set the number of points of a tuple, the name of tuples, and the learner's arguments."""

    _width: int
    _name: str  # of the tuples, many
    _kinds: tuple[str, ...]  # what the learner's fit may take, the best first

    def _formed(self, tuples):
        """Checked points (N, d) and indices (n, t)."""
        validate_params(self)
        check_takes(self.learner, self._kinds)
        points, indices = formed(tuples, self._width, self._name, self.preprocessor)
        X = check_samples(self, points, dtype=np.float64, ensure_min_samples=2)
        check_not_huge(X)
        return X, indices

    def _fit_learner(self, X, **knowledge):
        self.learner_, self.classes_ = fitted(self.learner, X, knowledge), np.array([-1, 1])

    def _measured(self, tuples, measure, width=None, name=None):
        """Apply ``measure`` to the samples (n, t, d) of new tuples, in blocks."""
        check_is_fitted(self)
        width, name = width or self._width, name or self._name
        points, rows = formed(tuples, width, name, self.preprocessor, merge=False)
        if points is self.preprocessor:
            points = check_samples(self, points, dtype=np.float64, reset=False)
        else:
            points = check_array(points, dtype=np.float64)
        d = points.shape[-1]
        if d != self.n_features_in_:
            wanted = f"{type(self).__name__} is expecting {counted(self.n_features_in_, 'feature')}"
            raise ValueError(f"{name} have {counted(d, 'feature')}, but {wanted}.")
        check_not_huge(points)
        memory = get_config()["working_memory"] * 2**20 * SHARE
        blocks = gen_batches(len(rows), max(1, int(memory / (8 * width * d))))
        return np.concatenate([measure(points[rows[block]]) for block in blocks])

    def _distances(self, samples, i, j):
        """Learned distances (n,) between the points i and j of every tuple."""
        if hasattr(self.learner_, "pair_distance"):
            return self.learner_.pair_distance(samples[:, [i, j]])
        first, second = (np.asarray(self.learner_.transform(samples[:, k])) for k in (i, j))
        return lengths(first - second)

    @available_if(learner_has("transform"))
    def transform(self, X: ArrayLike) -> NDArray:
        """Map samples (n_samples, n_features) to the learned space, (n_samples, n_components)."""
        check_is_fitted(self)
        return self.learner_.transform(X)

    def pair_distance(self, pairs: ArrayLike) -> NDArray:
        """Learned distances (n_pairs,) of pairs: samples (n_pairs, 2, n_features) or indices (n_pairs, 2)."""
        return self._measured(pairs, lambda samples: self._distances(samples, 0, 1), 2, "pairs")

    @available_if(learner_has("get_mahalanobis_matrix"))
    def get_mahalanobis_matrix(self) -> NDArray:
        """M of shape (n_features, n_features); the squared distance is (u - v)^T M (u - v)."""
        check_is_fitted(self)
        return self.learner_.get_mahalanobis_matrix()

    @available_if(learner_has("get_metric"))
    def get_metric(self) -> Callable[..., float]:
        """A function ``metric(u, v, squared=False)`` of two samples, independent of this model from now on."""
        check_is_fitted(self)
        return self.learner_.get_metric()

    def report(
        self, path: str | PathLike, X: ArrayLike | None = None, y: ArrayLike | None = None, **options: Any
    ) -> Path:
        """Write a report on the learned space with samples X, not tuples; see :func:`freemetric.report.write`."""
        check_is_fitted(self)
        return PROVIDED["report"](self.learner_, path, X, y, **options)

    def check_state(self) -> None:
        """Check that the fitted attributes are consistent; called when a model is saved or loaded."""
        check_attributes(self, ("n_features_in_", "classes_", "learner_"))
        if hasattr(self, "learner_"):
            name = type(self).__name__
            require(hasattr(self.learner_, "transform"), f"learner_ of {name}", "maps nothing")
            d = getattr(self.learner_, "n_features_in_", self.n_features_in_)
            require(d == self.n_features_in_, f"learner_ of {name}", "is of other features")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array, tags.input_tags.three_d_array = False, True
        tags.classifier_tags.multi_class = False
        return tags


Formed = tuple[Any, NDArray[np.intp]]  # points (N, d), samples or a frame of them, and tuples of their indices (n, t)


def formed(tuples: ArrayLike, width: int, name: str, preprocessor: Any, merge: bool = True) -> Formed:
    """Points and indices of tuples of samples (n, t, d), or of rows (n, t) of a preprocessor.

    ``merge`` makes equal samples one point. All rows of an array preprocessor are points, of a function those that the
    tuples name.
    """
    given = np.asarray(tuples)
    samples = f"samples of shape (n, {width}, n_features)"
    if given.ndim not in (2, 3) or given.shape[1] != width or not len(given):
        raise ValueError(f"{name} must be {samples}, or indices of shape (n, {width}); got shape {given.shape}.")
    if given.ndim == 3:
        points, indices = flat(samples_of(given, name))
        return merged(points, indices) if merge else (points, indices)
    if preprocessor is None:
        what = f"{name} of shape {given.shape} are indices, and there is nothing to look them up in"
        raise ValueError(f"{what}: give preprocessor=X, or {samples}.")
    if callable(preprocessor):
        return looked_up(given, lambda keys: called(preprocessor, keys))
    n_rows = preprocessor.shape[0] if hasattr(preprocessor, "shape") else len(preprocessor)
    return preprocessor, check_tuples(given, width, n_rows, name, "the preprocessor")


def samples_of(tuples: NDArray, name: str, **options: Any) -> NDArray[np.float64]:
    """Tuples (n, t, d) in double precision; ValueError where they hold something else than numbers."""
    return check_array(tuples, dtype=np.float64, allow_nd=True, ensure_2d=False, input_name=name, **options)


def flat(samples: NDArray) -> Formed:
    """Samples (n, t, d) as points, one after the other."""
    n, t, d = samples.shape
    return samples.reshape(-1, d), np.arange(n * t).reshape(n, t)


def merged(points: NDArray, indices: NDArray[np.intp]) -> Formed:
    """Equal points are one, in the order of their first appearance."""
    first, of_row = equal_rows(points)
    return points[first], of_row[indices]


def looked_up(given: NDArray, points_of: Callable[[NDArray], Any]) -> Formed:
    """Points of the distinct keys of tuples (n, t)."""
    keys, of_key = np.unique(given, return_inverse=True)
    return points_of(keys), of_key.reshape(given.shape)


def called(preprocessor: Callable[[NDArray], Any], keys: NDArray) -> Any:
    """Samples (n, d) that a function returns for keys (n,); ValueError for another shape."""
    points = preprocessor(keys)
    if np.ndim(points) != 2 or len(points) != len(keys):
        wanted = f"for {len(keys)} keys samples of shape ({len(keys)}, n_features)"
        raise ValueError(f"preprocessor must give {wanted}; it gave shape {np.shape(points)}.")
    return points


def signs_of(y: ArrayLike | None, n: int, name: str, meaning: str) -> NDArray[np.intp]:
    """y as +1 and -1; ValueError where it is something else."""
    signs = np.asarray(y)
    if signs.shape != (n,) or signs.dtype.kind not in "iuf" or not np.isin(signs, (-1, 1)).all():
        kinds = np.unique(signs.astype(str)).tolist()
        got = f"{signs.dtype} of shape {signs.shape}" if signs.shape != (n,) else few(kinds)
        what = f"y must be {counted(n, 'value')} of +1 or -1, one for each of the {name} ({meaning})"
        raise ValueError(f"{what}; got {got}.")
    return signs.astype(np.intp)
