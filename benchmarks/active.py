"""Active learning: errors after so many labels, chosen at random, by the smallest margins or by disagreement.

    python benchmarks/active.py                                          # the table of the committed records
    python benchmarks/active.py --run RECORDS --data-home DATA           # measure what RECORDS lacks, then the table

A pool of 400 samples, of which 20 have labels; ten more are labelled after every fit. The error is that on at
most 600 other samples. All ways of choosing begin with the same labels. "spread margin" takes the thirty smallest
margins, and of these ten prototypes in the learned space, so that they are not all alike.
"""

from resuming import markdown, one_thread_each, read, run_missing

if __name__ == "__main__":  # tests import this, and have threads of their own
    one_thread_each()

import argparse
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

COMMITTED = Path(__file__).parent / "active.jsonl"
SETS = ("vehicle", "segment", "satimage")
N_POOL, N_TEST, N_FIRST, N_MORE, N_LAST = 400, 600, 20, 10, 80
SPREAD = 3  # times as many samples, of which prototypes are taken


def random(model, X, rng):
    return rng.random(len(X))


def margin(model, X, rng):
    """The smaller the difference of the two largest probabilities, the larger the score."""
    if len(model.classes_) < 2:
        return rng.random(len(X))
    two = np.sort(model.predict_proba(X), axis=1)[:, -2:]
    return two[:, 0] - two[:, 1]


def disagreement(model, X, rng):
    return model.disagreement(X)


STRATEGIES = {"random": random, "margin": margin, "spread margin": margin, "disagreement": disagreement}


def chosen(strategy, model, X, has_label, rng):
    """Numbers (N_MORE,) of samples to label."""
    order = np.argsort(np.where(has_label, -np.inf, STRATEGIES[strategy](model, X, rng)))
    if not strategy.startswith("spread"):
        return order[-N_MORE:]
    from freemetric.ensemble.shrinking import Prototypes

    some = order[-SPREAD * N_MORE :]
    return some[Prototypes(model.transform(X[some]), [np.arange(len(some))])(N_MORE)]


def learning_curve(X, y, strategy, seed, model):
    """Errors in % on the last samples, by the number of labels."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(X))
    pool, test, errors = order[:N_POOL], order[N_POOL : N_POOL + N_TEST], {}
    has_label = np.arange(len(pool)) < N_FIRST
    while True:
        model.fit(X[pool[has_label]], y[pool[has_label]])
        errors[int(has_label.sum())] = round(100 * float((model.predict(X[test]) != y[test]).mean()), 2)
        if has_label.sum() >= N_LAST:
            return errors
        has_label[chosen(strategy, model, X[pool], has_label, rng)] = True


def measure(set, strategy, repeat, data_home=None):
    from freemetric import FreeEnergyClassifier
    from freemetric.datasets import load

    data, model = load(set, data_home), FreeEnergyClassifier(n_replicas=20, random_state=repeat)
    return {"errors": learning_curve(data.X, data.y, strategy, repeat, model)}


def show(records):
    """Mean errors by data set, strategy and number of labels, and over all numbers of labels but the first."""
    rows = [{**record["job"], **record["errors"]} for record in records]
    table = pd.DataFrame(rows).drop(columns="repeat").groupby(["set", "strategy"], sort=False).mean()
    table["mean"] = table.iloc[:, 1:].mean(axis=1)
    print(f"Test error in % by the number of labels, mean of {max(r['job']['repeat'] for r in records) + 1} pools\n")
    out = table.map("{:.1f}".format)
    out.index = [", ".join(pair) for pair in out.index]
    markdown(out, "set, labels chosen by")
    each = pd.DataFrame(rows).set_index(["set", "repeat", "strategy"])
    means = each[[column for column in each if column != str(N_FIRST)]].mean(axis=1).unstack("strategy")
    for name in ("random", "spread margin", "disagreement"):
        gain = means["margin"] - means[name]
        error = gain.std(ddof=1) / np.sqrt(len(gain))
        print(f"\n{name} against margin: {gain.mean():.2f} +- {error:.2f} points less error", end="")
    print()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--run", metavar="RECORDS", type=Path, help="measure what this file of JSON lines lacks")
    parser.add_argument("--data-home", metavar="DATA", type=Path, help="where data sets are looked for first")
    parser.add_argument("--repeats", type=int, default=4, help="pools of every data set")
    arguments = parser.parse_args()
    if arguments.run:
        order = product(range(arguments.repeats), SETS, STRATEGIES)
        jobs = [{"set": name, "strategy": strategy, "repeat": repeat} for repeat, name, strategy in order]
        run_missing(arguments.run, jobs, lambda **job: measure(**job, data_home=arguments.data_home))
    show(read(arguments.run or COMMITTED))


if __name__ == "__main__":
    main()
