"""How large the parts of predictions are, on the pool of tables.

    python benchmarks/classification/explain_shares.py  # the committed records

A table of at most 1,000 rows was split into two halves. The model was fitted to one and
explained on the other: the share of each part in the log odds of the predicted class
against the strongest other one is averaged over rows, then over tables. A line of the
file is a table. NOTES.md names the commit whose code makes the records.
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

import numpy as np
from command import RECORDS, print_table, read_lines
from pool import KINDS

COMMITTED = RECORDS / "explain_shares.jsonl"
PARTS = ["neighbors", "student_t", "naive_bayes", "trees", "linear", "bias"]


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
    print_table(["tables", "number", *PARTS], rows_of(read_lines(COMMITTED)))


if __name__ == "__main__":
    main()
