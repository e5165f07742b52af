"""Sparse compositional metric learning: a few weighted local discriminants, found by dual averaging over triplets."""

import warnings
from dataclasses import KW_ONLY
from typing import Annotated, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array

from ..exceptions import DataWarning, callers_stacklevel
from .atomic_fit import Lowest, keeping_the_best
from .base import MetricLearner, generator, one_blas_thread, tell
from .dual_averaging import DualAverage, descend, mean_hinge
from .linear_algebra import map_by_contrast, map_of
from .parameters import Count, CountOrNone, NotNegative, Positive, estimator
from .scml_basis import draw_basis, most_bases
from .side_information import check_triplets, class_neighbors
from .training_rows import canonical_order
from .validation import clip_count

PER_FEATURE, MOST_BASES = 20, 1000  # default number of bases
STEPS = 1000  # between two looks at the exact objective
PATIENCE = 5  # looks over which tol is measured
BLOCK = 4096  # rows that are projected at a time
SEEN = 10_000  # triplets that tell how long differences are


@estimator
class SCML(MetricLearner):
    """Sparse compositional metric learning: M = sum_i w_i b_i b_i^T with few positive weights.

    F(w) = 1/T sum_{(a, p, n)} [1 + d_w(x_a, x_p) - d_w(x_a, x_n)]_+ + beta sum_i w_i,  w >= 0,

    with d_w(u, v) = sum_i w_i (b_i . (u - v))^2 and T triplets (a, p, n): every sample a with its nearest ones p of
    its class and n of other classes, or triplets that are given. The unit vectors b_i are Fisher's discriminants in
    regions around random samples, of the 10, 20 and 50 nearest samples of every class. Where only triplets are known,
    they are the directions in which x_a - x_n is largest against x_a - x_p, in regions of the triplets of 10, 20 and 50
    samples a. A region without discriminants (copies, equal means) gives random directions.

    F is convex and piecewise linear. It is descended by regularised dual averaging over random mini-batches, with a
    step of its own for every weight as in AdaGrad, since weights of wide and of narrow directions differ by orders of
    magnitude. Every 1000 mini-batches F is computed exactly for the last weights and for their average over the run;
    the best of all is kept. It is never worse than w = 0, where F = 1; should nothing be better than that (triplets
    that contradict each other, no triplets, a ``regularization`` too large), all weights
    are 0 and the map is the identity, with a warning.

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
        beta, the price of weight; more makes fewer positive weights. Weights are those of features in units in which
        the largest range is one, or the standard deviation where all features have the same.
    n_neighbors : int, default=3
        Nearest samples of the own class in the triplets of a sample; fewer where the class is smaller.
    n_impostors : int, default=10
        Nearest samples of other classes in the triplets of a sample.
    gamma : float, default=0.3
        Length of the steps, in units that make the mean squared distance of impostors along every base 1. Larger ones
        reach large weights sooner and need more steps to settle.
    batch_size : int, default=10
        Triplets in a mini-batch.
    max_iter : int, default=100000
        Most mini-batches.
    tol : float, default=1e-3
        Stop when 5000 mini-batches have lowered F by less, and the last of them ended no farther above the best.
    warm_start : bool, default=False
        Go on from the last fit's bases and weights.
    {verbose}
    random_state : int, RandomState or None, default=None
        Seed of the regions and mini-batches.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map A, with A^T A = M; rows by falling eigenvalue.
    basis_ : ndarray of shape (n_basis, n_features)
        The b_i, of unit length.
    weights_ : ndarray of shape (n_basis,)
        The w_i.
    objective_ : float
        F(w).
    trace_ : ndarray of shape (n_looks,)
        The lowest F after every look.
    n_iter_ : int
        Mini-batches.
    {classes} {features}

    See Also
    --------
    NCA : Descends the expected leave-one-out error instead of a hinge.

    References
    ----------
    Y. Shi, A. Bellet, F. Sha, Sparse compositional metric learning, AAAI 2014.

    L. Xiao, Dual averaging methods for regularized stochastic learning and online optimization, JMLR 2010.

    J. Duchi, E. Hazan, Y. Singer, Adaptive subgradient methods for online learning and stochastic optimization,
    JMLR 2011.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import MinMaxScaler
    >>> from freemetric import SCML
    >>> X, y = load_wine(return_X_y=True)
    >>> X = MinMaxScaler().fit_transform(X)
    >>> scml = SCML(random_state=0).fit(X, y)
    >>> scml.basis_.shape
    (260, 13)
    >>> bool(scml.objective_ < 0.03)
    True

    Triplets alone do: the first sample is nearer to the second than to the third.

    >>> SCML(random_state=0).fit(X, triplets=[[0, 1, 100], [60, 61, 2], [150, 151, 3]]).components_.shape
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

    def fit(self, X: ArrayLike, y: ArrayLike | None = None, *, triplets: ArrayLike | None = None) -> Self:
        """Learn the metric from labels or from triplets.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Class labels, of any type, -1 for unlabelled rows; not used where triplets are given.
        triplets : array-like of shape (n_triplets, 3), default=None
            Rows of X by number: the first is nearer to the second than to the third.

        Returns
        -------
        self : object
            The fitted learner.
        """
        return self._fit(X, y, triplets=triplets)

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
                triplets = check_triplets(triplets, len(X))
            triplets = np.ascontiguousarray(triplets, dtype=np.int32)
            basis, start = self._previous(X)
            if basis is None:
                basis = self._drawn(rng, X, y, triplets) if self.basis is None else _given(self.basis, X.shape[1])
                start = np.zeros(len(basis))
            search = _Search(X, triplets, basis, self.regularization, start)
            if len(triplets):
                with keeping_the_best("SCML", search.best):
                    self._descend(rng, search)
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

    def _descend(self, rng, search):
        for done in range(0, self.max_iter, STEPS):
            search.advance(rng, min(STEPS, self.max_iter - done), self.batch_size, self.gamma)
            tell(self.verbose, "SCML iteration %d: objective %.6f", search.n_iter, search.best.value)
            if search.has_settled(self.tol):
                return
        warnings.warn(
            f"SCML stopped at max_iter={self.max_iter} before it converged to tol={self.tol}.",
            ConvergenceWarning,
            stacklevel=callers_stacklevel(),
        )

    def _map(self, X, triplets):
        if self.weights_.any():
            some = triplets[:: max(1, len(triplets) // SEEN)]
            own, near, far = X[some].swapaxes(0, 1)
            M = (self.basis_.T * self.weights_) @ self.basis_
            return map_by_contrast(M, own - near, own - far, self.n_components)
        warnings.warn(
            "No weights are better than none: there are no triplets, they contradict each other, or regularization is "
            "too large. The distance stays Euclidean.",
            DataWarning,
            stacklevel=callers_stacklevel(),
        )
        d = self.basis_.shape[1]
        return np.eye(d if self.n_components is None else self.n_components, d)


class _Search:
    """The run of dual averaging, in units of its own, and the best weights it was seen at.

    Base i is divided by the root of the impostors' mean squared distance s_i along it and its weight multiplied by s_i:
    the same F, but AdaGrad's steps, which do not know the features' scale, have the right size.
    """

    def __init__(self, X, triplets, basis, regularization, start):
        self.X, self.triplets, self.basis, self.regularization = X, triplets, basis, regularization
        self.spread = _spread(X, triplets, basis)
        self.P = _projections(X, basis / np.sqrt(self.spread)[:, None])
        self.state = DualAverage.at(start * self.spread)
        self.best, self.latest = Lowest(1.0), 1.0  # F(0) = 1
        self.trace, self.n_iter = [], 0
        if start.any() and len(triplets):
            self.look_at(start)

    def advance(self, rng, n_steps, batch_size, gamma):
        """Take steps, then look where they led."""
        batches = rng.integers(len(self.triplets), size=(n_steps, batch_size))
        descend(self.P, self.triplets, batches, self.state, self.regularization / self.spread, gamma, self.n_iter)
        self.n_iter += n_steps
        iterate = self.state.weights / self.spread
        # the average has less noise, but would keep a little of every base that ever was used
        average = np.where(iterate > 0, self.state.average / self.spread, 0.0)
        self.latest = min(self.look_at(iterate), self.look_at(average))
        self.trace.append(self.best.value)

    def look_at(self, weights):
        """F, exactly."""
        A = map_of((self.basis.T * weights) @ self.basis)
        value = mean_hinge(self.X @ A.T, self.triplets) + self.regularization * weights.sum()
        self.best.offer(value, weights)
        return value

    def has_settled(self, tol):
        """Whether the last looks found little better and the last one is near the best."""
        before = self.trace[-1 - PATIENCE] if len(self.trace) > PATIENCE else np.inf
        return before - self.best.value < tol and self.latest - self.best.value <= tol

    def weights(self):
        return np.zeros(len(self.basis)) if self.best.item is None else self.best.item


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


def _spread(X, triplets, basis):
    """Mean squared distance of impostors along every base, (n_basis,); never 0."""
    some = triplets[:: max(1, len(triplets) // SEEN)]
    D = X[some[:, 0]] - X[some[:, 2]]
    spread = np.einsum("id,de,ie->i", basis, D.T @ D / max(1, len(D)), basis, optimize=True)
    spread = np.maximum(spread, 1e-6 * spread.mean())
    return np.where(spread > 0, spread, 1.0)


def _projections(X, basis):
    P = np.empty((len(X), len(basis)), dtype=np.float32)
    for i in range(0, len(X), BLOCK):
        P[i : i + BLOCK] = X[i : i + BLOCK] @ basis.T
    return P
