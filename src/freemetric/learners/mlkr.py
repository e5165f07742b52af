"""Metric learning for kernel regression: NCA for numbers."""

from dataclasses import KW_ONLY
from typing import Annotated, Any

import numpy as np

from ..energies import RegressionEnergy
from ..sklearn_compat import StrOptions
from .nca import EnergyDescent
from .parameters import INITS_OF_REGRESSION, estimator


@estimator
class MLKR(EnergyDescent):
    r"""Metric learning for kernel regression: the metric in which neighbours tell a number best.

    .. math:: E(A) = \frac{1}{N \operatorname{var} y} \sum_i \left(y_i - \sum_{j \ne i} p_{ij} y_j\right)^2, \qquad
       p_{ij} = \frac{\exp(-|A x_i - A x_j|^2)}{\sum_{k \ne i} \exp(-|A x_i - A x_k|^2)},

    the leave-one-out error of kernel regression as a share of the variance of y, by L-BFGS to the nearest minimum. Of
    several outputs it is the mean, so that all weigh the same, whatever their units. The size of A is learned, too: it
    says how many neighbours count.

    One evaluation costs O(N^2 (p + m)) time for N samples, p components and m outputs, in float32, and O(N (p + m))
    memory plus at most 32 MB of kept pairs. Scale the features first: the start takes them as they come, but in units
    in which the largest range is one, or the standard deviation where all have the same, so that units common to all
    do not matter. Many samples are learned from in batches, as by :class:`NCA`.

    Parameters
    ----------
    {dimensions}
    init : {"auto", "identity", "pca", "pls", "random", "uniform"} or array of shape (p, n_features), default="auto"
        Where the search begins. "auto": the identity, or for fewer dimensions "pls", the leading directions of partial
        least squares: nothing depends on the order of features.
    {max_looks}
    tol : float, default=1e-7
        Stop when an iteration lowers E by less; with batches, shorten the steps then. E has long, flat valleys: 1e-5
        ends several times sooner at a somewhat higher E, and as far as was seen predicts as well.
    {batch_size} {warm_start} {device} {verbose} {random_state}

    Attributes
    ----------
    {map}
    energy_ : float
        E(A), so that 1 - E(A) is the leave-one-out R^2 of kernel regression; with batches, E(A) of the subset.
    {n_iter} {features}

    See Also
    --------
    MetricKNeighborsRegressor : Predicts numbers in the learned space.
    FreeEnergyRegressor : Many sampled metrics that tell numbers; usually more accurate.
    DMLFE : Samples the same energy, ``DMLFE(energy="regression")``, or other losses of it.
    NCA : The same for classes.

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
    _: KW_ONLY
    init: Annotated[Any, StrOptions(set(INITS_OF_REGRESSION)), np.ndarray, list] = "auto"
    max_iter: int = 1000
    tol: float = 1e-7
    batch_size: int | None = None
    warm_start: bool = False
    device: str = "cpu"
    verbose: bool = False
    random_state: Any = None

    _energy = RegressionEnergy
    _size_energy = RegressionEnergy

    def _is_regression(self):
        return True
