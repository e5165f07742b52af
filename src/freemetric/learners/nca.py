"""Neighbourhood components analysis and MLKR, on the energies that DMLFE samples."""

from typing import Any

from numpy.typing import NDArray

from ..energies import Energy, LogNCAEnergy, NCAEnergy, RegressionEnergy
from .base import WeightedMetricLearner
from .constraints import (
    COUNT_OR_NONE,
    MAP,
    MAP_OF_REGRESSION,
    SEARCH,
    TWO_OR_MORE_OR_NONE,
)
from .descent import Descent, first_map
from .minibatch import batch_search
from .validation import rows_per_batch, unit_of


class NCA(WeightedMetricLearner):
    """Neighbourhood components analysis: least expected leave-one-out error.

    E(A) = 1 - 1/N sum_ij p_ij [y_i = y_j],  p_ij = exp(-|A x_i - A x_j|^2) / sum_{k !=
    i} exp(-|A x_i - A x_k|^2).

    An evaluation costs O(N^2 p) time for N samples and p components, in float32, and
    O(N p) memory plus at most 32 MB of kept pairs. Scale the features first. Large data
    are learned from in batches drawn anew for every step, by momentum along the
    gradients of a batch, with steps that shrink until they no longer help on a subset
    of 4,096 samples: some 1,000 steps of O(n^2 p) for batches of n.

    Parameters
    ----------
    n_components : int or None, default=None
        Dimension of the learned space; None keeps the number of features, or the rank
        of very wide data.
    init : str or array-like of shape (p, n_features), default="auto"
        One of "auto", "identity", "pca", "lda", "random", "uniform". Start of the
        search. "auto": the identity; for fewer dimensions "lda" with enough classes,
        else "pca".
    max_iter : int, default=50
        Maximum number of L-BFGS iterations; with batches, of evaluations on the subset,
        25 steps each.
    tol : float, default=1e-05
        Stop when an iteration lowers E by less; with batches, shorten the steps then.
    batch_size : int or None, default=None
        Samples of a batch. None: no batches up to 10,000 samples, batches of 2,048
        beyond.
    device : str, default="cpu"
        "cpu", a torch device such as "cuda" (extra ``gpu``), or "reference" for plain
        numpy, which is slow.
    random_state : int, RandomState or None, default=None
        Seed of all random numbers: drawn tuples, starts, batches, moves.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map A.
    energy_ : float
        E(A); with batches, E(A) of the subset.
    n_iter_ : int
        Number of iterations; with batches, of evaluations on the subset.
    classes_ : ndarray of shape (n_classes,)
        Class labels; absent without labels.
    n_features_in_ : int
        Number of features of the training samples.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X has string column names.

    See Also
    --------
    DMLFE : Samples the same energy instead of descending it.

    References
    ----------
    .. [1] J. Goldberger, S. Roweis, G. Hinton, R. Salakhutdinov, Neighbourhood
           components analysis, NIPS 2005.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import MinMaxScaler
    >>> from freemetric import NCA
    >>> X, y = load_wine(return_X_y=True)
    >>> model = make_pipeline(MinMaxScaler(), NCA(), KNeighborsClassifier())
    >>> model.fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.9
    True
    """

    _parameter_constraints = {
        **SEARCH,
        "n_components": COUNT_OR_NONE,
        "init": MAP,
        "batch_size": TWO_OR_MORE_OR_NONE,
        "device": [str],
    }

    def __init__(
        self,
        n_components=None,
        *,
        init="auto",
        max_iter=50,
        tol=1e-05,
        batch_size=None,
        device="cpu",
        random_state=None,
    ):
        self.n_components = n_components
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.batch_size = batch_size
        self.device = device
        self.random_state = random_state

    def _learn(self, X, y, weights=None):
        return descend(self, X, y, weights, NCAEnergy(), LogNCAEnergy())


