"""What the kernel regression beside the votes gains, on data sets and on synthetic problems.

    python benchmarks/kernel_ridge.py                                             # the tables of the committed records
    python benchmarks/kernel_ridge.py --run RECORDS --data-home DATA --device cuda    # measure what RECORDS lacks

Every fit is made with and without it. Data sets: at most 4,000 samples of one half, tested on at most 5,000 of the
other; "chosen" are those that the size of the blocks and the margin were chosen on. Of synthetic problems the excess
is known: the error beyond that of the best classifier, on 4,000 samples.
"""

from resuming import markdown, one_thread_each, read, run_missing

if __name__ == "__main__":  # tests import this, and have threads of their own
    one_thread_each()

import argparse
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

COMMITTED = Path(__file__).parent / "kernel_ridge.jsonl"
CHOSEN = ("balance", "german", "pima", "soybean", "vowel", "anneal", "segment", "cod-rna")
CHOSEN += ("page-blocks", "satimage", "pendigits", "poker", "krkopt")
CONFIRMED = ("tic-tac-toe", "vehicle", "yeast", "card", "breast-w")
SIZES, MOST, MOST_TESTED = (400, 1600), 4000, 5000


def jobs():
    from zoo import PROBLEMS

    sets = [("chosen", name, MOST, 2) for name in CHOSEN] + [("confirmed", name, MOST, 3) for name in CONFIRMED]
    problems = [("synthetic", name, size, 1) for name in PROBLEMS for size in SIZES]
    for (role, name, size, repeats), kernel in product([*sets, *problems], (False, True)):
        for repeat, fold in product(range(repeats), range(2)):
            yield {"role": role, "set": name, "size": size, "repeat": repeat, "fold": fold, "kernel": kernel}


def samples(role, name, size, repeat, fold, data_home):
    """Training samples and labels, and those of the test."""
    seed = 2 * repeat + fold
    if role == "synthetic":
        from zoo import PROBLEMS

        return *PROBLEMS[name].sample(size, (seed, size), 2), *PROBLEMS[name].sample(MOST, (9, seed))
    from freemetric.bench.protocol import halves
    from freemetric.datasets import load

    data, rng = load(name, data_home), np.random.default_rng(repeat)
    train, test = halves(data.y, repeat)[fold]
    train, test = rng.permutation(train)[:size], rng.permutation(test)[:MOST_TESTED]
    return data.X[train], data.y[train], data.X[test], data.y[test]


def measure(role, set, size, repeat, fold, kernel, data_home=None, device="cpu"):
    """Scores of one fit."""
    from zoo import PROBLEMS

    from freemetric import FreeEnergyClassifier, Recipe
    from freemetric.bench.protocol import probability_scores

    X, y, new, truth = samples(role, set, size, repeat, fold, data_home)
    recipe = Recipe() if kernel else Recipe(kernel_block=0)
    model = FreeEnergyClassifier(recipe=recipe, device=device, random_state=2 * repeat + fold).fit(X, y)
    P = np.zeros((len(new), int(max(y.max(), truth.max())) + 1))
    P[:, model.classes_] = model.predict_proba(new)
    names = [type(part).__name__ for part in model.ensemble_.head.densities]
    found = {"error": 100 * float(np.mean(P.argmax(axis=1) != truth)), **probability_scores(P, truth)}
    if role == "synthetic":
        found["excess"] = 100 * PROBLEMS[set].excess(new, P.argmax(axis=1))
    return {**found, "n": len(y), "taken": "ClassKernelRidge" in names}


def show(records):
    """Means with and without, and how often it was taken."""
    lines = pd.DataFrame([{**record.pop("job"), **record} for record in records])
    for role in ("chosen", "confirmed", "synthetic"):
        some = lines[lines["role"] == role]
        score = "excess" if role == "synthetic" else "error"
        keys = ["set", "size"] if role == "synthetic" else ["set"]
        table = some.groupby([*keys, "kernel"])[[score, "brier", "log_loss"]].mean().unstack()
        both = {f"{name}{' with' if kernel else ''}": table[name, kernel] for name, kernel in table}
        table = pd.DataFrame({**both, "taken": some[some["kernel"]].groupby(keys)["taken"].mean()})
        if role == "synthetic":
            changed = table["excess"] != table["excess with"]
            table.index = [f"{name}, {size}" for name, size in table.index]
            every = pd.DataFrame([table.mean()], index=[f"mean of {len(table)}"])
            table = pd.concat([table[changed.to_numpy()], every])
        else:
            table = pd.concat([table, pd.DataFrame([table.mean()], index=["mean"])])
        markdown(table.round(4), role)
        print()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", metavar="RECORDS", type=Path)
    parser.add_argument("--data-home", metavar="DATA", type=Path)
    parser.add_argument("--device", default="cpu")
    arguments = parser.parse_args()
    options = {"data_home": arguments.data_home, "device": arguments.device}
    if arguments.run:
        run_missing(arguments.run, jobs(), lambda **job: measure(**job, **options))
    show(read(arguments.run or COMMITTED))


if __name__ == "__main__":
    main()
