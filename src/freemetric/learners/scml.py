"""SCML: a few weighted local discriminants, found by dual averaging over triplets."""

from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh, qr, solve
from sklearn.neighbors import NearestNeighbors
from sklearn.utils import check_array, gen_batches

from ..exceptions import warn_of_data
from ..kernels import cpu_kernels
from .base import generator, one_blas_thread
from .fitting import Lowest, tell
from .linear_algebra import group_means, map_by_contrast, map_of, shrunk
from .parameters import Count, CountOrNone, NotNegative, Positive, estimator, parameter
from .side_information import TripletLearner, check_tuples, class_neighbors
from .training_rows import canonical_order
from .validation import clip_count

PER_FEATURE, MOST_BASES = 20, 1000  # default number of bases
SCALES = (10, 20, 50)  # samples per class in a region, as in the paper; without classes, samples that begin triplets
SHRINKAGE = 0.1  # of a region's mean variance: ten samples do not span the features
PER_REGION = 5  # most discriminants of a region of triplets
MOST_EACH = 100  # triplets of a sample in a region
STEPS = 1000  # between two evaluations of the exact objective
PATIENCE = 5  # evaluations over which tol is measured
BLOCK = 4096  # rows projected at a time
SEEN = 10_000  # triplets that set the length scale


@estimator
class SCML(TripletLearner):
    """Sparse compositional metric learning: M = sum_i w_i b_i b_i^T with few positive weights.

    F(w) = 1/T sum_{(a, p, n)} [1 + d_w(x_a, x_p) - d_w(x_a, x_n)]_+ + beta sum_i w_i,  w >= 0,

    with d_w(u, v) = sum_i w_i (b_i . (u - v))^2 and T triplets (a, p, n): every sample a with its nearest samples p of
    its class and n of other classes, or given triplets. The unit vectors b_i are Fisher's discriminants of regions
    around random samples; with given triplets, the directions in which x_a - x_n is largest against x_a - x_p.

    F is convex and piecewise linear. Regularised dual averaging over random mini-batches minimises it, with AdaGrad's
    step sizes. Every 1000 mini-batches F is computed exactly for the last weights and for their average; the best
    weights are kept. If nothing is better than w = 0, the map is the identity, with a warning. Scale the features
    first: neighbours and regions are Euclidean.

    Attributes
    ----------
    {map_of_M}
    basis_ : ndarray of shape (n_basis, n_features)
        The b_i, of unit length.
    weights_ : ndarray of shape (n_basis,)
        The w_i.
    {objective}
    trace_ : ndarray of shape (n_evaluations,)
        The lowest F after every evaluation.
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

    n_components: int | None = parameter(
        None, "Directions to keep, those in which third samples differ most against second ones; None keeps all."
    )
    n_basis: CountOrNone = parameter(None, "Number of bases. None: 20 per feature, at most 1000.")
    basis: Annotated[Any, "array-like", None] = parameter(
        None,
        "Directions to weigh instead of those of regions; ``n_basis`` is not used then.",
        "array-like of shape (n_basis, n_features) or None",
    )
    regularization: NotNegative = parameter(1e-5, "beta, the cost of weight; larger values leave fewer weights.")
    n_neighbors: int = parameter(3, "Nearest samples of the own class in the triplets of a sample.")
    n_impostors: Count = parameter(10, "Nearest samples of other classes in the triplets of a sample.")
    gamma: Positive = parameter(0.3, "Step size, relative to the squared distance of impostors along a base.")
    batch_size: Count = parameter(10, "Triplets in a mini-batch.")
    max_iter: int = 100_000
    tol: float = parameter(1e-3, "Stop when 5000 mini-batches have lowered F by less.")
    warm_start: bool = False
    verbose: bool = False
    random_state: Any = None

    _has_units = True

    def _learn(self, X, y, triplets=None):
        rng = generator(self.random_state)
        if y is not None:
            order = canonical_order(X, y, np.ones(len(y)))  # the result does not depend on the order of rows
            X, y = X[order], y[order]
        X = np.ascontiguousarray(X - X.mean(axis=0)) / self._unit  # centred, because projections are float32
        with one_blas_thread():
            if triplets is None:
                triplets = nearest_triplets(X, y, self.n_neighbors, self.n_impostors)
            else:
                triplets = check_tuples(triplets, 3, len(X), "triplets")
            triplets = np.ascontiguousarray(triplets, dtype=np.int32)
            basis, start = self._basis(rng, X, y, triplets)
            search = DualAveraging(self, rng, X, triplets, basis, start)
            if len(triplets):
                self._run(search)
        weights = np.zeros(len(basis)) if search.best.item is None else search.best.item
        self.basis_, self.weights_, self.objective_ = basis, weights / self._unit**2, search.best.value
        self.trace_, self.n_iter_ = np.array(search.trace), search.n_iter
        return self._map(X, triplets) * self._unit

    def _basis(self, rng, X, y, triplets):
        """Bases and initial weights: the last fit's where they suit the data and the parameters."""
        d, given = X.shape[1], None
        if self.basis is not None:
            given = check_array(self.basis, dtype=np.float64)
            lengths = np.linalg.norm(given, axis=1, keepdims=True)
            if given.shape[1] != d or not lengths.all():
                wanted = f"basis must hold directions of {d} features, none of length 0"
                raise ValueError(f"{wanted}; it has {given.shape[1]}.")
            given = given / lengths
        last: Any = getattr(self, "basis_", None) if self.warm_start else None
        suits = last is not None and last.shape[1] == d and self.n_basis in (None, len(last))
        if suits if given is None else np.array_equal(last, given):
            return last, self.weights_ * self._unit**2
        basis = draw_basis(rng, X, y, triplets, self.n_basis) if given is None else given
        return basis, np.zeros(len(basis))

    def _map(self, X, triplets):
        if self.weights_.any():
            own, near, far = X[_some(triplets)].swapaxes(0, 1)
            M = (self.basis_.T * self.weights_) @ self.basis_
            return map_by_contrast(M, own - near, own - far, self.n_components)
        why = "there are no triplets, they contradict each other, or regularization is too large"
        warn_of_data(f"No weights are better than none: {why}. The distance stays Euclidean.")
        d = self.basis_.shape[1]
        return np.eye(d if self.n_components is None else self.n_components, d)


