"""How fast a CUDA GPU is: the energy with its gradient, and fits of NCA.

    python benchmarks/speed/gpu.py
    python benchmarks/speed/gpu.py --folder ../shared/data  # also half of cod-rna

Seconds of the clock, with transfers, the median of several. The first fit of a process,
which loads the kernels, is not counted.
"""

import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

import numpy as np
from command import arguments_of, print_table

from freemetric.energies import NCAEnergy

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


def main():
    parser = arguments_of(__doc__)
    parser.add_argument("--device", default="cuda")
    arguments = parser.parse_args()
    print_energies(arguments.device)


if __name__ == "__main__":
    main()
