"""The parts of a fitted estimator, and the space that it learned."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from ..metrics import VIEWS
from ..metrics.averaged_metric import pulled_back
from ..printable import counted

WITHIN = ("best_estimator_", "learner_")  # where searches and classifiers keep what they have fitted


def parts_of(estimator: Any) -> Iterator[tuple[list[Any], Any]]:
    """Every part of a fitted estimator with the transformers in front of it, the outermost part first.

    Looks into pipelines, from their last step, into searches over parameters and into classifiers around a learner.
    """
    check_is_fitted(estimator)  # not its parts: a user's transformer may have no fitted attributes
    yield from _parts_of(estimator)


def _parts_of(estimator):
    estimator = estimator.as_pipeline() if hasattr(estimator, "as_pipeline") else estimator
    if isinstance(estimator, Pipeline):
        steps = [step for _, step in estimator.steps if step is not None and step != "passthrough"]
        inner = [(steps[:i], step) for i, step in reversed(list(enumerate(steps)))]
    else:
        yield [], estimator
        inner = [([], getattr(estimator, name)) for name in WITHIN if hasattr(estimator, name)]
    for before, step in inner:
        for front, part in _parts_of(step):
            yield before + front, part


def part_with(estimator: Any, attributes: Sequence[str], wanted: str) -> tuple[list[Any], Any]:
    """The part of a fitted estimator with one of the attributes, and the transformers in front; else TypeError."""
    for front, part in parts_of(estimator):
        if any(hasattr(part, name) for name in attributes):
            return front, part
    raise TypeError(f"This display needs {wanted}; {type(estimator).__name__} is none.")


def passed(front: Sequence[Any], X: Any) -> Any:
    """Samples as they leave the transformers in front."""
    for step in front:
        X = step.transform(as_fitted(step, X))
    return X


def as_fitted(part: Any, X: Any) -> Any:
    """Samples without column names for a part that was fitted without names."""
    nameless = hasattr(part, "n_features_in_") and not hasattr(part, "feature_names_in_")
    return np.asarray(X) if nameless and hasattr(X, "columns") else X


class LearnedSpace:
    """The space of a fitted learner, pipeline, search or classifier; for an ensemble that of its averaged metric."""

    def __init__(self, estimator: Any) -> None:
        wanted = "a metric learner, or a pipeline or classifier with one"
        self.front, self.learner = part_with(estimator, ("components_", "embed", "transform"), wanted)
        self.estimator = estimator

    @property
    def averaged(self) -> bool:
        """Whether the metric is a mean over the replicas of an ensemble."""
        return hasattr(self.learner, "ensemble_")

    @cached_property
    def _average(self):
        return AveragedMetric(self.learner.ensemble_)

    def transform(self, X: ArrayLike) -> NDArray:
        """Samples (N, p) in the learned space."""
        X = as_fitted(self.learner, passed(self.front, X))
        embeds = not hasattr(self.learner, "components_") and hasattr(self.learner, "embed")
        return np.asarray(self.learner.embed(X) if embeds else self.learner.transform(X), dtype=np.float64)

    def before(self, X: ArrayLike) -> NDArray:
        """Samples (N, d) as the learner gets them."""
        X = np.asarray(passed(self.front, X), dtype=np.float64)
        if not self.averaged:
            return X
        X = self.learner.ensemble_.filled(X)[:, : X.shape[1]]
        # as the views scale features; in raw units one of them could hide all others
        span = np.ptp(X, axis=0)
        return X / np.where(span > 0, span, 1)

    def matrix(self, X: ArrayLike | None = None) -> NDArray:
        """M = A^T A (d, d), averaged over replicas; in units of the standard deviations of X if given."""
        if self.averaged:
            d, filled = self.learner.n_features_in_, self.learner.ensemble_.filled
            return self._average.matrix(None if X is None else filled(self._passed(X, d)))[:d, :d]
        if hasattr(self.learner, "get_mahalanobis_matrix"):
            M = self.learner.get_mahalanobis_matrix()
        elif hasattr(self.learner, "components_"):
            M = self.learner.components_.T @ self.learner.components_
        else:
            raise TypeError(f"{type(self.learner).__name__} has no components_, so there is no matrix to show.")
        unit = 1.0 if X is None else self._passed(X, len(M)).std(axis=0)
        return M * np.outer(unit, unit)

    def matrix_title(self) -> str:
        """Title of ``matrix``."""
        return self._average.title if self.averaged else "M = A$^T$A"

    def replica_weights(self, X: ArrayLike | None = None) -> NDArray | None:
        """Diagonals of A^T A of every replica (R, d) in the units of ``matrix``; None for one replica."""
        replicas: Any = getattr(self.learner, "replicas_", ())
        if len(replicas) < 2:
            return None
        unit = 1.0 if X is None else self._passed(X, replicas.shape[2]).std(axis=0)
        return np.array([(A**2).sum(axis=0) for A in replicas]) * unit**2

    def _passed(self, X, d):
        X = np.asarray(passed(self.front, X), dtype=np.float64)
        if X.ndim != 2 or X.shape[1] != d:
            raise ValueError(f"X must have {counted(d, 'feature')} where it meets the map, got {X.shape[-1]}.")
        return X

    def feature_names(self) -> Sequence[str] | None:
        """Names of the features that the map sees, or None where they are unknown."""
        names = getattr(self.learner, "feature_names_in_", None)
        if names is not None:
            return names
        names = getattr(self.estimator, "feature_names_in_", None)
        try:
            for step in self.front if names is not None else ():
                names = step.get_feature_names_out(names)
        except (AttributeError, ValueError):  # a step that makes features it cannot name
            return None
        return names


class AveragedMetric:
    """The mean metric of the replicas on the plainest view, each scaled to a mean squared distance of one."""

    def __init__(self, ensemble: Any) -> None:
        name = next(name for name in VIEWS if name in ensemble.views)
        self.view = ensemble.views[name]
        pairs = zip(ensemble.members, ensemble.member_weights, strict=True)
        share = float(sum(weight for member, weight in pairs if member.candidate.view == name))
        self.title = f"averaged M, {getattr(self.view, 'words', name)}\n({100 * share:.0f} % of the votes)"
        self._n_features = ensemble.training_set.X.shape[1]
        # a view on which all rows are equal has no matrix
        self._matrix = ensemble.averaged_matrices().get(name, np.zeros(len(self.view.owner))) / share

    def matrix(self, X: NDArray | None = None) -> NDArray:
        """M (d, d); standard deviations of X (N, d) in the view become its units."""
        M, view = self._matrix, self.view
        J = view.slopes() if view.mixes_features else None
        if J is not None:
            unit = np.ones(self._n_features) if X is None else X.std(axis=0)
            return pulled_back(pulled_back(M, J), unit)
        unit = np.ones(len(view.owner)) if X is None else view(X).std(axis=0)
        if M.ndim == 1:  # crossing all steps of a feature; else one column is one feature
            return np.diag(np.bincount(view.owner, M * unit**2, minlength=self._n_features))
        members = np.eye(self._n_features)[view.owner]
        return members.T @ pulled_back(M, unit) @ members
