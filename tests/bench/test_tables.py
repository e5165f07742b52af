"""Tables say the same in Markdown, LaTeX and CSV."""

import csv
import re

import numpy as np
import pandas as pd
import pytest

from freemetric.bench.tables import (
    TextTable,
    beside_published,
    error_table,
    has_ranks,
    neighbour_table,
    posthoc_table,
    published_errors,
    rank_tables,
    ranks_as_json,
)
from freemetric.tabular import Comparison, Settings
from freemetric.tabular.evaluation import Split


@pytest.fixture(scope="module")
def errors():
    return published_errors()


def read_csv(table):
    return list(csv.reader(table.csv().splitlines()))


def read_markdown(table):
    lines = [line for line in table.markdown().splitlines() if line.startswith("|")]
    return [[cell.strip(" *") for cell in line.strip("|").split(" | ")] for line in [lines[0], *lines[2:]]]


def read_latex(table):
    lines = [line for line in table.latex().splitlines() if line.endswith(r"\\")]
    return [re.sub(r"\\textbf{(.*?)}", r"\1", line.removesuffix(r" \\")).split(" & ") for line in lines]


def test_the_three_forms_agree(errors):
    for table in (error_table(errors), posthoc_table(errors, "DMLFE"), neighbour_table(errors.round())):
        cells = read_csv(table)
        assert read_markdown(table) == cells
        assert read_latex(table) == cells


def test_errors_read_back(errors):
    back = pd.DataFrame(read_csv(error_table(errors))[1:37]).set_index(0).astype(float)
    assert np.array_equal(back, errors)


def test_best_is_bold_and_so_are_ties(errors):
    lines = {line.split()[1]: line for line in error_table(errors).markdown().splitlines()[4:]}
    assert re.findall(r"\*\*(.*?)\*\*", lines["iris"]) == ["2.00"]
    assert re.findall(r"\*\*(.*?)\*\*", lines["tic-tac-toe"]) == ["0.17", "0.17"]
    assert re.findall(r"\*\*(.*?)\*\*", lines["**Rank**"]) == ["Rank", "3.38"]
    assert r"\textbf{2.00}" in error_table(errors).latex()


def test_missing_results_are_shown_and_reported(errors):
    holed = errors.copy()
    holed.loc["iris", "NCA"] = np.nan
    table = error_table(holed)
    assert "over 35 data sets (left out for lack of a result: iris)" in table.markdown()
    assert "n/a" in table.markdown()
    assert read_csv(table)[4][12] == ""


def test_no_complete_row_still_gives_the_errors():
    errors = pd.DataFrame({"a": [1.0, np.nan, np.nan], "b": [np.nan, 2.0, np.nan]}, index=list("xyz"))
    assert read_csv(error_table(errors))[1:] == [["x", "1.00", ""], ["y", "", "2.00"], ["z", "", ""]]


def test_rejected_hypotheses(errors):
    rows = {row[0]: row for row in read_csv(posthoc_table(errors, "DMLFE"))}
    assert rows["NCA"][4:7] == ["rejected", "not rejected", "not rejected"]
    assert rows["SCML"][4:7] == ["rejected"] * 3
    assert "Nemenyi 3.04, Bonferroni-Dunn 2.63" in posthoc_table(errors, "DMLFE").latex()


def test_a_method_named_like_an_outcome_is_not_bold(errors):
    table = posthoc_table(errors.rename(columns={"RF": "rejected"}), "DMLFE")
    assert (0, 0) not in table.bold


def test_neighbours():
    best_k = pd.DataFrame({"a": [1, 2, 9], "b": [3, 2, 1]}, index=list("xyz"))
    assert read_csv(neighbour_table(best_k)) == [
        ["Measure", "a", "b"],
        ["Mean", "4.00", "2.00"],
        ["Median", "2.00", "2.00"],
        ["Rank", "1.50", "1.50"],
    ]


def test_beside_published(errors):
    ours = errors.loc[["wine", "iris"], ["NCA", "RF"]].assign(new=1.0)
    ours.loc["iris", "NCA"] += 0.6
    ours.loc["wine", "RF"] -= 0.5
    ours.loc["iris", "RF"] = np.nan
    table = beside_published(ours)
    flag = "larger than 0.5"
    assert read_csv(table)[1:] == [
        ["wine", "NCA", "1.01", "1.01", "+0.00", ""],
        ["wine", "RF", "0.74", "1.24", "-0.50", ""],
        ["iris", "NCA", "5.13", "4.53", "+0.60", flag],
        ["Mean", "NCA", "3.07", "2.77", "+0.30", ""],
        ["Mean", "RF", "0.74", "1.24", "-0.50", ""],
    ]
    assert table.bold == {(2, 4)}
    assert "Without published values: new." in table.caption


def test_nothing_in_common(errors):
    with pytest.raises(ValueError, match="no result in common"):
        beside_published(errors.add_prefix("our "))


def test_special_characters():
    table = TextTable(("50%", "a_b"), ((r"x\y & {z}", "#1 ~ $2 ^ 3"),), caption="5 % of a_b")
    assert r"\textbackslash{}y \& \{z\} & \#1 \textasciitilde{} \$2 \textasciicircum{} 3 \\" in table.latex()
    assert r"\caption{5 \% of a\_b}" in table.latex()
    assert r"50\% & a\_b \\" in table.latex()
    assert r"| a\|b\*c |" in TextTable(("name",), (("a|b*c",),)).markdown()
    assert TextTable(("a", "b"), (("1,5", 'say "x"'),)).csv() == 'a,b\n"1,5","say ""x"""\n'


# --- people's own files

FILE_ERRORS = {"a": (10.0, 20.0, 20.0), "b": (5.0, 1.0, 7.0)}
METHODS = ("euclidean", "pca", "rf")


def comparison(errors):
    splits = [
        Split(file, method, number, error + number, 0.1)
        for file, row in errors.items()
        for number in (0, 1)
        for method, error in zip(METHODS, row, strict=True)
    ]
    return Comparison(splits, Settings(2, 1))


def test_ranks_of_several_files():
    compared = comparison(FILE_ERRORS)
    said = ranks_as_json(compared)
    assert (
        said["ranks"] == compared.errors().rank(axis=1).mean().to_dict() == {"euclidean": 1.5, "pca": 1.75, "rf": 2.75}
    )
    assert said["critical_difference"]["nemenyi"] == pytest.approx(2.343 * np.sqrt(3 * 4 / (6 * 2)), rel=1e-3)
    assert 0 <= said["friedman_p"] <= 1
    assert [table.columns[0] for table in rank_tables(compared)] == ["Data set", "Method"]


def test_one_file_or_one_method_has_none():
    alone = comparison({"a": FILE_ERRORS["a"]})
    assert not has_ranks(alone)
    assert ranks_as_json(alone) == {}
    one_method = Comparison([Split(file, "rf", 0, 1.0, 0.1) for file in "ab"], Settings())
    assert not has_ranks(one_method)
