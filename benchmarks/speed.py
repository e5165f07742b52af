"""How fast the engine is, as ratios measured in one run on one thread.

    make bench-speed                                                    # all parts
    python benchmarks/speed.py --parts fits_of_classifiers cold_start    # some of them
    PYTHONPATH=OTHER/src python benchmarks/speed.py --commit c772de8    # another state, whose OTHER folder is given

Absolute times depend on the machine and its mood; a ratio of two things timed alternately does so much less. Every
call appends its figures to benchmarks/speed.jsonl with the commit, and compares them with the last ones of the same
machine: what has become worse by more than 15 % is said, and makes the exit code 1. Tools that remember absolute
times, such as asv, would report the neighbours of a virtual machine.
"""

import os

for variable in (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
):
    os.environ[variable] = "1"

import argparse
import json
import platform
import subprocess
import sys
import tempfile
import time
import warnings
from contextlib import suppress
from datetime import date
from pathlib import Path

import numpy as np
from freemetric.bench.protocol import halves
from freemetric.datasets import DatasetError, load
from sklearn.datasets import (
    load_digits,
    make_classification,
    make_friedman1,
    make_regression,
)
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.neighbors import NeighborhoodComponentsAnalysis

from freemetric import NCA, FreeEnergyClassifier, FreeEnergyRegressor
from freemetric.energies import NCAEnergy
from freemetric.files import save

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
numba_.energy_and_gradient(data, np.eye(3)[None])
one = np.zeros((1, 1), dtype=int)
numba_.element_sweep(data, np.eye(3)[None], (one, one, np.ones((1, 1)), np.ones((1, 1))))
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
    return (
        rng.random((N, d)) + 0.3 * np.eye(n_classes, d)[y],
        y,
        2 * np.eye(d) + 0.1 * rng.standard_normal((d, d)),
    )


def numpy_recompute(X, y, A):
    """What a numpy user writes: the whole energy anew in float32, distances by one matrix product."""
    X, A, same = X.astype(np.float32), A.astype(np.float32), y[:, None] == y[None, :]

    def energy():
        Z = X @ A.T
        q = (Z * Z).sum(axis=1)
        K = (
            2 * Z
        ) @ Z.T  # -D but for a constant of each row, then in place all the way
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
    return lambda: nca._loss_grad_lbfgs(
        A.ravel(), X, same
    )  # nothing public evaluates its objective just once


def sweep_of(X, y, A, n=200):
    """n element trials that are all rejected: the energy of every one is evaluated in full."""
    rng = np.random.default_rng(0)
    bound = NCAEnergy().bind(X, y)
    rows, columns = rng.integers(len(A), size=(2, 1, n))
    deltas, never = rng.uniform(-0.3, 0.3, (1, n)), np.full((1, n), -np.inf)
    return lambda: bound.sweep(A[None], rows, columns, deltas, never)


FIGURES = Path(__file__).with_suffix(".jsonl")
WORSE = 0.15  # of a figure, from which it is said
measured = {}


def report(what, value, target, unit="x"):
    """Print a line and keep the figure; ratios ("x") shall be large, all other units small."""
    wanted = outcome = ""
    if target is not None:
        outcome = (
            "reached"
            if (value >= target if unit == "x" else value <= target)
            else "MISSED"
        )
        wanted = f"{'>=' if unit == 'x' else '<='} {target} {unit}"
    print(
        f"| {what} | {value:.{1 if value >= 2 else 2}f} {unit} | {wanted} | {outcome} |",
        flush=True,
    )
    measured[what.split(";")[0]] = [round(float(value), 4), unit]


def last_figures(machine):
    """The newest figures of this machine, by what was measured."""
    lines = FIGURES.read_text().splitlines() if FIGURES.exists() else []
    runs = [run for run in map(json.loads, lines) if run["machine"] == machine]
    return {what: figure for run in runs for what, figure in run["figures"].items()}


