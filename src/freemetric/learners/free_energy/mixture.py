"""A mixture of candidates and numbers of neighbours, with its calibration: what a free-energy classifier says."""

import numpy as np

from .calibration import Calibration, boltzmann_weights

NEGLIGIBLE = 0.005  # weight of a candidate that is not asked


class Mixture:
    """P = calibration(sum over candidates c and k of weights[c, k] * shares[c, k])."""

    def __init__(self, weights, calibration):
        self.weights, self.calibration = weights, calibration

    @classmethod
    def fit(cls, weights, shares, y, sample_weight=None, with_bias=True):
        return cls(weights, Calibration.fit(np.tensordot(weights, shares, 2), y, sample_weight, with_bias))

    def __call__(self, shares):
        """Class probabilities (n, C) from shares (n_candidates, K, n, C)."""
        return self.calibration(np.tensordot(self.weights, shares, 2))

    def restricted(self, candidates):
        """The same with some of the candidates only, those that matter."""
        weights = self.weights[candidates]
        return Mixture(weights / weights.sum(), self.calibration)


def trusted(scores, n_patterns, neighbors):
    """Weights (n_candidates, K) by Boltzmann's law over all candidates with any of the ``neighbors``; nothing else."""
    columns = np.asarray(neighbors) - 1
    weights = np.zeros(scores.shape)
    weights[:, columns] = boltzmann_weights(scores[:, columns], n_patterns)
    weights[weights.sum(axis=1) < NEGLIGIBLE] = 0.0
    return weights / weights.sum()


def best_pair(scores):
    """Row and column of the lowest score; the first of equals, which is the simplest candidate."""
    return np.unravel_index(scores.argmin(), scores.shape)
