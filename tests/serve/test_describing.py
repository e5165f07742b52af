"""What the page says of a table, against what was put into it."""

import numpy as np
import pandas as pd
import pytest

from freemetric.serve.describing import describe, guessed_target
from freemetric.serve.requests import Choices, Upload
from freemetric.tabular import InputError, Table


@pytest.fixture
def uploaded(tmp_path):
    def write(text, name="mine.csv"):
        path = tmp_path / "table.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return Upload(str(path), name)

    return write


def by_name(described):
    return {column["name"]: column for column in described["columns"]}


def test_columns_are_reported(uploaded, csv):
    said = describe(uploaded(csv), Choices())
    columns = by_name(said)
    assert (said["n_rows"], said["n_columns"], said["target"], said["guessed"]) == (60, 5, "kind", True)
    assert [(known["name"], known["n"]) for known in said["classes"]] == [("blue", 20), ("red", 20), ("white", 20)]
    assert columns["id"]["left_out"] == "it numbers the rows"
    assert columns["length"]["kind"] == "numbers"
    assert (columns["field"]["kind"], columns["field"]["missing"], columns["field"]["n_values"]) == ("names", 1, 2)
    assert set(columns["field"]["examples"]) == {"north", "south"}
    assert said["problem"] is None


def test_choices_change_what_is_understood(uploaded, csv):
    uses = {"id": "keep", "width": "drop", "length": "nominal"}
    columns = by_name(describe(uploaded(csv), Choices("kind", uses)))
    assert columns["id"]["left_out"] == ""
    assert columns["width"]["left_out"] == "you leave it out"
    assert columns["length"]["kind"] == "names"
    other = describe(uploaded(csv), Choices("field"))
    assert (other["target"], other["guessed"], other["n_classes"]) == ("field", False, 2)


def test_decimal_commas_and_dates(uploaded):
    lines = "\n".join(f"{i % 7},{i};{1 + i % 28}.{1 + i % 12}.2020;{'ab'[i % 2]}" for i in range(60))
    said = describe(uploaded(f"price;day;class\n{lines}\n"), Choices())
    columns = by_name(said)
    assert columns["price"]["kind"].startswith("numbers with")
    assert columns["day"]["kind"] == "dates (dmy)"
    assert any("decimal" in note for note in said["notes"])


def test_messages_are_the_pages_own(uploaded, csv):
    """Neither options of a command line nor a path of the server."""
    upload = uploaded(csv)
    said = describe(upload, Choices())
    texts = [
        *said["notes"],
        *describe(upload, Choices("length"))["notes"],
        describe(upload, Choices("id", task="classify"))["problem"],
    ]
    assert texts
    for text in texts:
        assert "--" not in text
        assert upload.path not in text
    assert any("“keep it”" in text for text in texts)


@pytest.mark.parametrize("content", [b"", b"\0\1\2\xff" * 50, b"a,b\n1,2\n1,2,3\n", b"a,b\n"])
def test_a_broken_file_is_one_line(uploaded, content):
    upload = uploaded(content)
    with pytest.raises(InputError) as caught:
        describe(upload, Choices())
    assert str(caught.value).isprintable()
    assert upload.path not in str(caught.value)
    assert "mine.csv" in str(caught.value)


def test_hostile_columns_are_texts(uploaded):
    name = '<img src=x onerror="alert(1)">'
    frame = pd.DataFrame({name: np.arange(40) % 7, "b": ["</script>", "{{7*7}}"] * 20, "class": ["<b>", "'\""] * 20})
    said = describe(uploaded(frame.to_csv(index=False)), Choices())
    assert by_name(said)[name]["kind"] == "numbers"
    assert [known["name"] for known in said["classes"]] == ["'\"", "<b>"]


def test_very_many_columns_are_not_all_shown(uploaded):
    frame = pd.DataFrame(np.zeros((4, 1000)), columns=[f"x{i}" for i in range(1000)]).assign(kind=list("abab"))
    said = describe(uploaded(frame.to_csv(index=False)), Choices("kind"))
    assert (said["n_columns"], len(said["columns"])) == (1001, 400)


@pytest.mark.parametrize(
    ("columns", "target"),
    [
        ({"Class": ["a", "b"], "x": ["1", "2"]}, "Class"),
        ({"x": ["1.5", "2.5", "3"], "sex": ["m", "f", "m"], "weight": ["1.25", "2", "3"]}, "weight"),
        ({"x": ["1.5", "2.5", "3"], "sex": ["m", "f", "m"], "name": ["Ann", "Bob", "Cy"]}, "sex"),
        ({"x": ["1.5", "2.5", "3"], "sex": ["m", "f", "m"], "number": ["1", "2", "3"]}, "sex"),
        ({"x": np.array([0.5, 1.5, 2.5]), "group": np.array([1.0, 2.0, 1.0]), "z": np.array([0.1, 0.2, 0.3])}, "z"),
        ({"x": np.array([0.5, 1.5]), "z": np.array([0.1, 0.2])}, "z"),
    ],
)
def test_what_is_predicted_is_guessed(columns, target):
    cells = {
        name: values if isinstance(values, np.ndarray) else np.array(values, object) for name, values in columns.items()
    }
    assert guessed_target(Table("t", cells)) == target
