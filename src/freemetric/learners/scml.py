"""Sparse compositional metric learning: a few weighted local discriminants, found by dual averaging over triplets."""

from dataclasses import KW_ONLY
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh, qr, solve
from sklearn.neighbors import NearestNeighbors
from sklearn.utils import check_array

from .base import generator, one_blas_thread
from .dual_averaging import SEEN, DualAveraging
from .linear_algebra import group_means, map_by_contrast, shrunk
from .parameters import Count, CountOrNone, NotNegative, Positive, estimator
from .side_information import check_tuples, class_neighbors
from .training_rows import canonical_order
from .tuple_learners import TripletLearner
from .validation import clip_count, warn_of_data

PER_FEATURE, MOST_BASES = 20, 1000  # default number of bases
SCALES = (10, 20, 50)  # samples per class in a region, as in the paper; without classes, samples that begin triplets
SHRINKAGE = 0.1  # of a region's mean variance: ten samples do not span the features
PER_REGION = 5  # most discriminants of a region of triplets
MOST_EACH = 100  # triplets that a sample brings into a region


@estimator
class SCML(TripletLearner):
    """Sparse compositional metric learning: M = sum_i w_i b_i b_i^T with few positive weights.

    F(w) = 1/T sum_{(a, p, n)} [1 + d_w(x_a, x_p) - d_w(x_a, x_n)]_+ + beta sum_i w_i,  w >= 0,

    with d_w(u, v) = sum_i w_i (b_i . (u - v))^2 and T triplets (a, p, n): every sample a with its nearest ones p of
    its class and n of other classes, or triplets that are given. The unit vectors b_i are Fisher's discriminants in
    regions around random samples, of the 10, 20 and 50 nearest samples of every class. Where only triplets are known,
    they are the directions in which x_a - x_n is largest against x_a - x_p, in regions of the triplets of 10, 20 and 50
    samples a. A region without discriminants (copies, equal means) gives random directions.

    F is convex and piecewise linear. It is descended by regularised dual averaging over random mini-batches, with a
    step of its own for every weight as in AdaGrad. Every 1000 mini-batches F is computed exactly for the last weights
    and for their average; the best of all is kept. Where nothing is better than w = 0, F = 1 (triplets that contradict
    each other, no triplets, a ``regularization`` too large), the map is the identity, with a warning.

    Finding the triplets takes O(N^2 d) time at most for N samples and d features, a mini-batch O(batch_size n_basis)
    and an exact F O(N d^2 + T d). Memory is O(N n_basis + T), in float32 and int32. Scale the features first: the
    neighbours and regions are Euclidean.

    Parameters
    ----------
    n_components : int or None, default=None
        Directions of the learned space to keep, those in which the third of a triplet differs most against the second;
        None keeps the number of features.
    n_basis : int or None, default=None
        Number of bases. None: 20 per feature, at most 1000 and what the data allow.
    basis : array-like of shape (n_basis, n_features) or None, default=None
        Directions to weigh instead of those of regions; they are taken at unit length, and ``n_basis`` is not used.
    regularization : float, default=1e-5
        beta, the price of weight; more makes fewer positive weights. Weights are those of features in units of their
        largest range, or of their standard deviation where all have the same.
    n_neighbors : int, default=3
        Nearest samples of the own class in the triplets of a sample; fewer where the class is smaller.
    n_impostors : int, default=10
        Nearest samples of other classes in the triplets of a sample.
    gamma : float, default=0.3
        Length of the steps, in units that make the mean squared distance of impostors along every base 1. Larger ones
        reach large weights sooner and need more steps to settle.
    batch_size : int, default=10
        Triplets in a mini-batch.
    {max_iter}
    tol : float, default=1e-3
        Stop when 5000 mini-batches have lowered F by less, and the last of them ended no farther above the best.
    {warm_start} {verbose} {random_state}

    Attributes
    ----------
    {map_of_M}
    basis_ : ndarray of shape (n_basis, n_features)
        The b_i, of unit length.
    weights_ : ndarray of shape (n_basis,)
        The w_i.
    {objective}
    trace_ : ndarray of shape (n_looks,)
        The lowest F after every look.
    {n_iter} {classes} {features}

    References
    ----------
    Y. Shi, A. Bellet, F. Sha, Sparse compositional metric learning, AAAI 2014.
    L. Xiao, Dual averaging methods for regularized stochastic learning and online optimization, JMLR 2010.
    J. Duchi, E. Hazan, Y. Singer, Adaptive subgradient methods for online learning and stochastic optimization,
    JMLR 2011.

    Examples
    --------
    {wine}
    >>> from freemetric import SCML
    >>> bool(SCML(random_state=0).fit(X, y).objective_ < 0.03)
    True
    >>> triplets = [[0, 1, 100], [60, 61, 2], [150, 151, 3]]  # instead of labels
    >>> SCML(random_state=0).fit(X, triplets=triplets).components_.shape
    (13, 13)
    """

    n_components: int | None = None
    _: KW_ONLY
    n_basis: CountOrNone = None
    basis: Annotated[Any, "array-like", None] = None
    regularization: NotNegative = 1e-5
    n_neighbors: int = 3
    n_impostors: Count = 10
    gamma: Positive = 0.3
    batch_size: Count = 10
    max_iter: int = 100_000
    tol: float = 1e-3
    warm_start: bool = False
    verbose: bool = False
    random_state: Any = None

    _has_units = True

    def _learn(self, X, y, triplets=None):
        rng = generator(self.random_state)
        if y is not None:
            order = canonical_order(X, y, np.ones(len(y)))  # the same result in whatever order the rows come
            X, y = X[order], y[order]
        X = np.ascontiguousarray(X - X.mean(axis=0)) / self._unit  # only differences count; float32 keeps more of them
        with one_blas_thread():
            if triplets is None:
                triplets = nearest_triplets(X, y, self.n_neighbors, self.n_impostors)
            else:
                triplets = check_tuples(triplets, 3, len(X), "triplets")
            triplets = np.ascontiguousarray(triplets, dtype=np.int32)
            basis, start = self._previous(X)
            if basis is None:
                basis = self._drawn(rng, X, y, triplets) if self.basis is None else _given(self.basis, X.shape[1])
                start = np.zeros(len(basis))
            search = DualAveraging(self, rng, X, triplets, basis, start)
            if len(triplets):
                self._run(search)
        self.basis_, self.weights_, self.objective_ = basis, search.weights() / self._unit**2, search.best.value
        self.trace_, self.n_iter_ = np.array(search.trace), search.n_iter
        return self._map(X, triplets) * self._unit

    def _previous(self, X):
        """Bases and weights of the last fit, if there are some that fit the data and the parameters."""
        basis = getattr(self, "basis_", None) if self.warm_start else None
        if basis is None or basis.shape[1] != X.shape[1] or not self._wants(basis):
            return None, None
        return basis, self.weights_ * self._unit**2

    def _wants(self, basis):
        if self.basis is not None:
            return np.array_equal(basis, _given(self.basis, basis.shape[1]))
        return self.n_basis in (None, len(basis))

    def _drawn(self, rng, X, y, triplets):
        most = most_bases(X, y, triplets)
        default = min(PER_FEATURE * X.shape[1], MOST_BASES, most)
        n_basis = default if self.n_basis is None else clip_count(self.n_basis, most, "n_basis")
        return draw_basis(rng, X, y, triplets, n_basis)

    def _map(self, X, triplets):
        if self.weights_.any():
            some = triplets[:: max(1, len(triplets) // SEEN)]
            own, near, far = X[some].swapaxes(0, 1)
            M = (self.basis_.T * self.weights_) @ self.basis_
            return map_by_contrast(M, own - near, own - far, self.n_components)
        why = "there are no triplets, they contradict each other, or regularization is too large"
        warn_of_data(f"No weights are better than none: {why}. The distance stays Euclidean.")
        d = self.basis_.shape[1]
        return np.eye(d if self.n_components is None else self.n_components, d)


def _given(basis, d):
    """Directions as users give them, of unit length."""
    directions = check_array(basis, dtype=np.float64)
    lengths = np.linalg.norm(directions, axis=1, keepdims=True)
    if directions.shape[1] != d or not lengths.all():
        raise ValueError(f"basis must hold directions of {d} features, none of length 0; it has {directions.shape[1]}.")
    return directions / lengths


def nearest_triplets(X: NDArray, y: NDArray, n_neighbors: int, n_impostors: int) -> NDArray:
    """Triplets (T, 3) of every sample with its nearest ones of its class, times its nearest ones of other classes."""
    own, other = class_neighbors(X, y, n_neighbors, n_impostors)
    triplets: NDArray = np.empty((len(X), own.shape[1], other.shape[1], 3), dtype=np.int32)
    triplets[..., 0] = np.arange(len(X))[:, None, None]
    triplets[..., 1] = own[:, :, None]
    triplets[..., 2] = other[:, None, :]
    triplets = triplets.reshape(-1, 3)
    return triplets[(triplets >= 0).all(axis=1)]


def draw_basis(rng: np.random.Generator, X: NDArray, y: NDArray | None, triplets: NDArray, n_basis: int) -> NDArray:
    """Unit vectors (n_basis, d): the discriminants of random regions, at every scale."""
    per_region = _per_region(X, y)
    n_regions = -(-n_basis // (per_region * len(SCALES)))
    regions = _triplet_regions(rng, X, triplets, n_regions) if y is None else _class_regions(rng, X, y, n_regions)
    directions = [
        triplet_discriminants(X, triplets[region], per_region)
        if y is None
        else class_discriminants(X[region], y[region], per_region)
        for region in regions
    ]
    return _unit_rows(rng, np.vstack(directions)[:n_basis])


def class_discriminants(X: NDArray, y: NDArray, n_directions: int) -> NDArray:
    """Leading directions (n_directions, d) of Fisher's criterion; zeros where there are fewer.

    The eigenvectors of S_w^-1 S_b are S_w^-1 M^T u with u those of M S_w^-1 M^T, M the class means: no larger
    eigenproblem than the number of classes.
    """
    X, span = _spanned(X - X.mean(axis=0))
    means = group_means(X, y)
    inside = X - means[y]
    M = means - means.mean(axis=0)
    V = solve(shrunk(inside.T @ inside / len(X), SHRINKAGE), M.T, assume_a="pos")
    values, U = eigh(M @ V)
    return _leading(values, (V @ U).T, n_directions) @ span.T


def triplet_discriminants(X: NDArray, triplets: NDArray, n_directions: int) -> NDArray:
    """Leading directions (n_directions, d) of the far pairs' scatter against the near pairs'; zeros for none."""
    a, p, n = triplets.T
    D, span = _spanned(np.vstack([X[a] - X[p], X[a] - X[n]]))
    near, far = D[: len(a)], D[len(a) :]
    values, V = eigh(far.T @ far / len(a), shrunk(near.T @ near / len(a), SHRINKAGE))
    return _leading(values, V.T, n_directions) @ span.T


def _spanned(X):
    """X in coordinates of the space that its rows span, and that space (d, .): few rows are cheap."""
    if X.shape[0] >= X.shape[1]:
        return X, np.eye(X.shape[1])
    span = qr(X.T, mode="economic")[0]
    return X @ span, span


def _leading(values, directions, n_directions):
    """Directions by falling value, zeros for those whose value is none."""
    order = np.argsort(-values, kind="stable")[:n_directions]
    real = values[order] > 1e-9 * max(values[order[0]], 1e-300)
    leading = np.zeros((n_directions, directions.shape[1]))
    leading[: len(order)] = directions[order] * real[:, None]
    return leading


def _unit_rows(rng, B):
    """Rows of length 1; random directions for rows of zeros."""
    lost = ~B.any(axis=1)
    B[lost] = rng.standard_normal((lost.sum(), B.shape[1]))
    B /= np.abs(B).max(axis=1, keepdims=True)
    return B / np.linalg.norm(B, axis=1, keepdims=True)


def _class_regions(rng, X, y, n_regions):
    """Samples around random ones, the nearest of every class; a list for every scale and centre."""
    centres = X[rng.choice(len(X), n_regions, replace=False)]
    nearest = []
    for c in range(y.max() + 1):
        own = np.flatnonzero(y == c)
        search = NearestNeighbors(n_neighbors=min(SCALES[-1], len(own))).fit(X[own])
        nearest.append(own[search.kneighbors(centres, return_distance=False)])
    return [np.concatenate([of_class[r, :k] for of_class in nearest]) for k in SCALES for r in range(n_regions)]


def _triplet_regions(rng, X, triplets, n_regions):
    """Numbers of the triplets that begin nearest to a random beginning, as many as ``SCALES`` samples have."""
    beginnings = np.unique(triplets[:, 0])
    each = min(MOST_EACH, -(-len(triplets) // len(beginnings)))
    nearest = []
    for centre in rng.choice(beginnings, n_regions, replace=False):
        distances = ((X - X[centre]) ** 2).sum(axis=1)
        nearest.append(np.argsort(distances[triplets[:, 0]], kind="stable")[: SCALES[-1] * each])
    return [order[: k * each] for k in SCALES for order in nearest]


def _per_region(X, y):
    return min(X.shape[1], PER_REGION if y is None else y.max())


def most_bases(X: NDArray, y: NDArray | None, triplets: NDArray) -> int:
    """Every sample, or every one that begins a triplet, can be the centre of one region of each scale."""
    n_centres = len(np.unique(triplets[:, 0])) if y is None else len(X)
    return n_centres * len(SCALES) * _per_region(X, y)
