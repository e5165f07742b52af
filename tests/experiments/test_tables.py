"""Means of records, and tables that read the same in Markdown, HTML and CSV."""

import csv
import re
from html import unescape
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from freemetric.experiments.measures import (
    MEASURES,
    best_neighbors,
    mean_errors,
    mean_measure,
)
from freemetric.experiments.paper import (
    beside_published,
    differences_from_published,
    neighbors_beside_published,
    of_published_methods,
    published_errors,
    ranks_beside_published,
)
from freemetric.experiments.records import Job, Record, read_records
from freemetric.experiments.tables import (
    Table,
    error_table,
    neighbor_table,
    posthoc_table,
)


@pytest.fixture(scope="module")
def published():
    return published_errors()


def read_markdown(table):
    lines = [line for line in table.markdown().splitlines() if line.startswith("|")]
    rows = [line.strip("|").split(" | ") for line in [lines[0], *lines[2:]]]
    return [[cell.strip(" *") for cell in row] for row in rows]


def read_html(table):
    lines = [line for line in table.html().splitlines() if line.startswith("<tr>")]
    rows = [re.findall("<t[hd]>(?:<b>)?(.*?)(?:</b>)?</t[hd]>", line) for line in lines]
    return [[unescape(cell) for cell in row] for row in rows]


def test_all_forms_agree(published):
    for table in (
        error_table(published),
        posthoc_table(published, "DMLFE"),
        neighbor_table(published.round()),
    ):
        cells = [list(table.columns), *map(list, table.rows)]
        assert read_markdown(table) == read_html(table) == cells
        assert [*csv.reader(StringIO(table.csv()))] == cells


def test_errors_read_back_and_the_best_are_bold(published):
    table = error_table(published)
    back = pd.DataFrame(table.rows[:36]).set_index(0).astype(float)
    np.testing.assert_array_equal(back, published)
    lines = {line.split()[1]: line for line in table.markdown().splitlines()[4:]}
    assert re.findall(r"\*\*(.*?)\*\*", lines["iris"]) == ["2.00"]
    assert re.findall(r"\*\*(.*?)\*\*", lines["tic-tac-toe"]) == ["0.17", "0.17"]
    assert re.findall(r"\*\*(.*?)\*\*", lines["Rank"]) == ["3.38"]
    assert "<td><b>2.00</b></td>" in table.html()


def test_missing_results(published):
    holed = published.copy()
    holed.loc["iris", "NCA"] = np.nan
    table = error_table(holed)
    assert "35 data sets (left out for lack of a result: iris)" in table.caption
    assert table.rows[3][12] == ""
    errors = pd.DataFrame({"a": [1.0, np.nan], "b": [np.nan, 2.0]}, index=list("xy"))
    assert error_table(errors).rows == (("x", "1.00", ""), ("y", "", "2.00"))


def test_rejected_hypotheses(published):
    rows = {row[0]: row for row in posthoc_table(published, "DMLFE").rows}
    assert rows["NCA"][4:7] == ("rejected", "not rejected", "not rejected")
    assert rows["SCML"][4:7] == ("rejected",) * 3
    caption = posthoc_table(published, "DMLFE").caption
    assert "Nemenyi 3.04, Bonferroni-Dunn 2.63" in caption


def test_special_characters():
    table = Table(("a|b*c", "x < y"), (('"p", q', "&"),), "5 % of <a>")
    assert r"| a\|b\*c |" in table.markdown()
    assert "<caption>5 % of &lt;a&gt;</caption>" in table.html()
    assert "<td>&amp;</td>" in table.html()
    assert table.csv() == 'a|b*c,x < y\n"""p"", q",&\n'


def test_ranks_beside_the_published(published):
    methods = ["RF", "NCA", "LMNN", "DMLFE"]
    ours = published.loc[["iris", "wine", "zoo", "sonar"], methods]
    ours = ours.assign(DMLFE=[9.0, 9.0, 9.0, 9.0])
    rows = {row[0]: row for row in ranks_beside_published(ours).rows}
    ranks = stats.rankdata(ours, axis=1).mean(axis=0)
    theirs = stats.rankdata(published.loc[ours.index, methods], axis=1).mean(axis=0)
    for method, our_rank, rank in zip(methods, ranks, theirs, strict=True):
        assert rows[method][3:5] == (f"{our_rank:.2f}", f"{rank:.2f}")
        assert rows[method][1] == f"{ours[method].mean():.2f}"
    wilcoxon = stats.wilcoxon(ours["RF"], ours["DMLFE"]).pvalue
    assert rows["RF"][5] == f"{wilcoxon:.2g}"
    assert rows["DMLFE"][5:] == ("",) * 4


