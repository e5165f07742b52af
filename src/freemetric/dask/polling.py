"""Queries to voters that live in many places, as a graph that Dask may run anywhere."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..extras import require
from ..learners.base import one_blas_thread
from ..metrics.answers import Answers, answers, merged
from ..metrics.precincts import Precinct, Spaces
from .partitions import Block

MERGED_TOGETHER = 8  # answers; so that votes are counted on the way and no worker holds all of them


class FarPoll:
    """Precincts ready to be asked, where they live.

    Parameters
    ----------
    spaces : Spaces
        All of a committee but its voters.
    precincts : iterable of delayed Precinct
        The voters.
    size : int or None
        Places on the shortlist of every precinct; None asks all.
    """

    def __init__(self, spaces: Spaces, precincts: Any, size: int | None):
        self.dask, self.block, self.size = require("dask", "dask"), spaces.block, size
        (self.spaces,) = self.dask.persist(self.dask.delayed(spaces, traverse=False))
        if size is not None:
            precincts = [precinct.listed(self.spaces) for precinct in precincts]
        self.precincts = self.dask.persist(*precincts)

    def probabilities(self, patterns: Block, n: int) -> list[tuple[int, Any]]:
        """Of a delayed array of n patterns: delayed class probabilities of one block after the other, with its size."""
        out = []
        for start in range(0, n, self.block):
            stop = min(start + self.block, n)
            queries = patterns if (start, stop) == (0, n) else patterns[start:stop]
            out.append((stop - start, self._probabilities(queries)))
        return out

    def _probabilities(self, queries):
        ask, merge = self.dask.delayed(asked, pure=False), self.dask.delayed(merged, pure=False)
        found = [ask(self.spaces, precinct, queries, self.size) for precinct in self.precincts]
        while len(found) > 1:
            found = [merge(found[a : a + MERGED_TOGETHER]) for a in range(0, len(found), MERGED_TOGETHER)]
        return self.dask.delayed(calibrated, pure=False)(self.spaces, found[0], queries)


def asked(spaces: Spaces, precinct: Precinct, queries: NDArray, size: int | None) -> Answers:
    """What a precinct says, in one thread: tasks are what runs in parallel."""
    with one_blas_thread():
        return answers(spaces, precinct, queries, size)


def calibrated(spaces: Spaces, found: Answers, queries: NDArray) -> NDArray[np.float64]:
    """Class probabilities (n, C) of queries that all precincts have answered."""
    return spaces.probabilities(found.shares(spaces), queries)


def n_right(probabilities: Sequence[NDArray], classes: NDArray, y: NDArray, number: int) -> int:
    """How many labels (n,) of a partition are those of the largest probabilities, which come in blocks."""
    decided = [classes[block.argmax(axis=1)] for block in probabilities]
    predicted = np.concatenate(decided) if decided else classes[:0]
    if len(predicted) != len(y):
        raise ValueError(f"X has {len(predicted)} rows in partition {number}, and y has {len(y)}.")
    return int((predicted == y).sum())
