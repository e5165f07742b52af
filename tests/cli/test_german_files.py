"""Files with semicolons, decimal commas and thousands, from the shell's side."""

import numpy as np
import pandas as pd
import pytest

FIT = ["--target", "class", "--method", "euclidean", "--set", "n_neighbors=3", "-o"]


def german(number):
    return f"{number:,.2f}".translate(str.maketrans(",.", ".,"))


@pytest.fixture
def folder(people, tmp_path):
    frame = people.assign(size=(1000 * people["size"]).map(german), age=people["age"].map(lambda x: f"{x},000"))
    frame.to_csv(tmp_path / "de.csv", sep=";", index=False)
    frame.drop(columns="age").assign(size=1000 * people["size"]).to_csv(tmp_path / "plain.csv", index=False)
    return tmp_path


def test_they_are_read_and_it_is_said(freemetric, folder):
    words = ["--drop", "age", *FIT]
    answer = freemetric("fit", folder / "de.csv", *words, folder / "de.fm")
    assert answer.code == 0
    assert answer.lines[0].endswith("de.csv: read with the delimiter ';'")
    assert "column 'size' read as numbers with decimal ',' (" in answer.lines[1]
    columns = freemetric("inspect", folder / "de.fm", "--json").json["columns"]
    assert (columns[0]["kind"], columns[0]["decimal"]) == ("numeric", ",")
    assert freemetric("fit", folder / "plain.csv", *FIT, folder / "plain.fm").lines == []
    for name in ("de", "plain"):
        answer = freemetric("predict", folder / f"{name}.fm", folder / f"{name}.csv", "-o", folder / f"{name}-out.csv")
        assert answer.code == 0
    np.testing.assert_array_equal(*(pd.read_csv(folder / f"{name}-out.csv")["prediction"] for name in ("de", "plain")))


def test_what_may_be_two_numbers_is_asked_for(freemetric, folder):
    answer = freemetric("fit", folder / "de.csv", *FIT, folder / "a.fm")
    assert answer.code == 0
    assert any("column 'age': '" in line and "--decimal , or --thousands , says which" in line for line in answer.lines)
    answer = freemetric("fit", folder / "de.csv", "--decimal", ",", *FIT, folder / "a.fm")
    assert (answer.code, len(answer.lines)) == (0, 1)
    kinds = {c["name"]: c["kind"] for c in freemetric("inspect", folder / "a.fm", "--json").json["columns"]}
    assert kinds == {"size": "numeric", "age": "numeric", "colour": "nominal", "town": "nominal"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--decimal", "x"], "the mark of decimals is . or , and not 'x'"),
        (["--thousands", "xy"], "the mark of thousands is one of . , ' or a blank and not 'xy'"),
        (["--decimal", ",", "--thousands", ","], "cannot both have the mark ','"),
    ],
)
def test_wrong_marks(freemetric, folder, words, message):
    answer = freemetric("fit", folder / "de.csv", *words, *FIT, folder / "a.fm")
    assert (answer.code, answer.out, len(answer.lines)) == (2, "", 1)
    assert message in answer.lines[0]


def test_another_delimiter_that_does_not_fit_every_row_is_suggested(freemetric, tmp_path):
    (tmp_path / "a.csv").write_text("a;b;class\n1;2;yes\n1;2\n")
    answer = freemetric("fit", tmp_path / "a.csv", *FIT, tmp_path / "a.fm")
    assert (answer.code, len(answer.lines)) == (2, 1)
    assert answer.lines[0].endswith("a.csv: one column, 'a;b;class': --delimiter ';'?")


def test_quotes_and_tabs_are_recognised(freemetric, people, tmp_path):
    for delimiter in ";\t|":
        people.to_csv(tmp_path / "a.csv", sep=delimiter, index=False, quoting=1)
        answer = freemetric("fit", tmp_path / "a.csv", *FIT, tmp_path / "a.fm")
        assert (answer.code, len(answer.lines)) == (0, 1)
        assert answer.lines[0].endswith(f"read with the delimiter {delimiter!r}")


@pytest.fixture
def one_word(people, tmp_path):
    """A number to predict, and one to learn from, with decimal commas and one word in each."""
    frame = people.assign(size=(10 * people["size"]).map(german), price=(people["age"] / 7).map(german))
    frame.loc[4, "price"] = "kaputt"
    frame.loc[6, "size"] = "leer"
    frame.to_csv(tmp_path / "a.csv", sep=";", index=False)
    return tmp_path


@pytest.mark.parametrize("words", [[], ["--decimal", ","], ["--task", "regress"]])
@pytest.mark.parametrize("command", ["fit", "evaluate"])
def test_the_one_word_among_numbers_is_named(freemetric, one_word, command, words):
    given = ["-o", one_word / "a.fm"] if command == "fit" else []
    answer = freemetric(command, one_word / "a.csv", "--target", "price", *words, *given)
    assert (answer.code, answer.out) == (2, "")
    assert "a.csv: row 5 (line 6), column 'price': 'kaputt' is no number" in answer.lines[-1]
    assert "--missing kaputt takes it for a gap" in answer.lines[-1]
    assert not (one_word / "a.fm").exists()


def test_what_the_line_says_helps(freemetric, one_word):
    words = ["--target", "price", "--method", "euclidean", "--missing", "kaputt", "--missing", "leer"]
    answer = freemetric("fit", one_word / "a.csv", *words, "-o", one_word / "a.fm")
    assert answer.code == 0
    assert any("1 row without a number is left out" in line for line in answer.lines)


def test_the_one_word_among_numbers_to_learn_from_is_named(freemetric, one_word):
    words = ["--target", "class", "--numeric", "size", "--method", "euclidean"]
    answer = freemetric("fit", one_word / "a.csv", *words, "-o", one_word / "a.fm")
    assert answer.code == 2
    assert answer.lines[-1].endswith("a.csv: row 7 (line 8), column 'size': 'leer' is not a finite number")
