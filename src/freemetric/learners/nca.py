"""Neighbourhood components analysis and MLKR, on the energies that DMLFE samples."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import gen_batches
from sklearn.utils.validation import validate_data

from ..energies import Energy, LogNCAEnergy, NCAEnergy, RegressionEnergy
from ..sklearn_compat import seed_sequence, validate_params
from .base import WeightedMetricLearner
from .constraints import (
    COUNT_OR_NONE,
    MAP,
    MAP_OF_REGRESSION,
    SEARCH,
    TWO_OR_MORE_OR_NONE,
)
from .descent import Descent, first_map
from .minibatch import FIRST_STEP, Momentum, batch_search
from .validation import BATCH, check_n_components, rows_per_batch, unit_of

SLOWING = 20  # steps of partial_fit after which they become shorter
AFTER_FIT = 1000  # steps that a fit counts as


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
        Samples of a batch. None: no batches up to 6,000 samples, batches of 2,048
        beyond.
    device : str, default="cpu"
        "cpu", a torch device such as "cuda" (extra ``gpu``), or "reference" for plain
        numpy, which is slow.
    random_state : int, RandomState or None, default=None
        Seed of random starts and of batches.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map A.
    energy_ : float
        E(A); with batches, E(A) of the subset.
    n_iter_ : int
        Number of iterations; with batches, of evaluations on the subset.
    momentum_ : ndarray of shape (n_components, n_features)
        Mean gradient of ``partial_fit``; absent after ``fit``, as the next.
    gradient_square_ : float
        Mean square of its gradients.
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
    ) -> None:
        self.n_components = n_components
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.batch_size = batch_size
        self.device = device
        self.random_state = random_state

    def _learn(self, X, y, weights=None):
        return descend(self, X, y, weights, NCAEnergy(), LogNCAEnergy())

    def partial_fit(
        self,
        X: ArrayLike,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Go on from the map of earlier calls, or of ``fit``, by further samples.

        Every batch of ``batch_size`` samples (None: 2,048) is one step along the
        gradient of its own E, with momentum. Step n has the length
        0.1 (1 + n / 20)^-0.5 relative to the map; a fit counts as 1,000 steps. Steps
        with all samples end at a minimum of E, as ``fit`` does; smaller batches have
        neighbours that are farther away, and a minimum of their own.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,), default=None
            Class labels, at least two classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Importance of the samples.

        Returns
        -------
        self : NCA
            The fitted estimator. ``energy_`` is the mean of E of the batches before
            their steps, ``n_iter_`` the number of steps.
        """
        validate_params(self)
        begins = not hasattr(self, "components_")
        X_checked, targets, options, found = self._data(X, y, sample_weight)
        unit = unit_of(X_checked)
        if begins:
            check_n_components(self.n_components, X_checked)
            A = first_map(self, X_checked / unit, targets, unit)
        else:
            validate_data(self, X, skip_check_array=True, reset=False)
            A = self.components_ * unit
            found["classes_"] = np.union1d(self.classes_, found["classes_"])
        walk = self._walked(A, X_checked / unit, targets, options["weights"])
        A = walk.pop("components_")
        self._store(X, found | walk | {"components_": A / unit})
        return self

    def _walked(self, A, X, y, weights):
        """Fitted attributes after one step for every batch; A (p, d) is a map of X."""
        momentum = Momentum(np.zeros(A.shape))
        n_steps = AFTER_FIT if hasattr(self, "components_") else 0
        if hasattr(self, "momentum_"):
            n_steps = self.n_iter_
            momentum = Momentum(self.momentum_, self.gradient_square_, n_steps)
        seed = [*seed_sequence(self.random_state).entropy, n_steps]
        order = np.random.default_rng(seed).permutation(len(X))
        energies = []
        for batch in gen_batches(len(X), self.batch_size or BATCH):
            rows = order[batch]
            weighted = None if weights is None else weights[rows]
            bound = NCAEnergy().bind(
                X[rows], y[rows], sample_weight=weighted, device=self.device
            )
            energy, gradient = bound.value_and_grad(A[None])
            energies.append(energy[0])
            momentum = momentum.after(gradient[0])
            length = FIRST_STEP * (1 + n_steps / SLOWING) ** -0.5
            A = A - length * np.sqrt(np.mean(A**2)) * momentum.direction
            n_steps += 1
        return {
            "components_": A,
            "energy_": float(np.mean(energies)),
            "momentum_": momentum.mean,
            "gradient_square_": momentum.square,
            "n_iter_": n_steps,
        }


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
        Samples of a batch. None: no batches up to 6,000 samples, batches of 2,048
        beyond.
    device : str, default="cpu"
        "cpu", a torch device such as "cuda" (extra ``gpu``), or "reference" for plain
        numpy, which is slow.
    random_state : int, RandomState or None, default=None
        Seed of random starts and of batches.

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
    ) -> None:
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
