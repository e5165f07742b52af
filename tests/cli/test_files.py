import os
import sys
from importlib.util import find_spec

import pandas as pd
import pytest

from freemetric.cli.files import SUFFIXES, header_of, read_table, suffix_of, write_table

NEEDS_ARROW = pytest.mark.skipif(
    find_spec("pyarrow") is None, reason="needs the extra parquet"
)
KINDS = [
    pytest.param(suffix, marks=NEEDS_ARROW) if suffix == ".parquet" else suffix
    for suffix in (*SUFFIXES, ".csv.gz", ".CSV")
]
FRAME = pd.DataFrame({"name": ["Zoë", "a, b", 'c "d"'], "size": [1.5, -2.0, 3.0]})


@pytest.mark.parametrize("suffix", KINDS)
def test_what_is_written_is_read(suffix, tmp_path):
    path = tmp_path / f"table{suffix}"
    write_table(FRAME, path)
    read = read_table(path).astype({"size": float})
    pd.testing.assert_frame_equal(read, FRAME, check_dtype=False)
    assert os.listdir(tmp_path) == [path.name]


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252"])
def test_separators_and_encodings(separator, encoding, tmp_path):
    path = tmp_path / "table.csv"
    FRAME.to_csv(path, sep=separator, encoding=encoding, index=False)
    assert read_table(path)["name"].tolist() == FRAME["name"].tolist()


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_unicode_text_of_excel(encoding, tmp_path):
    path = tmp_path / "table.txt"
    marked = "\ufeff" if encoding != "utf-16" else ""
    path.write_text(f"{marked}name\tsize\nZoë\t1\n", encoding=encoding)
    assert read_table(path).to_dict("records") == [{"name": "Zoë", "size": "1"}]
    assert header_of(path) == ["name", "size"]


def test_cells_of_text_stay_texts(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("code;price\n007;1.234,50\nNA;\n")
    cells = [["007", "1.234,50"], ["NA", ""]]
    assert read_table(path).to_numpy().tolist() == cells


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", b""),
        ("a.csv", b"x,y\n"),
        ("a.csv", b"x,y\n1,2\n1,2,3,4\n"),
        ("a.csv.gz", b"no gzip"),
        ("a.xlsx", b"no zip"),
        ("a.json", b"{"),
        pytest.param("a.parquet", b"PAR1", marks=NEEDS_ARROW),
        ("a.csv", b"x\n\x81\x8d\n"),
    ],
)
def test_what_is_no_table(name, content, tmp_path):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(ValueError, match=name):
        read_table(path)


@pytest.mark.parametrize(
    ("name", "package", "extra"),
    [("a.xlsx", "openpyxl", "excel"), ("a.parquet", "pyarrow", "parquet")],
)
def test_packages_of_files_are_named(name, package, extra, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    advice = rf"This needs {package}: pip install {package} \(extra '{extra}'\)\.$"
    with pytest.raises(ImportError, match=advice):
        suffix_of(name)


def test_other_suffixes_are_refused():
    with pytest.raises(ValueError, match=r"a\.doc: the suffix must be one of \.csv"):
        suffix_of("a.doc")


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "table.csv"
    write_table(FRAME, path)
    before = path.read_bytes()

    def half_written(frame, draft, **options):
        draft.write_text("half")
        raise OSError("the disk is full")

    monkeypatch.setattr(pd.DataFrame, "to_csv", half_written)
    with pytest.raises(OSError, match="full"):
        write_table(FRAME, path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["table.csv"]
