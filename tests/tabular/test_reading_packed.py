"""Packed files, pipes and standard input: by what they are, never endless, never written anywhere."""

import bz2
import gzip
import io
import lzma
import os
import stat
import sys
import tarfile
import threading
import zipfile

import pytest

from freemetric.exceptions import DataWarning
from freemetric.tabular import InputError, read, reading

TABLE = b"a,b\n1,x\n2,y\n"
LONG = bytes(33 << 20)  # packed, it is short


def zipped(members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


def locked(content):
    """With the mark of a password in both heads of a member."""
    spoiled = bytearray(content)
    spoiled[6] |= 1
    spoiled[content.index(b"PK\x01\x02") + 8] |= 1
    return bytes(spoiled)


def tar():
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz") as archive:
        member = tarfile.TarInfo("a.csv")
        member.size = len(TABLE)
        archive.addfile(member, io.BytesIO(TABLE))
    return file.getvalue()


@pytest.fixture
def put(tmp_path):
    def write(name, content):
        (tmp_path / name).write_bytes(content)
        return tmp_path / name

    return write


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv.gz", gzip.compress(TABLE)),
        ("A.CSV.GZ", gzip.compress(TABLE)),
        ("a.csv.bz2", bz2.compress(TABLE)),
        ("a.csv.xz", lzma.compress(TABLE)),
        ("a.csv.gz", gzip.compress(TABLE[:4]) + gzip.compress(TABLE[4:])),
        ("a.csv.zip", zipped({"a.csv": TABLE})),
        ("a.zip", zipped({"folder/": b"", "folder/a.csv": TABLE, "__MACOSX/folder/._a.csv": b"?", ".DS_Store": b"?"})),
        ("a.csv.zip", zipped({"data": TABLE})),
        ("a.zip", zipped({"a.tsv": TABLE.replace(b",", b"\t")})),
        ("a.zip", zipped({"a.jsonl": b'{"a": 1, "b": "x"}\n{"a": 2, "b": "y"}\n'})),
    ],
)
def test_they_are_unpacked(put, name, content):
    table = read(put(name, content))
    assert table.numbers("a").tolist() == [1, 2]
    assert table.texts("b").tolist() == ["x", "y"]


def test_names_inside_an_archive_lead_nowhere(put, tmp_path):
    for name in ("../../a.csv", "/etc/a.csv", "C:\\a.csv", "..\\a.csv"):
        assert read(put("a.zip", zipped({name: TABLE}))).n_rows == 2
    assert [path.name for path in tmp_path.iterdir()] == ["a.zip"]


