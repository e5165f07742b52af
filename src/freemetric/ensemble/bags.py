"""Bags: the training samples that a replica learns from; the others are out of bag."""

import numpy as np


class Bags:
    """An endless row of bags, all with the same number of samples of every stratum.

    Bags go round every stratum in random order, so that all samples are left out about
    equally often: of two bags with half of the samples, one is the complement of the
    other.

    Parameters
    ----------
    rng : numpy.random.Generator
        Where the order comes from.
    strata : ndarray of shape (n_samples,)
        The number of every sample's stratum.
    size : int
        Samples of a bag, about; at most half of a stratum, and at least two of it.
    """

    def __init__(self, rng, strata, size):
        self.rng = rng
        self.strata = [np.flatnonzero(strata == s) for s in np.unique(strata)]
        share = min(0.5, size / len(strata))
        self.sizes = [min(len(s), max(2, round(share * len(s)))) for s in self.strata]
        self.left = [np.empty(0, dtype=int) for _ in self.strata]

    def draw(self, n_bags):
        """Return the next bags, an array (n_bags, size) of sample numbers."""
        return np.array([self._draw() for _ in range(n_bags)])

    def _draw(self):
        return np.concatenate([self._draw_from(s) for s in range(len(self.strata))])

    def _draw_from(self, s):
        size, left = self.sizes[s], self.left[s]
        if len(left) < size:
            # A new round begins with those that the last one left over.
            others = np.setdiff1d(self.strata[s], left)
            left = np.concatenate([left, self.rng.permutation(others)])
        self.left[s] = left[size:]
        return left[:size]
