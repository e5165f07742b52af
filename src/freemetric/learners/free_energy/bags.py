"""Stratified subsamples: what each replica learns on, and what is left to judge it by."""

import numpy as np


class Bags:
    """An endless row of bags, all with the same number of patterns of every class.

    A class gives ``share`` of its patterns to a bag, two at least: a single one has no neighbour of its own class.
    Bags go round every class in shuffled order, so that patterns are left out about equally often: of two bags with
    half of the patterns one is the other's complement.
    """

    def __init__(self, rng, y, share, most=None):
        self.rng = rng
        if most is not None:
            share = min(share, most / len(y))
        self.members = [np.flatnonzero(y == c) for c in range(y.max() + 1)]
        self.sizes = [min(len(m), max(2, round(share * len(m)))) for m in self.members]
        self.size = sum(self.sizes)
        self.left = [np.empty(0, dtype=int) for _ in self.members]
        self.drawn: list[np.ndarray] = []

    def first(self, n):
        """The first n bags (n, bag size) of pattern numbers."""
        return self.between(0, n)

    def between(self, start, stop):
        """Bags number start to stop - 1; the same ones whenever they are asked for."""
        while len(self.drawn) < stop:
            self.drawn.append(np.concatenate([self._draw(c) for c in range(len(self.members))]))
        return np.array(self.drawn[start:stop])

    def _draw(self, c):
        n, left = self.sizes[c], self.left[c]
        if len(left) < n:
            # a new round begins with those that the last one left over
            rest = np.setdiff1d(self.members[c], left)
            left = np.concatenate([left, self.rng.permutation(rest)])
        self.left[c] = left[n:]
        return left[:n]
