"""Fewer training samples: how small files, graphs and predictions become, and what that costs in accuracy.

    python benchmarks/condense.py --data-home DATA                 # about three minutes on one core
    python benchmarks/condense.py --data-home DATA --sets pima --seeds 3

Models learn on a stratified half of a data set and predict the other one: as fitted, after ``condense()``, and with as
many training samples drawn at random, whose weights and calibration are found anew in the same way. Seconds are the
fastest of 20 predictions of one row.
"""

import argparse
import io
import warnings
from copy import deepcopy
from importlib.util import find_spec
from time import perf_counter

import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.model_selection import train_test_split

from freemetric import FreeEnergyClassifier, FreeEnergyRegressor
from freemetric.datasets import load
from freemetric.ensemble.shrinking import Rebuilt

SETS = ("heart", "ionosphere", "pima", "vehicle", "german", "segment", "diabetes (R2)")


def problem(name, data_home):
    """X, y, and the model that learns them."""
    if name.startswith("diabetes"):
        return *load_diabetes(return_X_y=True), FreeEnergyRegressor
    data = load(name, data_home)
    return data.X, data.y, FreeEnergyClassifier


def with_random_samples(model, n, rng):
    """The model with n of its training samples."""
    ensemble = model.ensemble_
    rebuilt = Rebuilt(model, ensemble.views, ensemble.members, ensemble.training_set)
    vars(model).update(rebuilt.attributes(np.sort(rng.choice(len(ensemble.training_set), n, replace=False))))
    return model


def kilobytes(model):
    """Of the file, and of the ONNX graph where there is one."""
    file = io.BytesIO()
    model.save(file)
    if not find_spec("onnx"):
        return len(file.getvalue()) / 1024, np.nan
    from freemetric.onnx_export import to_onnx

    return len(file.getvalue()) / 1024, len(to_onnx(model).SerializeToString()) / 1024


def milliseconds(model, x):
    model.predict(x)

    def once():
        start = perf_counter()
        model.predict(x)
        return 1000 * (perf_counter() - start)

    return min(once() for _ in range(20))


def measured(name, seed, data_home):
    """Samples, scores, kilobytes and milliseconds, before and after."""
    X, y, estimator = problem(name, data_home)
    strata = y if estimator is FreeEnergyClassifier else None
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.5, stratify=strata, random_state=seed)
    model = estimator(random_state=seed).fit(X, y)
    small = deepcopy(model).condense()
    n = len(small.ensemble_.training_set)
    by_chance = with_random_samples(deepcopy(model), n, np.random.default_rng(seed))
    scores = [one.score(X_test, y_test) for one in (model, small, by_chance)]
    sizes = [size for both in zip(kilobytes(model), kilobytes(small), strict=True) for size in both]
    return [len(X), n, *scores, *sizes, *(milliseconds(one, X_test[:1]) for one in (model, small))]


COLUMNS = ("rows", "left", "score", "condensed", "as many at random", "file, kB", "condensed", "ONNX, kB", "condensed")
FORMATS = ("{:.0f}", "{:.0f}", "{:.3f}", "{:.3f}", "{:.3f}", "{:.0f}", "{:.0f}", "{:.0f}", "{:.0f}", "{:.2f}", "{:.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-home", default=None)
    parser.add_argument("--sets", nargs="+", default=SETS, metavar="NAME")
    parser.add_argument("--seeds", type=int, default=1)
    arguments = parser.parse_args()
    print(f"| set | {' | '.join(COLUMNS)} | one row, ms | condensed |")
    print("|---" * 12 + "|")
    for name in arguments.sets:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            mean = np.mean([measured(name, seed, arguments.data_home) for seed in range(arguments.seeds)], axis=0)
        cells = [form.format(value) for form, value in zip(FORMATS, mean, strict=True)]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
