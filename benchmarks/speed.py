"""How fast the engine is, as ratios measured in one run on one thread.

    make bench-speed

Absolute times depend on the machine and its mood; a ratio of two things timed alternately does so much less.
"""

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[variable] = "1"

import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np
from sklearn.datasets import load_digits, make_classification, make_friedman1, make_regression
from sklearn.neighbors import NeighborhoodComponentsAnalysis

from freemetric import NCA, FreeEnergyClassifier, FreeEnergyRegressor
from freemetric.energies import NCAEnergy

PEAK_MEMORY = """
import warnings
import numpy as np
from sklearn.datasets import make_classification
from sklearn.neighbors import NeighborhoodComponentsAnalysis
from freemetric import NCA
warnings.simplefilter("ignore")
learner = {learner}
learner.fit(*make_classification(100, 30, random_state=0))
X, y = make_classification(5000, 30, random_state=0)
def status(field):  # in MB, from Linux
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(field)) / 1024
open("/proc/self/clear_refs", "w").write("5")  # the peak starts here
before = status("VmRSS")
learner.fit(X, y)
print(status("VmHWM") - before)
"""

FIRST_USE = """
import time
import numpy as np
from freemetric.kernels.numba import backend as numba_
start = time.perf_counter()
data = numba_.prepare(np.random.rand(1, 40, 3), np.array([0, 20, 40]))
numba_.nca_energy_and_gradient(data, np.eye(3)[None])
one = np.zeros((1, 1), dtype=int)
numba_.nca_element_sweep(data, np.eye(3)[None], (one, one, np.ones((1, 1)), np.ones((1, 1))))
print(time.perf_counter() - start)
"""


def seconds(*functions, repeats=7):
    """Best time of each function; they take turns, so that all of them meet the same machine."""
    for function in functions:
        function()
    best = np.full(len(functions), np.inf)
    for _ in range(repeats):
        for i, function in enumerate(functions):
            start = time.perf_counter()
            function()
            best[i] = min(best[i], time.perf_counter() - start)
    return best


def problem(N, d, n_classes=3):
    rng = np.random.default_rng(0)
    y = rng.integers(0, n_classes, N)
    return rng.random((N, d)) + 0.3 * np.eye(n_classes, d)[y], y, 2 * np.eye(d) + 0.1 * rng.standard_normal((d, d))


def numpy_recompute(X, y, A):
    """What a numpy user writes: the whole energy anew in float32, distances by one matrix product."""
    X, A, same = X.astype(np.float32), A.astype(np.float32), y[:, None] == y[None, :]

    def energy():
        Z = X @ A.T
        q = (Z * Z).sum(axis=1)
        K = (2 * Z) @ Z.T  # -D but for a constant of each row, then in place all the way
        K -= q
        np.fill_diagonal(K, -np.inf)
        K -= K.max(axis=1, keepdims=True)
        np.exp(K, out=K)
        total = K.sum(axis=1)
        K *= same
        return 1 - (K.sum(axis=1) / total).mean()

    return energy


def scikit_learn_gradient(X, y, A):
    nca = NeighborhoodComponentsAnalysis()
    nca.n_iter_ = 0
    same = y[:, None] == y[None, :]
    return lambda: nca._loss_grad_lbfgs(A.ravel(), X, same)  # nothing public evaluates its objective just once


def sweep_of(X, y, A, n=200):
    """n element trials that are all rejected: the energy of every one is evaluated in full."""
    rng = np.random.default_rng(0)
    bound = NCAEnergy().bind(X, y)
    rows, columns = rng.integers(len(A), size=(2, 1, n))
    deltas, never = rng.uniform(-0.3, 0.3, (1, n)), np.full((1, n), -np.inf)
    return lambda: bound.sweep(A[None], rows, columns, deltas, never)


def report(what, value, target, unit="x"):
    verdict = "reached" if (value >= target if unit == "x" else value <= target) else "MISSED"
    sign = ">=" if unit == "x" else "<="
    print(f"| {what} | {value:.{1 if value >= 2 else 2}f} {unit} | {sign} {target} {unit} | {verdict} |", flush=True)


def element_trials():
    for N in (300, 1000):
        X, y, A = problem(N, 10)
        trials, recompute = seconds(sweep_of(X, y, A), numpy_recompute(X, y, A))
        report(f"element trial against numpy's recompute, N = {N}, d = 10", recompute * 200 / trials, 10)
    trials, gradient = seconds(sweep_of(X, y, A), scikit_learn_gradient(X, y, A))
    report("element trials in one scikit-learn energy + gradient, N = 1000, d = 10", gradient * 200 / trials, 30)


def gradients():
    X, y, A = problem(1000, 30)
    bound = NCAEnergy().bind(X, y)
    ours, theirs = seconds(lambda: bound.value_and_grad(A[None]), scikit_learn_gradient(X, y, A), repeats=15)
    report("energy + gradient against scikit-learn's, N = 1000, d = 30", theirs / ours, 4)


def fits():
    digits = load_digits()
    for name, X, y, target in (
        ("digits[:1000] / 16", digits.data[:1000] / 16, digits.target[:1000], 3),
        ("digits[:1000]", digits.data[:1000], digits.target[:1000], 3),
        ("make_classification(2000, 30)", *make_classification(2000, 30, random_state=0), 4),
    ):
        ours, theirs = NCA(), NeighborhoodComponentsAnalysis(random_state=0)
        ours_s, theirs_s = seconds(lambda: ours.fit(X, y), lambda: theirs.fit(X, y), repeats=3)  # noqa: B023
        energy, reference = NCAEnergy().bind(X, y)(np.array([ours.components_, theirs.components_]))
        lower = f"energy {energy:.2g} against {reference:.2g}"
        report(f"NCA().fit against scikit-learn's on {name}, {lower}", theirs_s / ours_s, target)


def numbers():
    """The same rows with numbers, and with the quarters of these as classes."""
    for name, (X, y) in {
        "make_friedman1(1000, 30)": make_friedman1(1000, 30, noise=1.0, random_state=0),
        "make_regression(1000, 30)": make_regression(1000, 30, noise=10.0, random_state=0),
    }.items():
        quarters = np.digitize(y, np.quantile(y, [0.25, 0.5, 0.75]))
        ours, classifier = seconds(
            lambda: FreeEnergyRegressor(random_state=0).fit(X, y),  # noqa: B023
            lambda: FreeEnergyClassifier(random_state=0).fit(X, quarters),  # noqa: B023
            repeats=3,
        )
        report(f"FreeEnergyRegressor().fit against FreeEnergyClassifier's on {name}", classifier / ours, 1)


def run(code, **environment):
    result = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **environment}, capture_output=True, text=True, check=True
    )
    return float(result.stdout)


def memory():
    ours = run(PEAK_MEMORY.format(learner="NCA(max_iter=5)"))
    theirs = run(PEAK_MEMORY.format(learner="NeighborhoodComponentsAnalysis(max_iter=5, random_state=0)"))
    report(f"memory added by NCA().fit at 5000 x 30; scikit-learn's adds {theirs:.0f} MB", ours, 150, "MB")


def compilation():
    with tempfile.TemporaryDirectory() as cache:
        first, later = (run(FIRST_USE, NUMBA_CACHE_DIR=cache) for _ in range(2))
    report(f"kernels ready in a later process; the very first use compiles for {first:.0f} s", later, 1, "s")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print("| what | measured | wanted | |\n|---|---|---|---|")
    for part in (element_trials, gradients, fits, numbers, memory, compilation):
        part()
