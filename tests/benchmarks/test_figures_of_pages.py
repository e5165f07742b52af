"""Means that the pages print are those of the committed records."""

import gzip
import json
import re
import subprocess
import sys

import pandas as pd
import pytest

from freemetric.bench.results import load_compact
from freemetric.learners import PAPER

from ..pages import ROOT

RECORDS = ROOT / "benchmarks" / "accuracy"
pytestmark = pytest.mark.skipif(not RECORDS.exists(), reason="benchmarks are not part of an installed package")


def rows(page, head):
    """The table whose first column has this head: the other cells of a row by its first one."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    lines = text[text.index(f"| {head} | error") :].split("\n\n")[0].splitlines()[2:]
    return {cells[0]: cells[1:] for cells in (re.split(r" *\| *", line.strip("| ")) for line in lines)}


def means(records):
    """Of all sets the mean of error and Brier score over the splits that every method has, by method."""
    splits = pd.DataFrame([{**vars(r.job), "error": r.honest_error, "brier": r.brier} for r in records])
    wide = splits.pivot(index=["dataset", "repeat", "fold"], columns="method", values=["error", "brier"])
    return wide[wide["error"].notna().all(axis=1)].groupby(level="dataset").mean().mean().unstack(0)


def shows(cells, expected):
    return cells == [f"{expected['error']:.2f}", f"{expected['brier']:.4f}"]


def test_the_ablation():
    table, expected = rows("accuracy.md", "21 sets, 1 x 2 splits"), means(load_compact(RECORDS / "ablation.jsonl.gz"))
    assert set(table) == set(expected.index)
    for variant, (error, _, brier, *_) in table.items():
        assert shows([error, brier], expected.loc[variant]), variant


def test_the_outside():
    table, expected = rows("outside.md", "mean over 29 sets"), means(load_compact(RECORDS / "outside.jsonl.gz"))
    assert set(expected.index) < set(table)
    for method in expected.index:
        assert shows(table[method][:2], expected.loc[method]), method


def test_the_regression():
    text = (ROOT / "docs" / "regression.md").read_text(encoding="utf-8")
    records = load_compact(ROOT / "benchmarks" / "regression" / "records.jsonl.gz")
    r2 = pd.DataFrame([{**vars(r.job), "r2": r.r2} for r in records])
    assert len(r2) == 33 * 7 * 10
    means = r2.groupby(["dataset", "method"])["r2"].mean().unstack()
    ranks = (-means).rank(axis=1).mean()
    lines = text[text.index("| all, 33 sets |") :].split("\n\n")[0].splitlines()[2:]
    table = {cells[0]: cells[1:] for cells in (re.split(r" *\| *", line.strip("| ")) for line in lines)}
    assert set(table) == set(means)
    for method, cells in table.items():
        assert cells[0] == f"{ranks[method]:.2f}", method
        assert cells[4] == f"{means[method].mean():.4f}", method
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"halves of each: {ranks['free-energy-regressor']:.2f}; tuned SVR has {ranks['svr']:.2f}" in readme


def test_the_choices_of_regression():
    text = (ROOT / "docs" / "regression.md").read_text(encoding="utf-8")
    with gzip.open(ROOT / "benchmarks" / "regression" / "choices.jsonl.gz", "rt") as file:
        fits = pd.DataFrame([json.loads(line) for line in file])
    sets = fits[fits["excess"].isna()]
    means = 100 * sets.groupby(["change", "set"])["r2"].mean()
    choosing = means["dict(trends=())"].index
    for words, change in (
        ("the default", "dict()"),
        ("no trends", "dict(trends=())"),
        ("no noises", "dict(noises=())"),
    ):
        assert f"| {words} | {means[change][choosing].mean():.2f} |" in text


def test_the_synthetic_problems():
    text = (ROOT / "docs" / "regression.md").read_text(encoding="utf-8")
    records = load_compact(ROOT / "benchmarks" / "regression" / "noise.jsonl.gz")
    fits = pd.DataFrame([{**vars(r.job), "excess": 100 * r.excess / r.noise} for r in records if not r.failure])
    wide = fits.pivot(index=["dataset", "repeat", "fold"], columns="method", values="excess").dropna()
    means = wide.groupby(level="dataset").mean()
    for rows, words in ((200, "200"), (2000, "2,000"), (20_000, "20,000")):
        medians = means[means.index.str.endswith(f"-{rows}")].median()
        assert f"| median, N = {words}, 13 problems | {' | '.join(f'{median:.1f}' for median in medians)} |" in text


def test_the_ranks():
    """Average ranks of the paper's methods, on the splits that all of them have, are the same on every page."""
    methods = {
        **{"free-energy": "`FreeEnergyClassifier`", "rf": "random forest"},
        **{name: f"`{learner.__name__}`" for name, learner in PAPER.items()},
    }
    records = load_compact(ROOT / "benchmarks" / "paper" / "records.jsonl.gz")
    fits = pd.DataFrame([{**vars(r.job), "error": r.honest_error} for r in records if r.job.method in methods])
    wide = fits.pivot(index=["dataset", "repeat", "fold"], columns="method", values="error").dropna()
    means = wide.groupby(level="dataset").mean().round(5)  # errors are recorded with six decimals
    assert means.shape == (35, 14)
    ranks = means.rank(axis=1).mean()
    for page, names in (("howto/choose.md", methods), ("accuracy.md", {method: method for method in methods})):
        text = (ROOT / "docs" / page).read_text(encoding="utf-8")
        for method, name in names.items():
            rank = float(re.search(rf"^\| {re.escape(name)} \| (\d+\.\d\d) \|", text, re.MULTILINE)[1])
            assert rank == pytest.approx(ranks[method], abs=0.02), method  # rounding may make or break a tie
            assert re.search(rf"^\| {re.escape(name)} \|.*\| {means[method].mean():.2f} \|", text, re.MULTILINE), method
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    ours, forest, best = ranks["free-energy"], ranks["rf"], ranks.drop(["free-energy", "rf"]).min()
    assert f"([{ours:.2f}](docs/accuracy.md#ranks); forest {forest:.2f}, best other metric {best:.2f})" in readme
    quoted = f"[honest {ours:.2f}](accuracy.md#ranks)"
    assert quoted in (ROOT / "docs" / "paper.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_command_of_the_ranks_prints_them():
    done = subprocess.run(
        [sys.executable, ROOT / "benchmarks" / "accuracy.py"], capture_output=True, text=True, check=True
    )
    printed = next(part for part in done.stdout.split("\n\n") if part.startswith("| 35 sets |"))
    assert printed in (ROOT / "docs" / "accuracy.md").read_text(encoding="utf-8")
