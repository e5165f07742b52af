"""What a metric weighs: every feature's share in the squared distances between the training rows."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from ..learners.learned_space import LearnedSpace

NEGLIGIBLE = 1e-9  # variance, relative to the largest, of directions in which rows do not differ


@dataclass(frozen=True)
class Weight:
    """Share in % of a feature: a column, or one of its values."""

    column: str
    value: str
    share: float

    @property
    def name(self) -> str:
        return f"{self.column} = {self.value}" if self.value else self.column


def shares(pipeline: Pipeline, frame: Any) -> NDArray | None:
    """Share of every feature that reaches the classifier, or None where there is no matrix to compute it from.

    The share of feature j is M_jj var(x_j), normalised; M without the directions in which no two rows differ, such as
    the sum of all features of a nominal column, for there a metric is arbitrary.
    """
    weights = getattr(pipeline[-1], "distance_weights_", None)
    if weights is not None:
        return np.asarray(weights)
    try:
        M = LearnedSpace(pipeline).matrix()
    except TypeError:
        return None
    covariance = np.atleast_2d(np.cov(pipeline[:-1].transform(frame), rowvar=False))
    values, vectors = np.linalg.eigh(covariance)
    seen = vectors[:, values > NEGLIGIBLE * values[-1]]
    projected = seen @ (seen.T @ M @ seen) @ seen.T
    parts = np.diag(projected) * np.diag(covariance)
    return parts / parts.sum() if parts.sum() > 0 else np.full(len(parts), 1 / len(parts))


def by_column(weights: Iterable[Weight]) -> dict[str, float]:
    """Share in % of every column, the largest first."""
    sums: dict[str, float] = {}
    for weight in weights:
        sums[weight.column] = sums.get(weight.column, 0.0) + weight.share
    return dict(sorted(sums.items(), key=lambda item: -item[1]))
