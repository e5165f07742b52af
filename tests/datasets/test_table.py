"""CSV files as text columns, and text columns as numbers."""

import numpy as np
import pytest

from freemetric.datasets.registry import PLAIN
from freemetric.datasets.table import DatasetError, encode, read_table

GOOD = "size,colour,side,class\n1,red,l,a\n,green,r,b\n4,,l,a\n2.5,red,l,b\n"
NOMINAL = {"colour": ["green", "red"], "side": ["l", "r"]}


def read(path, content):
    path.write_bytes(content)
    return read_table(path)[0]


def test_a_table_is_encoded(tmp_path):
    table = read(tmp_path / "toys.csv", GOOD.encode())
    X, names = encode(table, NOMINAL, PLAIN, "value")
    assert names == ("size", "colour=green", "colour=red", "colour=(missing)", "side=r")
    np.testing.assert_array_equal(X, [[1, 0, 1, 0, 0], [2.5, 1, 0, 0, 1], [4, 0, 0, 1, 0], [2.5, 0, 1, 0, 0]])
    assert table.fields[-1] == ("a", "b", "a", "b")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b"\n\n", "the file is empty"),
        (b"x,y,class\n", "a header and no rows"),
        (b"x,y,class\n1,2,a\n1,b\n", "line 3: 2 fields where the header has 3"),
        (b"x,y,class\n1,2,a\n1,2,3,b\n", "line 3: 4 fields where the header has 3"),
        (b"class\na\nb\n", "line 1: one column only, 'class'"),
        (b"x,y,class\n1,2,a\n2,3,\n", r"line 3: the class \(last column, 'class'\) is empty"),
        (b"x,x,class\n1,2,a\n2,3,b\n", "line 1: column 2 repeats the name 'x'"),
        (b",x,class\n1,2,a\n2,3,b\n", "line 1: column 1 has no name"),
        (b"x,y,class\n1,2,a\n1,caf\xe9,b\n", "line 3: byte 0xe9 is not UTF-8"),
        (b'x,y,class\n1,"2,a\n1,2,b\n', "line 3: unexpected end of data"),
        (b"x,y,class\n1,nan,a\n1,2,b\n", "line 2: 'nan' in column 'y' is not a finite number"),
        (b"x,y,class\n1,2,a\n1,1e999,b\n", "line 3: '1e999' in column 'y' is not a finite number"),
        (b"x,y,class\n1,two,a\n1,2,b\n", "line 2: 'two' in column 'y' is not a finite number"),
        (b"x,y,class\n1,,a\n1,,b\n", "column 'y' has no value at all"),
    ],
)
def test_malformed(content, message, tmp_path):
    path = tmp_path / "bad.csv"
    with pytest.raises(DatasetError, match=message) as caught:
        encode(read(path, content), {}, PLAIN)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_missing_file(tmp_path):
    with pytest.raises(DatasetError, match="cannot be read"):
        read_table(tmp_path / "none.csv")


def test_forms_of_a_good_file(tmp_path):
    for text in GOOD.replace("\n", "\r\n"), "\ufeff" + GOOD, GOOD + "\n", GOOD.rstrip(), GOOD.replace(",", " , "):
        assert encode(read(tmp_path / "t.csv", text.encode()), NOMINAL, PLAIN, "value")[0].shape == (4, 5)
