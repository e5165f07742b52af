"""How fast a CUDA GPU is: the energy with its gradient, and fits of NCA.

    python benchmarks/gpu.py
    python benchmarks/gpu.py --folder ../shared/data     # also half of cod-rna

Seconds of the clock, with transfers, the median of several. The first fit of a process,
which loads the kernels, is not counted.
"""

import time
from functools import partial

import numpy as np
from command import arguments_of, print_table
from sklearn.datasets import make_classification
from sklearn.preprocessing import minmax_scale

from freemetric import NCA
from freemetric.energies import NCAEnergy
from freemetric.experiments import DatasetError
from freemetric.experiments.protocol import Split, load_source, split

SIZES = [  # samples, features, maps
    (1_000, 30, 1),
    (1_000, 30, 64),
    (10_000, 30, 1),
    (30_000, 30, 1),
    (100_000, 30, 1),
    (30_000, 100, 1),
    (30_000, 200, 1),
]
MOST_EXACT = 10_000  # samples of which the exact energy is computed, too


def seconds(function, repeats=10):
    """Return the median time of a call; the first two are not counted."""
    times = []
    for _ in range(2 + repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return float(np.median(times[2:]))


def print_energies(device):
    """Print the time of energy and gradient, and how far these are from the CPU's."""
    rng = np.random.default_rng(0)
    rows = []
    for n, d, n_maps in SIZES:
        y = rng.integers(0, 3, n)
        X = rng.random((n, d)) + 0.3 * np.eye(3, d)[y]
        A = 2 * np.eye(d) + 0.1 * rng.standard_normal((n_maps, d, d))
        bound = NCAEnergy().bind(X, y, device=device)
        took = seconds(lambda bound=bound, A=A: bound.value_and_grad(A))
        apart = ""
        if n <= MOST_EXACT:
            exact = NCAEnergy().bind(X, y).value_and_grad(A)[1]
            gradient = bound.value_and_grad(A)[1]
            apart = np.linalg.norm(gradient - exact) / np.linalg.norm(exact)
            apart = f"{apart:.0e}"
        rate = n * n * n_maps / took / 1e9
        rows.append([f"{n:,}", d, n_maps, f"{1e3 * took:.2f}", f"{rate:.0f}", apart])
    head = ["samples", "features", "maps", "ms", "1e9 pairs a second"]
    print_table([*head, "distance of gradients from the CPU's"], rows)


def generated(n):
    """Return training and test samples of three classes."""
    options = {"n_informative": 10, "n_redundant": 5, "n_classes": 3}
    X, y = make_classification(2 * n, 30, random_state=0, **options)
    return Split(X[:n], y[:n], X[n:], y[n:])


def print_fits(device, folder):
    """Print seconds of fits of NCA on the GPU and on the CPU."""
    splits = {"1,000 x 30": generated(1000), "4,000 x 30": generated(4000)}
    try:
        half = split(load_source("cod-rna", folder), 0, 0)
        splits["half of cod-rna"] = half._replace(X=minmax_scale(half.X))
    except DatasetError as problem:
        print(problem)
    rows = []
    for name, half in splits.items():
        models = [NCA(device=where) for where in (device, "cpu")]
        times = [seconds(partial(model.fit, half.X, half.y), 3) for model in models]
        rows.append([name, *(f"{took:.2f}" for took in times)])
    print_table(["samples", f"NCA on {device}, s", "on the CPU, s"], rows)


def main():
    parser = arguments_of(__doc__)
    parser.add_argument("--device", default="cuda")
    arguments = parser.parse_args()
    print_energies(arguments.device)
    print_fits(arguments.device, arguments.folder)


if __name__ == "__main__":
    main()