class MLKR(WeightedMetricLearner):
    r"""Metric learning for kernel regression: the metric in which neighbours predict a
    target best.

    .. math:: E(A) = \frac{1}{N \operatorname{var} y}
        \sum_i \left(y_i - \sum_{j \ne i} p_{ij} y_j\right)^2, \qquad
        p_{ij} = \frac{\exp(-|A x_i - A x_j|^2)}
        {\sum_{k \ne i} \exp(-|A x_i - A x_k|^2)},

    the leave-one-out error of kernel regression as a share of the variance of y,
    averaged over outputs, by L-BFGS to the nearest minimum. Scale the features first.
    Large data are learned from in batches, as by :class:`NCA`.

    Parameters
    ----------
    n_components : int or None, default=None
        Dimension of the learned space; None keeps the number of features, or the rank
        of very wide data.
    init : str or array-like of shape (p, n_features), default="auto"
        "auto", "identity", "pca", "pls", "random", "uniform" or a map.
        Start of the search. "auto": the identity, or for fewer dimensions "pls",
        partial least squares.
    max_iter : int, default=1000
        Maximum number of L-BFGS iterations; with batches, of evaluations on the subset,
        25 steps each.
    tol : float, default=1e-07
        Stop when an iteration lowers E by less; with batches, shorten the steps then.
        1e-5 is much faster.
    batch_size : int or None, default=None
        Samples of a batch. None: no batches up to 10,000 samples, batches of 2,048
        beyond.
    device : str, default="cpu"
        "cpu", a torch device such as "cuda" (extra ``gpu``), or "reference" for plain
        numpy, which is slow.
    random_state : int, RandomState or None, default=None
        Seed of all random numbers: drawn tuples, starts, batches, moves.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map A.
    energy_ : float
        E(A); 1 - E(A) is the leave-one-out R^2 of kernel regression. With batches, E(A)
        of the subset.
    n_iter_ : int
        Number of iterations; with batches, of evaluations on the subset.
    n_features_in_ : int
        Number of features of the training samples.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X has string column names.

    See Also
    --------
    MetricKNeighborsRegressor : Predicts targets in the learned space.
    DMLFE : Samples the same energy, ``DMLFE(energy="regression")``, or other losses.

    References
    ----------
    .. [1] K. Q. Weinberger, G. Tesauro, Metric learning for kernel regression, AISTATS
           2007.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.neighbors import KNeighborsRegressor
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import MinMaxScaler
    >>> from freemetric import MLKR
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = make_pipeline(MinMaxScaler(), MLKR(2), KNeighborsRegressor(15))
    >>> model.fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.4
    True
    """

    _is_regression = True
    _parameter_constraints = NCA._parameter_constraints | {"init": MAP_OF_REGRESSION}

    def __init__(
        self,
        n_components=None,
        *,
        init="auto",
        max_iter=1000,
        tol=1e-07,
        batch_size=None,
        device="cpu",
        random_state=None,
    ):
        self.n_components = n_components
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.batch_size = batch_size
        self.device = device
        self.random_state = random_state

    def _learn(self, X, y, weights=None):
        return descend(self, X, y, weights, RegressionEnergy(), RegressionEnergy())


def descend(
    model: Any,
    X: NDArray,
    y: NDArray,
    weights: NDArray | None,
    energy: Energy,
    size_energy: Energy,
) -> dict[str, Any]:
    """Fitted attributes of NCA and MLKR: the nearest minimum of an energy.

    Batches of very many samples start at a size with low ``size_energy``.
    """
    unit = unit_of(X)
    n = rows_per_batch(model.batch_size, len(X))
    search: Any
    if n is None:
        search = _search_of_all(model, X / unit, y, weights, unit, energy)
    else:
        search = batch_search(model, (X, y, weights, unit), n, energy, size_energy)
    n_iter = model._run(search)
    return {
        "components_": search.best.item / unit,
        "energy_": search.best.value,
        "n_iter_": n_iter,
    }


def _search_of_all(model, X, y, weights, unit, energy):
    """L-BFGS on the energy of all samples."""
    bound = energy.bind(X, y, sample_weight=weights, device=model.device)

    def objective(A):
        value, gradient = bound.value_and_grad(A[None])
        return value[0], gradient[0]

    # Gradients in float32 carry noise of about 1e-7: the gradient's own tolerance
    # only stops at a true minimum.
    start = first_map(model, X, y, unit)
    return Descent(objective, start, gtol=model.tol / len(X))
