"""Every format gives the same table, and an error names the line."""

import gzip
import io

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy.io import arff
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from freemetric.tabular import InputError, Schema, read
from freemetric.tabular.frames import as_table
from freemetric.tabular.table import Table
from freemetric.tabular.tasks import labels

from ..formats import as_bytes


def write(frame, folder, suffix):
    path = folder / f"people.{suffix}"
    content = as_bytes(frame, suffix.removesuffix(".gz"))
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


@pytest.mark.filterwarnings("ignore:.*read with blanks between the columns")
@pytest.mark.parametrize(
    "suffix", ["csv", "csv.gz", "tsv", "txt", "xlsx", "jsonl", "json", "feather", "parquet", "arff"]
)
def test_every_suffix_gives_the_same_frame(mixed, tmp_path, suffix):
    table = read(write(mixed, tmp_path, suffix))
    schema = Schema.infer(table, "class")
    assert [column.kind for column in schema.columns] == ["numeric", "numeric", "nominal", "nominal", "nominal"]
    assert [column.missing for column in schema.columns] == [0, 16, 0, 0, 12]
    assert schema.columns[2].categories == ("blue", "green", "red")
    expected = mixed.drop(columns="class")
    pd.testing.assert_frame_equal(schema.frame(table), expected.astype(schema.frame(table).dtypes).fillna(np.nan))
    np.testing.assert_array_equal(labels(table, "class")[0], mixed["class"])


def test_a_table_shows_its_size_and_not_its_cells():
    columns = {f"x{i}": np.full(1000, 7.25) for i in range(10)}
    names = "'x0', 'x1', 'x2', 'x3', 'x4', 'x5', 'x6', 'x7' and 2 more"
    assert repr(Table("a.csv", columns)) == f"<Table 'a.csv': 1000 rows, 10 columns: {names}>"
    labelled = Table("a.svm", {"x": np.zeros(2), "y": np.ones(2)}, target="y")
    assert repr(labelled) == "<Table 'a.svm': 2 rows, 2 columns: 'x', 'y'; target 'y'>"
    assert repr(Table("a.csv", {})) == "<Table 'a.csv': 0 rows, 0 columns>"
    assert repr(as_table(np.zeros((3, 2)))) == "<FrameTable 'X': 3 rows, 2 columns: 'x0', 'x1'>"


def test_arff_as_scipy_reads_it(mixed, tmp_path):
    path = write(mixed, tmp_path, "arff")
    data, _ = arff.loadarff(io.StringIO(path.read_text()))
    table = read(path)
    for name in mixed:
        if data[name].dtype.kind == "f":
            np.testing.assert_array_equal(table.numbers(name), data[name])
        else:
            assert [text or "?" for text in table.texts(name)] == [value.decode() for value in data[name]]


def test_arff_quotes_and_what_it_cannot_be(tmp_path):
    path = tmp_path / "a.arff"
    path.write_text(
        "@relation r\n@attribute 'a b' {'x y', 'it\\'s'}\n@attribute \"c\" real\n@data\n'x y', 1\n'it\\'s',?\n"
    )
    table = read(path)
    assert table.texts("a b").tolist() == ["x y", "it's"]
    np.testing.assert_array_equal(table.numbers("c"), [1, np.nan])
    for content, message in {
        "@relation r\n@attribute a real\n": "no line @data",
        "@attribute a relational\n@data\n1\n": "line 1: .*no attribute of a known kind",
        "@attribute a {1, 2\n@data\n1\n": "line 1: .*no attribute of a known kind",
        "@attribute 'a real\n@data\n1\n": "line 1: .*no attribute of a known kind",
        "@attribute a real\n@data\n{0 1}\n": "line 3: a sparse row",
        "@attribute a real\n@data\n'1\n": "line 3: ",
        "@attribute a real\n@data\n1,2\n": "line 3: 2 fields in a table of 1 column",
    }.items():
        path.write_text(content)
        with pytest.raises(InputError, match=message):
            read(path)


def test_libsvm_columns_are_called_by_their_index(tmp_path, rng):
    X, y = rng.random((20, 4)), np.arange(20) % 2
    X[:, 1] = 0
    dump_svmlight_file(X, y, str(tmp_path / "a.libsvm"), zero_based=False)
    table = read(tmp_path / "a.libsvm")
    assert list(table.columns) == ["label", "1", "3", "4"]
    np.testing.assert_allclose(table.numbers("3"), X[:, 2])
    np.testing.assert_array_equal(labels(table, "label")[0], y)
    for name in ("2", "17"):  # features that this file does not mention
        np.testing.assert_array_equal(table.numbers(name), np.zeros(20))


def test_libsvm_as_scikit_learn_reads_it(tmp_path, rng):
    X = rng.integers(0, 3, (30, 6)).astype(float)
    dump_svmlight_file(X, rng.integers(-1, 2, 30), str(tmp_path / "a.svm"), comment="made up", query_id=np.arange(30))
    table, (expected, y) = read(tmp_path / "a.svm"), load_svmlight_file(str(tmp_path / "a.svm"), n_features=6)
    np.testing.assert_array_equal([table.numbers(str(i)) for i in range(6)], expected.toarray().T)
    np.testing.assert_array_equal(table.numbers("label"), y)


