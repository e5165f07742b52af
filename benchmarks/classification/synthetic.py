"""How far above the Bayes error classifiers are, on 32 problems where it is known.

    make bench-bayes  # the tables of the committed records
    python benchmarks/classification/synthetic.py --list

The excess of a method is the mean over 4,000 test samples of max P - P(its label) in
points. NOTES.md names the commit whose code draws the problems and makes the records.
"""

import argparse
import json
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

from command import committed, on_common_splits, print_table
from records_tables import by_split, print_versions

PROBLEMS = json.loads(Path(__file__).with_name("synthetic_problems.json").read_text())
OURS = "free-energy"
METHODS = (OURS, "forest", "extra-trees", "boosting", "svm", "logistic", "nca", "k-nn")
SIZES = (100, 400, 1600)  # training samples
BEHIND = 1.0  # points that are worth a line


def excess_at(records, n):
    """Return the excess (problems and repeats x methods) at a size."""
    some = [r for r in records if int(r.job.dataset.rpartition("-")[2]) == n]
    table = by_split(on_common_splits(some), lambda record: record.excess)
    table = table[[method for method in METHODS if method in table]]
    return table.rename(index=lambda name: name.rpartition("-")[0], level=0)


def print_means(tables):
    """Print means over problems, and how often a method is the lowest."""
    rows = []
    for n, table in tables.items():
        means = table.groupby(level=0).mean()
        cells = [f"{mean:.2f}" for mean in means.mean()]
        rows.append([f"mean, N = {n}, {len(means)} problems", *cells])
        lowest = means.le(means.min(axis=1) + 1e-6, axis=0).sum()
        rows.append([f"lowest, N = {n}", *lowest])
    print_table(["points above Bayes", *tables[SIZES[0]]], rows)


def print_behind(tables):
    """Print the problems where another method is ahead of ours."""
    rows = []
    for n, table in tables.items():
        for name, excess in table.groupby(level=0):
            mean = excess.mean()
            other = mean.drop(OURS).idxmin()
            gap = mean[OURS] - mean[other]
            if gap > BEHIND:
                rows.append([n, name, f"{mean[OURS]:.2f}", other, f"{gap:.2f}"])
    print_table(["N", "problem", f"{OURS}, points", "best other", "ahead by"], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--list", action="store_true", help="the problems")
    if parser.parse_args().list:
        rows = [
            [name, problem["about"], problem["bayes_error"]]
            for name, problem in PROBLEMS.items()
        ]
        print_table(["problem", "what it is", "Bayes error in %"], rows)
        return
    records = committed("synthetic", OURS)
    print_versions(records, OURS)
    tables = {n: excess_at(records, n) for n in SIZES}
    print_means(tables)
    print_behind(tables)
    for n, table in tables.items():
        means = table.groupby(level=0).mean()
        rows = [[name, *(f"{e:.2f}" for e in row)] for name, row in means.iterrows()]
        print_table([f"points above Bayes, N = {n}", *means], rows)


if __name__ == "__main__":
    main()
