"""From out-of-bag votes to probabilities: how much to trust each candidate, and how far to trust the votes."""

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax

SHARE_FLOOR = 0.05  # no votes at all is not certainty
PRIOR = 5.0  # patterns' worth of doubt about bias and slope
SELECTION_TEMPERATURE = 0.5  # in standard errors


def brier_scores(shares, y, weights=None):
    """Half the mean squared distance between class shares (..., N, C) and the truth: 0 is perfect, 1 is all wrong."""
    truth = np.eye(shares.shape[-1], dtype=shares.dtype)[y]
    return np.average(((shares - truth) ** 2).sum(axis=-1), axis=-1, weights=weights) / 2


def boltzmann_weights(scores, n_patterns):
    """exp(-score / T), normalised, with T half a standard error of the best score.

    What is clearly worse gets nothing, what differs by chance shares: averaging over such candidates is better than
    believing in the luckiest.
    """
    best = scores.min()
    error = np.sqrt(best * (1 - min(best, 0.99)) / n_patterns) + 0.5 / n_patterns
    weights = np.exp(-(scores - best) / (SELECTION_TEMPERATURE * error))
    return weights / weights.sum()


class Calibration:
    """P_c = softmax_c(slope * log(share_c + floor) + bias_c), fitted by the out-of-bag log loss.

    The slope says how far shares of votes are from probabilities; the bias moves votes towards classes that are
    scattered among others and get too few of them. Both are held near 1 and 0 by a Gaussian prior.
    """

    def __init__(self, slope, bias):
        self.slope, self.bias = slope, bias

    @classmethod
    def fit(cls, shares, y, weights=None, with_bias=True):
        N, C = shares.shape
        if N == 0:
            return cls(1.0, np.zeros(C))
        F, rows = np.log(shares + SHARE_FLOOR), np.arange(N)
        weights = np.ones(N) if weights is None else weights

        def loss(parameters):
            slope, bias = np.exp(parameters[0]), parameters[1:]
            Z = slope * F + bias
            excess = softmax(Z, axis=1)
            value = -weights @ log_softmax(Z, axis=1)[rows, y] + PRIOR / 2 * parameters @ parameters
            excess[rows, y] -= 1
            excess *= weights[:, None]
            gradient = np.append(slope * (excess * F).sum(), excess.sum(axis=0)) + PRIOR * parameters
            return value, gradient

        bounds = [(-2, 3)] + [(-5, 5) if with_bias else (0, 0)] * C
        found = minimize(loss, np.zeros(C + 1), jac=True, method="L-BFGS-B", bounds=bounds).x
        return cls(float(np.exp(found[0])), found[1:])

    def __call__(self, shares):
        return softmax(self.slope * np.log(shares + SHARE_FLOOR) + self.bias, axis=-1)