def worse_than(last):
    """What has become worse by more than WORSE, in words."""
    for what, (value, unit) in measured.items():
        before = last.get(what, [value])[0]
        loss = before / value - 1 if unit == "x" else value / before - 1
        if loss > WORSE:
            yield f"WORSE by {100 * loss:.0f} %: {what}, {before} {unit} before, {value} {unit} now"


def element_trials():
    for N in (300, 1000):
        X, y, A = problem(N, 10)
        trials, recompute = seconds(sweep_of(X, y, A), numpy_recompute(X, y, A))
        report(
            f"element trial against numpy's recompute, N = {N}, d = 10",
            recompute * 200 / trials,
            10,
        )
    trials, gradient = seconds(sweep_of(X, y, A), scikit_learn_gradient(X, y, A))
    report(
        "element trials in one scikit-learn energy + gradient, N = 1000, d = 10",
        gradient * 200 / trials,
        30,
    )


def gradients():
    X, y, A = problem(1000, 30)
    bound = NCAEnergy().bind(X, y)
    ours, theirs = seconds(
        lambda: bound.value_and_grad(A[None]),
        scikit_learn_gradient(X, y, A),
        repeats=15,
    )
    report(
        "energy + gradient against scikit-learn's, N = 1000, d = 30", theirs / ours, 4
    )


def fits():
    digits = load_digits()
    for name, X, y, target in (
        ("digits[:1000] / 16", digits.data[:1000] / 16, digits.target[:1000], 3),
        ("digits[:1000]", digits.data[:1000], digits.target[:1000], 3),
        (
            "make_classification(2000, 30)",
            *make_classification(2000, 30, random_state=0),
            4,
        ),
    ):
        ours, theirs = NCA(), NeighborhoodComponentsAnalysis(random_state=0)
        ours_s, theirs_s = seconds(
            lambda: ours.fit(X, y), lambda: theirs.fit(X, y), repeats=3
        )
        energy, reference = NCAEnergy().bind(X, y)(
            np.array([ours.components_, theirs.components_])
        )
        lower = f"energy {energy:.2g} against {reference:.2g}"
        report(
            f"NCA().fit against scikit-learn's on {name}, {lower}",
            theirs_s / ours_s,
            target,
        )


def points(N, d=30):
    """A problem of three classes, and as many samples to predict."""
    options = {
        "n_informative": 10,
        "n_redundant": 5,
        "n_classes": 3,
        "flip_y": 0.05,
        "random_state": 0,
    }
    X, y = make_classification(2 * N, d, **options)
    return X[:N], y[:N], X[N:]


def process_seconds(function, repeats=3):
    """Least process time of a function, on one thread."""
    best = np.inf
    for _ in range(repeats):
        start = time.process_time()
        function()
        best = min(best, time.process_time() - start)
    return best


def fits_of_classifiers():
    """A fit against those of the estimators that people would use instead, by process time."""
    rivals = {
        "a forest's": (RandomForestClassifier(500, random_state=0), 1.0),
        "boosting's": (HistGradientBoostingClassifier(random_state=0), None),
        "scikit-learn's NCA's": (NeighborhoodComponentsAnalysis(random_state=0), None),
    }
    for N in (150, 500, 1000, 4000):
        X, y, _ = points(N)
        ours = process_seconds(
            lambda: FreeEnergyClassifier(random_state=0).fit(X, y), 2
        )
        for name, (rival, target) in rivals.items():
            if N <= 1000 or "NCA" not in name:
                theirs = process_seconds(lambda: rival.fit(X, y), 2)  # noqa: B023
                report(
                    f"FreeEnergyClassifier().fit against {name} at {N} x 30",
                    theirs / ours,
                    target,
                )


