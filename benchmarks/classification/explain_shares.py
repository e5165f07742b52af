"""How large the parts of predictions are, on the pool of tables.

    python benchmarks/classification/explain_shares.py  # the committed records
    python benchmarks/classification/explain_shares.py --run FILE

A table of at most 1,000 rows is split into two halves. The model is fitted to one and
explained on the other: the share of each part in the log odds of the predicted class
against the strongest other one is averaged over rows, then over tables. A line of the
file is a table. ``benchmarks/pool.py`` says where the tables are.
"""

import argparse
import sys
import warnings
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

import numpy as np
from command import RECORDS, print_table, read_lines, run_lines
from pool import KINDS, load_table, pool_tables
from sklearn.model_selection import train_test_split

from freemetric import TableClassifier
from freemetric.inspection.explanation import log_odds_parts

COMMITTED = RECORDS / "explain_shares.jsonl"
MOST_ROWS = 1000
PARTS = ["neighbors", "student_t", "naive_bayes", "trees", "linear", "bias"]


def halves(table):
    """Return features and classes of the rows to fit, and those of the others."""
    X, y = load_table(table)
    X, y = X[:MOST_ROWS], y[:MOST_ROWS]
    counts = np.bincount(y)
    is_usual = counts[y] > 1  # a class of one row cannot be in both halves
    X, y = X[is_usual], y[is_usual]
    return train_test_split(X, y, test_size=0.5, stratify=y, random_state=0)


def shares_of(table, kind):
    """Return the mean share of every part, and the accuracy, of a table."""
    X, X_new, y, y_new = halves(table)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = TableClassifier(random_state=0).fit(X, y)
        inner = model.pipeline_[-1]
        samples = inner.ensemble_.filled(model.pipeline_[0].transform(X_new))
        order = np.argsort(inner.predict_proba(samples), axis=1)
        parts = log_odds_parts(inner, samples, order[:, -1], order[:, -2])
    sizes = np.abs(parts)
    shares = (sizes / sizes.sum(axis=1, keepdims=True)).mean(axis=0)
    names = ["neighbors", *(name for name, _ in inner.estimators_), "bias"]
    accuracy = float(np.mean(inner.classes_[order[:, -1]] == y_new))
    return {
        "shares": dict(zip(names, shares.round(4).tolist(), strict=True)),
        "largest": names[int(shares.argmax())],
        "accuracy": round(accuracy, 4),
        "rows": len(X) + len(X_new),
    }


def rows_of(records):
    """Return the lines of the table: means of the shares in per cent."""
    lines = []
    for kind, words in {**KINDS, "": "all"}.items():
        own = [each for each in records if kind in ("", each["kind"])]
        if own:
            shares = [[each["shares"].get(p, 0) for p in PARTS] for each in own]
            means = 100 * np.mean(shares, axis=0)
            lines.append([words, len(own), *(f"{mean:.0f}" for mean in means)])
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--run", metavar="FILE", type=Path)
    arguments = parser.parse_args()
    if arguments.run:
        jobs = [
            {"table": name, "kind": kind}
            for name, kind in pool_tables().items()
            if kind != "regression"
        ]
        run_lines(jobs, arguments.run, shares_of)
    records = read_lines(arguments.run or COMMITTED)
    print_table(["tables", "number", *PARTS], rows_of(records))


if __name__ == "__main__":
    main()
