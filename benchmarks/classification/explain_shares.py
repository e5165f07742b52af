"""How large the parts of predictions are, on the pool of tables.

    python benchmarks/classification/explain_shares.py  # the committed records
    python benchmarks/classification/explain_shares.py --run FILE

A table of at most 1,000 rows is split into two halves. The model is fitted to one and
explained on the other: the share of each part in the log odds of the predicted class
against the strongest other one is averaged over rows, then over tables. A line of the
file is a table. ``benchmarks/pool.py`` says where the tables are.
"""

import argparse
import json
import sys
import warnings
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

import numpy as np
from command import RECORDS, print_table
from pool import KINDS, load_table, pool_tables
from sklearn.model_selection import train_test_split

from freemetric import TableClassifier
from freemetric.experiments.records import provenance
from freemetric.inspection.explanation import log_odds_parts

COMMITTED = RECORDS / "explain_shares.jsonl"
MOST_ROWS = 1000
PARTS = ["neighbors", "student_t", "naive_bayes", "trees", "linear", "bias"]


def halves(name):
    """Return features and classes of the rows to fit, and those of the others."""
    X, y = load_table(name)
    X, y = X[:MOST_ROWS], y[:MOST_ROWS]
    counts = np.bincount(y)
    is_usual = counts[y] > 1  # a class of one row cannot be in both halves
    X, y = X[is_usual], y[is_usual]
    return train_test_split(X, y, test_size=0.5, stratify=y, random_state=0)


def shares_of(name):
    """Return the mean share of every part, and the accuracy, of a table."""
    X, X_new, y, y_new = halves(name)
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


def read(path):
    """Return the records of a file by table."""
    lines = path.read_text().splitlines() if path.exists() else []
    return {record["table"]: record for record in map(json.loads, lines)}


def run(path):
    """Append the records of the tables of classes that a file lacks."""
    done = read(path)
    for name, kind in pool_tables().items():
        if kind == "regression" or name in done:
            continue
        commit = provenance().get("commit", "")
        record = {"table": name, "kind": kind, "commit": commit, **shares_of(name)}
        with path.open("a") as file:
            file.write(json.dumps(record) + "\n")


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
        run(arguments.run)
    records = list(read(arguments.run or COMMITTED).values())
    print_table(["tables", "number", *PARTS], rows_of(records))


if __name__ == "__main__":
    main()
