"""The index of very many training samples against indices that could stand in for it.

    python benchmarks/neighbor_index.py --rows 200000 --columns 16

A shortlist asks for the nearest of all training samples in the averaged metric. Beyond 65,536 of them our index looks
into the cells around a query (kernels/numba/nearest.py). This prints how long indices take to build and to ask, in one
thread, and what share of the true nearest they find. usearch and pynndescent are compared where they are installed.
"""

import argparse
import time

import numpy as np

from freemetric.kernels import cpu_kernels


def clusters(rng, n, d, n_clusters=200):
    centres = 2 * rng.standard_normal((n_clusters, d))
    return (centres[rng.integers(n_clusters, size=n)] + rng.standard_normal((n, d))).astype(np.float32)


def timed(work):
    start = time.perf_counter()
    return work(), time.perf_counter() - start


def cells(Z, size):
    kernels = cpu_kernels()
    index, seconds = timed(lambda: kernels.Cells.of(Z))
    for n in (8, 32, 128):
        yield f"cells, {n} of them", seconds, lambda Q, n=n: index.nearest(Q, size, n)


def exhaustive(Z, size):
    kernels = cpu_kernels()
    places, seconds = timed(lambda: kernels.as_places(Z))
    yield "all samples", seconds, lambda Q: kernels.nearest(kernels.as_queries(Q), places, size)


def graph_of_usearch(Z, size):
    from usearch.index import Index

    index = Index(ndim=Z.shape[1], metric="l2sq", dtype="f32")
    _, seconds = timed(lambda: index.add(np.arange(len(Z)), Z, threads=1))
    for expansion in (128, 512):

        def ask(Q, expansion=expansion):
            index.expansion_search = expansion
            return np.asarray(index.search(Q, size, threads=1).keys, dtype=int)

        yield f"usearch, expansion {expansion}", seconds, ask


def graph_of_pynndescent(Z, size):
    from pynndescent import NNDescent

    index, seconds = timed(lambda: NNDescent(Z, n_neighbors=30, random_state=0, n_jobs=1))
    _, more = timed(index.prepare)
    for epsilon in (0.1, 0.3):
        yield f"pynndescent, epsilon {epsilon}", seconds + more, lambda Q, e=epsilon: index.query(Q, size, e)[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--columns", type=int, default=16)
    parser.add_argument("--size", type=int, default=128, help="nearest samples to find")
    arguments = parser.parse_args()
    rng = np.random.default_rng(0)
    Z = clusters(rng, arguments.rows, arguments.columns)
    Q = Z[rng.choice(len(Z), 1000, replace=False)] + 0.05 * rng.standard_normal((1000, Z.shape[1])).astype(np.float32)
    true = None
    print(f"{'index':28} {'build s':>9} {'query us':>9} {'recall':>7}")
    for indices in (exhaustive, cells, graph_of_usearch, graph_of_pynndescent):
        try:
            for name, seconds, ask in indices(Z, arguments.size):
                ask(Q[:10])  # compiles
                found, took = timed(lambda ask=ask: ask(Q))
                true = found if true is None else true
                shares = [len(np.intersect1d(a, b)) / arguments.size for a, b in zip(found, true, strict=True)]
                print(f"{name:28} {seconds:9.2f} {1e6 * took / len(Q):9.0f} {np.mean(shares):7.4f}", flush=True)
        except ImportError as problem:
            print(f"{indices.__name__}: {problem}")


if __name__ == "__main__":
    main()
