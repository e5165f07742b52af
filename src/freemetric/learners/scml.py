"""SCML: a few weighted local discriminants, found by dual averaging over triplets."""

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh, qr, solve
from sklearn.neighbors import NearestNeighbors
from sklearn.utils import check_array, gen_batches

from ..exceptions import warn_of_data
from ..kernels import cpu_kernels, one_blas_thread
from ..sklearn_compat import generator
from .constraints import COUNT, COUNT_OR_NONE, NOT_NEGATIVE, POSITIVE, SEARCH
from .descent import BestSoFar, logger
from .linear_algebra import group_means, map_by_contrast, map_of, shrunk
from .side_information import TripletLearner, check_tuples, class_neighbors
from .validation import canonical_order, clip_count, unit_of

PER_FEATURE = 20  # bases by default ...
MOST_BASES = 1000  # ... and the most of them
SCALES = (10, 20, 50)  # samples of a class in a region, as in the paper
SHRINKAGE = 0.1  # of a region's mean variance: ten samples do not span the features
PER_REGION = 5  # most discriminants of a region of triplets
MOST_EACH = 100  # triplets of a sample in a region
STEPS = 1000  # between two evaluations of the exact objective
PATIENCE = 5  # evaluations over which tol is measured
BLOCK = 4096  # rows projected at a time
MOST_MEASURED = 10_000  # triplets that set the length scale


