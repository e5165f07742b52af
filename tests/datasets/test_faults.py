"""What is wrong with a file is one clear line that names it."""

import gzip

import pytest

from freemetric.datasets import DatasetError, check, load


def fault(name, folder, **options):
    """The one line that loading ends with."""
    with pytest.raises(DatasetError) as caught:
        load(name, folder, **options)
    assert "\n" not in str(caught.value)
    assert str(folder / name) in str(caught.value)
    (result,) = check([name], folder)
    assert (result.status, result.detail) == ("problem", str(caught.value))
    return str(caught.value)


def edit(path, change):
    path.write_text(change(path.read_text()))


def test_truncated_csv(home):
    edit(home / "balance.csv", lambda text: text[: len(text) // 2].rsplit("\n", 1)[0])
    assert "rows, expected 625" in fault("balance", home)


def test_truncated_inside_a_line(home):
    edit(home / "balance.csv", lambda text: text[:-4])
    assert "line 626: 4 fields where the header has 5" in fault("balance", home)


def test_truncated_gz(home):
    text = (home / "wine.csv").read_bytes()
    (home / "wine.csv").unlink()
    (home / "wine.csv.gz").write_bytes(gzip.compress(text)[:-200])
    assert "damaged or truncated gzip" in fault("wine", home)


def test_gz_that_is_none(home):
    (home / "wine.csv").rename(home / "wine.csv.gz")
    assert "damaged or truncated gzip" in fault("wine", home)


def test_misnamed(home):
    (home / "wine.csv").replace(home / "iris.csv")
    assert "13 features, expected 4" in fault("iris", home)
    (home / "balance.csv").replace(home / "iris.csv")
    assert "column 1 is 'left-weight', expected 'sepallength'" in fault("iris", home)


def test_swapped_columns(home):
    edit(home / "iris.csv", lambda text: text.replace("sepallength,sepalwidth", "sepalwidth,sepallength", 1))
    assert "column 1 is 'sepalwidth', expected 'sepallength'" in fault("iris", home)


def test_swapped_columns_under_the_right_header(home):
    def swap(text):
        header, *rows = [line.split(",") for line in text.splitlines()]
        return "\n".join(",".join(row) for row in [header, *([b, a, *rest] for a, b, *rest in rows)])

    edit(home / "iris.csv", swap)
    assert "the shape is right, the content differs" in fault("iris", home)


def test_wrong_classes(home):
    original = (home / "iris.csv").read_text()
    edit(home / "iris.csv", lambda text: text.replace("virginica", "versicolor"))
    assert "2 classes, expected 3" in fault("iris", home)
    (home / "iris.csv").write_text(original.replace("versicolor", "virginica", 1))
    assert "49 rows of class 'Iris-versicolor', expected 50" in fault("iris", home)
    (home / "iris.csv").write_text(original.replace("Iris-versicolor", "Versicolor"))
    assert "0 rows of class 'Iris-versicolor', expected 50" in fault("iris", home)


def test_no_class_column(home):
    edit(home / "iris.csv", lambda text: "\n".join(line.rsplit(",", 1)[0] for line in text.splitlines()))
    assert "no class column: the last is 'petalwidth', expected 'class'" in fault("iris", home)


def test_strange_value(home):
    edit(home / "tic-tac-toe.csv", lambda text: text.replace("\nx,", "\nX,", 1))
    assert "line 2: 'X' in column 'top-left-square', expected one of o, b, x" in fault("tic-tac-toe", home)


def test_changed_content(home):
    edit(home / "iris.csv", lambda text: text.replace("5.1", "5.2", 1))
    message = fault("iris", home)
    assert "sha256" in message
    assert "expected 46d7c472a2aee94e" in message
    assert load("iris", home, check=False).X[0, 0] == 5.2


def test_text_among_numbers(home):
    edit(home / "iris.csv", lambda text: text.replace("5.1", "5;1", 1))
    with pytest.raises(DatasetError, match="line 2: '5;1' in column 'sepallength' is not a finite number"):
        load("iris", home, check=False)


def test_unreadable(home):
    (home / "iris.csv").unlink()
    (home / "iris.csv").mkdir()
    assert "cannot be read" in fault("iris", home)


def test_data_home_that_is_none(tmp_path, monkeypatch):
    with pytest.raises(DatasetError, match=r"data_home is .*nowhere', which is not a folder"):
        load("iris", tmp_path / "nowhere")
    monkeypatch.setenv("FREEMETRIC_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(DatasetError, match=r"FREEMETRIC_DATA is .*nowhere', which is not a folder"):
        load("iris")
