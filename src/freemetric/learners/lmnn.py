"""Large margin nearest neighbours by L-BFGS, over all impostors."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..energies import LMNNEnergy
from ..kernels import cpu_kernels
from .constraints import (
    COUNT,
    COUNT_OR_NONE,
    MAP,
    SEARCH,
    SHARE,
    TWO_OR_MORE_OR_NONE,
)
from .descent import Descent, first_map, lbfgs
from .minibatch import batch_search
from .side_information import TripletLearner, check_tuples, class_neighbors
from .validation import clip_count, rows_per_batch

SLACK = 0.1  # of a margin of one: more keeps pairs for longer, but more of them
WIDTHS = 10.0 ** -np.arange(1, 13, 2)  # of the hinge's smooth part, one after another
KEPT_PAIRS = 2**22  # 32 MB
UNBATCHED = 10_000  # samples: up to so many, all pairs are faster than batches
BATCH = 1024  # samples


class LMNN(TripletLearner):
    """Large margin nearest neighbours: impostors a margin farther than targets.

    f(A) = 1/N sum_i sum_{j in T(i)} ( r D_ij + (1 - r) sum_{l: y_l != y_i} max(0, 1 +
    D_ij - D_il) ),

    D_ij = |A x_i - A x_j|^2, T(i) the ``n_neighbors`` nearest samples of the same class
    by Euclidean distance. The problem is convex in A^T A where all dimensions are kept.
    L-BFGS minimises ever sharper smooth versions of the hinge. With given triplets,
    every distinct pair of a first and a second sample is pulled together.

    All impostors l count. A search for the active ones costs O(N^2 p) time and is
    repeated only when samples have moved by a tenth of the margin; memory is O(N p) and
    at most 32 MB of kept pairs. Scale the features first. Large data are learned from
    in batches, as by :class:`NCA`, with targets and impostors among the samples of a
    batch.

    Parameters
    ----------
    n_components : int or None, default=None
        Dimension of the learned space; None keeps the number of features, or the rank
        of very wide data.
    n_neighbors : int, default=3
        Target neighbours of each sample.
    regularization : float, default=0.5
        r in [0, 1), the weight of the pull to targets; 1 - mu in the article.
    init : str or array-like of shape (p, n_features), default="auto"
        "auto", "identity", "lda", "pca", "random", "uniform" or a map.
        Start of the search, times the best power of two; "auto" as for :class:`NCA`.
    max_iter : int, default=500
        Maximum number of L-BFGS iterations; with batches, of evaluations on the subset,
        25 steps each.
    tol : float, default=0.0001
        Stop when an iteration lowers f by less, relative to f above one; with batches,
        shorten the steps then.
    batch_size : int or None, default=None
        Samples of a batch. None: no batches up to 10,000 samples, batches of 1,024
        beyond.
    random_state : int, RandomState or None, default=None
        Seed of random starts and of batches.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map A.
    objective_ : float
        f(A); with batches, the mean over fixed batches of 4,096 samples together.
    n_iter_ : int
        Number of iterations; with batches, of evaluations on the subset.
    classes_ : ndarray of shape (n_classes,)
        Class labels; absent without labels.
    n_features_in_ : int
        Number of features of the training samples.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X has string column names.

    References
    ----------
    .. [1] K. Q. Weinberger, L. K. Saul, Distance metric learning for large margin
           nearest neighbor classification, JMLR 10, 2009.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import MinMaxScaler
    >>> from freemetric import LMNN
    >>> X, y = load_wine(return_X_y=True)
    >>> model = make_pipeline(MinMaxScaler(), LMNN(), KNeighborsClassifier())
    >>> model.fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.9
    True
    """

    _parameter_constraints = {
        **SEARCH,
        "n_components": COUNT_OR_NONE,
        "n_neighbors": COUNT,
        "regularization": SHARE,
        "init": MAP,
        "batch_size": TWO_OR_MORE_OR_NONE,
    }

    def __init__(
        self,
        n_components=None,
        *,
        n_neighbors=3,
        regularization=0.5,
        init="auto",
        max_iter=500,
        tol=0.0001,
        batch_size=None,
        random_state=None,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.regularization = regularization
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.batch_size = batch_size
        self.random_state = random_state

    def _learn(self, X, y, triplets=None):
        loss: Any
        if triplets is not None:
            triplets = check_tuples(triplets, 3, len(X), "triplets")
            loss = _TripletLoss(X, triplets, self.regularization)
            return self._from_all(loss, X, y)
        most = np.bincount(y).max() - 1
        k = clip_count(self.n_neighbors, most, "n_neighbors")
        n = rows_per_batch(self.batch_size, len(X), usual=BATCH, most=UNBATCHED)
        if n is None:
            loss = _LabelledLoss(X, y, k, self.regularization)
            return self._from_all(loss, X, y)
        energy = LMNNEnergy(k, self.regularization)
        search = batch_search(self, (X, y, None, 1.0), n, energy, energy)
        return self._found(search)

    def _from_all(self, loss, X, y):
        """The map that is best for all samples together."""
        start = first_map(self, X, y, 1.0) * loss.unit
        found = self._found(_Search(loss, start))
        A = found["components_"].reshape(start.shape)
        return found | {"components_": A / loss.unit}

    def _found(self, search):
        n_iter = self._run(search)
        return {
            "components_": search.best.item,
            "objective_": search.best.value,
            "n_iter_": n_iter,
        }


class _LabelledLoss:
    """N f, its smooth version, and its gradient by z = A x.

    Impostors are searched again when samples have moved.
    """

    def __init__(self, X, y, n_neighbors, regularization) -> None:
        order = np.argsort(y, kind="stable")
        y = y[order]
        self.X, self.unit = _standard(X[order])
        self.end = np.searchsorted(y, y, side="right")
        self.targets = class_neighbors(self.X, y, n_neighbors, 0)[0]
        self.regularization = regularization
        n_others = len(y) ** 2 - (np.bincount(y) ** 2).sum()
        self.kept = np.empty((min(n_others // 2, KEPT_PAIRS), 2), np.int32)
        self.n_found = -1
        self.searched_at: tuple[NDArray, NDArray]  # Z and radii of the last search

    def __call__(self, Z, width):
        kernels = cpu_kernels()
        margin = kernels.Margin(self.regularization, width, SLACK)
        reach = kernels.reaches(Z, self.targets)
        has_all = 0 <= self.n_found <= len(self.kept)
        if has_all:
            moved = kernels.farthest_move(Z, reach[1], *self.searched_at)
            if moved <= SLACK:
                kept = self.kept[: self.n_found]
                return kernels.kept_loss(Z, self.targets, reach, margin, kept)
        self.searched_at = Z, reach[1]
        *losses, self.n_found = kernels.searched_loss(
            Z, self.targets, reach, self.end, margin, self.kept
        )
        return losses


class _TripletLoss:
    """N f, its smooth version, and its gradient by z = A x, of given triplets."""

    def __init__(self, X, triplets, regularization) -> None:
        self.X, self.unit = _standard(X)
        self.triplets = np.ascontiguousarray(triplets, dtype=np.int64)
        self.pairs = np.unique(self.triplets[:, :2], axis=0)
        self.regularization = regularization

    def __call__(self, Z, width):
        kernels = cpu_kernels()
        margin = kernels.Margin(self.regularization, width)
        return kernels.triplet_loss(Z, self.pairs, self.triplets, margin)


class _Search(Descent):
    """L-BFGS on ever less smooth versions of f; keeps the map of lowest true f."""

    def __init__(self, loss, start) -> None:
        super().__init__(loss, start.ravel())
        self.shape = start.shape
        self.width = 0.0

    def run(self, max_iter, tol):
        """Whether it converged on all versions."""
        self.try_scales(tol)
        n_widths = max(1, np.count_nonzero(tol < WIDTHS))
        for self.width in WIDTHS[:n_widths]:
            most = max_iter - self.n_iter
            result = lbfgs(self, self.best.item, most, self.report, tol)
            if result.status == 1:
                return False
        return True

    def __call__(self, flat):
        X = self.objective.X
        Z = X @ flat.reshape(self.shape).T
        loss, smooth_loss, force = self.objective(Z, self.width)
        self.best.offer(loss / len(X), flat)
        return smooth_loss / len(X), (force.T @ X).ravel() / len(X)

    def try_scales(self, tol):
        """Offer the start times powers of two, as long as that lowers f.

        A map far too small for the margin has almost no gradient.
        """
        flat = self.start
        value, gradient = self(flat)
        if gradient @ flat < 0:
            while gradient @ flat < 0:
                flat = flat * 2.0
                value, gradient = self(flat)
            return
        before = np.inf
        while gradient @ flat > 0 and value < before - tol * max(1.0, value):
            before = value
            flat = flat * 0.5
            value, gradient = self(flat)


def _standard(X):
    """Samples around zero, with a mean square of one, and the unit they are in."""
    X = X - X.mean(axis=0)
    unit = np.sqrt(np.mean(X**2))
    unit = unit if unit > 0 else 1.0
    return X / unit, unit
