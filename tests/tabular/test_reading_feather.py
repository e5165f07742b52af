"""Feather and Arrow files, and small ones that would unpack to much."""

import io
import struct
import time

import numpy as np
import pandas as pd
import pytest

from freemetric.exceptions import DataWarning
from freemetric.tabular import InputError, read

pa = pytest.importorskip("pyarrow")
feather = pytest.importorskip("pyarrow.feather")
parquet = pytest.importorskip("pyarrow.parquet")


@pytest.fixture
def put(tmp_path):
    def write(content, name="a.feather"):
        if not isinstance(content, bytes):
            file = io.BytesIO()
            feather.write_feather(content, file, compression="zstd")
            content = file.getvalue()
        (tmp_path / name).write_bytes(content)
        return tmp_path / name

    return write


@pytest.mark.parametrize("compression", ["uncompressed", "lz4", "zstd"])
def test_types(tmp_path, compression):
    frame = pd.DataFrame(
        {
            "n": pd.array([1, None, 3], dtype="Int64"),
            "flag": [True, False, True],
            "kind": pd.Categorical(["a", "b", "a"]),
            "word": ["a", None, "NA"],
            "when": pd.date_range("2020-01-01", periods=3),
        }
    )
    frame.to_feather(tmp_path / "a.feather", compression=compression)
    table = read(tmp_path / "a.feather")
    np.testing.assert_array_equal(table.numbers("n"), [1, np.nan, 3])
    assert table.texts("flag").tolist() == ["True", "False", "True"]
    assert table.texts("kind").tolist() == ["a", "b", "a"]
    assert table.texts("word").tolist() == ["a", None, None]
    assert table.texts("when")[0].startswith("2020-01-01")


def test_too_little_memory_is_one_line(put, monkeypatch):
    """Arrow also says so of a damaged file, which seems to hold far more than there is."""

    def no_memory(*given):
        raise pa.lib.ArrowMemoryError("malloc of size 936748722493063232 failed")

    monkeypatch.setattr("freemetric.tabular.formats.arrow._unpacked", no_memory)
    with pytest.raises(InputError, match=r"a.feather: takes more memory than there is, or is damaged$"):
        read(put(pd.DataFrame({"a": [1.0, 2.0]})))


def test_streams_of_several_batches(tmp_path):
    table = pa.table({"a": range(100), "b": ["x", "y"] * 50})
    for opened, name in ((pa.ipc.new_stream, "s.arrow"), (pa.ipc.new_file, "f.arrow")):
        with opened(str(tmp_path / name), table.schema) as writer:
            writer.write_table(table, max_chunksize=30)
        assert read(tmp_path / name).numbers("a").tolist() == list(range(100))


@pytest.mark.parametrize(
    "table",
    [
        {"a": np.zeros(20_000_000)},
        {"a": pa.nulls(50_000_000)},
        {"a": pa.array(np.zeros(20_000_000, dtype=np.int32)).dictionary_encode()},
        {"a": pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int8()), pa.array(["x" * (1 << 26), "y"]))},
    ],
)
def test_small_files_of_much(put, table):
    path, start = put(pa.table(table)), time.perf_counter()
    assert path.stat().st_size < 1 << 20
    before = pa.total_allocated_bytes()
    with pytest.raises(InputError, match=r"unpacks to \d+ MB, too many|are too many to unpack"):
        read(path)
    assert time.perf_counter() - start < 3
    assert pa.total_allocated_bytes() - before < 1 << 26


def test_what_is_none(put):
    content = put(pa.table({"a": [1.0, 2.0]})).read_bytes()
    for spoiled, message in {
        content[:-9]: "a damaged or truncated Feather file",
        content[:100] + content[-6:]: "not a Feather file, or a damaged one",
        b"a,b\n1,2\n": "not a Feather file, or a damaged one",
        b"FEA1" + bytes(100): "a Feather file of version 1; write it again",
    }.items():
        with pytest.raises(InputError, match=message):
            read(put(spoiled))
    for table, message in [
        ({"a": [[1]]}, "column 'a' holds list"),
        ({"a": pa.array([], pa.float64())}, "no rows or no columns"),
        ({"": [1.0]}, "column 1 has no name"),
    ]:
        with pytest.raises(InputError, match=message):
            read(put(pa.table(table)))


def test_columns_that_share_a_buffer(put):
    """A file whose hundred columns all point to the values of the first would unpack to a hundred times as much."""
    n, size = 100, 1 << 23
    path = put(pa.table({f"c{i}": ["" if i else "x" * size] for i in range(n)}))
    content = bytearray(path.read_bytes())
    batch = next(message for message in pa.ipc.MessageReader.open_stream(content[8:]) if message.type == "record batch")
    head, body = batch.metadata.to_pybytes(), batch.body.to_pybytes()
    packed = struct.pack("<q", size) + b"\x28\xb5\x2f\xfd"  # by zstd
    place = head.index(struct.pack("<q", body.index(packed)))  # of the values of the first column
    start, values = content.index(head) + place, head[place : place + 16]
    for i in range(1, n):
        content[start + 48 * i : start + 48 * i + 16] = values  # every column has three buffers of 16 bytes each
    before = pa.total_allocated_bytes()
    with pytest.raises(InputError, match=r"unpacks to \d+ MB, too many"):
        read(put(bytes(content)))
    assert pa.total_allocated_bytes() - before < 1 << 26


@pytest.mark.parametrize("suffix", ["feather", "parquet"])
def test_columns_of_one_name_are_renamed(suffix, tmp_path):
    both = pa.table([pa.array([1, 2]), pa.array(["x", "y"])], names=["a", "a"])
    if suffix == "parquet":
        parquet.write_table(both, tmp_path / "a.parquet")
    else:
        with pa.ipc.new_file(tmp_path / "a.feather", both.schema) as file:
            file.write_table(both)
    with pytest.warns(DataWarning, match=r"columns of the same name are renamed: 'a_2' \(was 'a'\)$"):
        table = read(tmp_path / f"a.{suffix}")
    assert {name: table.cells(name).tolist() for name in table.columns} == {"a": [1, 2], "a_2": ["x", "y"]}
