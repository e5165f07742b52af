"""What becomes of every kind of column in predict, after every kind in fit.

``python -m tests.tables.column_kinds`` prints the table of docs/howto/tables.md.
"""

import warnings

import numpy as np
import pandas as pd

from freemetric.tables import TableEncoder

N = 60
RNG = np.random.default_rng(0)
NUMBERS = RNG.normal(50, 10, N).round(2)
BITS = RNG.integers(0, 2, N)
WORDS = RNG.choice(["red", "green", "blue"], N)
DATES = pd.Timestamp("2020-01-05") + pd.to_timedelta(RNG.integers(0, 900, N), "D")
SHARES = (NUMBERS / 100).round(4)
MIXED = [7, "red", 2.5, True, None, "12 kg"]

KINDS = {
    "number": pd.Series(SHARES),
    "integer": pd.Series(RNG.integers(20, 80, N)),
    "boolean": pd.Series(BITS == 1),
    "0/1": pd.Series(BITS),
    "text": pd.Series(WORDS),
    "category": pd.Series(WORDS).astype("category"),
    "date": pd.Series(DATES),
    "money": pd.Series([f"${number * 100:,.0f}" for number in NUMBERS]),
    "per cent": pd.Series([f"{number} %" for number in NUMBERS]),
    "comma": pd.Series([f"{number:.2f}".replace(".", ",") for number in NUMBERS]),
    "gaps": pd.Series([None] * N, dtype=object),
    "mixed": pd.Series(MIXED * (N // len(MIXED)), dtype=object),
}
"""Columns by kind; the numbers of the first kind are shares of one."""

TRUTH = {
    "number": SHARES,
    "integer": KINDS["integer"].to_numpy(),
    "boolean": BITS,
    "0/1": BITS,
    "money": (NUMBERS * 100).round(),
    "per cent": NUMBERS,
    "comma": NUMBERS,
}
"""The numbers that columns stand for."""


def table(kind):
    """Return a table with a column of a kind, and another one."""
    return pd.DataFrame({"other": np.arange(N) % 7, "c": KINDS[kind]})


def fitted(kind):
    """Return an encoder that has seen a kind of column in fit."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return TableEncoder().fit(table(kind))


def outcome(fit, new):
    """Return what becomes of a kind, the features, and the error or the warning."""
    encoder = fitted(fit)
    kind = encoder.kinds_.get("c", "left out")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            features = encoder.transform(table(new))[:, 1:]
        except ValueError as problem:
            return "error", None, str(problem)
    if new == "gaps" and kind != "left out":
        kind = "gap"
    what = {"ISO 8601": "date"}.get(kind, kind)
    if caught:
        return f"{what}, warning", features, str(caught[0].message)
    return what, features, ""


def outcomes():
    """Return the words for all pairs of kinds, in rows of a kind in fit."""
    return [[outcome(fit, new)[0] for new in KINDS] for fit in KINDS]


def page_table():
    """Return the lines of the table in Markdown."""
    lines = [["in fit, in predict", *KINDS], ["---"] * (len(KINDS) + 1)]
    lines += [[fit, *row] for fit, row in zip(KINDS, outcomes(), strict=True)]
    return [f"| {' | '.join(line)} |" for line in lines]


if __name__ == "__main__":
    print("\n".join(page_table()))