@pytest.mark.parametrize("row", ["0 1:abc:3", "0 1:2 1:3", "0 1:1_0", "0 -1:1", "0 1", "inf 1:1", "yes 1:1", ": 1:1"])
def test_libsvm_rows_that_are_none(tmp_path, row):
    (tmp_path / "a.svm").write_text(f"1 1:2\n# a comment\n\n{row}\n")
    with pytest.raises(InputError, match="line 4: not a label and index:value pairs"):
        read(tmp_path / "a.svm")


def test_libsvm_indices_of_any_size(tmp_path):
    (tmp_path / "a.svm").write_text("1 2:7 4294967296:3\n-0 60000000:5\n")
    table = read(tmp_path / "a.svm")
    assert list(table.columns) == ["label", "2", "60000000", "4294967296"]
    np.testing.assert_array_equal(table.numbers("4294967296"), [3, 0])
    assert table.texts("label").tolist() == ["1", "0"]


def test_parquet_types(tmp_path):
    frame = pd.DataFrame(
        {
            "n": pd.array([1, None, 3], dtype="Int64"),
            "flag": [True, False, True],
            "kind": pd.Categorical([1, 2, 1]),
            "word": ["a", None, "NA"],
        }
    )
    frame.to_parquet(tmp_path / "a.parquet")
    table = read(tmp_path / "a.parquet")
    np.testing.assert_array_equal(table.numbers("n"), [1, np.nan, 3])
    assert table.texts("flag").tolist() == ["True", "False", "True"]
    assert table.texts("kind").tolist() == ["1", "2", "1"]
    assert table.texts("word").tolist() == ["a", None, None]
    pd.DataFrame({"lists": [[1], [2]]}).to_parquet(tmp_path / "b.parquet")
    with pytest.raises(InputError, match="column 'lists' holds list"):
        read(tmp_path / "b.parquet")


def test_parquet_files_that_claim_too_much(tmp_path):
    rows = pa.array(np.zeros(5_000_000, dtype=np.int8))
    pq.write_table(pa.table({"a": rows}), tmp_path / "a.parquet", row_group_size=len(rows))
    with pytest.raises(InputError, match=r"5000000 rows of 1 column in \d+ bytes are too many to unpack"):
        read(tmp_path / "a.parquet")
    pq.write_table(pa.table({"a": rows[:1_000_000]}), tmp_path / "b.parquet")
    assert read(tmp_path / "b.parquet").n_rows == 1_000_000


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (pa.array([b"a"], pa.large_binary()), "column 'a' holds large_binary"),
        (pa.array([b"a"]).dictionary_encode(), "column 'a' holds binary"),
        (pa.array([2**62], pa.timestamp("us")), "column 'a': date value out of range"),
        (
            pa.Array.from_buffers(pa.string(), 1, [None, *pa.array([b"\xff"]).buffers()[1:]]),
            "not a Parquet file, .*UTF8",
        ),
    ],
)
def test_parquet_cells_that_are_none(tmp_path, column, message):
    pq.write_table(pa.table({"a": column}), tmp_path / "a.parquet")
    with pytest.raises(InputError, match=message):
        read(tmp_path / "a.parquet")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b"\n\n", "the file is empty"),
        (b"a,b\n", "a header and no rows"),
        (b"a;b\n", "one column, 'a;b': --delimiter ';'"),
        (b"a,,b\n1,2,3\n", "line 1: column 2 has no name"),
        (b"a,b\n1,2\n1\n", "line 3: 1 field in a table of 2 columns"),
        (b'a,b\n1,"2\n', "line 2: unexpected end of data"),
        (b"a,b\n1,\xff\x81\n", "line 2: byte 0xff is not UTF-8"),
        (b"a,b\n1,2\n1,\x00\n", "line 3: a NUL byte"),
    ],
)
def test_malformed_csv_is_reported_by_its_line(tmp_path, content, message):
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        read(path)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def test_files_that_are_none(tmp_path):
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(b"a,b\n1,2\n")[:-4])
    (tmp_path / "a.parquet").write_bytes(b"PAR1 and nothing")
    (tmp_path / "a.xyz").write_text("a b\n1 2\n")
    for name, message in {
        "a.csv.gz": "damaged or truncated gzip file",
        "a.parquet": "not a Parquet file",
        "a.xyz": "its suffix is none of",
        "b.csv": "cannot be read",
    }.items():
        with pytest.raises(InputError, match=message):
            read(tmp_path / name)
    assert read(tmp_path / "a.xyz", "csv", delimiter=" ").numbers("b").tolist() == [2]
    with pytest.raises(InputError, match="unknown format 'xls'"):
        read(tmp_path / "a.xyz", "xls")
    with pytest.raises(InputError, match="one character"):
        read(tmp_path / "a.xyz", "csv", delimiter="||")


@pytest.mark.slow
def test_a_gzip_file_that_packs_well(tmp_path):
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * 300_000))
    assert read(tmp_path / "a.csv.gz").n_rows == 300_000


def test_what_is_missing_can_be_said(tmp_path):
    (tmp_path / "a.csv").write_text("a,b\n-9,NA\n1,?\n")
    table = read(tmp_path / "a.csv", missing=["-9"])
    np.testing.assert_array_equal(table.numbers("a"), [np.nan, 1])
    assert table.texts("b").tolist() == ["NA", "?"]
