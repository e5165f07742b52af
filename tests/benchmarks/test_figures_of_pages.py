"""Means on the pages, recomputed from the records without the code that prints them."""

import re
from functools import cache

import pandas as pd
import pytest

from freemetric.experiments.methods import PAPER_LEARNERS
from freemetric.experiments.records import read_records

from ..pages import ROOT

RECORDS = ROOT / "benchmarks/records"
SPLIT = ["dataset", "repeat", "fold"]
pytestmark = pytest.mark.skipif(
    not RECORDS.exists(), reason="benchmarks are not part of an installed package"
)


@pytest.fixture(scope="module")
def page():
    return (ROOT / "docs/results.md").read_text(encoding="utf-8")


def rows(text, header):
    """Return the other cells of every row by its first one."""
    lines = text[text.index(f"| {header}") :].split("\n\n")[0].splitlines()[2:]
    cells = (re.split(r" *\| *", line[2:-2]) for line in lines)
    return {first: others for first, *others in cells}


read = cache(read_records)


def fits(*names):
    records = [r for name in names for r in read(RECORDS / f"{name}.jsonl.gz")]
    return pd.DataFrame([vars(r.job) | vars(r) for r in records if not r.failure])


def by_set(frame, methods, value):
    """Return means over the splits that all methods have, by set."""
    frame = frame[frame["method"].isin(methods)]
    wide = frame.pivot(index=SPLIT, columns="method", values=value).dropna()
    return wide.groupby(level="dataset").mean()


def test_ranks(page):
    methods = ["free-energy", "rf", *PAPER_LEARNERS]
    table = by_set(fits("ours/paper", "others/paper"), methods, "honest_error")
    assert table.shape == (35, 14)
    ranks = table.round(5).rank(axis=1).mean()
    for method, cells in rows(page, "35 sets").items():
        assert float(cells[0]) == pytest.approx(ranks[method], abs=0.02)
        assert cells[3] == f"{table[method].mean():.2f}"


def test_other_methods(page):
    table = rows(page, "all splits: mean over 29 sets")
    frame = fits("ours/paper", "others/paper", "others/outside")
    means = by_set(frame, list(table), "honest_error").mean()
    for method, cells in table.items():
        assert cells[0] == f"{means[method]:.2f}", method


def test_regression(page):
    frame = fits("ours/regression", "others/regression")
    table = 100 - 100 * by_set(frame, frame["method"].unique(), "r2")
    assert table.shape == (33, 7)
    ranks = table.rank(axis=1).mean()
    for method, cells in rows(page, "mean over 33 sets").items():
        assert cells[0] == f"{table[method].mean():.2f}", method
        assert cells[3] == f"{ranks[method]:.2f}", method


def test_synthetic_problems(page):
    frame = fits("ours/synthetic", "others/synthetic")
    table = by_set(frame, frame["method"].unique(), "excess")
    shown = rows(page, "points above Bayes |")
    header = page[page.index("| points above Bayes |") :].splitlines()[0]
    methods = re.split(r" *\| *", header[2:-2])[1:]
    for n in (100, 400, 1600):
        means = table[table.index.str.endswith(f"-{n}")].mean()
        expected = [f"{means[method]:.2f}" for method in methods]
        assert shown[f"mean, N = {n}, 32 problems"] == expected
