"""Vectors with ids, and the search for the nearest of them: exact, or by the graph of another package."""

from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..extras import require as required
from ..files.checks import check_array, require
from ..forking import effective_n_threads
from ..kernels import cpu_kernels
from ..printable import counted, printable

SPARE = 8  # items more than wanted, because single precision may exchange the last ones
NUMBERS = 1 << 22  # of the differences of a block of queries
FEWEST = 1000  # items from which on a graph is made
MOST_NEW = 0.1  # of the items in the graph; more that are new, and it is made again
FARTHEST = 1e15  # of a coordinate, so that sums of squares are finite
CLOSE = 1e-6  # relative: distances that are the same to single precision
Found = tuple[NDArray[np.float64], NDArray[np.intp]]  # distances and rows (n, k), nearest first


class Graph(NamedTuple):
    """An approximate search among the first items of an index."""

    rows: Callable[[NDArray[np.float32], int], NDArray]  # of queries (n, p) and k: rows (n, k), -1 for none
    size: int


class VectorIndex:
    """Vectors (n, p) in single precision with their ids (n,); it never changes, ``added`` and ``removed`` give others.

    A graph is made by the first search and not saved. Items that were added since are searched exactly, until there
    are so many that the graph is made again; after a removal it is made again, too.
    """

    def __init__(self, places: NDArray[np.float32], ids: NDArray, centre: NDArray, kind: str = "exact") -> None:
        self.places, self.ids, self.centre, self.kind = places, ids, centre, kind  # (n, p + 1), (n,), (p,)
        self.graph: Graph | None = None

    @classmethod
    def of(cls, blocks: Iterable[NDArray], ids: NDArray, kind: str = "exact") -> "VectorIndex":
        """The index of vectors that come in blocks, with all their ids; the mean of the first is where zero will be."""
        blocks = iter(blocks)
        first = next(blocks)
        centre = first.mean(axis=0)  # distances do not change, and single precision keeps more of them
        return cls(_as_places(chain((first,), blocks), len(ids), centre), ids, centre, kind)

    def __len__(self) -> int:
        return len(self.ids)

    def added(self, blocks: Iterable[NDArray], ids: NDArray) -> "VectorIndex":
        """The index with further vectors, which come in blocks, and all their ids; see ``check_ids``."""
        together = np.concatenate([self.places, _as_places(blocks, len(ids), self.centre)])
        larger = VectorIndex(together, np.concatenate([self.ids, ids]), self.centre, self.kind)
        larger.graph = self.graph
        return larger

    def removed(self, ids: ArrayLike) -> "VectorIndex":
        """The index without these ids; ValueError where there is none of that id."""
        gone = np.atleast_1d(np.asarray(ids))
        missing = np.setdiff1d(gone, self.ids)
        if len(missing):
            raise ValueError(f"There is no item with the id {printable(repr(missing[0].item()))}.")
        stay = ~np.isin(self.ids, gone)
        return VectorIndex(self.places[stay], self.ids[stay], self.centre, self.kind)

    def search(self, Q: NDArray, k: int, n_jobs: int | None = None, exact: bool = False) -> Found:
        """Distances and rows (n, k) of the items nearest to queries Q (n, p); of equal ones the first."""
        if k > len(self):
            raise ValueError(f"k={k} is more than the index holds, {counted(len(self), 'item')}.")
        Q, wanted = Q - self.centre, min(k + SPARE, len(self))
        if not (np.abs(Q) < FARTHEST).all():
            raise ValueError("Queries are too far away for single precision: look for wrong cells, or scale X.")
        queries = Q.astype(np.float32)
        approximate = not exact and self.kind != "exact" and len(self) >= FEWEST
        search = self._approximate if approximate else self._exact
        rows = search(queries, wanted, n_jobs)
        step = max(1, NUMBERS // (rows.shape[1] * Q.shape[1]))
        parts = [self._ranked(Q[i : i + step], rows[i : i + step], k) for i in range(0, len(Q), step)]
        distances, rows = (np.concatenate(both) for both in zip(*parts, strict=True))
        return distances, rows

    def recall(self, Q: NDArray, k: int, n_jobs: int | None = None) -> float:
        """Share of the k nearest items of queries Q (n, p) that ``search`` finds; any of those equally far counts."""
        true, _ = self.search(Q, k, n_jobs, exact=True)
        found, _ = self.search(Q, k, n_jobs)
        return float((found <= true[:, -1:] * (1 + CLOSE)).mean())

    def _ranked(self, Q, rows, k):
        """Distances in double precision and rows (n, k) of the nearest of some rows (n, m)."""
        differences = self.places[rows, :-1] - Q[:, None]
        distances = np.sqrt(np.einsum("nkp,nkp->nk", differences, differences))
        order = np.lexsort((rows, distances), axis=1)[:, :k]
        return np.take_along_axis(distances, order, axis=1), np.take_along_axis(rows, order, axis=1).astype(np.intp)

    def _exact(self, queries, k, n_jobs, first=0):
        """Rows (n, k) of the nearest items from row ``first`` on."""
        cpu, n_threads = cpu_kernels(), min(effective_n_threads(n_jobs), len(queries))
        return first + cpu.nearest(cpu.as_queries(queries), self.places[first:], k, n_threads)

    def _approximate(self, queries, k, n_jobs):
        """Rows (n, m) among which the k nearest are, as far as the graph finds them."""
        n = len(self)
        if self.graph is None or n - self.graph.size > MOST_NEW * self.graph.size:
            vectors = np.ascontiguousarray(self.places[:, :-1])
            made = GRAPHS[self.kind].graph(package_of(self.kind), vectors, effective_n_threads(n_jobs))
            self.graph = Graph(made, n)
        find, size = self.graph
        rows = np.asarray(find(queries, min(k, size))).astype(np.intp)
        if size < n:
            rows = np.hstack([rows, self._exact(queries, min(k, n - size), n_jobs, size)])
        lost = (rows < 0).any(axis=1)
        if lost.any():  # a graph may have parts that no path leads to
            rows[lost] = self._exact(queries[lost], rows.shape[1], n_jobs)
        return rows

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "graph": None}  # objects of other packages, which pickle in their own ways or not at all

    def to_state(self) -> dict[str, Any]:
        vectors = np.ascontiguousarray(self.places[:, :-1])
        return {"vectors": vectors, "ids": self.ids, "centre": self.centre, "kind": self.kind}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "VectorIndex":
        vectors, ids, centre, kind = (state[name] for name in ("vectors", "ids", "centre", "kind"))
        check_array(vectors, "vectors of VectorIndex", 2)
        check_array(centre, "centre of VectorIndex", 1, vectors.shape[1:])
        require(type(ids) is np.ndarray and len(ids) == len(vectors), "ids of VectorIndex", "do not fit its vectors")
        require(isinstance(kind, str) and kind in INDEXES, "kind of VectorIndex", "is not known")
        places = _as_places([vectors], len(vectors), np.zeros_like(centre))
        return cls(places, check_ids(ids, len(vectors)) if len(ids) else ids, centre, kind)