class SCML(TripletLearner):
    """Sparse compositional metric learning: M = sum_i w_i b_i b_i^T with few positive
    weights.

    F(w) = 1/T sum_{(a, p, n)} [1 + d_w(x_a, x_p) - d_w(x_a, x_n)]_+ + beta sum_i w_i,
    w >= 0,

    with d_w(u, v) = sum_i w_i (b_i . (u - v))^2 and T triplets (a, p, n): every sample
    a with its nearest samples p of its class and n of other classes, or given triplets.
    The unit vectors b_i are Fisher's discriminants of regions around random samples;
    with given triplets, the directions in which x_a - x_n is largest against x_a - x_p.

    F is convex and piecewise linear. Regularised dual averaging over random
    mini-batches minimises it, with AdaGrad's step sizes. Every 1000 mini-batches F is
    computed exactly for the last weights and for their average; the best weights are
    kept. If nothing is better than w = 0, the map is the identity, with a warning.
    Scale the features first: neighbours and regions are Euclidean.

    Parameters
    ----------
    n_components : int or None, default=None
        Directions to keep, those in which third samples differ most against second
        ones; None keeps all.
    n_basis : int or None, default=None
        Number of bases. None: 20 per feature, at most 1000.
    basis : array-like of shape (n_basis, n_features) or None, default=None
        Directions to weigh instead of those of regions; ``n_basis`` is not used then.
    regularization : float, default=1e-05
        beta, the cost of weight; larger values leave fewer weights.
    n_neighbors : int, default=3
        Nearest samples of the own class in the triplets of a sample.
    n_impostors : int, default=10
        Nearest samples of other classes in the triplets of a sample.
    gamma : float, default=0.3
        Step size, relative to the squared distance of impostors along a base.
    batch_size : int, default=10
        Triplets in a mini-batch.
    max_iter : int, default=100000
        Maximum number of iterations.
    tol : float, default=0.001
        Stop when 5000 mini-batches have lowered F by less.
    random_state : int, RandomState or None, default=None
        Seed of bases, triplets and mini-batches.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map A; M = A^T A if n_components is None.
    basis_ : ndarray of shape (n_basis, n_features)
        The b_i, of unit length.
    weights_ : ndarray of shape (n_basis,)
        The w_i.
    objective_ : float
        The objective at the solution.
    trace_ : ndarray of shape (n_evaluations,)
        The lowest F after every evaluation.
    n_iter_ : int
        Number of mini-batches.
    classes_ : ndarray of shape (n_classes,)
        Class labels; absent without labels.
    n_features_in_ : int
        Number of features of the training samples.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X has string column names.

    References
    ----------
    .. [1] Y. Shi, A. Bellet, F. Sha, Sparse compositional metric learning, AAAI 2014.
    .. [2] L. Xiao, Dual averaging methods for regularized stochastic learning and
           online optimization, JMLR 2010.
    .. [3] J. Duchi, E. Hazan, Y. Singer, Adaptive subgradient methods for online
           learning and stochastic optimization, JMLR 2011.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import minmax_scale
    >>> X, y = load_wine(return_X_y=True)
    >>> X = minmax_scale(X)
    >>> from freemetric import SCML
    >>> bool(SCML(random_state=0).fit(X, y).objective_ < 0.03)
    True
    >>> triplets = [[0, 1, 100], [60, 61, 2], [150, 151, 3]]  # instead of labels
    >>> SCML(random_state=0).fit(X, triplets=triplets).components_.shape
    (13, 13)
    """

    _parameter_constraints = {
        **SEARCH,
        "n_components": COUNT_OR_NONE,
        "n_basis": COUNT_OR_NONE,
        "basis": ["array-like", None],
        "regularization": NOT_NEGATIVE,
        "n_neighbors": COUNT,
        "n_impostors": COUNT,
        "gamma": POSITIVE,
        "batch_size": COUNT,
    }

    def __init__(
        self,
        n_components=None,
        *,
        n_basis=None,
        basis=None,
        regularization=1e-05,
        n_neighbors=3,
        n_impostors=10,
        gamma=0.3,
        batch_size=10,
        max_iter=100000,
        tol=0.001,
        random_state=None,
    ) -> None:
        self.n_components = n_components
        self.n_basis = n_basis
        self.basis = basis
        self.regularization = regularization
        self.n_neighbors = n_neighbors
        self.n_impostors = n_impostors
        self.gamma = gamma
        self.batch_size = batch_size
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _learn(self, X, y, triplets=None):
        rng = generator(self.random_state)
        unit = unit_of(X)
        if y is not None:  # the result does not depend on the order of rows
            order = canonical_order(X, y)
            X = X[order]
            y = y[order]
        X = (X - X.mean(axis=0)) / unit  # centred, because projections are float32
        with one_blas_thread():
            if triplets is None:
                triplets = nearest_triplets(X, y, self.n_neighbors, self.n_impostors)
            else:
                triplets = check_tuples(triplets, 3, len(X), "triplets")
            triplets = np.ascontiguousarray(triplets, dtype=np.int32)
            basis = self._basis(rng, X, y, triplets)
            search = DualAveraging(
                rng,
                X,
                triplets,
                basis,
                regularization=self.regularization,
                gamma=self.gamma,
                batch_size=self.batch_size,
            )
        n_iter = self._run(search, "mini-batches") if len(triplets) else 1
        weights = search.best.item
        return {
            "components_": self._map(X, triplets, basis, weights) / unit,
            "basis_": basis,
            "weights_": weights / unit**2,
            "objective_": search.best.value,
            "trace_": np.array(search.trace),
            "n_iter_": n_iter,
        }

    def _basis(self, rng, X, y, triplets):
        """Unit vectors (n_basis, d), given or drawn."""
        if self.basis is None:
            return draw_basis(rng, X, y, triplets, self.n_basis)
        basis = check_array(self.basis, dtype=np.float64)
        lengths = np.linalg.norm(basis, axis=1, keepdims=True)
        d = X.shape[1]
        if basis.shape[1] != d or not lengths.all():
            expected = f"directions of {d} features, none of length 0"
            raise ValueError(f"basis must hold {expected}; it has {basis.shape[1]}.")
        return basis / lengths

    def _map(self, X, triplets, basis, weights):
        """The map of X in its unit; the identity where all weights are zero."""
        if weights.any():
            own, near, far = X[_evenly_spaced(triplets)].swapaxes(0, 1)
            M = (basis.T * weights) @ basis
            return map_by_contrast(M, own - near, own - far, self.n_components)
        warn_of_data(
            "No weights are better than none: there are no triplets, they contradict "
            "each other, or regularization is too large. The distance stays Euclidean."
        )
        d = X.shape[1]
        return np.eye(d if self.n_components is None else self.n_components, d)


