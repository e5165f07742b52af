"""What many metrics weigh together: shares of the features, and the averaged metric."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from .ensemble import Ensemble
from .views import View

MOST_ROWS = 20_000  # whose spread is looked at: more do not change an average


def some_rows(X: NDArray) -> NDArray:
    """X itself, or rows from all over it where there are many."""
    return X if len(X) <= MOST_ROWS else np.asarray(X[np.linspace(0, len(X) - 1, MOST_ROWS).astype(int)])


def feature_shares(
    ensembles: Sequence[Ensemble], trust: NDArray, views: Mapping[str, View], X: NDArray, groups: NDArray | None = None
) -> tuple[NDArray, NDArray]:
    """Mean (d,) and standard deviation (d,) over replicas of every feature's share in the squared distances.

    A replica's share of view feature j is M_jj var(v_j), without the cross terms; features of a view that belong to the
    same feature of X add up, and where there are ``groups`` (d,) those of the same group.
    """
    parts, weights = [], []
    X = some_rows(X)
    spreads = {name: (X if view.mixes_features else view(X)).var(axis=0) for name, view in views.items()}
    for ensemble, weight in zip(ensembles, trust, strict=True):
        view, spread = views[ensemble.candidate.view], spreads[ensemble.candidate.view]
        for M in ensemble.matrices():
            part = _of_features(view, M, spread, X.shape[1])
            parts.append(part / part.sum() if part.sum() > 0 else np.full(X.shape[1], 1 / X.shape[1]))
            weights.append(weight / len(ensemble))
    shares, share_weights = np.array(parts), np.array(weights) / np.sum(weights)
    if groups is not None:
        shares = shares @ np.eye(groups.max() + 1)[groups]
    mean = share_weights @ shares
    return mean, np.sqrt(share_weights @ (shares - mean) ** 2)


def _of_features(view, M, spread, n_features):
    """M_jj var_j (d,) of every feature of X; ``spread`` are the variances in the view, or of X where that mixes."""
    if view.mixes_features:
        J = view.slopes()
        return ((J @ M) * J).sum(axis=1) * spread
    return np.bincount(view.owner, np.diagonal(M) * spread, minlength=n_features)


def averaged_matrices(
    ensembles: Sequence[Ensemble], trust: NDArray, views: Mapping[str, View], X: NDArray
) -> dict[str, NDArray]:
    """For every view M (d_view, d_view): summed over views, (u - v)^T M (u - v) is the averaged squared distance.

    Every replica's metric is scaled to a mean squared distance of one first: votes do not depend on scale. A view on
    which all rows are equal has no metric.
    """
    total: dict[str, NDArray] = {}
    X = some_rows(X)
    covariances = {name: np.atleast_2d(np.cov(view(X), rowvar=False)) for name, view in views.items()}
    for ensemble, weight in zip(ensembles, trust, strict=True):
        name = ensemble.candidate.view
        covariance = covariances[name]
        for M in ensemble.matrices():
            scale = 2 * np.sum(M * covariance)
            if scale > 0:
                total[name] = total.get(name, 0) + weight / len(ensemble) / scale * M
    return total


def root(M: NDArray) -> NDArray:
    """A map B with B^T B = M, for a symmetric M without negative eigenvalues."""
    values, vectors = np.linalg.eigh(M)
    return np.sqrt(np.clip(values, 0, None))[:, None] * vectors.T
