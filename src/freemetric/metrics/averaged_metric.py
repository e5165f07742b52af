"""The averaged metric of an ensemble: matrices, feature shares, embedding and outlier scores."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import linalg
from sklearn.neighbors import NearestNeighbors

from .forms import Member
from .views import View


def root(M: NDArray) -> NDArray:
    """A map B with B^T B = M, for a symmetric M without negative eigenvalues."""
    if M.ndim == 1:
        return np.sqrt(np.clip(M, 0, None))
    values, vectors = np.linalg.eigh(M)
    return np.sqrt(np.clip(values, 0, None))[:, None] * vectors.T


def image(B: NDArray, V: NDArray) -> NDArray:
    """Rows V (n, d) under a map B."""
    return V * B if B.ndim == 1 else V @ B.T


def followed_by(B: NDArray, axes: NDArray) -> NDArray:
    """The matrix (d, q) of B and then ``axes`` (p, q): V is mapped to V @ it."""
    return B[:, None] * axes if B.ndim == 1 else B.T @ axes


def pulled_back(M: NDArray, J: NDArray) -> NDArray:
    """J M J^T (d, d): the metric M of V, whose differences are those of X times J (d, d_view), as one of X."""
    if J.ndim == 1:
        return np.diag(J**2 * M) if M.ndim == 1 else J[:, None] * M * J
    return (J * M if M.ndim == 1 else J @ M) @ J.T


MOST_ROWS = 20_000  # whose spread is looked at: more do not change an average
WIDE = 2000  # columns: of more, so many rows as make up
MOST_NUMBERS = 1 << 23


def some_rows(X: NDArray, n_columns: int = 0) -> NDArray:
    """X itself, or rows from all over it where there are many, or some with very many columns are made of them."""
    most = MOST_ROWS if n_columns <= WIDE else min(MOST_ROWS, MOST_NUMBERS // n_columns + 2)
    return X if len(X) <= most else np.asarray(X[np.linspace(0, len(X) - 1, most).astype(int)])


def feature_shares(
    members: Sequence[Member],
    member_weights: NDArray,
    views: Mapping[str, View],
    X: NDArray,
    groups: NDArray | None = None,
) -> tuple[NDArray, NDArray]:
    """Mean (d,) and standard deviation (d,) over replicas of every feature's share in the squared distances.

    A replica's share of view feature j is M_jj var(v_j), without the cross terms; features of a view that belong to the
    same feature of X add up, and where there are ``groups`` (d,) those of the same group.
    """
    X = some_rows(X)
    spreads = {name: (X if view.mixes_features else view(X)).var(axis=0) for name, view in views.items()}
    shares, weights = [], []
    for member, weight in zip(members, member_weights, strict=True):
        name = member.candidate.view
        view, spread = views[name], spreads[name]
        if view.mixes_features:
            J = view.slopes()
            parts = [((J @ M) * J).sum(axis=1) * spread for M in member.matrices()]
        else:
            parts = [np.bincount(view.owner, row * spread, minlength=X.shape[1]) for row in member.diagonals()]
        for part in parts:
            share = part / part.sum() if part.sum() > 0 else np.full(X.shape[1], 1 / X.shape[1])
            shares.append(share if groups is None else np.bincount(groups, share))
            weights.append(weight / len(member))
    share_weights = np.array(weights) / np.sum(weights)
    mean = share_weights @ np.array(shares)
    return mean, np.sqrt(share_weights @ (np.array(shares) - mean) ** 2)


def averaged_matrices(
    members: Sequence[Member], member_weights: NDArray, views: Mapping[str, View], X: NDArray
) -> dict[str, NDArray]:
    """For every view M (d_view, d_view): summed over views, (u - v)^T M (u - v) is the averaged squared distance.

    Every replica's metric is scaled to a mean squared distance of one first: votes do not depend on scale. A view on
    which all rows are equal has no metric. Where no metric mixes the columns of a view, M is its diagonal (d_view,).
    """
    total: dict[str, NDArray] = {}
    X = some_rows(X)
    mixed = {member.candidate.view for member in members if not member.form.keeps_apart}
    spreads = {  # covariances of a view, or the variances alone
        name: np.atleast_2d(np.cov(view(X), rowvar=False)) if name in mixed else view(X).var(axis=0, ddof=1)
        for name, view in views.items()
    }
    for member, weight in zip(members, member_weights, strict=True):
        name = member.candidate.view
        for M in member.matrices() if name in mixed else member.diagonals():
            scale = 2 * np.sum(M * spreads[name])
            if scale > 0:
                total[name] = total.get(name, 0) + weight / len(member) / scale * M
    return total


NEGLIGIBLE = 1e-6  # length of an axis, against the longest


def singular_vectors(Z: NDArray) -> tuple[NDArray, NDArray]:
    """Singular values (q,) of rows Z (n, d), the largest first, and right singular vectors (q, d).

    LAPACK's fast routine does not converge for some finite matrices on some processors; the slow one does.
    """
    try:
        return np.linalg.svd(Z, full_matrices=False)[1:]
    except np.linalg.LinAlgError:
        return linalg.svd(Z, full_matrices=False, lapack_driver="gesvd")[1:]


class Embedding(NamedTuple):
    """Linear maps of the views whose images add up to the coordinates, on principal axes."""

    maps: dict[str, NDArray]  # by view, (d_view, q)
    centre: NDArray  # (q,)

    @classmethod
    def of(cls, matrices: Mapping[str, NDArray], views: Mapping[str, View], X: NDArray) -> "Embedding":
        """The embedding in which matrices of the views measure, centred on rows X (N, d)."""
        roots = {name: root(M) for name, M in matrices.items()}
        if not roots:  # no two rows differ
            return cls({}, np.zeros(1))
        rows = some_rows(X, sum(map(len, roots.values())))
        Z = np.hstack([image(B, views[name](rows)) for name, B in roots.items()])
        centre = Z.mean(axis=0)
        size, axes = singular_vectors(Z - centre)
        axes = axes[size > NEGLIGIBLE * size[0]].T
        ends = np.cumsum([len(B) for B in roots.values()])[:-1]
        maps = {name: followed_by(B, part) for (name, B), part in zip(roots.items(), np.split(axes, ends), strict=True)}
        return cls(maps, centre @ axes)

    def __call__(self, views: Mapping[str, View], X: NDArray) -> NDArray:
        """Coordinates (n, q) of samples X (n, d)."""
        images = (views[name](X) @ B for name, B in self.maps.items())
        return sum(images, np.zeros((len(X), len(self.centre)))) - self.centre


FARTHEST = 1e75  # of a coordinate: squares of distances stay numbers


class OutlierScores(NamedTuple):
    """Distances to the nearest other row: a search among rows, and their usual distances, sorted.

    A feature that is as far outside of its range as this is wide is an outlier, whatever a bounded view such as
    quantiles shows.
    """

    search: NearestNeighbors
    usual: NDArray[np.float64]  # (n,)
    lowest: NDArray  # (d,) of every feature, before it is far outside
    highest: NDArray

    @classmethod
    def of(cls, X: NDArray, Z: NDArray) -> "OutlierScores":
        """Usual distances of rows X (N, d) at Z (N, q) to their nearest others; of very many, those of some."""
        search = NearestNeighbors(n_neighbors=min(2, len(Z))).fit(Z)
        usual = np.where(some_rows(far_outside_of_others(X)), np.inf, search.kneighbors(some_rows(Z))[0][:, -1])
        return cls(search, np.sort(usual), *_limits(X.min(axis=0), X.max(axis=0)))

    def __call__(self, X: NDArray, Z: NDArray) -> NDArray[np.float64]:
        """Share (n,) of the rows that are less far from their nearest than samples X (n, d) at Z (n, q)."""
        return np.searchsorted(self.usual, self._distances(X, Z), side="right") / len(self.usual)

    def p_values(self, X: NDArray, Z: NDArray) -> NDArray[np.float64]:
        """Share (n,) of the rows, the new one among them, that are at least as far from their nearest."""
        n = len(self.usual)
        return (1 + n - np.searchsorted(self.usual, self._distances(X, Z), side="left")) / (n + 1)

    def _distances(self, X, Z):
        """Distances (n,) to the nearest row, rounded down; infinite far outside."""
        within = np.clip(np.nan_to_num(Z), -FARTHEST, FARTHEST)
        distances = self.search.kneighbors(within, n_neighbors=1)[0][:, 0] * (1 - 1e-9)
        return np.where(((self.lowest > X) | (self.highest < X)).any(axis=1), np.inf, distances)


def _limits(low, high):
    """Where features of these ranges are far outside of them."""
    span = np.where(high > low, high - low, np.inf)  # what was always the same is no part of a distance
    return low - span, high + span


def far_outside_of_others(X: NDArray) -> NDArray[np.bool_]:
    """Which of rows X (N, d) have a feature farther outside of the range of all other rows than this is wide, (N,).

    New samples are compared with all rows: what would be far outside for them must be so for rows, too.
    """
    if len(X) < 3:
        return np.zeros(len(X), dtype=bool)
    ends = np.partition(X, (0, 1, len(X) - 2, len(X) - 1), axis=0)
    lowest, _ = _limits(ends[1], ends[-1])  # without the row of the smallest value
    _, highest = _limits(ends[0], ends[-2])
    return ((lowest > X) | (highest < X)).any(axis=1)
