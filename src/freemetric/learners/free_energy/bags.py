"""Stratified subsamples: what each replica learns on, and what is left to judge it by."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


class Bags:
    """An endless row of bags, all with the same number of patterns of every stratum.

    A stratum gives ``share`` of its patterns to a bag, two at least: a single one has no neighbour of its own class.
    Complementary bags go round every stratum in shuffled order, so that patterns are left out about equally often: of
    two bags with half of the patterns one is the other's complement. Others are drawn independently.

    Parameters
    ----------
    rng : numpy.random.Generator
        Draws the bags.
    strata : sequence of ndarray
        Numbers of the patterns in each stratum.
    share : float
        Of every stratum.
    most : int
        Patterns of a bag.
    complementary : bool, default=True
        How they are drawn.
    """

    def __init__(
        self, rng: np.random.Generator, strata: Sequence[NDArray], share: float, most: int, complementary: bool = True
    ) -> None:
        share = min(share, most / sum(map(len, strata)))
        self.rng, self.strata, self.complementary = rng, strata, complementary
        self.sizes = [min(len(stratum), max(2, round(share * len(stratum)))) for stratum in strata]
        self.size = sum(self.sizes)
        self.left = [np.empty(0, dtype=int) for _ in strata]
        self.drawn: list[NDArray] = []

    def first(self, n: int) -> NDArray:
        """The first n bags (n, bag size) of pattern numbers."""
        return self.between(0, n)

    def between(self, start: int, stop: int) -> NDArray:
        """Bags number start to stop - 1; the same ones whenever they are asked for."""
        while len(self.drawn) < stop:
            self.drawn.append(np.concatenate([self._draw(number) for number in range(len(self.strata))]))
        return np.array(self.drawn[start:stop])

    def _draw(self, number):
        n, left = self.sizes[number], self.left[number]
        if not self.complementary:
            return self.rng.permutation(self.strata[number])[:n]
        if len(left) < n:
            # a new round begins with those that the last one left over
            rest = np.setdiff1d(self.strata[number], left)
            left = np.concatenate([left, self.rng.permutation(rest)])
        self.left[number] = left[n:]
        return left[:n]