class DualAveraging:
    """Regularised dual averaging of the weights, and the best weights so far.

    The P_ai are the samples' positions along the bases. With
    z_i = (P_ai - P_pi)^2 - (P_ai - P_ni)^2 the hinge of a triplet is
    [1 + sum_i w_i z_i]_+. Base i is divided by the root of the impostors' mean squared
    distance s_i along it and its weight multiplied by s_i: F stays the same, but
    AdaGrad's steps have the right size.
    """

    def __init__(
        self,
        rng: np.random.Generator,
        X: NDArray,
        triplets: NDArray,
        basis: NDArray,
        *,
        regularization: float,
        gamma: float,
        batch_size: int,
    ) -> None:
        self.rng = rng
        self.X = X
        self.triplets = triplets
        self.basis = basis
        self.regularization = regularization
        self.batch_size = batch_size
        self.spread = _spread(X, triplets, basis)
        self.P = np.empty((len(X), len(basis)), dtype=np.float32)
        scaled = basis / np.sqrt(self.spread)[:, None]
        for rows in gen_batches(len(X), BLOCK):
            self.P[rows] = X[rows] @ scaled.T
        self.kernels = cpu_kernels()
        nothing = np.zeros(len(basis))
        self.state = self.kernels.DualAverage.at(
            nothing, regularization / self.spread, gamma
        )
        self.best = BestSoFar(1.0, nothing)  # F(0) = 1
        self.latest = 1.0
        self.trace: list[float] = []
        self.n_iter = 0

    def run(self, max_iter: int, tol: float) -> bool:
        """Whether it converged within ``max_iter`` steps."""
        for done in range(0, max_iter, STEPS):
            self.advance(min(STEPS, max_iter - done))
            value = self.best.value
            logger.info("iteration %d: objective %.6g", self.n_iter, value)
            if len(self.trace) > PATIENCE:
                gain = self.trace[-1 - PATIENCE] - self.best.value
                if gain < tol and self.latest - self.best.value <= tol:
                    return True
        return False

    def advance(self, n_steps: int) -> None:
        """Take steps, then evaluate F."""
        shape = (n_steps, self.batch_size)
        batches = self.rng.integers(len(self.triplets), size=shape)
        self.kernels.descend(self.P, self.triplets, batches, self.state, self.n_iter)
        self.n_iter += n_steps
        iterate = self.state.weights / self.spread
        # The average is less noisy, but would keep a little of all bases ever used.
        average = np.where(iterate > 0, self.state.average / self.spread, 0.0)
        self.latest = min(self.evaluate(iterate), self.evaluate(average))
        self.trace.append(self.best.value)

    def evaluate(self, weights: NDArray) -> float:
        """F, exactly."""
        A = map_of((self.basis.T * weights) @ self.basis)
        hinge = self.kernels.mean_hinge(self.X @ A.T, self.triplets)
        value = hinge + self.regularization * weights.sum()
        self.best.offer(value, weights)
        return value


