"""Large margin nearest neighbours by L-BFGS, over all impostors."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics.pairwise import euclidean_distances

from ..energies.large_margin import targets_of
from ..energies.minibatch import Batches
from ..kernels import cpu_kernels
from .base import generator, one_blas_thread
from .descent import SUBSET, Descent, MiniBatched, StochasticDescent, lbfgs, well_scaled
from .parameters import Share, estimator, parameter
from .side_information import TripletLearner, check_tuples
from .validation import clip_count

SLACK = 0.1  # of a margin of one: more keeps pairs for longer, but more of them
WIDTHS = 10.0 ** -np.arange(1, 13, 2)  # of the hinge's smooth part, one after the other; those above tol
KEPT_PAIRS = 2**22  # 32 MB
PER_ANCHOR = 8  # samples of a batch for each of its anchors
Array = NDArray[np.float64]


@estimator
class LMNN(MiniBatched, TripletLearner):
    """Large margin nearest neighbours: targets near, samples of other classes a margin of one further away.

    f(A) = 1/N sum_i sum_{j in T(i)} ( r D_ij + (1 - r) sum_{l: y_l != y_i} max(0, 1 + D_ij - D_il) ),

    D_ij = |A x_i - A x_j|^2, T(i) the ``n_neighbors`` nearest samples of the same class by Euclidean distance. The
    problem is convex in A^T A where all dimensions are kept. L-BFGS minimises ever sharper smooth versions of the
    hinge. With given triplets, every distinct pair of a first and a second sample is pulled together.

    All impostors l count. A search for the active ones costs O(N^2 p) time and is repeated only when samples have moved
    by a tenth of the margin; memory is O(N p) and at most 32 MB of kept pairs. Scale the features first. Large data are
    learned from in batches, as by :class:`NCA`, with targets and impostors among the samples of a batch.

    Attributes
    ----------
    {map}
    objective_ : float
        f(A); with batches, the mean over fixed batches of 4,096 samples together.
    {n_iter} {classes} {features}

    References
    ----------
    K. Q. Weinberger, L. K. Saul, Distance metric learning for large margin nearest neighbor classification, JMLR 10,
    2009.

    {knn_on_wine}
    """

    n_components: int | None = None
    n_neighbors: int = parameter(3, "Target neighbours of each sample.")
    regularization: Share = parameter(0.5, "r in [0, 1), the weight of the pull to targets; 1 - mu in the article.")
    init: Any = parameter("auto", 'Start of the search, times the best power of two; "auto" as for :class:`NCA`.')
    max_iter: int = parameter(500, "{max_looks}")
    tol: float = parameter(
        1e-4, "Stop when an iteration lowers f by less, relative to f above one; with batches, shorten the steps then."
    )
    batch_size: int | None = None
    warm_start: bool = False
    verbose: bool = False
    random_state: Any = None

    def _learn(self, X, y, triplets=None):
        if triplets is None:
            k = clip_count(self.n_neighbors, np.bincount(y).max() - 1, "n_neighbors")
            n = self._rows_per_batch(len(X))
            if n is not None:
                return self._found(self._search_in_batches(X, y, k, n))
            loss: _LabelledLoss | _TripletLoss = _LabelledLoss(X, y, k, self.regularization)
        else:
            loss = _TripletLoss(X, check_tuples(triplets, 3, len(X), "triplets"), self.regularization)
        start = self._start(generator(self.random_state), X, y) * loss.unit
        return self._found(_Search(loss, start)).reshape(start.shape) / loss.unit

    def _found(self, search):
        self._run(search)
        self.objective_ = search.best.value
        return search.best.item

    def _search_in_batches(self, X, y, k, n):
        rng, batches = generator(self.random_state), Batches(X, y)
        with one_blas_thread():
            subsets = np.array([batches.alone(rng, n) for _ in range(max(1, SUBSET // n))])
            objective, rows = BatchMargin(batches, subsets, k, self.regularization), np.unique(subsets)
            start = well_scaled(self._start(generator(self.random_state), X[rows], y[rows]), objective)
        return StochasticDescent("LMNN", objective, rng, start)


class _LabelledLoss:
    """N f, its smooth version, and its gradient by z; impostors are searched again when samples have moved."""

    def __init__(self, X, y, n_neighbors, regularization):
        order = np.argsort(y, kind="stable")
        y = y[order]
        self.X, self.unit = _standard(X[order])
        self.end = np.searchsorted(y, y, side="right")
        self.targets = targets_of(self.X, y, n_neighbors)
        self.regularization = regularization
        others = len(y) ** 2 - (np.bincount(y) ** 2).sum()
        self.kept, self.found = np.empty((min(others // 2, KEPT_PAIRS), 2), np.int32), -1
        self.searched_at: tuple[NDArray, NDArray]  # Z and r of the last search

    def __call__(self, Z, width):
        kernels = cpu_kernels()
        reach, margin = kernels.reaches(Z, self.targets), kernels.Margin(self.regularization, width, SLACK)
        complete = 0 <= self.found <= len(self.kept)
        if complete and kernels.farthest_move(Z, reach[1], *self.searched_at) <= SLACK:
            return kernels.kept_loss(Z, self.targets, reach, margin, self.kept[: self.found])
        self.searched_at = Z, reach[1]
        *losses, self.found = kernels.searched_loss(Z, self.targets, reach, self.end, margin, self.kept)
        return losses


class _TripletLoss:
    """N f, its smooth version, and its gradient by z, of given triplets."""

    def __init__(self, X, triplets, regularization):
        self.X, self.unit = _standard(X)
        self.triplets = np.ascontiguousarray(triplets, dtype=np.int64)
        self.pairs = np.unique(self.triplets[:, :2], axis=0)
        self.regularization = regularization

    def __call__(self, Z, width):
        kernels = cpu_kernels()
        return kernels.triplet_loss(Z, self.pairs, self.triplets, kernels.Margin(self.regularization, width))


class _Search(Descent):
    """L-BFGS on ever less smooth versions of f; keeps the map of lowest true f."""

    def __init__(self, loss, start):
        super().__init__("LMNN", loss, start.ravel())
        self.shape, self.width = start.shape, 0.0

    def run(self, max_iter, tol, verbose):
        """Whether it converged on all versions."""
        self.verbose = verbose
        self.try_scales(self.start, tol)
        for self.width in WIDTHS[: max(1, np.count_nonzero(tol < WIDTHS))]:
            if lbfgs(self, self.best.item, max_iter - self.n_iter, self.report, tol).status == 1:
                return False
        return True

    def __call__(self, flat):
        X = self.objective.X
        loss, smooth_loss, force = self.objective(X @ flat.reshape(self.shape).T, self.width)
        self.best.offer(loss / len(X), flat)
        return smooth_loss / len(X), (force.T @ X).ravel() / len(X)

    def try_scales(self, flat, tol):
        """Scale the map by the best power of two: a map far too small for the margin has almost no gradient."""
        value, gradient = self(flat)
        grow = gradient @ flat < 0
        before = np.inf
        while gradient @ flat < 0 if grow else gradient @ flat > 0 and value < before - tol * max(1.0, value):
            before, flat = value, flat * (2.0 if grow else 0.5)
            value, gradient = self(flat)


def _standard(X):
    """Samples around zero, with a mean square of one, and the unit they are measured in."""
    X = np.ascontiguousarray(X)  # the same result whatever the order in memory
    X = X - X.mean(axis=0)
    unit = np.sqrt(np.mean(X**2))
    unit = unit if unit > 0 else 1.0
    return X / unit, unit


class BatchMargin:
    """LMNN's mean f of fixed batches (m, n), and of new batches of n samples, for stacks (1, p, d) of maps."""

    def __init__(self, batches: Batches, subsets: NDArray[np.intp], n_neighbors: int, regularization: float) -> None:
        self.batches, self.batch_size = batches, subsets.shape[1]
        self.n_neighbors, self.regularization = n_neighbors, regularization
        self.fixed = [self._of(rows) for rows in subsets]

    def __call__(self, A: Array) -> Array:
        return np.mean([some.value_and_grad(A)[0] for some in self.fixed], axis=0)

    def draw(self, rng: Any) -> "SomeAnchors":
        return self._of(self.batches.for_replicas(rng, self.batch_size)[0])

    def _of(self, rows):
        X, y = self.batches.X[rows], self.batches.y[rows]
        return SomeAnchors(X, y, self.n_neighbors, self.regularization, PER_ANCHOR)


