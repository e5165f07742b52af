"""Files of text: a small one cannot fill the memory, and an error names the line."""

import gzip
import subprocess
import sys

import pytest

from freemetric import text_files
from freemetric.datasets.table import DatasetError, read_table
from freemetric.tabular import InputError, read
from freemetric.text_files import content_of, text_of

READERS = [(read, InputError), (read_table, DatasetError)]


@pytest.mark.parametrize(("reader", "error"), READERS)
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b"\xef\xbb\xbfa,y\n1,\xff\n", "line 2: byte 0xff is not UTF-8"),
        (b"a,y\n1,p\n2,\x00\n", "line 3: a NUL byte, not text"),
        (b'a,y\n1,"p\n', "line 2: unexpected end of data"),
    ],
)
def test_both_readers_say_the_same(reader, error, content, message, tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    with pytest.raises(error, match=message) as caught:
        reader(path)
    assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize(("reader", "error"), READERS)
def test_a_small_file_that_unpacks_to_much(reader, error, tmp_path):
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(b"1,2\n" * (10 << 20)))
    with pytest.raises(error, match="unpacks to more than 32 MB; unpack it first"):
        reader(path)


@pytest.mark.slow
def test_a_megabyte_does_not_take_gigabytes(tmp_path):
    (tmp_path / "a.csv.gz").write_bytes(1000 * gzip.compress(bytes(1 << 20)))
    assert (tmp_path / "a.csv.gz").stat().st_size < 1.1 * 2**20
    script = """
import resource, sys
from freemetric.tabular import InputError, read
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    read(sys.argv[1])
except InputError as problem:
    print(problem)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    done = subprocess.run([sys.executable, "-c", script, tmp_path / "a.csv.gz"], capture_output=True, text=True)
    said, kilobytes = done.stdout.splitlines()
    assert said.endswith("MB; unpack it first")
    assert int(kilobytes) < 200 << 10


def test_large_files_may_unpack_to_more(tmp_path, rng):
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(rng.integers(48, 58, 100_000).astype("u1").tobytes()))
    assert len(content_of(path, InputError)) == 100_000
    assert text_of(path, content_of(path, InputError), InputError).isdigit()


def test_never_more_than_the_most(tmp_path, monkeypatch):
    monkeypatch.setattr(text_files, "LARGEST", 1 << 20)
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * 300_000))
    with pytest.raises(InputError, match="unpacks to more than 1 MB"):
        read(tmp_path / "a.csv.gz")