def _evenly_spaced(triplets):
    return triplets[:: max(1, len(triplets) // MOST_MEASURED)]


def _spread(X, triplets, basis):
    """Mean squared distance of impostors along every base."""
    measured = _evenly_spaced(triplets)
    D = X[measured[:, 0]] - X[measured[:, 2]]
    C = D.T @ D / max(1, len(D))
    spread = np.einsum("id,de,ie->i", basis, C, basis, optimize=True)
    spread = np.maximum(spread, 1e-6 * spread.mean())
    return np.where(spread > 0, spread, 1.0)


def nearest_triplets(
    X: NDArray, y: NDArray, n_neighbors: int, n_impostors: int
) -> NDArray:
    """Triplets (T, 3): samples with their nearest of their class and of others."""
    own, other = class_neighbors(X, y, n_neighbors, n_impostors)
    rows = np.arange(len(X))[:, None, None]
    grid = np.broadcast_arrays(rows, own[:, :, None], other[:, None, :])
    triplets = np.stack(grid, axis=-1, dtype=np.int32).reshape(-1, 3)
    return triplets[(triplets >= 0).all(axis=1)]


def draw_basis(
    rng: np.random.Generator,
    X: NDArray,
    y: NDArray | None,
    triplets: NDArray,
    n_basis: int | None,
) -> NDArray:
    """Unit vectors (n_basis, d): discriminants of random regions, at every scale.

    Every sample, or every one that begins a triplet, can be the centre of one region of
    each scale.
    """
    d = X.shape[1]
    per_region = min(d, PER_REGION if y is None else y.max())
    n_centres = len(X) if y is not None else len(np.unique(triplets[:, 0]))
    most = n_centres * len(SCALES) * per_region
    if n_basis is None:
        n_basis = min(PER_FEATURE * d, MOST_BASES, most)
    n_basis = clip_count(n_basis, most, "n_basis")
    n_regions = -(-n_basis // (per_region * len(SCALES)))
    if y is None:
        directions = [
            triplet_discriminants(X, triplets[region], per_region)
            for region in _triplet_regions(rng, X, triplets, n_regions)
        ]
    else:
        directions = [
            class_discriminants(X[region], y[region], per_region)
            for region in _class_regions(rng, X, y, n_regions)
        ]
    B = np.vstack(directions)[:n_basis]
    lost = ~B.any(axis=1)
    B[lost] = rng.standard_normal((lost.sum(), d))
    B /= np.abs(B).max(axis=1, keepdims=True)
    return B / np.linalg.norm(B, axis=1, keepdims=True)


def class_discriminants(X: NDArray, y: NDArray, n_directions: int) -> NDArray:
    """Leading directions (n_directions, d) of Fisher's criterion; zeros beyond them.

    The eigenvectors of S_w^-1 S_b are S_w^-1 M^T u with u those of M S_w^-1 M^T, M the
    class means: no larger eigenproblem than the number of classes.
    """
    X, span = _spanned(X - X.mean(axis=0))
    means = group_means(X, y)
    inside = X - means[y]
    M = means - means.mean(axis=0)
    within = shrunk(inside.T @ inside / len(X), SHRINKAGE)
    V = solve(within, M.T, assume_a="pos")
    values, U = eigh(M @ V)
    return _leading(values, (V @ U).T, n_directions) @ span.T


def triplet_discriminants(X: NDArray, triplets: NDArray, n_directions: int) -> NDArray:
    """Leading directions (n_directions, d) of far against near pairs; zeros beyond."""
    a, p, n = triplets.T
    D, span = _spanned(np.vstack([X[a] - X[p], X[a] - X[n]]))
    near = D[: len(a)]
    far = D[len(a) :]
    within = shrunk(near.T @ near / len(a), SHRINKAGE)
    values, V = eigh(far.T @ far / len(a), within)
    return _leading(values, V.T, n_directions) @ span.T


def _spanned(X):
    """X in coordinates of the space of its rows, and that space: few rows are cheap."""
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


def _class_regions(rng, X, y, n_regions):
    """Samples around random ones, the nearest of every class, for every scale."""
    centres = X[rng.choice(len(X), n_regions, replace=False)]
    nearest = []
    for c in range(y.max() + 1):
        own = np.flatnonzero(y == c)
        search = NearestNeighbors(n_neighbors=min(SCALES[-1], len(own))).fit(X[own])
        nearest.append(own[search.kneighbors(centres, return_distance=False)])
    return [
        np.concatenate([of_class[r, :k] for of_class in nearest])
        for k in SCALES
        for r in range(n_regions)
    ]


def _triplet_regions(rng, X, triplets, n_regions):
    """Indices of the triplets that begin nearest to random samples, for every scale."""
    beginnings = np.unique(triplets[:, 0])
    each = min(MOST_EACH, -(-len(triplets) // len(beginnings)))
    nearest = []
    for centre in rng.choice(beginnings, n_regions, replace=False):
        distances = ((X - X[centre]) ** 2).sum(axis=1)
        order = np.argsort(distances[triplets[:, 0]], kind="stable")
        nearest.append(order[: SCALES[-1] * each])
    return [order[: k * each] for k in SCALES for order in nearest]