def predictions():
    """Thousands of samples a second, one sample, a hundred, and a model of many training samples."""
    X, y, new = points(1000)
    model = FreeEnergyClassifier(random_state=0).fit(X, y)
    many = np.concatenate([new] * 5)
    report(
        "predict 5,000 samples at 1000 x 30",
        1e3 * process_seconds(lambda: model.predict(many)) / 5,
        50,
        "us",
    )
    report(
        "predict one sample at 1000 x 30",
        1e3 * process_seconds(lambda: model.predict(new[:1]), 20),
        1,
        "ms",
    )
    report(
        "predict 100 samples at 1000 x 30",
        1e3 * process_seconds(lambda: model.predict(new[:100]), 10),
        5,
        "ms",
    )
    X, y, new = points(35_000, 20)
    large = FreeEnergyClassifier(random_state=0).fit(X, y)
    a, b = (
        process_seconds(lambda: model.predict(many)) / 5000,
        process_seconds(lambda: large.predict(new[:5000])) / 5000,
    )
    report("a prediction at 1000 x 30 against one at 35,000 x 20", a / b, 1)


def methods():
    """Public methods that users call casually, in units of the fit."""
    X, y, new = points(1000)
    model = FreeEnergyClassifier(random_state=0)
    fit = process_seconds(lambda: model.fit(X, y), 2)
    calls = {
        "permutation_importances": lambda: model.permutation_importances(),
        "predict_set": lambda: model.predict_set(new),
        "outlier_score": lambda: model.outlier_score(new),
        "transform": lambda: model.transform(new),
        "kneighbors": lambda: model.kneighbors(new),
        "score": lambda: model.score(X, y),
    }
    for name, call in calls.items():
        report(
            f"{name} at 1000 x 30, in fits", process_seconds(call, 1) / fit, 1, "fits"
        )


COLD = """
import time
import warnings
warnings.simplefilter("ignore")
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
import freemetric
X, y = load_iris(return_X_y=True)
model = freemetric.{model}(random_state=0)
start = time.process_time()
model.fit(X, y)
fitted = time.process_time()
model.{verb}(X)
print({what})
"""


def cold_start():
    """The first fit and the first prediction of an installation, which compile; process time."""
    for model, verb, most in (
        ("FreeEnergyClassifier", "predict", 8),
        ("DMLFE", "transform", 6),
    ):
        with tempfile.TemporaryDirectory() as cache:
            code = COLD.format(model=model, verb=verb, what="fitted - start")
            report(
                f"the very first {model}().fit(iris)",
                run(code, NUMBA_CACHE_DIR=cache),
                most,
                "s",
            )
    with tempfile.TemporaryDirectory() as cache:
        code = COLD.format(
            model="FreeEnergyClassifier",
            verb="predict",
            what="time.process_time() - fitted",
        )
        report(
            "the first prediction after the very first fit",
            run(code, NUMBA_CACHE_DIR=cache),
            1,
            "s",
        )


CONTAINER = """
import time
import warnings
warnings.simplefilter("ignore")
import numpy as np
from freemetric import files
from sklearn.model_selection import GridSearchCV
start = time.process_time()
model = files.load({path!r})
loaded = time.process_time()
model.predict(np.load({samples!r})[:5])
print({what})
"""


def container():
    """A process that loads a model and predicts, where nothing is compiled and nothing can be kept; process time."""
    X, y, new = points(1000)
    with tempfile.TemporaryDirectory() as folder:
        path, samples = Path(folder) / "model.fm", Path(folder) / "new.npy"
        save(FreeEnergyClassifier(random_state=0).fit(X, y), path)
        np.save(samples, new)
        for what, of, most in (
            (
                "load a model in a new process, scikit-learn imported",
                "loaded - start",
                None,
            ),
            ("its first prediction, which compiles", "time.process_time() - loaded", 2),
        ):
            with tempfile.TemporaryDirectory() as cache:
                code = CONTAINER.format(path=str(path), samples=str(samples), what=of)
                report(what, run(code, NUMBA_CACHE_DIR=cache), most, "s")


