"""Means on the pages, recomputed from the committed records without the code that prints them."""

import gzip
import json
import re

import pandas as pd
import pytest

from freemetric.bench.results import load_compact
from freemetric.learners import PAPER

from ..pages import ROOT

BENCHMARKS = ROOT / "benchmarks"
pytestmark = pytest.mark.skipif(
    not (BENCHMARKS / "paper").exists(), reason="benchmarks are not part of an installed package"
)


@pytest.fixture(scope="module")
def page():
    return (ROOT / "docs" / "results.md").read_text(encoding="utf-8")


def rows(text, header):
    """The table whose header begins like this: the other cells of a row by its first one."""
    lines = text[text.index(f"| {header}") :].split("\n\n")[0].splitlines()[2:]
    return {first: cells for first, *cells in (re.split(r" *\| *", line[2:-2]) for line in lines)}


def means(records):
    """Mean error and Brier score over sets by method, on the splits that every method has."""
    splits = pd.DataFrame([{**vars(r.job), "error": r.honest_error, "brier": r.brier} for r in records])
    wide = splits.pivot(index=["dataset", "repeat", "fold"], columns="method", values=["error", "brier"])
    return wide[wide["error"].notna().all(axis=1)].groupby(level="dataset").mean().mean().unstack(0)


def test_the_ablation(page):
    table, expected = rows(page, "21 sets"), means(load_compact(BENCHMARKS / "accuracy" / "ablation.jsonl.gz"))
    for variant, (error, _, brier) in table.items():
        assert error == f"{expected['error'][variant]:.2f}", variant
        difference = expected["brier"][variant] - expected["brier"]["default"]
        assert brier.split(",")[0] == ("" if variant == "default" else f"{difference:+.4f}"), variant


def test_other_methods(page):
    table = rows(page, "mean over 29 sets")
    expected = means(load_compact(BENCHMARKS / "accuracy" / "outside.jsonl.gz"))
    for method, scores in expected.iterrows():
        assert table[method][:2] == [f"{scores['error']:.2f}", f"{scores['brier']:.4f}"], method


def test_regression(page):
    records = load_compact(BENCHMARKS / "regression" / "records.jsonl.gz")
    r2 = pd.DataFrame([{**vars(r.job), "r2": r.r2} for r in records])
    assert len(r2) == 33 * 7 * 10
    by_set = r2.groupby(["dataset", "method"])["r2"].mean().unstack()
    ranks = (-by_set).rank(axis=1).mean()
    table = rows(page, "all, 33 sets")
    assert set(table) == set(by_set)
    for method, cells in table.items():
        assert cells[0] == f"{ranks[method]:.2f}", method
        assert cells[2] == f"{by_set[method].mean():.4f}", method
    assert f"{ranks['free-energy-regressor']:.2f}" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_parts_of_the_regressor(page):
    with gzip.open(BENCHMARKS / "regression" / "choices.jsonl.gz", "rt") as file:
        fits = pd.DataFrame([json.loads(line) for line in file])
    tables = fits[fits["excess"].isna()]
    by_set = 100 * tables.groupby(["change", "set"])["r2"].mean()
    choosing = by_set["dict(trends=())"].index
    shown = rows(page, "recipe")
    for words, change in (
        ("the default", "dict()"),
        ("no trends", "dict(trends=())"),
        ("no model of the noise", "dict(noises=())"),
    ):
        assert shown[words][0] == f"{by_set[change][choosing].mean():.2f}"


def test_synthetic_regression(page):
    records = load_compact(BENCHMARKS / "regression" / "noise.jsonl.gz")
    fits = pd.DataFrame([{**vars(r.job), "excess": 100 * r.excess / r.noise} for r in records if not r.failure])
    wide = fits.pivot(index=["dataset", "repeat", "fold"], columns="method", values="excess").dropna()
    by_problem = wide.groupby(level="dataset").mean()
    for n, words in ((200, "200"), (2000, "2,000"), (20_000, "20,000")):
        medians = by_problem[by_problem.index.str.endswith(f"-{n}")].median()
        assert f"| median, N = {words}, 13 problems | {' | '.join(f'{median:.1f}' for median in medians)} |" in page


def test_ranks(page):
    """Average ranks of the paper's methods on the splits that all of them have, on every page that shows them."""
    methods = {
        **{"free-energy": "`FreeEnergyClassifier`", "rf": "random forest"},
        **{name: f"`{learner.__name__}`" for name, learner in PAPER.items()},
    }
    records = load_compact(BENCHMARKS / "paper" / "records.jsonl.gz")
    fits = pd.DataFrame([{**vars(r.job), "error": r.honest_error} for r in records if r.job.method in methods])
    wide = fits.pivot(index=["dataset", "repeat", "fold"], columns="method", values="error").dropna()
    by_set = wide.groupby(level="dataset").mean().round(5)  # errors are recorded with six decimals
    assert by_set.shape == (35, 14)
    ranks = by_set.rank(axis=1).mean()
    pages = [(page, {method: method for method in methods})]
    pages += [(path.read_text(encoding="utf-8"), methods) for path in pages_of_learners()]
    for text, names in pages:
        for method, name in names.items():
            rank = float(re.search(rf"^\| {re.escape(name)} \| (\d+\.\d\d) \|", text, re.MULTILINE)[1])
            assert rank == pytest.approx(ranks[method], abs=0.02), method  # rounding may make or break a tie
            mean = f"{by_set[method].mean():.2f}"
            assert re.search(rf"^\| {re.escape(name)} \|.*\| {mean} \|", text, re.MULTILINE), method
    for file in ("README.md", "docs/paper.md"):
        assert f"{ranks['free-energy']:.2f}" in (ROOT / file).read_text(encoding="utf-8"), file


def pages_of_learners():
    """Pages that list the ranks by the names of the classes."""
    return [path for path in (ROOT / "docs").rglob("*.md") if "| `FreeEnergyClassifier` | 1." in path.read_text()]


def test_gaps(page):
    lines = (BENCHMARKS / "gaps.jsonl").read_text().splitlines()
    frame = pd.DataFrame([json.loads(line) for line in lines])
    with_gaps = set(frame.table[frame.treatment == "median, indicator"])
    base = {"choosing, gaps": "median", "choosing, categories": "NaN", "confirming, gaps": "median, indicator"}
    for line, (n, *changes) in rows(page, "treatment | tables").items():
        head, _, treatment = line.partition(": ")
        stage, kind = head.split(", ")
        some = frame[(frame.stage == stage) & (frame.table.isin(with_gaps) == (kind == "gaps"))]
        for measured, change in zip(("error", "loss"), changes, strict=True):
            halves = some.pivot(index="table", columns=["treatment", "fold"], values=measured)
            ratio = halves[treatment].sum(axis=1, skipna=False) / halves[base[head]].sum(axis=1, skipna=False)
            assert (len(ratio), f"{100 * (ratio.mean() - 1):.2f}") == (int(n), change.lstrip("+")), line
