"""Calibration: shares of votes and probabilities of classifiers become one."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax

SHARE_FLOOR = 0.05  # added to every share: a class without votes keeps a chance
PROBABILITY_FLOOR = 1e-6
PRIOR = 5.0  # of slope and bias, in samples
STRENGTH_PRIOR = 0.5
LOG_SLOPES = (-4.0, 3.0)
BIASES = (-5.0, 5.0)


@dataclass(frozen=True)
class Pool:
    r"""A logarithmic opinion pool of the votes and of the classifiers beside them.

    .. math:: P_c = \mathrm{softmax}_c\Big(a \log(v_c + \epsilon)
        + \sum_b s_b \log p_{bc} + \mathrm{bias}_c\Big),

    with the shares :math:`v_c` of the votes and the probabilities :math:`p_{bc}` of the
    classifiers. No strength :math:`s_b` is negative.

    Parameters
    ----------
    slope : float
        a.
    strengths : ndarray of shape (n_classifiers,)
        s.
    bias : ndarray of shape (n_classes,)
        The bias.
    """

    slope: float
    strengths: np.ndarray
    bias: np.ndarray

    @classmethod
    def fit(cls, shares, chances, y, weights):
        """Maximise the likelihood of classes y (n,), under weak Gaussian priors."""
        terms = terms_of(shares, chances)
        n_others = len(chances)
        n_classes = shares.shape[1]
        rows = np.arange(len(y))
        priors = np.repeat([PRIOR, STRENGTH_PRIOR, PRIOR], [1, n_others, n_classes])

        def loss(parameters):
            pool = cls.unpacked(parameters, n_others)
            logits = pool.logits(terms)
            residuals = softmax(logits, axis=1)
            residuals[rows, y] -= 1
            residuals *= weights[:, None]
            of_terms = np.tensordot(terms, residuals, 2)
            of_terms[0] *= pool.slope
            gradient = np.append(of_terms, residuals.sum(axis=0))
            missed = -weights @ log_softmax(logits, axis=1)[rows, y]
            penalty = priors / 2 @ parameters**2
            return missed + penalty, gradient + priors * parameters

        bounds = [LOG_SLOPES] + [(0, None)] * n_others + [BIASES] * n_classes
        start = np.zeros(len(priors))
        found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds)
        return cls.unpacked(found.x, n_others)

    @classmethod
    def unpacked(cls, parameters, n_others):
        """The pool of a vector of logarithm of the slope, strengths and bias."""
        slope, strengths, bias = np.split(parameters, [1, n_others + 1])
        return cls(float(np.exp(slope[0])), strengths, bias)

    def contributions(self, shares, chances):
        """Terms (1 + n_classifiers, n, n_classes): logits without the bias."""
        factors = np.append(self.slope, self.strengths)
        return factors[:, None, None] * terms_of(shares, chances)

    def logits(self, terms):
        """Logits (n, n_classes) of terms (1 + n_classifiers, n, n_classes)."""
        return np.tensordot(np.append(self.slope, self.strengths), terms, 1) + self.bias

    def __call__(self, shares, chances):
        """Probabilities (n, n_classes)."""
        return softmax(self.logits(terms_of(shares, chances)), axis=1)


def terms_of(shares, chances):
    """Log shares and log probabilities (1 + n_classifiers, n, n_classes)."""
    logs = [np.log(np.maximum(p, PROBABILITY_FLOOR)) for p in chances]
    return np.array([np.log(np.maximum(shares, 0) + SHARE_FLOOR), *logs])
