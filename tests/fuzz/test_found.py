"""What the fuzzer has found in readers of tables, mended since."""

import io
import zipfile

import pytest

from freemetric.tabular import InputError, read

QUOTED = b'a\tb\t",y\n@data\tb\t",y\n1\t'


def archive():
    """A zip file whose one name says that it is UTF-8, and is not."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as packed:
        packed.writestr("\u00e9.csv", "a,b\n1,2\n")
    return file.getvalue().replace("\u00e9".encode(), b"\xc7(")


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.tsv", QUOTED, "line 2: a tab expected after"),
        ("a.xlsx", archive(), "not an Excel workbook"),
        ("a.zip", archive(), "can't decode"),
        ("a.csv", archive(), "can't decode"),
    ],
)
def test_one_line(name, content, said, tmp_path):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match=said) as problem:
        read(path)
    assert str(problem.value).isprintable()
