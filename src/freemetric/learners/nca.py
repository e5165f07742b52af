"""Neighbourhood components analysis by L-BFGS, on the energy and kernel that DMLFE samples."""

import warnings
from numbers import Integral, Real

import numpy as np
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

from ..energies import LogNCAEnergy, MiniBatch, NCAEnergy
from ..sklearn_compat import Interval, StrOptions
from .base import generator, one_blas_thread, tell
from .batches import BATCH_SIZE, SAMPLE, MiniBatched
from .init import INITS, initial_map
from .lowest import Lowest, keeping_the_best
from .stochastic_descent import StochasticDescent, well_scaled
from .units import InUnits
from .weighted_learner import WeightedMetricLearner


class NCA(MiniBatched, WeightedMetricLearner):
    """Neighbourhood components analysis: the nearest minimum of the expected leave-one-out error.

    E(A) = 1 - 1/N sum_ij p_ij [y_i = y_j],  p_ij = exp(-|A x_i - A x_j|^2) / sum_{k != i} exp(-|A x_i - A x_k|^2).

    A copy of a row is a row: one row is left out at a time, and its copies are its neighbours.

    One evaluation costs O(N^2 p) time for N patterns and p components, in float32, and O(N p) memory plus at most
    32 MB of kept pairs. Scale the features first: the start takes them as they come, but in units in which the largest
    range is one, so that units common to all do not matter.

    Many patterns are learned from in batches drawn anew for every step, by momentum along the gradients of E in a batch
    with steps that shrink until they no longer help on a sample of 4,096 patterns. The cost then does not depend on N:
    some 1,000 steps of O(n^2 p) for batches of n, and memory for batches only; float32 data are not copied. In a batch
    the softmax is over n - 1 references, not N - 1. This is an unbiased estimate of the error that stochastic
    neighbours make in samples of n, and a biased one of E, whose neighbours are nearer: the best map for samples has
    another size, which matters little to what ranks neighbours. The start is scaled by a power of two so that the
    sample is likeliest, for where the nearest neighbour is all that counts gradients are noise.

    Parameters
    ----------
    n_components : int or None, default=None
        Dimension of the learned space; None keeps the number of features.
    init : {"auto", "identity", "pca", "lda", "random", "uniform"} or array of shape (n_components, n_features), \
default="auto"
        Where the search begins. "auto": the identity, or for fewer dimensions "lda" while there are more classes than
        dimensions and "pca" else: nothing depends on the order of features.
    max_iter : int, default=50
        Most L-BFGS iterations; with batches, most looks at the sample, 25 steps each.
    tol : float, default=1e-5
        Stop when an iteration lowers E by less; with batches, shorten the steps then.
    batch_size : int or None, default=None
        Patterns of a batch, where there are more. None: all together up to 10,000 patterns, batches of 2,048 beyond.
    warm_start : bool, default=False
        Go on from the last fit's map.
    device : str, default="cpu"
        "cpu", a torch device such as "cuda" (extra ``gpu``), or "reference" for plain numpy, which is slow.
    verbose : bool, default=False
        Log every iteration.
    random_state : int, RandomState or None, default=None
        Seed of a random start and of batches.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map A.
    energy_ : float
        E(A); with batches, E(A) of the sample.
    n_iter_ : int
        Iterations of L-BFGS, or looks at the sample.
    classes_ : ndarray of shape (n_classes,)
        Labels seen in fit.
    n_features_in_ : int
        Features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X has any.

    See Also
    --------
    DMLFE : Samples the same energy instead of descending it.

    References
    ----------
    J. Goldberger, S. Roweis, G. Hinton, R. Salakhutdinov, Neighbourhood components analysis, NIPS 2005.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import MinMaxScaler
    >>> from freemetric import NCA
    >>> X, y = load_wine(return_X_y=True)
    >>> model = make_pipeline(MinMaxScaler(), NCA(n_components=2), KNeighborsClassifier()).fit(X, y)
    >>> model.score(X, y) > 0.97
    True
    """

    _has_units = True
    _parameter_constraints: dict = {
        **WeightedMetricLearner._parameter_constraints,
        "init": [StrOptions(set(INITS)), np.ndarray, list],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "batch_size": BATCH_SIZE,
        "warm_start": ["boolean"],
        "device": [str],
        "verbose": ["verbose"],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_components=None,
        *,
        init="auto",
        max_iter=50,
        tol=1e-5,
        batch_size=None,
        warm_start=False,
        device="cpu",
        verbose=False,
        random_state=None,
    ):
        self.n_components = n_components
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.batch_size = batch_size
        self.warm_start = warm_start
        self.device = device
        self.verbose = verbose
        self.random_state = random_state

    def _learn(self, X, y, weights=None):
        n = self._rows_per_batch(len(X))
        if n is not None:
            return self._learn_by_batches(X, y, weights, n)
        X = X / self._unit
        energy = NCAEnergy().bind(X, y, sample_weight=weights, device=self.device)
        start = self._previous(X) if self.warm_start else None
        if start is None:
            start = self._initial(generator(self.random_state), X, y)
        objective = _Objective(energy, start.shape, self.verbose)
        with one_blas_thread(), keeping_the_best("NCA", objective.best):
            # float32 gradients carry noise of about 1e-7: the gradient's own tolerance only stops at a true minimum
            options = {"maxiter": self.max_iter, "ftol": self.tol, "gtol": self.tol / len(X)}
            result = minimize(
                objective, start.ravel(), jac=True, method="L-BFGS-B", options=options, callback=objective.report
            )
            if result.status == 1:
                self._warn_of_early_end(stacklevel=5)
        self.n_iter_, self.energy_ = objective.n_iter, objective.best.value
        return objective.best.item.reshape(start.shape)

    def _learn_by_batches(self, X, y, weights, n):
        rng = generator(self.random_state)
        batches = MiniBatch(
            InUnits(NCAEnergy(), self._unit), n, sample_size=SAMPLE, random_state=int(rng.integers(2**32))
        )
        energy = batches.bind(X, y, sample_weight=weights, device=self.device)
        best = Lowest()
        descent = StochasticDescent(
            energy, best, lambda: tell(self.verbose, "NCA iteration %d: energy %.6f", descent.n_iter, best.value)
        )
        with one_blas_thread(), keeping_the_best("NCA", best):
            start = self._previous(X) if self.warm_start else None
            if start is None:
                some = MiniBatch(
                    InUnits(LogNCAEnergy(), self._unit), n, sample_size=SAMPLE, random_state=batches.random_state
                )
                likelihood = some.bind(X, y, sample_weight=weights, device=self.device)
                rows = energy.sample
                start = well_scaled(self._initial(rng, X[rows] / self._unit, y[rows]), likelihood)
            if not descent.run(rng, start, self.max_iter, self.tol):
                self._warn_of_early_end(stacklevel=6)
        self.n_iter_, self.energy_ = descent.n_iter, best.value
        return best.item

    def _warn_of_early_end(self, stacklevel):
        message = f"NCA stopped at max_iter={self.max_iter} before it converged to tol={self.tol}."
        warnings.warn(message, ConvergenceWarning, stacklevel=stacklevel)

    def _initial(self, rng, X, y):
        return initial_map(self.init, rng, X, y, self.n_components, self._unit)

    def _previous(self, X):
        """The last fit's map, if there is one that fits the data."""
        previous = getattr(self, "components_", None)
        if previous is not None and previous.shape[1] == X.shape[1] and self.n_components in (None, len(previous)):
            return previous * self._unit
        return None


class _Objective:
    """The energy as scipy wants it; remembers the best map it was asked about."""

    def __init__(self, energy, shape, verbose):
        self.energy, self.shape, self.verbose = energy, shape, verbose
        self.best, self.n_iter = Lowest(), 0

    def __call__(self, flat):
        value, gradient = self.energy.value_and_grad(flat.reshape(1, *self.shape))
        self.best.offer(value[0], flat)
        return value[0], gradient.ravel()

    def report(self, flat):
        self.n_iter += 1
        tell(self.verbose, "NCA iteration %d: energy %.6f", self.n_iter, self.best.value)
