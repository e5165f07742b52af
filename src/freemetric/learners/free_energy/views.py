"""Views of the features: what a metric is learned on. All are arrays in [0, 1], fitted on the training patterns."""

import numpy as np
from sklearn.preprocessing import QuantileTransformer

MOST_QUANTILES = 1000
MOST_STEPS = 8  # thresholds a feature
MOST_STEP_FEATURES = 120


class Scaled:
    """The features scaled to [0, 1]: their units do not matter."""

    def __init__(self, X):
        self.low = X.min(axis=0)
        span = np.ptp(X, axis=0)
        self.span = np.where(span > 0, span, 1.0)
        self.owner = np.arange(X.shape[1])

    def __call__(self, X):
        return (X - self.low) / self.span


class Quantiles:
    """Every feature on its quantiles: monotone rescaling does not matter, outliers are near the others."""

    def __init__(self, X):
        transformer = QuantileTransformer(n_quantiles=min(MOST_QUANTILES, len(X)), subsample=None)
        self.transformer = transformer.set_output(transform="default").fit(X)
        self.owner = np.arange(X.shape[1])

    def __call__(self, X):
        return self.transformer.transform(X)


class Steps:
    """Is a feature above a threshold? Up to eight thresholds a feature, at its quantiles.

    The weight of a step is the price of crossing its threshold, so that a diagonal metric measures every feature with a
    ruler of its own: fine where it matters, coarse elsewhere. Trees see features that way.
    """

    def __init__(self, X):
        d = X.shape[1]
        n_steps = int(np.clip(MOST_STEP_FEATURES // d, 2, MOST_STEPS))
        levels = np.linspace(0, 1, n_steps + 2)[1:-1]
        thresholds = [_thresholds(column, levels) for column in X.T]
        self.owner = np.repeat(np.arange(d), [len(t) for t in thresholds])
        self.threshold = np.concatenate(thresholds)

    def __call__(self, X):
        return (X[:, self.owner] > self.threshold).astype(np.float64)


def _thresholds(x, levels):
    """Values of x near the quantiles that part the patterns; the smallest one for a constant, which parts none."""
    found = np.unique(np.quantile(x, levels, method="inverted_cdf"))
    return found[found < x.max()] if (found < x.max()).any() else np.array([x.min()])


VIEWS = {"scaled": Scaled, "quantiles": Quantiles, "steps": Steps}
