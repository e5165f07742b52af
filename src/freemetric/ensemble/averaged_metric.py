"""The averaged metric of an ensemble, and coordinates in which it is Euclidean."""

from dataclasses import dataclass

import numpy as np

MOST_ROWS = 20_000  # whose spread is computed: more do not change an average
NEGLIGIBLE = 1e-6  # length of an axis, against the longest


def evenly_spaced(X, most=MOST_ROWS):
    """Rows from all over X; all of them where there are no more."""
    if len(X) <= most:
        return X
    return X[np.linspace(0, len(X) - 1, most).astype(int)]


@dataclass(frozen=True)
class Embedding:
    """Linear maps of the views whose images add up to coordinates on principal axes.

    The averaged squared distance is the weighted mean over all maps, each scaled to a
    mean squared distance of one: votes do not depend on scale.

    Parameters
    ----------
    maps : dict of str to ndarray of shape (d_view, n_axes)
        By view.
    centre : ndarray of shape (n_axes,)
        The mean of the training samples.
    """

    maps: dict
    centre: np.ndarray

    @classmethod
    def fit(cls, members, views, X):
        """The embedding of members, centred on samples X."""
        X = evenly_spaced(X)
        in_views = {name: view(X) for name, view in views.items()}
        roots = {}
        for name, M in averaged_matrices(members, in_views).items():
            roots[name] = root(M)
        if not roots:  # no two samples differ
            return cls({}, np.zeros(1))
        images = np.hstack([in_views[name] @ B for name, B in roots.items()])
        centre = images.mean(axis=0)
        _, axes = principal_axes(images - centre)
        ends = np.cumsum([B.shape[1] for B in roots.values()])[:-1]
        parts = zip(roots, np.split(axes, ends), strict=True)
        maps = {name: roots[name] @ part for name, part in parts}
        return cls(maps, centre @ axes)

    def __call__(self, in_views):
        """Coordinates (n, n_axes) of samples in every view."""
        n_samples = len(next(iter(in_views.values())))
        out = np.zeros((n_samples, len(self.centre)))
        for name, B in self.maps.items():
            out += in_views[name] @ B
        return out - self.centre


def averaged_matrices(members, in_views):
    """For every view M (d_view, d_view) of the averaged squared distance."""
    total = {}
    spread = {
        name: np.atleast_2d(np.cov(V, rowvar=False)) for name, V in in_views.items()
    }
    for member in members:
        for A in member.maps:
            M = np.diag(A[0] ** 2) if len(A) == 1 else A.T @ A
            mean_distance = 2 * np.sum(M * spread[member.view])
            if mean_distance > 0:
                share = member.weights.sum() / len(member.maps) / mean_distance
                total[member.view] = total.get(member.view, 0) + share * M
    return total


def root(M):
    """A matrix B with B B^T = M."""
    values, vectors = np.linalg.eigh(M)
    return vectors * np.sqrt(np.clip(values, 0, None))


def principal_axes(Z):
    """Variances, the largest first, and axes (p, n_axes) of centred rows Z (n, p)."""
    if len(Z) < Z.shape[1]:
        _, lengths, axes = np.linalg.svd(Z, full_matrices=False)
        variances, axes = lengths**2 / len(Z), axes.T
    else:
        variances, axes = np.linalg.eigh(Z.T @ Z / len(Z))
        variances, axes = np.clip(variances[::-1], 0, None), axes[:, ::-1]
    kept = variances > NEGLIGIBLE**2 * variances[0]
    axes = axes[:, kept]
    largest = np.abs(axes).argmax(axis=0)
    return variances[kept], axes * np.sign(axes[largest, np.arange(axes.shape[1])])


def feature_shares(members, views, X):
    """Mean share (n_features,) that every feature has in the squared distances."""
    X = evenly_spaced(X)
    total = np.zeros(X.shape[1])
    for member in members:
        view = views[member.view]
        V = view(X)
        for A in member.maps:
            M = np.diag(A[0] ** 2) if len(A) == 1 else A.T @ A
            share = np.diagonal(M) * V.var(axis=0)
            of_features = np.bincount(view.owner, share, X.shape[1])
            weight = member.weights.sum() / len(member.maps)
            total += weight * of_features / max(of_features.sum(), 1e-300)
    return total / max(total.sum(), 1e-300)
