"""Conformal p-values: whether samples are drawn as the training samples were."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted, validate_data

from .features import behind_table, training_rows_have_no_names


def novelty(model: Any, X: ArrayLike) -> NDArray[np.float64]:
    r"""Test whether samples are drawn as the training samples were.

    Let s(x) be the distance of x to the nearest training sample in the averaged
    metric, and :math:`s_i` that of training sample i to its nearest other. The
    conformal p-value [1]_ [2]_ is

    .. math:: p(x) = \frac{1 + \#\{i : s_i \ge s(x)\}}{n + 1}.

    The smaller p, the more novel the sample. Of new samples drawn as those of ``fit``,
    a share of about :math:`\alpha` has :math:`p \le \alpha`. The metric was learned
    with the training samples and not with the new ones, so this is measured and not
    exactly guaranteed. Samples of ``fit`` are their own nearest ones and have p = 1.

    A feature farther outside of its range than this range is wide makes a sample more
    novel than all others, because a bounded view, such as quantiles, does not see it.
    Training samples are compared with the range of the others in the same way.

    Costs one search among the training samples, beside that of the new ones.

    Parameters
    ----------
    model : FreeEnergyClassifier or FreeEnergyRegressor
        A fitted model, or a model of tables with one.
    X : array-like of shape (n_samples, n_features)
        New samples.

    Returns
    -------
    p_values : ndarray of shape (n_samples,)
        Above 0 and at most 1.

    References
    ----------
    .. [1] R. Laxhammar, G. Falkman, "Conformal Prediction for Distribution-Independent
       Anomaly Detection in Streaming Vessel Data", StreamKDD, 2010.
    .. [2] S. Bates, E. Candès, L. Lei, Y. Romano, M. Sesia, "Testing for Outliers with
       Conformal p-values", Annals of Statistics 51, 2023.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from freemetric import FreeEnergyClassifier
    >>> from freemetric.inspection import novelty
    >>> X, y = load_wine(return_X_y=True)
    >>> model = FreeEnergyClassifier(n_replicas=10, random_state=0)
    >>> model = model.fit(X[y < 2], y[y < 2])
    >>> p = novelty(model, X[y == 2])  # of a class that it does not know
    >>> bool((p <= 0.05).mean() > 0.5)
    True
    """
    check_is_fitted(model)
    model, X = behind_table(model, X)
    samples = validate_data(
        model, X, reset=False, dtype=float, ensure_all_finite="allow-nan"
    )
    training = model.ensemble_.X
    usual = np.full(len(training), np.inf)
    inside = ~_far_outside_of_others(training)
    with training_rows_have_no_names():
        usual[inside] = model.kneighbors(training[inside], 2)[0][:, 1]
        distances = _nearest_distances(model, samples)
    as_far = len(usual) - np.searchsorted(np.sort(usual), distances)
    return (1 + as_far) / (len(usual) + 1)


def _nearest_distances(model: Any, samples: NDArray) -> NDArray[np.float64]:
    """Distance (n,) to the nearest training sample; infinite far outside."""
    low = np.fmin.reduce(model.ensemble_.X, axis=0)  # without gaps
    high = np.fmax.reduce(model.ensemble_.X, axis=0)
    inside = ~_far_outside(samples, low, high)
    distances = np.full(len(samples), np.inf)
    if inside.any():
        distances[inside] = model.kneighbors(samples[inside], 1)[0][:, 0]
    return distances


def _far_outside(X, low, high):
    """Which rows have a feature farther outside of its range than this is wide.

    There is no scale for a feature that does not vary.
    """
    width = np.where(high > low, high - low, np.inf)
    with np.errstate(invalid="ignore"):  # of a feature that has no value at all
        is_below = low - width > X
        is_above = high + width < X
    return (is_below | is_above).any(axis=1)


def _far_outside_of_others(X: NDArray) -> NDArray[np.bool_]:
    """Which rows are far outside of the range of all other rows."""
    if len(X) < 3:
        return np.zeros(len(X), dtype=bool)
    # Gaps are filled twice, so that they are neither the lowest nor the highest.
    low = np.sort(np.where(np.isnan(X), np.inf, X), axis=0)
    high = np.sort(np.where(np.isnan(X), -np.inf, X), axis=0)
    too_low = _far_outside(X, low[1], high[-1])
    too_high = _far_outside(X, low[0], high[-2])
    return too_low | too_high