def test_misnamed_ones(put):
    with pytest.warns(DataWarning, match="a.csv: is a gzip file and was unpacked"):
        assert read(put("a.csv", gzip.compress(TABLE))).n_rows == 2
    with pytest.raises(InputError, match="is no gzip file, though its name says so"):
        read(put("a.csv.gz", TABLE))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv.gz", gzip.compress(TABLE)[:-4], "damaged or truncated gzip file"),
        ("a.csv.bz2", bz2.compress(TABLE)[:-4], "damaged or truncated bzip2 file"),
        ("a.csv.xz", lzma.compress(TABLE)[:-4], "damaged or truncated xz file"),
        ("a.zip", zipped({"a.csv": TABLE})[:-4], "damaged or truncated zip file"),
        ("a.zip", zipped({"a.csv": TABLE}).replace(b"x\x9c", b"!!", 1)[:40], "damaged or truncated zip file"),
        ("a.zip", zipped({}), "holds no file"),
        ("a.zip", zipped({"a.csv": TABLE, "b.csv": TABLE}), "holds 2 files, 'a.csv', 'b.csv'; one is wanted"),
        ("a.zip", locked(zipped({"a.csv": TABLE})), "is protected by a password; unpack it first"),
        ("a.zip", zipped({"a.csv": b""}), "the file in it is empty"),
        ("a.zip", zipped({"a.exe": TABLE}), "its suffix is none of"),
        ("a.csv.gz", gzip.compress(gzip.compress(TABLE)), "is packed twice"),
        ("a.csv.bz2", bz2.compress(LONG, 1), "unpacks to more than 32 MB; unpack it first"),
        ("a.csv.xz", lzma.compress(LONG, preset=0), "unpacks to more than 32 MB; unpack it first"),
        ("a.zip", zipped({"a.csv": LONG}), "unpacks to more than 32 MB; unpack it first"),
        ("a.tar.gz", tar(), "a tar archive; unpack it first"),
        ("a.csv.gz", tar(), "a tar archive; unpack it first"),
        ("a.csv.zst", b"\x28\xb5\x2f\xfd" + bytes(20), "packed by zstd; unpack it first"),
        ("a.csv", b"\x28\xb5\x2f\xfd" + bytes(20), "packed by zstd; unpack it first"),
    ],
)
def test_what_cannot_be_unpacked(put, name, content, message):
    with pytest.raises(InputError, match=message) as caught:
        read(put(name, content))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\x89PNG\r\n\x1a\n" + bytes(50), "a PNG picture"),
        (b"\xff\xd8\xff\xe0" + bytes(50), "a JPEG picture"),
        (b"%PDF-1.7\n", "a PDF document"),
        (b"<!DOCTYPE html>\n<html>", "a web page; was a log-in needed"),
        (b"PAR1" + bytes(50), "its content is of the format parquet; --format parquet reads it"),
        (b"\x80\x04\x95" + bytes(50), "a pickle, which could run code"),
        (b"version https://git-lfs.github.com/spec/v1\noid", "a pointer of Git LFS"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(50), "save it as .xlsx or .csv"),
        (
            zipped({"mimetype": "x"})[:30] + b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet",
            "damaged|OpenDocument",
        ),
    ],
)
def test_other_files_under_the_name_of_a_table(put, content, message):
    with pytest.raises(InputError, match=message):
        read(put("a.csv", content))


@pytest.mark.parametrize("name", ["a.xls", "a.ods", "a.sav", "a.rds", "a.pkl"])
def test_advice_about_others(tmp_path, name):
    with pytest.raises(InputError, match=rf"{name}: .*\.csv"):
        read(tmp_path / name)


def test_places_that_are_no_files(put, tmp_path):
    (tmp_path / "folder.csv").mkdir()
    for place, message in [(tmp_path / "folder.csv", "Is a directory"), (tmp_path / "no.csv", "No such file")]:
        with pytest.raises(InputError, match=rf"cannot be read \({message}"):
            read(place)
    with pytest.raises(InputError, match="/dev/zero: a device and no file"):
        read("/dev/zero", "csv")


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_may_not_be_read(put):
    path = put("a.csv", TABLE)
    path.chmod(0)
    with pytest.raises(InputError, match=r"cannot be read \(Permission denied\)"):
        read(path)


def test_a_pipe(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "PATIENCE", 0.2)
    os.mkfifo(tmp_path / "a.csv")
    with pytest.raises(InputError, match="a pipe that nobody writes into"):
        read(tmp_path / "a.csv")
    monkeypatch.setattr(reading, "PATIENCE", 10)
    for content in (TABLE, gzip.compress(TABLE)):
        writer = threading.Thread(target=(tmp_path / "a.csv").write_bytes, args=[content])
        writer.start()
        assert read(tmp_path / "a.csv").numbers("a").tolist() == [1, 2]
        writer.join()
    assert stat.S_ISFIFO((tmp_path / "a.csv").stat().st_mode)


def test_standard_input_by_its_content(mixed, monkeypatch):
    from ..formats import as_bytes

    for form in ("csv", "xlsx", "jsonl", "json", "feather", "parquet", "arff"):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(as_bytes(mixed, form))))
        table = read("-")
        assert table.source == "standard input"
        assert table.numbers("size").tolist() == mixed["size"].tolist()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a b\n1 2\n")))
    with pytest.warns(DataWarning, match="standard input: read with blanks"):
        assert list(read("-", "txt").columns) == ["a", "b"]


def test_standard_input_that_is_none(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    with pytest.raises(InputError, match="standard input: the file is empty"):
        read("-")
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    with pytest.raises(InputError, match="standard input: nothing comes in; `cat FILE"):
        read("-")
