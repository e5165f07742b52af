"""What many metrics weigh together: shares of the features, and the averaged metric."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from .ensemble import Ensemble
from .views import View

MOST_ROWS = 20_000  # whose spread is looked at: more do not change an average
WIDE = 2000  # columns: of more, so many rows as make up
MOST_NUMBERS = 1 << 23


def some_rows(X: NDArray, n_columns: int = 0) -> NDArray:
    """X itself, or rows from all over it where there are many, or some with very many columns are made of them."""
    most = MOST_ROWS if n_columns <= WIDE else min(MOST_ROWS, MOST_NUMBERS // n_columns + 2)
    return X if len(X) <= most else np.asarray(X[np.linspace(0, len(X) - 1, most).astype(int)])


def feature_shares(
    ensembles: Sequence[Ensemble], trust: NDArray, views: Mapping[str, View], X: NDArray, groups: NDArray | None = None
) -> tuple[NDArray, NDArray]:
    """Mean (d,) and standard deviation (d,) over replicas of every feature's share in the squared distances.

    A replica's share of view feature j is M_jj var(v_j), without the cross terms; features of a view that belong to the
    same feature of X add up, and where there are ``groups`` (d,) those of the same group.
    """
    X = some_rows(X)
    spreads = {name: (X if view.mixes_features else view(X)).var(axis=0) for name, view in views.items()}
    shares, weights = [], []
    for ensemble, weight in zip(ensembles, trust, strict=True):
        name = ensemble.candidate.view
        for part in _of_features(ensemble, views[name], spreads[name], X.shape[1]):
            share = part / part.sum() if part.sum() > 0 else np.full(X.shape[1], 1 / X.shape[1])
            shares.append(share if groups is None else np.bincount(groups, share))
            weights.append(weight / len(ensemble))
    share_weights = np.array(weights) / np.sum(weights)
    mean = share_weights @ np.array(shares)
    return mean, np.sqrt(share_weights @ (np.array(shares) - mean) ** 2)


def _of_features(ensemble, view, spread, n_features):
    """M_jj var_j (d,) of every replica and feature of X; ``spread``: variances in the view, or of X if that mixes."""
    if view.mixes_features:
        J = view.slopes()
        return [((J @ M) * J).sum(axis=1) * spread for M in ensemble.matrices()]
    return [np.bincount(view.owner, row * spread, minlength=n_features) for row in ensemble.diagonals()]


def averaged_matrices(
    ensembles: Sequence[Ensemble], trust: NDArray, views: Mapping[str, View], X: NDArray
) -> dict[str, NDArray]:
    """For every view M (d_view, d_view): summed over views, (u - v)^T M (u - v) is the averaged squared distance.

    Every replica's metric is scaled to a mean squared distance of one first: votes do not depend on scale. A view on
    which all rows are equal has no metric. Where no metric mixes the columns of a view, M is its diagonal (d_view,).
    """
    total: dict[str, NDArray] = {}
    X = some_rows(X)
    mixed = {ensemble.candidate.view for ensemble in ensembles if not ensemble.form.keeps_apart}
    spreads = {name: _spread(view(X), name in mixed) for name, view in views.items()}
    for ensemble, weight in zip(ensembles, trust, strict=True):
        name = ensemble.candidate.view
        for M in ensemble.matrices() if name in mixed else ensemble.diagonals():
            scale = 2 * np.sum(M * spreads[name])
            if scale > 0:
                total[name] = total.get(name, 0) + weight / len(ensemble) / scale * M
    return total


def _spread(V, mixed):
    """Covariances of a view, or the variances alone where no others are asked for."""
    return np.atleast_2d(np.cov(V, rowvar=False)) if mixed else V.var(axis=0, ddof=1)
