"""How fast a CUDA GPU is: the energy and its gradient, and whole fits.

    python benchmarks/gpu.py                          # pairs visited tile by tile against pairs stored in blocks
    python benchmarks/gpu.py fits [cod-rna.csv.gz]    # seconds of FreeEnergyClassifier, with predictions

Both ways to visit pairs are called as the learners do, with numpy in and out, and take turns. A pair is an ordered one:
N * N * R of them. Fits are of make_classification, and of a half of a table whose last column is the class where one is
given; the other half, or as many rows again, is predicted. The first fit of a process also loads the kernels.
"""

import os
import subprocess
import sys
import tempfile
import time
from contextlib import suppress

import numpy as np
import torch
from sklearn.datasets import make_classification

from freemetric import FreeEnergyClassifier

with suppress(
    ModuleNotFoundError
):  # fits of another state of the code, which has it elsewhere
    from freemetric.kernels.torch import backend as torch_

SIZES = [  # N, d, R
    (30_000, 30, 1),
    (100_000, 30, 1),
    (10_000, 30, 1),
    (1_000, 30, 1),
    (1_000, 30, 64),
    (500, 30, 64),
    (500, 10, 64),
    (30_000, 10, 1),
    (30_000, 64, 1),
    (30_000, 100, 1),
    (30_000, 200, 1),
]

FIRST_USE = """
import time
import numpy as np
import torch
from freemetric.kernels.torch import backend as torch_
data = torch_.prepare(np.random.rand(1, 1000, 30), np.array([0, 400, 1000]), "cuda")
torch.cuda.synchronize()
start = time.perf_counter()
torch_.energy_and_gradient(data, np.eye(30)[None])
print(time.perf_counter() - start)
"""


def problem(N, d, R, n_classes=3):
    """A data set of its own for every replica, as bags are."""
    rng = np.random.default_rng(0)
    label = np.sort(rng.integers(0, n_classes, N))
    X = rng.random((R, N, d)) + 0.3 * np.eye(n_classes, d)[label]
    maps = 2 * np.eye(d) + 0.1 * rng.standard_normal((R, d, d))
    return X, np.searchsorted(label, np.arange(n_classes + 1)), maps


def seconds(function, least=0.2):
    """Median time of a call; the first two compile and record."""
    for _ in range(2):
        function()
    times: list[float] = []
    while (sum(times) < least and len(times) < 50) or len(times) < 3:
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return float(np.median(times))


def peak_megabytes(function):
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    function()
    return (torch.cuda.max_memory_allocated() - before) / 1e6


def difference(one, other):
    return np.linalg.norm(one - other) / np.linalg.norm(other)


def float64(data, A):
    """Energy and gradient in double precision of the same float32 data."""
    double = data._replace(X=data.X.double(), weights=data.weights.double())
    pairs = torch_._pairs_of(double, torch.as_tensor(A, device="cuda"), None, False)
    return [values.cpu().numpy() for values in pairs.evaluate(0.0, True)]


def compare(N, d, R):
    X, bounds, A = problem(N, d, R)
    data = torch_.prepare(X, bounds, "cuda")
    A = A.astype(np.float32).astype(float)

    def tiles():
        return torch_.energy_and_gradient(data, A)

    def blocks():
        return torch_.energy_and_gradient(data._replace(pairs=None), A)

    memory = peak_megabytes(tiles), peak_megabytes(blocks)
    new, old = seconds(tiles), seconds(blocks)
    exact = float64(data, A) if N <= 30_000 else [np.full(1, np.nan)] * 2  # slow
    errors = [difference(a, b) for a, b in zip(tiles(), exact, strict=True)]
    rates = [N * N * R / s / 1e9 for s in (new, old)]
    print(
        f"| {N} | {d} | {R} | {1e3 * new:.2f} | {rates[0]:.0f} | {memory[0]:.0f} | {1e3 * old:.2f} | {rates[1]:.1f} | "
        f"{memory[1]:.0f} | {errors[0]:.0e} | {errors[1]:.0e} |",
        flush=True,
    )
    torch.cuda.empty_cache()


def first_use():
    with tempfile.TemporaryDirectory() as cache:
        runs = [
            subprocess.run(
                [sys.executable, "-c", FIRST_USE],
                env={**os.environ, "TRITON_CACHE_DIR": cache},
                capture_output=True,
                text=True,
                check=True,
            )
            for _ in range(2)
        ]
    first, later = (float(run.stdout) for run in runs)
    print(
        f"\nThe first call ever compiles for {first:.1f} s; the first of a later process takes {later:.1f} s."
    )


def samples(n, d=30):
    """n training samples of three classes, and as many to predict."""
    X, y = make_classification(
        2 * n, d, n_informative=10, n_redundant=5, n_classes=3, random_state=0
    )
    return X[:n], y[:n], X[n:], y[n:]


def halves(path):
    """A table with its class in the last column, in two random halves."""
    table = np.random.default_rng(0).permutation(
        np.loadtxt(path, delimiter=",", skiprows=1)
    )
    n = len(table) // 2
    return table[:n, :-1], table[:n, -1], table[n:, :-1], table[n:, -1]


def fit_seconds(sets, repeats=5):
    """Median seconds of a fit and of its predictions, and the error."""
    X, y, queries, truth = sets
    times = []
    for _ in range(1 + repeats):
        start = time.perf_counter()
        model = FreeEnergyClassifier(device="cuda", random_state=0).fit(X, y)
        fitted = time.perf_counter()
        error = np.mean(model.predict(queries) != truth)
        times.append((fitted - start, time.perf_counter() - fitted))
    return *np.median(times[1:], axis=0), error


def compare_fits(paths):
    print("| rows | features | fit, s | predictions, s | error, % |")
    print("|---|---|---|---|---|")
    for sets in [samples(1_000), samples(4_000), *map(halves, paths)]:
        fit, predict, error = fit_seconds(sets)
        print(
            f"| {len(sets[0])} | {sets[0].shape[1]} | {fit:.2f} | {predict:.2f} | {100 * error:.1f} |",
            flush=True,
        )


if __name__ == "__main__":
    if sys.argv[1:2] == ["fits"]:
        compare_fits(sys.argv[2:])
        raise SystemExit
    print(torch.cuda.get_device_name(), "\n")
    print(
        "| N | d = p | R | ms | G pairs/s | MB | blocks: ms | G pairs/s | MB | error of E | of the gradient |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for size in SIZES:
        compare(*size)
    first_use()
