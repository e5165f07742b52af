"""Every class as if its features knew nothing of each other."""

import numpy as np
from scipy import special

from ..files.checks import check_array, require
from .basins import Basins, register_basins, weights_by_class
from .views import Steps

PRIOR = 3.0  # patterns of all classes together that every class has seen, too
EMPTY = 1e-9  # weight of an interval without rows


class MeanField(Basins):
    """F_c(x) = -sum_j log p_j(x_j | c) / p_j(x_j): features on their own, in intervals between a few thresholds.

    Thresholds are those of the view of steps, so that a category or a truth value is an interval of its own, and
    monotone rescaling does not matter. Each interval's share in a class is shrunk towards that in all classes.

    The sum over features is linear in the steps, which is how it is kept.

    Parameters
    ----------
    steps : Steps
        The thresholds.
    slopes : ndarray of shape (n_steps, n_classes)
        By how much F changes where a threshold is crossed.
    base : ndarray of shape (n_classes,)
        F below all thresholds.
    """

    words = "the usual values of single features"

    def __init__(self, steps, slopes, base):
        self.steps, self.slopes, self.base = steps, slopes, base

    @classmethod
    def of(cls, X, y, n_classes, weights=None):
        steps, W = Steps.of(X), weights_by_class(y, n_classes, weights)
        sizes, above = W.sum(axis=0), steps(X).T @ W  # (C,), (S, C)
        is_first = np.diff(steps.owner, prepend=-1) > 0
        is_last = np.append(is_first[1:], True)
        inside = above - np.where(is_last[:, None], 0.0, np.roll(above, -1, axis=0))  # between a threshold and the next
        below = sizes - above[is_first]
        inside[inside < EMPTY], below[below < EMPTY] = 0.0, 0.0  # sums of weights in another order are not quite equal
        strength = cls._strength(steps.owner, inside, below, sizes)[:, None]
        energies, lowest = strength[steps.owner] * _energies(inside, sizes), strength * _energies(below, sizes)
        before = np.roll(energies, 1, axis=0)
        before[is_first] = lowest
        scale = np.sqrt(X.shape[1])
        return cls(steps, (energies - before) / scale, lowest.sum(axis=0) / scale)

    @staticmethod
    def _strength(owner, inside, below, sizes):
        """How far every feature (d,) counts; the first interval of a feature is ``below`` (d, C), others ``inside``."""
        return np.ones(len(below))

    @property
    def shape(self):
        return len(self.base), int(self.steps.owner[-1]) + 1

    def __call__(self, X):
        return self.steps(X) @ self.slopes + self.base

    @classmethod
    def from_state(cls, state):
        steps, slopes, base = state["steps"], state["slopes"], state["base"]
        require(type(steps) is Steps, "steps of MeanField", "are something else")
        check_array(base, "base of MeanField", 1)
        require(len(base), "base of MeanField", "is empty")
        check_array(slopes, "slopes of MeanField", 2, (len(steps.owner), len(base)))
        return cls(steps, slopes, base)


class ScreenedField(MeanField):
    """A mean field in which a feature counts by what it says beyond chance: max(0, 1 - dof / G).

    G = 2 sum n log(n / expected) over intervals and classes is the likelihood ratio of the feature and the class; of a
    feature that knows nothing of the classes it is dof = (intervals - 1)(classes - 1) on average. It is the factor by
    which James and Stein shrink. Hundreds of features that say nothing then say nothing together.
    """

    words = "the usual values of features that matter by themselves"

    @staticmethod
    def _strength(owner, inside, below, sizes):
        d = len(below)
        G = np.bincount(owner, _likelihood_ratio(inside, sizes), d) + _likelihood_ratio(below, sizes)
        n_intervals = np.bincount(owner, inside.any(axis=1), d) + below.any(axis=1)
        dof = (n_intervals - 1) * (np.count_nonzero(sizes) - 1)
        return 1 - dof / np.maximum(G, np.maximum(dof, 1))


def _likelihood_ratio(counts, sizes):
    """2 sum_c n_c log(n_c / expected) (S,) of intervals that hold ``counts`` (S, C) rows of every class."""
    expected = counts.sum(axis=1, keepdims=True) * sizes / sizes.sum()
    return 2 * special.rel_entr(counts, np.where(counts > 0, expected, 1.0)).sum(axis=1)


def _energies(inside, sizes):
    """-log p(interval | c) / p(interval) (S, C) of intervals that hold ``inside`` (S, C) rows of every class."""
    shares = inside.sum(axis=1, keepdims=True) / sizes.sum()
    known = shares > 0  # an interval without rows says nothing
    ratios = np.where(known, inside / np.where(known, shares, 1.0) + PRIOR, sizes + PRIOR) / (sizes + PRIOR)
    return -np.log(ratios)


register_basins("mean-field", MeanField)
register_basins("screened-field", ScreenedField)
