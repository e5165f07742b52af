"""Scores of predictions for samples that a fit has not seen."""

import numpy as np
from scipy.stats import norm

INTERVALS = (0.8, 0.9, 0.95)
"""Nominal coverages of the prediction intervals."""

LEVELS = (0.025, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.975)
"""Levels of the predicted quantiles; the ends of the intervals are among them."""


def percent_wrong(predicted, y):
    """Return the error in %; of predictions (n, k) a list of k errors."""
    wrong = np.asarray(predicted) != (y if np.ndim(predicted) == 1 else y[:, None])
    return (100 * wrong.mean(axis=0)).round(6).tolist()


def probability_scores(P, y):
    """Score class probabilities.

    Parameters
    ----------
    P : ndarray of shape (n_samples, n_classes)
        Probabilities.
    y : ndarray of shape (n_samples,)
        Class numbers.

    Returns
    -------
    scores : dict
        "brier", half the squared distance from the truth, and "log_loss"; both means.

    Examples
    --------
    >>> import numpy as np
    >>> from freemetric.experiments.scores import probability_scores
    >>> probability_scores(np.array([[0.5, 0.5], [1.0, 0.0]]), np.array([0, 0]))
    {'brier': 0.125, 'log_loss': 0.346574}
    """
    P = np.asarray(P, dtype=np.float64)
    log_loss = -np.log(np.clip(P[np.arange(len(y)), y], 1e-15, None)).mean()
    brier = ((P - np.eye(P.shape[1])[y]) ** 2).sum(axis=1).mean() / 2
    return {"brier": round(float(brier), 6), "log_loss": round(float(log_loss), 6)}


def prediction_scores(y, predicted, quantiles=None, intervals=None):
    """Score predictions of numbers.

    Parameters
    ----------
    y, predicted : ndarray of shape (n_samples,)
        Targets, and their predicted means.
    quantiles : ndarray of shape (n_samples, n_levels) or None, default=None
        Predicted quantiles of ``LEVELS``.
    intervals : ndarray of shape (n_intervals, n_samples, 2) or None, default=None
        Ends of the prediction intervals of ``INTERVALS``.

    Returns
    -------
    scores : dict
        "r2", "mae", "rmse" and "spread", the standard deviation of y. Of quantiles
        "pinball", their mean loss. Of intervals "coverage" and mean "width" of each.

    Examples
    --------
    >>> import numpy as np
    >>> from freemetric.experiments.scores import prediction_scores
    >>> prediction_scores(np.array([1.0, 3.0]), np.array([1.5, 3.5]))
    {'r2': 0.75, 'mae': 0.5, 'rmse': 0.5, 'spread': 1.0}
    """
    errors = y - predicted
    rmse = np.sqrt(np.mean(errors**2))
    spread = y.std()
    r2 = 1 - (rmse / spread) ** 2 if spread else 0.0
    scores = {"r2": r2, "mae": abs(errors).mean(), "rmse": rmse, "spread": spread}
    if quantiles is not None:
        above = y[:, None] - quantiles
        levels = np.array(LEVELS)
        scores["pinball"] = np.maximum(levels * above, (levels - 1) * above).mean()
    if intervals is not None:
        low, high = intervals[..., 0], intervals[..., 1]
        scores["coverage"] = ((low <= y) & (y <= high)).mean(axis=1)
        scores["width"] = (high - low).mean(axis=1)
    return _rounded(scores)


def truth_scores(mean, noise, predicted, intervals=None):
    """Score predictions against the distribution that targets are drawn from.

    Parameters
    ----------
    mean, noise : ndarray of shape (n_samples,)
        Expected targets, and their standard deviations.
    predicted : ndarray of shape (n_samples,)
        Predicted means.
    intervals : ndarray of shape (n_intervals, n_samples, 2) or None, default=None
        Ends of the prediction intervals of ``INTERVALS``.

    Returns
    -------
    scores : dict
        "excess", the mean squared distance from the true mean, and "noise", the mean
        variance, which is unavoidable. Of intervals "coverage", the probability of a
        target inside; where the noise varies, "coverage_quiet" and "coverage_loud",
        that of the quarters of the samples with least and most noise.
    """
    excess = np.mean((predicted - mean) ** 2)
    scores = {"excess": excess, "noise": np.mean(noise**2)}
    if intervals is None:
        return _rounded(scores)
    high = norm.cdf((intervals[..., 1] - mean) / noise)
    inside = high - norm.cdf((intervals[..., 0] - mean) / noise)
    scores["coverage"] = inside.mean(axis=1)
    if np.ptp(noise):
        order = np.argsort(noise, kind="stable")
        quarter = len(noise) // 4
        scores["coverage_quiet"] = inside[:, order[:quarter]].mean(axis=1)
        scores["coverage_loud"] = inside[:, order[-quarter:]].mean(axis=1)
    return _rounded(scores)


def _rounded(scores):
    """Six significant digits, because targets have any unit."""
    rounded = {}
    for name, value in scores.items():
        values = [float(f"{number:.6g}") for number in np.atleast_1d(value)]
        rounded[name] = values if np.ndim(value) else values[0]
    return rounded