def gpu():
    """Whole fits on a CUDA GPU, with the predictions of as many samples; seconds of the clock, median of five."""
    try:
        from gpu import fit_seconds, samples, torch
    except ModuleNotFoundError:
        return print("| no torch here, so no GPU |")
    if not torch.cuda.is_available():
        return print("| no CUDA GPU here |")
    sets = {"1000 x 30": (samples(1000), 0.5), "4000 x 30": (samples(4000), 1)}
    with suppress(DatasetError):
        data = load("cod-rna")
        first, second = halves(data.y, 0)[0]
        sets["a half of cod-rna"] = (
            (data.X[first], data.y[first], data.X[second], data.y[second]),
            2,
        )
    for name, (some, most) in sets.items():
        fit, predict, _ = fit_seconds(some)
        report(f"GPU: fit and predictions, {name}", fit + predict, most, "s")


def numbers():
    """The same rows with numbers, and with the quarters of these as classes."""
    for name, (X, y) in {
        "make_friedman1(1000, 30)": make_friedman1(1000, 30, noise=1.0, random_state=0),
        "make_regression(1000, 30)": make_regression(
            1000, 30, noise=10.0, random_state=0
        ),
    }.items():
        quarters = np.digitize(y, np.quantile(y, [0.25, 0.5, 0.75]))
        ours, classifier = seconds(
            lambda: FreeEnergyRegressor(random_state=0).fit(X, y),  # noqa: B023
            lambda: FreeEnergyClassifier(random_state=0).fit(X, quarters),  # noqa: B023
            repeats=3,
        )
        report(
            f"FreeEnergyRegressor().fit against FreeEnergyClassifier's on {name}",
            classifier / ours,
            1,
        )


def run(code, **environment):
    result = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return float(result.stdout)


def memory():
    ours = run(PEAK_MEMORY.format(learner="NCA(max_iter=5)"))
    theirs = run(
        PEAK_MEMORY.format(
            learner="NeighborhoodComponentsAnalysis(max_iter=5, random_state=0)"
        )
    )
    report(
        f"memory added by NCA().fit at 5000 x 30; scikit-learn's adds {theirs:.0f} MB",
        ours,
        150,
        "MB",
    )


def compilation():
    with tempfile.TemporaryDirectory() as cache:
        first, later = (run(FIRST_USE, NUMBA_CACHE_DIR=cache) for _ in range(2))
    report(
        f"kernels ready in a later process; the very first use compiles for {first:.0f} s",
        later,
        1,
        "s",
    )


def commit():
    """Of the working tree, or where it has changes the same with a plus."""

    def git(*words):
        command = ["git", "-C", str(Path(__file__).parent), *words]
        return subprocess.run(
            command, capture_output=True, text=True, check=False
        ).stdout.strip()

    return git("rev-parse", "--short", "HEAD") + "+" * bool(
        git("status", "--porcelain", "-uno")
    )


PARTS = {
    part.__name__: part
    for part in (
        *(cold_start, container, fits_of_classifiers, predictions, methods, gpu),
        *(element_trials, gradients, fits, numbers, memory, compilation),
    )
}

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--parts", nargs="+", choices=list(PARTS), default=list(PARTS))
    parser.add_argument(
        "--commit", default=None, help="what is measured; default: the working tree"
    )
    arguments = parser.parse_args()
    machine = f"{platform.machine()}, {os.cpu_count()} cores"
    last = last_figures(machine)
    print("| what | measured | wanted | |\n|---|---|---|---|")
    for part in arguments.parts:
        PARTS[part]()
    state = arguments.commit or commit()
    with FIGURES.open("a") as file:
        line = {
            "date": date.today().isoformat(),
            "commit": state,
            "machine": machine,
            "figures": measured,
        }
        file.write(json.dumps(line) + "\n")
    worse = list(worse_than(last))
    print("", *worse, sep="\n")
    sys.exit(1 if worse else 0)
