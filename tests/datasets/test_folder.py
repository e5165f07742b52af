"""Any folder of CSV files."""

import gzip

import numpy as np
import pytest

from freemetric.datasets import DatasetError, Suite, list_folder, load_csv
from freemetric.exceptions import DataWarning

GOOD = "size,colour,side,class\n1,red,l,a\n,green,r,b\n4,,l,a\n2.5,red,l,b\n"


def test_load_csv(tmp_path):
    (tmp_path / "toys.csv").write_text(GOOD)
    data = load_csv(tmp_path / "toys.csv")
    assert data.name == "toys"
    assert data.feature_names == ("size", "colour=green", "colour=red", "colour=(missing)", "side=r")
    np.testing.assert_array_equal(data.X, [[1, 0, 1, 0, 0], [2.5, 1, 0, 0, 1], [4, 0, 0, 1, 0], [2.5, 0, 1, 0, 0]])
    assert data.y.tolist() == [0, 1, 0, 1]
    assert data.classes == ("a", "b")


def test_suite(tmp_path):
    (tmp_path / "b.csv").write_text(GOOD)
    (tmp_path / "a.x.csv.gz").write_bytes(gzip.compress(GOOD.encode()))
    (tmp_path / "README.md").write_text("no data")
    (tmp_path / "sub").mkdir()
    assert list_folder(tmp_path) == ["a.x", "b"]
    suite = Suite(tmp_path)
    assert suite.names == ["a.x", "b"]
    np.testing.assert_array_equal(suite.load("a.x").X, suite.load("b").X)
    with pytest.raises(DatasetError, match=r"'c'; there are a\.x, b"):
        suite.load("c")


def test_folders_that_are_no_suite(tmp_path):
    with pytest.raises(DatasetError, match="no file"):
        list_folder(tmp_path)
    with pytest.raises(DatasetError, match="not a folder"):
        list_folder(tmp_path / "nowhere")
    (tmp_path / "a.csv").write_text(GOOD)
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(GOOD.encode()))
    with pytest.raises(DatasetError, match=r"both a.csv and a.csv.gz"):
        list_folder(tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b"\n\n", "the file is empty"),
        (b"x,y,class\n", "a header and no rows"),
        (b"x,y,class\n1,2,a\n1,b\n", "line 3: 2 fields where the header has 3"),
        (b"x,y,class\n1,2,a\n1,2,3,b\n", "line 3: 4 fields where the header has 3"),
        (b"class\na\nb\n", "line 1: one column only, 'class'"),
        (b"x,y,class\n1,2,a\n2,3,a\n", "every row has the class 'a'"),
        (b"x,y,class\n1,2,a\n2,3,\n", r"line 3: the class \(last column, 'class'\) is empty"),
        (b"x,y,z\n1,2,3.25\n2,3,4.5\n", "line 2: '3.25' in the last column, 'z', is no class"),
        (b"x,x,class\n1,2,a\n2,3,b\n", "line 1: column 2 repeats the name 'x'"),
        (b",x,class\n1,2,a\n2,3,b\n", "line 1: column 1 has no name"),
        (b"5.1,3.5,a\n4.9,3.0,b\n", "line 1: '5.1' and the others are numbers"),
        (b"x,y,class\n1,2,a\n1,caf\xe9,b\n", "line 3: byte 0xe9 is not UTF-8"),
        (b'x,y,class\n1,"2,a\n1,2,b\n', "line 3: unexpected end of data"),
        (b"x,y,class\n1,nan,a\n1,2,b\n", "line 2: 'nan' in column 'y' is not a finite number"),
        (b"x,y,class\n1,,a\n1,,b\n", "column 'y' has no value at all"),
    ],
)
def test_malformed(content, message, tmp_path):
    path = tmp_path / "bad.csv"
    path.write_bytes(content)
    with pytest.raises(DatasetError, match=message) as caught:
        load_csv(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_missing_file(tmp_path):
    with pytest.raises(DatasetError, match="cannot be read"):
        load_csv(tmp_path / "none.csv")


def test_a_column_that_is_nearly_numeric_is_told(tmp_path):
    (tmp_path / "t.csv").write_text("x,class\n1,a\n2,b\n3..4,a\n")
    with pytest.warns(DataWarning, match=r"column 'x' is read as nominal, for '3..4' in line 4"):
        assert load_csv(tmp_path / "t.csv").X.shape == (3, 3)


def test_forms_of_a_good_file(tmp_path):
    for text in GOOD.replace("\n", "\r\n"), "\ufeff" + GOOD, GOOD + "\n", GOOD.rstrip(), GOOD.replace(",", " , "):
        (tmp_path / "t.csv").write_bytes(text.encode())
        assert load_csv(tmp_path / "t.csv").X.shape == (4, 5)
    (tmp_path / "t.csv").write_text("0,1,class\n1,2,a\n2,3,b\n")
    assert load_csv(tmp_path / "t.csv").feature_names == ("0", "1")