def test_table_5_beside_the_printed_one():
    names = ["iris", "wine"]
    best_k = pd.DataFrame({"NCA": [4.0, 7.0], "DMLFE": [1.0, 9.0]}, index=names)
    rows = neighbors_beside_published(best_k).rows
    assert rows[0] == ("NCA", "5.50", "14.30", "5.50", "14.15", "1.50", "5.53")


def test_what_is_called_dmlfe():
    made = records()
    for name, error in (("dmlfe", 1.0), ("dmlfe-paper", 7.0)):
        made.append(Record(Job("wine", name), errors=[9.0, error], honest_error=9.0))
    for name, error in (("dmlfe", 1.0), ("dmlfe-paper", 7.0)):
        errors, best_k = of_published_methods(made, name)
        assert errors.loc["wine"].to_dict() == {"NCA": 3.0, "RF": 2.0, "DMLFE": error}
        assert best_k.loc["wine"].to_dict() == {"NCA": 1, "DMLFE": 2}


def test_beside_published(published):
    ours = published.loc[["wine", "iris"], ["NCA", "RF"]].assign(new=1.0)
    ours.loc["iris", "NCA"] += 0.6
    ours.loc["wine", "RF"] -= 0.5
    ours.loc["iris", "RF"] = np.nan
    table = beside_published(ours)
    assert table.rows == (
        ("wine", "NCA", "1.01", "1.01", "+0.00"),
        ("wine", "RF", "0.74", "1.24", "-0.50"),
        ("iris", "NCA", "5.13", "4.53", "+0.60"),
        ("Mean", "NCA", "3.07", "2.77", "+0.30"),
        ("Mean", "RF", "0.74", "1.24", "-0.50"),
    )
    assert table.bold == {(2, 4)}
    assert differences_from_published(ours[["NCA", "RF"]]).rows == (
        ("wine", "+0.00", "-0.50"),
        ("iris", "+0.60", ""),
        ("Mean", "+0.30", "-0.50"),
    )
    assert differences_from_published(ours).bold == {(1, 1)}
    with pytest.raises(ValueError, match="no result in common"):
        beside_published(published.add_prefix("our "))


def records():
    """Curves of two methods on two halves of one data set."""
    curves = {"nca": ([4.0, 2.0, 6.0], [2.0, 5.0, 3.0]), "rf": ([1.5], [2.5])}
    made = []
    for method, errors in curves.items():
        for fold in range(2):
            job = Job("wine", method, 0, fold)
            made.append(Record(job, errors[fold], 1, errors[fold][0], brier=0.1))
    return made


@pytest.mark.parametrize(
    ("protocol", "expected"), [("honest", 3.0), ("paper", 2.0), ("one-k", 3.0)]
)
def test_protocols(protocol, expected):
    table = mean_errors(records(), protocol)
    assert table.loc["wine"].to_dict() == {"nca": expected, "rf": 2.0}


def test_means_of_records():
    assert best_neighbors(records()).loc["wine"].to_dict() == {"nca": 1}
    assert mean_measure(records(), "brier").loc["wine", "rf"] == 0.1
    assert mean_measure(records(), "mae").isna().all().all()
    failed = [*records(), Record(Job("wine", "rf", 1, 0), failure="no")]
    assert np.isnan(mean_errors(failed).loc["wine", "rf"])
    with pytest.raises(ValueError, match="Unknown protocol 'best'"):
        mean_errors(records(), "best")


def test_measures_of_a_regression():
    scores = {"r2": 0.75, "mae": 3.0, "rmse": 4.0, "pinball": 1.0, "spread": 8.0}
    scores.update(width=[4, 8, 16], noise=4.0, excess=1.0)
    record = Record(Job("boston", "knn"), **scores)
    expected = {"unexplained": 25, "mae": 37.5, "rmse": 50, "width90": 100}
    for name, value in expected.items():
        table = mean_measure([record], name)
        assert table.loc["boston", "knn"] == value
        assert table.attrs["measure"] == MEASURES[name][0]
    assert MEASURES["rmse"][0] in error_table(mean_measure([record], "rmse")).caption


def test_the_published_configuration_from_the_committed_records():
    """Two means over all 35 sets are those that docs/paper.md names."""
    root = Path(__file__).parents[2]
    found = read_records(root / "benchmarks/records/others/paper.jsonl.gz")
    some = [r for r in found if r.job.method in ("dmlfe-paper", "nca")]
    means = mean_errors(some, "one-k").mean()
    page = " ".join((root / "docs/paper.md").read_text(encoding="utf-8").split())
    assert f"`dmlfe-paper` has {means['dmlfe-paper']:.2f} % (`one-k`)" in page
    assert f"NCA by L-BFGS {means['nca']:.2f} %" in page
