"""Fewer training samples: what is lost by ``condense`` and by other rules, and how small models become.

    python benchmarks/condense.py                                         # the tables of the committed records
    python benchmarks/condense.py --run RECORDS --data-home DATA          # measure what RECORDS lacks, then the tables
    python benchmarks/condense.py --sizes --data-home DATA                # files, graphs and seconds: three minutes

Models learn on a stratified half of a data set, at most 600 samples, and predict at most 1,500 of the other. Losses are
the Brier score in % less that of all training samples: with a half, a quarter and an eighth of them, kept by
``condense``, at random (three draws), or by ``data_values``, and as many as the rules of Hart and of Wilson keep
(imbalanced-learn, left out where it is not installed). Weights and calibration are found anew in the same way for all
rules. The rule was chosen on CHOSEN_ON; the other sets confirm it.
"""

import argparse
import io
import warnings
from copy import deepcopy
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter

import numpy as np
import pandas as pd
from keel import is_installed, load_keel
from resuming import markdown, read, run_missing
from sklearn.base import clone
from sklearn.model_selection import train_test_split

from freemetric import FreeEnergyClassifier, Recipe
from freemetric.datasets import load
from freemetric.ensemble.shrinking import Rebuilt

COMMITTED = Path(__file__).parent / "condense.jsonl"
CHOSEN_ON = ("german", "pima", "satimage", "segment", "vehicle")
CONFIRMED_ON = ("card", "krkopt", "letter", "page-blocks", "pendigits", "vowel", "yeast")
SIZED = ("heart", "pima", "vehicle", "segment")
MODELS = {
    "default": (FreeEnergyClassifier(random_state=0), None),
    "one metric": (
        FreeEnergyClassifier(1, recipe=Recipe(candidates=["scaled/full"], kernel_block=0), random_state=0),
        50,
    ),
}
"""Models that are sized, and how many rows are kept: None is as few as are as good."""

N_TRAIN, N_TEST, N_DRAWS, PARTS = 600, 1500, 3, (2, 4, 8)


def halves(name, seed, data_home):
    """Training and test samples, and their labels."""
    if name == "letter":
        X, y = load_keel(name)
    else:
        data = load(name, data_home)
        X, y = data.X, data.y
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.5, stratify=y, random_state=seed)
    return X[:N_TRAIN], X_test[:N_TEST], y[:N_TRAIN], y_test[:N_TEST]


def with_samples(model, numbers):
    """A copy of the model with some of its training samples."""
    ensemble, made = model.ensemble_, deepcopy(model)
    rebuilt = Rebuilt(made, ensemble.views, ensemble.members, ensemble.training_set)
    vars(made).update(rebuilt.attributes(np.sort(numbers)))
    return made


def brier(model, X, y):
    P = model.predict_proba(X)
    return 50 * np.square(P - (y[:, None] == model.classes_)).sum(axis=1).mean()


def edited(model):
    """Numbers of the samples that rules of nearest neighbours keep, in the learned space."""
    if not find_spec("imblearn"):
        return {}
    from imblearn.under_sampling import CondensedNearestNeighbour, EditedNearestNeighbours

    samples = model.ensemble_.training_set
    rules = {
        "Hart": CondensedNearestNeighbour(sampling_strategy="all", random_state=0),
        "Wilson": EditedNearestNeighbours(sampling_strategy="all", kind_sel="mode"),
    }
    for rule in rules.values():
        rule.fit_resample(model.ensemble_.embed(samples.X), samples.y)
    return {name: rule.sample_indices_ for name, rule in rules.items()}