def check_ids(ids: ArrayLike | None, n: int, taken: NDArray | None = None) -> NDArray:
    """Ids (n,) that differ from each other and from those taken, integers or texts; None: the integers that follow."""
    before = np.empty(0, dtype=np.int64) if taken is None else taken
    if ids is None:
        if before.dtype.kind == "U" and len(before):
            raise ValueError("The items in the index have texts as ids: give ids for the new ones, too.")
        first = int(before.max()) + 1 if len(before) else 0
        return np.arange(first, first + n, dtype=np.int64)
    given = np.asarray(ids)
    given = given.astype(str) if given.dtype.kind == "O" and all(isinstance(key, str) for key in given.flat) else given
    if given.shape != (n,) or given.dtype.kind not in "iuU":
        what = f"ids must be {counted(n, 'integer or text', 'integers or texts')}, one for each row"
        raise ValueError(f"{what}; got {given.dtype} of shape {given.shape}.")
    given = given if given.dtype.kind == "U" else given.astype(np.int64)
    if len(before) and before.dtype.kind != given.dtype.kind:
        raise ValueError("ids must be all integers or all texts, as those in the index.")
    keys, counts = np.unique(np.concatenate([before, given]), return_counts=True)
    if len(keys) and counts.max() > 1:
        raise ValueError(f"ids must differ; {printable(repr(keys[counts.argmax()].item()))} is there twice.")
    return given


def _as_places(blocks, n, centre):
    """Vectors in blocks as the kernels search them, (n, p + 1); ValueError where single precision cannot hold them."""
    places, start = np.empty((n, len(centre) + 1), dtype=np.float32), 0
    for block in blocks:
        vectors = block - centre
        if not (np.abs(vectors) < FARTHEST).all():
            raise ValueError("Items are too far apart for single precision: look for wrong cells, or scale X.")
        places[start : start + len(block)] = cpu_kernels().as_places(vectors)
        start += len(block)
    return places


def _of_pynndescent(package, vectors, n_threads):
    made = package.NNDescent(vectors, n_neighbors=30, random_state=0, n_jobs=n_threads)
    made.prepare()
    return lambda Q, k: made.query(Q, k, epsilon=0.2)[0]


def _of_usearch(package, vectors, n_threads):
    made = package.Index(ndim=vectors.shape[1], metric="l2sq", dtype="f32")
    made.add(np.arange(len(vectors), dtype=np.uint64), vectors, threads=n_threads)

    def rows(Q, k):
        made.expansion_search = max(128, 2 * k)
        matches, found = made.search(Q, k, threads=n_threads), np.full((len(Q), k), -1)
        keys = np.atleast_2d(matches.keys)
        counts = np.array(getattr(matches, "counts", [keys.shape[1]]))  # a single query has another kind of matches
        there = np.arange(keys.shape[1]) < counts[:, None]
        found[:, : keys.shape[1]][there] = keys[there]
        return found

    return rows


def _of_faiss(package, vectors, n_threads):
    made = package.IndexHNSWFlat(vectors.shape[1], 32)
    made.hnsw.efConstruction = 100
    made.add(vectors)

    def rows(Q, k):
        made.hnsw.efSearch = max(128, 2 * k)
        return made.search(Q, k)[1]

    return rows


class Package(NamedTuple):
    """A package that makes graphs."""

    module: str
    graph: Callable[[Any, NDArray, int], Callable]  # of the module, vectors and a number of threads: ``Graph.rows``


GRAPHS = {
    "pynndescent": Package("pynndescent", _of_pynndescent),
    "usearch": Package("usearch.index", _of_usearch),
    "faiss": Package("faiss", _of_faiss),
}
INDEXES = ("exact", *GRAPHS)
"""Names of the searches."""


def package_of(kind: str) -> Any:
    """The module that a search needs, None for an exact one; ImportError in one line where it is missing."""
    return required(GRAPHS[kind].module, "search") if kind in GRAPHS else None
