"""``freemetric example``: a table to try the commands on."""

import pandas as pd

from freemetric.demo import people


def test_a_table_with_gaps_a_class_and_a_number(freemetric, tmp_path):
    data, new = tmp_path / "people.csv", tmp_path / "new.csv"
    answer = freemetric("example", data, new)
    assert (answer.code, answer.lines) == (0, [])
    table, rows = pd.read_csv(data), pd.read_csv(new)
    assert table.shape == (200, 7)
    assert list(rows) == [name for name in table if name != "class"]
    assert set(table["class"]) == {"low", "medium", "high"}
    assert table["class"].value_counts().min() > 30
    assert table["income"].nunique() > 100
    assert {name for name in table if table[name].isna().any()} == {"hours", "town"}
    assert people(200) == people(200) != people(200, seed=1)


def test_its_class_and_its_number_can_be_learned(freemetric, tmp_path):
    data = tmp_path / "people.csv"
    freemetric("example", data)
    words = ["--methods", "euclidean", "--folds", 2, "--repeats", 1, "--json"]
    scores = {target: freemetric("evaluate", data, "--target", target, *words) for target in ("class", "income")}
    assert [answer.json["task"] for answer in scores.values()] == ["classify", "regress"]


def test_a_file_that_exists_stays(freemetric, tmp_path):
    (tmp_path / "mine.csv").write_text("mine")
    answer = freemetric("example", tmp_path / "people.csv", tmp_path / "mine.csv")
    assert (answer.code, answer.lines) == (2, [f"{tmp_path / 'mine.csv'}: the file exists already"])
    assert [path.name for path in tmp_path.iterdir()] == ["mine.csv"]