def losses(set, seed, data_home=None):
    """A record for every size: the Brier score above that of all samples, by rule."""
    X, X_test, y, y_test = halves(set, seed, data_home)
    model, rng = FreeEnergyClassifier(n_replicas=30, random_state=seed).fit(X, y), np.random.default_rng(seed)
    whole, n, values = brier(model, X_test, y_test), len(X), model.data_values()[model.ensemble_.training_set.rows]
    n_fewest = max(10, len(model.classes_))

    def lost(made):
        return brier(made, X_test, y_test) - whole

    def row(size, n_left, **rules):
        at_random = [lost(with_samples(model, rng.permutation(n)[:n_left])) for _ in range(N_DRAWS)]
        kept = deepcopy(model).condense(max_rows=int(n_left)) if n_left < n else model
        found = {"condense": lost(kept), "at random": np.mean(at_random), **rules}
        rounded = {rule: round(float(value), 3) for rule, value in found.items()}
        return {"rows": size, "kept": round(n_left / n, 3), "all": round(float(whole), 3), **rounded}

    for part in PARTS:
        n_left = max(n // part, n_fewest)
        by_value = with_samples(model, np.argsort(-values)[:n_left])
        yield row(f"1 / {part}", n_left, **{"highest values": lost(by_value)})
    for rule, numbers in edited(model).items():
        if len(numbers) >= n_fewest:
            yield row(rule, len(numbers), **{"its own": lost(with_samples(model, numbers))})


def show(records):
    table = pd.DataFrame([{**record["job"], **record} for record in records]).drop(columns=["job", "seed"])
    for title, names in (("chosen on", CHOSEN_ON), ("confirmed on", CONFIRMED_ON)):
        some = table[table["set"].isin(names)]
        if len(some):
            print(f"\nBrier score lost, in %, {title} {some['set'].nunique()} sets\n")
            mean = some.drop(columns=["set", "all"]).groupby("rows", sort=False).mean()
            markdown(mean.map("{:.2f}".format).replace("nan", ""), "rows")
    print("\nBy data set, mean of a half, a quarter and an eighth\n")
    parts = table[table["rows"].str.startswith("1 /")].drop(columns=["rows", "kept"])
    markdown(parts.groupby("set", sort=False).mean().dropna(axis=1, how="all").map("{:.2f}".format), "set")


def kilobytes(model):
    """Of the file, and of the ONNX graph."""
    from freemetric.onnx_export import to_onnx

    file = io.BytesIO()
    model.save(file)
    graph = to_onnx(model).SerializeToString()
    return len(file.getvalue()) / 1024, len(graph) / 1024, graph


def milliseconds(predict):
    """The fastest of 50 calls."""
    predict()

    def once():
        start = perf_counter()
        predict()
        return 1000 * (perf_counter() - start)

    return min(once() for _ in range(50))


def measured(name, kind, data_home):
    """Samples left, accuracy, kilobytes and milliseconds of one row, before and after ``condense``."""
    import onnxruntime

    X, X_test, y, y_test = halves(name, 0, data_home)
    unfitted, max_rows = MODELS[kind]
    model = clone(unfitted).fit(X, y)
    for made in (model, deepcopy(model).condense(max_rows)):
        *sizes, graph = kilobytes(made)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        session = onnxruntime.InferenceSession(graph, options)
        given = {session.get_inputs()[0].name: X_test[:1].astype(np.float64)}
        times = (
            milliseconds(lambda made=made: made.predict_proba(X_test[:1])),
            milliseconds(lambda session=session, given=given: session.run(None, given)),
        )
        yield [len(made.ensemble_.training_set), made.score(X_test, y_test), *sizes, *times]


def sizes(sets, data_home):
    names = ("rows", "accuracy", "file, kB", "ONNX, kB", "one row, ms", "ONNX, ms")
    forms, lines = ("{:.0f}", "{:.3f}", "{:.0f}", "{:.0f}", "{:.2f}", "{:.2f}"), {}
    for name in sets:
        for kind in MODELS:
            before, after = measured(name, kind, data_home)
            pairs = zip(forms, before, after, strict=True)
            lines[f"{name}, {kind}"] = [f"{form.format(a)} → {form.format(b)}" for form, a, b in pairs]
    markdown(pd.DataFrame(lines, index=names).T, "data, model")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-home", default=None)
    parser.add_argument("--sizes", action="store_true", help="bytes and seconds instead of losses")
    parser.add_argument("--sets", nargs="+", metavar="NAME")
    parser.add_argument("--run", metavar="RECORDS", type=Path, help="measure what this file of JSON lines lacks")
    parser.add_argument("--seeds", type=int, default=1, help="halves of every set")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    if arguments.sizes:
        return sizes(arguments.sets or SIZED, arguments.data_home)
    if arguments.run:
        sets = arguments.sets or [name for name in CHOSEN_ON + CONFIRMED_ON if name != "letter" or is_installed()]
        jobs = [{"set": name, "seed": seed} for seed in range(arguments.seeds) for name in sets]
        run_missing(arguments.run, jobs, lambda **job: losses(**job, data_home=arguments.data_home))
    return show(read(arguments.run or COMMITTED))


if __name__ == "__main__":
    main()