class DualAveraging:
    """Regularised dual averaging of the weights, and the best weights so far. ``learner`` is SCML.

    The P_ai are the samples' positions along the bases. With z_i = (P_ai - P_pi)^2 - (P_ai - P_ni)^2 the hinge of a
    triplet is [1 + sum_i w_i z_i]_+. Base i is divided by the root of the impostors' mean squared distance s_i along it
    and its weight multiplied by s_i: F stays the same, but AdaGrad's steps have the right size.
    """

    def __init__(
        self, learner: Any, rng: np.random.Generator, X: NDArray, triplets: NDArray, basis: NDArray, start: NDArray
    ) -> None:
        self.X, self.triplets, self.basis, self.rng = X, triplets, basis, rng
        self.regularization, self.batch_size = learner.regularization, learner.batch_size
        some = _some(triplets)
        D = X[some[:, 0]] - X[some[:, 2]]
        spread = np.einsum("id,de,ie->i", basis, D.T @ D / max(1, len(D)), basis, optimize=True)
        spread = np.maximum(spread, 1e-6 * spread.mean())
        self.spread = np.where(spread > 0, spread, 1.0)
        self.P = np.empty((len(X), len(basis)), dtype=np.float32)
        for rows in gen_batches(len(X), BLOCK):
            self.P[rows] = X[rows] @ (basis / np.sqrt(self.spread)[:, None]).T
        self.kernels = cpu_kernels()
        self.state = self.kernels.DualAverage.at(start * self.spread, self.regularization / self.spread, learner.gamma)
        self.best, self.latest = Lowest(1.0), 1.0  # F(0) = 1
        self.trace: list[float] = []
        self.n_iter = 0
        if start.any() and len(triplets):
            self.evaluate(start)

    def run(self, max_iter: int, tol: float, verbose: bool) -> bool:
        """Whether it converged within ``max_iter`` steps."""
        for done in range(0, max_iter, STEPS):
            self.advance(min(STEPS, max_iter - done))
            tell(verbose, "SCML iteration %d: objective %.6f", self.n_iter, self.best.value)
            before = self.trace[-1 - PATIENCE] if len(self.trace) > PATIENCE else np.inf
            if before - self.best.value < tol and self.latest - self.best.value <= tol:
                return True
        return False

    def advance(self, n_steps: int) -> None:
        """Take steps, then evaluate F."""
        batches = self.rng.integers(len(self.triplets), size=(n_steps, self.batch_size))
        self.kernels.descend(self.P, self.triplets, batches, self.state, self.n_iter)
        self.n_iter += n_steps
        iterate = self.state.weights / self.spread
        # The average is less noisy, but would keep a little of every base that was ever used.
        average = np.where(iterate > 0, self.state.average / self.spread, 0.0)
        self.latest = min(self.evaluate(iterate), self.evaluate(average))
        self.trace.append(self.best.value)

    def evaluate(self, weights: NDArray) -> float:
        """F, exactly."""
        A = map_of((self.basis.T * weights) @ self.basis)
        value = self.kernels.mean_hinge(self.X @ A.T, self.triplets) + self.regularization * weights.sum()
        self.best.offer(value, weights)
        return value


