"""Neighbourhood components analysis and MLKR, on the energies that DMLFE samples."""

from typing import Annotated, Any

import numpy as np

from ..energies import Energy, LogNCAEnergy, MiniBatch, NCAEnergy, RegressionEnergy
from ..sklearn_compat import StrOptions
from .base import WeightedMetricLearner, generator, one_blas_thread
from .descent import SUBSET, Descent, MiniBatched, StochasticDescent, well_scaled
from .parameters import INITS_OF_REGRESSION, estimator, parameter


class EnergyDescent(MiniBatched, WeightedMetricLearner):
    """Descends to the nearest minimum of ``_energy``; batches start at a size with low ``_size_energy``."""

    _has_units = True
    _energy: type[Energy]
    _size_energy: type[Energy]

    def _learn(self, X, y, weights=None):
        n = self._rows_per_batch(len(X))
        search = self._whole(X / self._unit, y, weights) if n is None else self._in_batches(X, y, weights, n)
        self._run(search)
        self.energy_ = search.best.value
        return search.best.item

    def _whole(self, X, y, weights):
        energy: Any = self._energy().bind(X, y, sample_weight=weights, device=self.device)
        start = self._start(generator(self.random_state), X, y)

        def objective(A):
            value, gradient = energy.value_and_grad(A[None])
            return value[0], gradient[0]

        # float32 gradients carry noise of about 1e-7: the gradient's own tolerance only stops at a true minimum
        return Descent(type(self).__name__, objective, start, gtol=self.tol / len(X))

    def _in_batches(self, X, y, weights, n):
        rng = generator(self.random_state)
        seed = int(rng.integers(2**32))

        def bound(energy):
            batches = MiniBatch(energy, n, sample_size=SUBSET, random_state=seed)
            return batches.bind(X, y, sample_weight=weights, device=self.device, unit=self._unit)

        energy = bound(self._energy())
        with one_blas_thread():
            start = self._previous(X.shape[1])
            if start is None:
                rows = energy.sample
                start = self._initial(rng, X[rows] / self._unit, y[rows])
                start = well_scaled(start, bound(self._size_energy()))
        return StochasticDescent(type(self).__name__, energy, rng, start)


@estimator
class NCA(EnergyDescent):
    """Neighbourhood components analysis: the nearest minimum of the expected leave-one-out error.

    E(A) = 1 - 1/N sum_ij p_ij [y_i = y_j],  p_ij = exp(-|A x_i - A x_j|^2) / sum_{k != i} exp(-|A x_i - A x_k|^2).

    An evaluation costs O(N^2 p) time for N samples and p components, in float32, and O(N p) memory plus at most 32 MB
    of kept pairs. Scale the features first. Large data are learned from in batches drawn anew for every step, by
    momentum along the gradients of a batch, with steps that shrink until they no longer help on a subset of 4,096
    samples: some 1,000 steps of O(n^2 p) for batches of n.

    Attributes
    ----------
    {map}
    energy_ : float
        E(A); with batches, E(A) of the subset.
    {n_iter} {classes} {features}

    See Also
    --------
    DMLFE : Samples the same energy instead of descending it.

    References
    ----------
    J. Goldberger, S. Roweis, G. Hinton, R. Salakhutdinov, Neighbourhood components analysis, NIPS 2005.

    {knn_on_wine}
    """

    n_components: int | None = None
    init: Any = "auto"
    max_iter: int = parameter(50, "{max_looks}")
    tol: float = parameter(1e-5, "Stop when an iteration lowers E by less; with batches, shorten the steps then.")
    batch_size: int | None = None
    warm_start: bool = False
    device: str = "cpu"
    verbose: bool = False
    random_state: Any = None

    _energy = NCAEnergy
    _size_energy = LogNCAEnergy


@estimator
class MLKR(EnergyDescent):
    r"""Metric learning for kernel regression: the metric in which neighbours predict a target best.

    .. math:: E(A) = \frac{1}{N \operatorname{var} y} \sum_i \left(y_i - \sum_{j \ne i} p_{ij} y_j\right)^2, \qquad
       p_{ij} = \frac{\exp(-|A x_i - A x_j|^2)}{\sum_{k \ne i} \exp(-|A x_i - A x_k|^2)},

    the leave-one-out error of kernel regression as a share of the variance of y, averaged over outputs, by L-BFGS to
    the nearest minimum. Scale the features first. Large data are learned from in batches, as by :class:`NCA`.

    Attributes
    ----------
    {map}
    energy_ : float
        E(A); 1 - E(A) is the leave-one-out R^2 of kernel regression. With batches, E(A) of the subset.
    {n_iter} {features}

    See Also
    --------
    MetricKNeighborsRegressor : Predicts targets in the learned space.
    DMLFE : Samples the same energy, ``DMLFE(energy="regression")``, or other losses of it.

    References
    ----------
    K. Q. Weinberger, G. Tesauro, Metric learning for kernel regression, AISTATS 2007.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.neighbors import KNeighborsRegressor
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import MinMaxScaler
    >>> from freemetric import MLKR
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = make_pipeline(MinMaxScaler(), MLKR(n_components=2), KNeighborsRegressor(15)).fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > 0.4
    True
    """

    n_components: int | None = None
    init: Annotated[Any, StrOptions(set(INITS_OF_REGRESSION)), np.ndarray, list] = parameter(
        "auto", 'Start of the search. "auto": the identity, or for fewer dimensions "pls", partial least squares.'
    )
    max_iter: int = parameter(1000, "{max_looks}")
    tol: float = parameter(
        1e-7, "Stop when an iteration lowers E by less; with batches, shorten the steps then. 1e-5 is much faster."
    )
    batch_size: int | None = None
    warm_start: bool = False
    device: str = "cpu"
    verbose: bool = False
    random_state: Any = None

    _energy = _size_energy = RegressionEnergy
    _is_regression = True
