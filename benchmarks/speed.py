"""How fast fits and predictions are, as ratios measured in one run on one thread.

    make bench-speed
    python benchmarks/speed.py --parts cold fits

Process time, the least of a few repeats. Absolute times depend on the machine; a ratio
of two things that take turns does so much less.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from functools import partial

import numpy as np
from command import print_table
from sklearn.datasets import make_classification, make_friedman1
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.neighbors import NeighborhoodComponentsAnalysis

from freemetric import NCA, FreeEnergyClassifier, FreeEnergyRegressor
from freemetric.energies import NCAEnergy
from freemetric.experiments.runner import one_thread

COLD = """
import time
import warnings
warnings.simplefilter("ignore")
from sklearn.datasets import load_iris
import sklearn.ensemble
from freemetric import {model}
X, y = load_iris(return_X_y=True)
start = time.process_time()
model = {model}(random_state=0).fit(X, y)
fitted = time.process_time()
model.{verb}(X)
print(fitted - start, time.process_time() - fitted)
"""


def seconds(*functions, repeats=3):
    """Return the least process time of every function; they take turns."""
    times = []
    for _ in range(repeats):
        for function in functions:
            start = time.process_time()
            function()
            times.append(time.process_time() - start)
    return np.reshape(times, (repeats, -1)).min(axis=0)


def samples(n, d=30):
    """Return training samples of three classes, and as many others."""
    options = {"n_informative": 10, "n_redundant": 5, "n_classes": 3, "flip_y": 0.05}
    X, y = make_classification(2 * n, d, random_state=0, **options)
    return X[:n], y[:n], X[n:]


def cold():
    """The first fit and the first prediction of an installation, which compile."""
    for model, verb in (("FreeEnergyClassifier", "predict"), ("DMLFE", "transform")):
        with tempfile.TemporaryDirectory() as cache:
            environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
            words = [sys.executable, "-c", COLD.format(model=model, verb=verb)]
            for when in ("first", "later"):
                done = subprocess.run(
                    words, env=environment, stdout=subprocess.PIPE, text=True
                )
                fit, predict = map(float, done.stdout.split())
                yield (
                    f"the {when} {model}().fit(iris) of an installation",
                    f"{fit:.1f} s",
                )
                yield f"the prediction after it, {when}", f"{predict:.2f} s"


def fits():
    """Fits against those of estimators that one would take instead."""
    rivals = {
        "a forest of 500 trees": RandomForestClassifier(500, random_state=0),
        "boosting by histograms": HistGradientBoostingClassifier(random_state=0),
    }
    for n in (150, 500, 1000, 4000, 20_000):
        X, y, _ = samples(n)
        model = FreeEnergyClassifier(random_state=0)
        every = [model, *rivals.values()]
        calls = [partial(one.fit, X, y) for one in every]
        ours, *theirs = seconds(*calls, repeats=2 if n < 5000 else 1)
        yield f"FreeEnergyClassifier().fit at {n:,} x 30", f"{ours:.2f} s"
        for name, other in zip(rivals, theirs, strict=True):
            yield f"{name} takes, at {n:,} x 30", f"{other / ours:.2f} times as long"
    X, y = make_friedman1(1000, 30, noise=1.0, random_state=0)
    (took,) = seconds(lambda: FreeEnergyRegressor(random_state=0).fit(X, y), repeats=2)
    yield "FreeEnergyRegressor().fit at 1,000 x 30", f"{took:.2f} s"


def predictions():
    """One sample, a hundred, and thousands."""
    for size in (1000, 20_000):
        X, y, new = samples(size)
        model = FreeEnergyClassifier(random_state=0).fit(X, y)
        new = np.tile(new, (5000 // len(new) + 1, 1))[:5000]
        model.predict(new)
        for n, repeats in ((1, 50), (100, 10), (5000, 5)):
            (took,) = seconds(partial(model.predict, new[:n]), repeats=repeats)
            yield f"predict {n:,} at {size:,} x 30", f"{1e3 * took:.2f} ms"


def million():
    """A million samples: time on all cores, and the most memory of the process."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1_000_000, 30)).astype(np.float32)
    y = (X[:, 0] * X[:, 1] + rng.normal(size=len(X)) > 0).astype(int)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    model = FreeEnergyClassifier(n_jobs=2, random_state=0).fit(X, y)
    yield "fit 1,000,000 x 30 in two threads", f"{time.perf_counter() - start:.0f} s"
    start = time.perf_counter()
    model.predict(X[:10_000])
    took = time.perf_counter() - start
    yield "the first prediction, of 10,000, in two threads", f"{took:.1f} s"
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield "memory beyond the samples", f"{(most - before) / 2**20:.1f} GiB"


def learners():
    """NCA and its energy against scikit-learn's."""
    X, y, _ = samples(1000)
    ours, theirs = NCA(), NeighborhoodComponentsAnalysis(random_state=0)
    fits_of_both = (lambda: ours.fit(X, y)), (lambda: theirs.fit(X, y))
    ours_s, theirs_s = seconds(*fits_of_both, repeats=1)
    yield "scikit-learn's NCA takes, at 1,000 x 30", f"{theirs_s / ours_s:.1f} times"
    bound = NCAEnergy().bind(X, y)
    maps = np.array([ours.components_, theirs.components_])
    lowest = " and ".join(f"{energy:.3g}" for energy in bound(maps))
    yield "energies of both, ours first", lowest
    (took,) = seconds(lambda: bound.value_and_grad(np.eye(30)[None]), repeats=10)
    yield "energy and gradient at 1,000 x 30", f"{1e3 * took:.1f} ms"


PARTS = {part.__name__: part for part in (cold, fits, predictions, million, learners)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    arguments = parser.parse_args()
    X, y, new = samples(100)
    FreeEnergyClassifier(random_state=0).fit(X, y).predict(new)  # compiles
    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of convergence
        rows = [row for name in arguments.parts for row in PARTS[name]()]
    print_table(["what", "process time on one thread"], rows)


if __name__ == "__main__":
    main()
