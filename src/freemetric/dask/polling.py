"""Queries to voters that live in many places, as a graph that Dask may run anywhere."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..extras import require
from ..learners.base import one_blas_thread
from .partition_index import Answers, Precinct, Spaces, answers, merged
from .partitions import Block, check_not_lost

Read = Callable[[NDArray, NDArray], NDArray]
MERGED_TOGETHER = 8  # answers; so that votes are counted on the way and no worker holds all of them


class PartitionedIndex:
    """Precincts ready to be asked, where they live.

    Parameters
    ----------
    spaces : Spaces
        All of a committee but its voters.
    precincts : iterable of delayed Precinct
        The voters.
    size : int or None
        Places on the shortlist of every precinct; None asks all.
    read : callable
        What makes predictions (n, m) of votes: ``read(shares, queries)``.
    """

    def __init__(self, spaces: Spaces, precincts: Any, size: int | None, read: Read):
        self.dask, self.block, self.size = require("dask", "dask"), spaces.block, size
        given = (self.dask.delayed(some, traverse=False) for some in (spaces, read))
        self.spaces, self.read = self.dask.persist(*given)
        if size is not None:
            precincts = [precinct.listed(self.spaces) for precinct in precincts]
        self.precincts = self.dask.persist(*precincts)

    def check(self) -> None:
        """RuntimeError where the cluster has lost the precincts."""
        check_not_lost(self.spaces, self.read, *self.precincts)

    def predictions(self, patterns: Block, n: int) -> list[tuple[int, Any]]:
        """Of a delayed array of n patterns: delayed predictions of one block after the other, with its size."""
        out = []
        for start in range(0, n, self.block):
            stop = min(start + self.block, n)
            queries = patterns if (start, stop) == (0, n) else patterns[start:stop]
            out.append((stop - start, self._predictions(queries)))
        return out

    def _predictions(self, queries):
        ask = self.dask.delayed(asked, pure=False)
        found = [ask(self.spaces, precinct, queries, self.size) for precinct in self.precincts]
        return self.dask.delayed(read_by, pure=False)(self.read, self.spaces, merged_in_steps(found, merged), queries)


def merged_in_steps(found: list[Block], merge: Callable) -> Block:
    """One delayed result of many, merged few at a time."""
    together = require("dask", "dask").delayed(merge, pure=False)
    while len(found) > 1:
        found = [together(found[a : a + MERGED_TOGETHER]) for a in range(0, len(found), MERGED_TOGETHER)]
    return found[0]


def asked(spaces: Spaces, precinct: Precinct, queries: NDArray, size: int | None) -> Answers:
    """What a precinct says, in one thread: tasks are what runs in parallel."""
    with one_blas_thread():
        return answers(spaces, precinct, queries, size)


def read_by(read: Read, spaces: Spaces, found: Answers, queries: NDArray) -> NDArray[np.float64]:
    """What is predicted (n, m) of queries that all precincts have answered."""
    return read(found.shares(spaces), queries)