class SomeAnchors:
    """LMNN's f of every ``per_anchor``-th sample of a batch; targets and impostors are among the whole batch."""

    def __init__(self, X: NDArray, y: NDArray, n_neighbors: int, regularization: float, per_anchor: int = 1) -> None:
        self.X, self.regularization = X - X.mean(axis=0, dtype=np.float64), regularization
        self.anchors = np.arange(0, len(X), per_anchor)
        self.is_other = y[self.anchors, None] != y
        D = euclidean_distances(self.X[self.anchors], self.X, squared=True)
        D[self.is_other] = np.inf
        D[np.arange(len(D)), self.anchors] = np.inf
        k = min(n_neighbors, len(X) - 1)
        self.targets = np.argpartition(D, k - 1, axis=1)[:, :k]
        self.has_target = np.isfinite(np.take_along_axis(D, self.targets, axis=1))

    def value_and_grad(self, A: Array) -> tuple[Array, Array]:
        """f (1,) and its gradient (1, p, d) at a stack (1, p, d)."""
        r, n = self.regularization, len(self.anchors)
        Z = self.X @ A[0].T
        D = euclidean_distances(Z[self.anchors], Z, squared=True)
        to_others = np.where(self.is_other, D, np.inf)
        W, loss = np.zeros(D.shape), 0.0  # W = n df/dD
        for target, there in zip(self.targets.T, self.has_target.T, strict=True):
            pair = np.flatnonzero(there), target[there]
            excess = 1 + D[pair][:, None] - to_others[there]
            active = excess > 0
            loss += r * D[pair].sum() + (1 - r) * excess[active].sum()
            W[there] -= (1 - r) * active
            W[pair] += r + (1 - r) * active.sum(axis=1)
        dZ = W.sum(axis=0)[:, None] * Z - W.T @ Z[self.anchors]
        dZ[self.anchors] += W.sum(axis=1)[:, None] * Z[self.anchors] - W @ Z
        return np.array([loss / n]), (2 / n * dZ.T @ self.X)[None]