def _some(triplets):
    return triplets[:: max(1, len(triplets) // SEEN)]


def nearest_triplets(X: NDArray, y: NDArray, n_neighbors: int, n_impostors: int) -> NDArray:
    """Triplets (T, 3) of every sample, its nearest samples of its class and its nearest samples of other classes."""
    own, other = class_neighbors(X, y, n_neighbors, n_impostors)
    rows = np.arange(len(X))[:, None, None]
    grid = np.broadcast_arrays(rows, own[:, :, None], other[:, None, :])
    triplets = np.stack(grid, axis=-1, dtype=np.int32).reshape(-1, 3)
    return triplets[(triplets >= 0).all(axis=1)]


def draw_basis(
    rng: np.random.Generator, X: NDArray, y: NDArray | None, triplets: NDArray, n_basis: int | None
) -> NDArray:
    """Unit vectors (n_basis, d): the discriminants of random regions, at every scale.

    Every sample, or every one that begins a triplet, can be the centre of one region of each scale.
    """
    d = X.shape[1]
    per_region = min(d, PER_REGION if y is None else y.max())
    most = (len(np.unique(triplets[:, 0])) if y is None else len(X)) * len(SCALES) * per_region
    default = min(PER_FEATURE * d, MOST_BASES, most)
    n_basis = default if n_basis is None else clip_count(n_basis, most, "n_basis")
    n_regions = -(-n_basis // (per_region * len(SCALES)))
    if y is None:
        regions = _triplet_regions(rng, X, triplets, n_regions)
        directions = [triplet_discriminants(X, triplets[region], per_region) for region in regions]
    else:
        regions = _class_regions(rng, X, y, n_regions)
        directions = [class_discriminants(X[region], y[region], per_region) for region in regions]
    B = np.vstack(directions)[:n_basis]
    lost = ~B.any(axis=1)
    B[lost] = rng.standard_normal((lost.sum(), d))
    B /= np.abs(B).max(axis=1, keepdims=True)
    return B / np.linalg.norm(B, axis=1, keepdims=True)


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
    """Indices of the triplets that begin nearest to a random beginning, as many as ``SCALES`` samples have."""
    beginnings = np.unique(triplets[:, 0])
    each = min(MOST_EACH, -(-len(triplets) // len(beginnings)))
    nearest = []
    for centre in rng.choice(beginnings, n_regions, replace=False):
        distances = ((X - X[centre]) ** 2).sum(axis=1)
        nearest.append(np.argsort(distances[triplets[:, 0]], kind="stable")[: SCALES[-1] * each])
    return [order[: k * each] for k in SCALES for order in nearest]
