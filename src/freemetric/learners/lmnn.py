"""Large margin nearest neighbours by L-BFGS, over all impostors."""

import warnings
from numbers import Integral, Real
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

from ..energies.minibatch import Batches
from ..exceptions import callers_stacklevel
from ..sklearn_compat import Interval, StrOptions
from . import large_margin
from .base import MetricLearner, generator, one_blas_thread, tell
from .batch_margin import BatchMargin
from .batches import BATCH_SIZE, SAMPLE, MiniBatched
from .init import INITS, initial_map
from .lowest import Lowest, keeping_the_best
from .neighbors import class_neighbors
from .side_information import check_triplets
from .stochastic_descent import StochasticDescent, well_scaled
from .validation import clip_count

SLACK = 0.1  # of a margin of one: more keeps pairs for longer, but more of them
WIDTHS = 10.0 ** -np.arange(1, 13, 2)  # of the hinge's smooth part, one after the other; those above tol
KEPT_PAIRS = 2**22  # 32 MB


class LMNN(MiniBatched, MetricLearner):
    """Large margin nearest neighbours: targets near, patterns of other classes a margin of one further away.

    f(A) = 1/N sum_i sum_{j in T(i)} ( r D_ij + (1 - r) sum_{l: y_l != y_i} max(0, 1 + D_ij - D_il) ),

    D_ij = |A x_i - A x_j|^2, T(i) the ``n_neighbors`` nearest patterns of the same class by Euclid's distance
    (all others of a smaller class; none for a class of one). The problem is convex in A^T A where no dimension is
    taken away. L-BFGS descends it with the kink of the hinge rounded off, which is then made ever sharper.

    Every impostor l counts, at every iteration. A search for the active ones costs O(N^2 p) time for N patterns and
    p components, in float32; it is repeated only when patterns have moved by a tenth of the margin. Between searches an
    evaluation costs O(N p d) and what the active pairs need. Memory is O(N p) and at most 32 MB of kept pairs.
    Scale the features first; the scale of all together does not matter.

    Many patterns are learned from in batches drawn anew for every step, by momentum along the gradients of f in a batch
    with steps that shrink until they no longer help on batches that stay the same, 4,096 patterns together. Targets and
    impostors are then those among the n patterns of a batch, of which every eighth is an anchor: f of samples of n,
    whose targets are farther away and whose impostors are fewer than those among all. The cost does not depend on N:
    some hundred steps of O(n^2 d), and memory for batches only; float32 data are not copied.

    Parameters
    ----------
    n_components : int or None, default=None
        Dimension of the learned space; None keeps the number of features, or of more than 500 that outnumber the
        patterns what these span.
    n_neighbors : int, default=3
        Target neighbours of each pattern.
    regularization : float in [0, 1), default=0.5
        r, the weight of the pull towards the targets against the push of the impostors; 1 - mu in the article.
    init : {"auto", "identity", "pca", "lda", "random", "uniform"} or array of shape (n_components, n_features), \
default="auto"
        Where the search begins, times the power of two that suits the margin best. "lda" needs labels.
        "auto": the identity, or for fewer dimensions "lda" while there are more classes than dimensions and "pca" else:
        nothing depends on the order of features.
    max_iter : int, default=500
        Most L-BFGS iterations; with batches, most looks at those that stay the same, 25 steps each.
    tol : float, default=1e-4
        Stop when an iteration lowers f by less, relative to f where that is above one; with batches, shorten the steps
        then.
    batch_size : int or None, default=None
        Patterns of a batch, where there are more. None: all together up to 10,000 patterns, batches of 2,048 beyond.
        Triplets are always looked at together.
    warm_start : bool, default=False
        Go on from the last fit's map.
    verbose : bool, default=False
        Log every iteration.
    random_state : int, RandomState or None, default=None
        Seed of a random start and of batches.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map A.
    objective_ : float
        f(A); with batches, the mean f(A) of those that stay the same.
    n_iter_ : int
        Iterations of L-BFGS, or looks at these batches.
    classes_ : ndarray of shape (n_classes,)
        Labels seen in fit.
    n_features_in_ : int
        Features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X has any.

    See Also
    --------
    NCA : All patterns are neighbours, softly; no targets to choose.

    References
    ----------
    K. Q. Weinberger, L. K. Saul, Distance metric learning for large margin nearest neighbor classification,
    Journal of Machine Learning Research 10, 2009.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import MinMaxScaler
    >>> from freemetric import LMNN
    >>> X, y = load_wine(return_X_y=True)
    >>> model = make_pipeline(MinMaxScaler(), LMNN(), KNeighborsClassifier(n_neighbors=3)).fit(X, y)
    >>> model.score(X, y) > 0.97
    True
    """

    _parameter_constraints: dict = {
        **MetricLearner._parameter_constraints,
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "regularization": [Interval(Real, 0, 1, closed="left")],
        "init": [StrOptions(set(INITS)), np.ndarray, list],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "batch_size": BATCH_SIZE,
        "warm_start": ["boolean"],
        "verbose": ["verbose"],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_components=None,
        *,
        n_neighbors=3,
        regularization=0.5,
        init="auto",
        max_iter=500,
        tol=1e-4,
        batch_size=None,
        warm_start=False,
        verbose=False,
        random_state=None,
    ):
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.regularization = regularization
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.batch_size = batch_size
        self.warm_start = warm_start
        self.verbose = verbose
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike | None = None, *, triplets: ArrayLike | None = None) -> Self:
        """Learn the metric from labels or from triplets.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Patterns.
        y : array-like of shape (n_samples,)
            Class labels, of any type, -1 for unlabelled rows; not used where triplets are given.
        triplets : array-like of shape (n_triplets, 3), default=None
            Rows of X, used as given: the first shall be nearer to the second than to the third by the margin.
            Every distinct pair of a first and a second is pulled together.

        Returns
        -------
        self : object
            The fitted learner.
        """
        return self._fit(X, y, triplets=triplets)

    def _learn(self, X, y, triplets=None):
        if triplets is None:
            k = clip_count(self.n_neighbors, np.bincount(y).max() - 1, "n_neighbors")
            n = self._rows_per_batch(len(X))
            if n is not None:
                return self._learn_by_batches(X, y, k, n)
            loss: _LabelledLoss | _TripletLoss = _LabelledLoss(X, y, k, self.regularization)
        else:
            loss = _TripletLoss(X, check_triplets(triplets, len(X)), self.regularization)
        start = self._start(X, y)
        objective = _Objective(loss, start.shape, self.verbose)
        with one_blas_thread(), keeping_the_best("LMNN", objective.best):
            objective.try_scales(start.ravel() * loss.unit, self.tol)
            if not self._descend(objective):
                self._warn_of_early_end()
        self.n_iter_, self.objective_ = objective.n_iter, objective.best.value
        return objective.best.item.reshape(objective.shape) / loss.unit

    def _learn_by_batches(self, X, y, k, n):
        rng = generator(self.random_state)
        batches, best = Batches(X, y), Lowest()
        samples = np.array([batches.alone(rng, n) for _ in range(max(1, SAMPLE // n))])
        objective = BatchMargin(batches, samples, k, self.regularization)
        descent = StochasticDescent(
            objective, best, lambda: tell(self.verbose, "LMNN iteration %d: objective %.6f", descent.n_iter, best.value)
        )
        with one_blas_thread(), keeping_the_best("LMNN", best):
            rows = np.unique(samples)
            start = well_scaled(self._start(X[rows], y[rows]), objective)
            if not descent.run(rng, start, self.max_iter, self.tol):
                self._warn_of_early_end()
        self.n_iter_, self.objective_ = descent.n_iter, best.value
        return best.item

    def _warn_of_early_end(self):
        message = f"LMNN stopped at max_iter={self.max_iter} before it converged to tol={self.tol}."
        warnings.warn(message, ConvergenceWarning, stacklevel=callers_stacklevel())

    def _descend(self, objective):
        """L-BFGS on ever less smooth versions of f; whether it converged on all."""
        for width in WIDTHS[: max(1, np.count_nonzero(self.tol < WIDTHS))]:
            objective.width = width
            left = self.max_iter - objective.n_iter
            options = {"maxiter": left, "maxfun": 20 * (left + 1), "ftol": self.tol, "gtol": 0}
            result = minimize(
                objective, objective.best.item, jac=True, method="L-BFGS-B", options=options, callback=objective.report
            )
            if result.status == 1:
                return False
        return True

    def _start(self, X, y):
        """The last fit's map, if it is wanted and there is one that fits the data; else the initial one."""
        previous = getattr(self, "components_", None) if self.warm_start else None
        if previous is not None and previous.shape[1] == X.shape[1] and self.n_components in (None, len(previous)):
            return previous
        return initial_map(self.init, generator(self.random_state), X, y, self.n_components)


class _LabelledLoss:
    """N f, its smooth version, and the gradient of that by z; impostors are searched when those kept no longer do."""

    def __init__(self, X, y, n_neighbors, regularization):
        order = np.argsort(y, kind="stable")
        y = y[order]
        self.X, self.unit = _standard(X[order])
        self.end = np.searchsorted(y, y, side="right")
        self.targets, _ = class_neighbors(self.X, y, n_neighbors, 0)
        self.regularization = regularization
        others = len(y) ** 2 - (np.bincount(y) ** 2).sum()
        self.kept, self.found = np.empty((min(others // 2, KEPT_PAIRS), 2), np.int32), -1
        self.searched_at: tuple[NDArray, NDArray]  # Z and r of the last search

    def __call__(self, Z, width):
        R, r = large_margin.reaches(Z, self.targets)
        complete = 0 <= self.found <= len(self.kept)
        if not complete or large_margin.farthest_move(Z, r, *self.searched_at) > SLACK:
            self.found, self.searched_at = -1, (Z, r)
        *losses, self.found = large_margin.labelled_loss(
            Z, self.targets, R, r, self.end, self.regularization, width, SLACK, self.kept, self.found
        )
        return losses


class _TripletLoss:
    """N f, its smooth version, and the gradient of that by z, of given triplets."""

    def __init__(self, X, triplets, regularization):
        self.X, self.unit = _standard(X)
        self.triplets = np.ascontiguousarray(triplets, dtype=np.int64)
        self.pairs = np.unique(self.triplets[:, :2], axis=0)
        self.regularization = regularization

    def __call__(self, Z, width):
        return large_margin.triplet_loss(Z, self.pairs, self.triplets, self.regularization, width)


class _Objective:
    """Smooth f as scipy wants it; remembers the map of lowest true f that it was asked about."""

    def __init__(self, loss, shape, verbose):
        self.loss, self.shape, self.verbose = loss, shape, verbose
        self.best, self.n_iter, self.width = Lowest(), 0, 0.0

    def __call__(self, flat):
        X = self.loss.X
        loss, smooth_loss, force = self.loss(X @ flat.reshape(self.shape).T, self.width)
        self.best.offer(loss / len(X), flat)
        return smooth_loss / len(X), (force.T @ X).ravel() / len(X)

    def try_scales(self, flat, tol):
        """Let the best be the map times the power of two at which f, convex in the squared scale, is lowest.

        A map far too small for the margin has almost no gradient: L-BFGS would take it for a minimum.
        """
        value, gradient = self(flat)
        grow = gradient @ flat < 0
        before = np.inf
        while gradient @ flat < 0 if grow else gradient @ flat > 0 and value < before - tol * max(1.0, value):
            before, flat = value, flat * (2.0 if grow else 0.5)
            value, gradient = self(flat)

    def report(self, flat):
        self.n_iter += 1
        tell(self.verbose, "LMNN iteration %d: objective %.6f", self.n_iter, self.best.value)


def _standard(X):
    """Patterns around zero, with a mean square of one, and the unit they are measured in."""
    X = np.ascontiguousarray(X)  # the same result whatever the order in memory
    X = X - X.mean(axis=0)
    unit = np.sqrt(np.mean(X**2))
    unit = unit if unit > 0 else 1.0
    return X / unit, unit
