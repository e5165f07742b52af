"""Frames as tables: whatever a column holds becomes what a file of it would hold."""

import datetime as dt
import uuid
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn import config_context

from freemetric import NCA, TableClassifier
from freemetric.exceptions import DataWarning
from freemetric.tabular import InputError, read
from freemetric.tabular.frames import as_table
from freemetric.tabular.preprocessing import usable

DAY, MOMENT = dt.date(2020, 2, 29), dt.datetime(2020, 2, 29, 12, 30)
ROME = dt.timezone(dt.timedelta(hours=1))

COLUMNS = {
    "integers": ([1, 2, None], [1, 2, np.nan]),
    "floats": ([0.5, np.nan, 2], [0.5, np.nan, 2]),
    "truth": ([True, None, False], ["True", None, "False"]),
    "texts": ([" a ", None, "b"], ["a", None, "b"]),
    "gaps in texts": (["NA", "?", "b"], [None, None, "b"]),
    "days": ([DAY, None, DAY], ["2020-02-29", None, "2020-02-29"]),
    "moments": ([MOMENT, None, MOMENT], ["2020-02-29 12:30", None, "2020-02-29 12:30"]),
    "spans": ([dt.timedelta(days=1, hours=12), None, dt.timedelta(0)], [1.5, np.nan, 0]),
    "times": ([dt.time(6), None, dt.time(18)], [0.25, np.nan, 0.75]),
    "decimals": ([Decimal("1.5"), None, Decimal("-2")], [1.5, np.nan, -2]),
    "nothing": ([None, None, None], [np.nan, np.nan, np.nan]),
}
MAKERS = {
    "pandas": lambda values: pd.DataFrame({"x": values}),
    "objects": lambda values: pd.DataFrame({"x": pd.Series(values, dtype=object)}),
    "best types": lambda values: pd.DataFrame({"x": values}).convert_dtypes(),
    "Arrow's types": lambda values: pd.DataFrame({"x": pd.array(values, dtype=pd.ArrowDtype(pa.array(values).type))}),
    "polars": lambda values: pl.DataFrame({"x": values}, strict=False),
    "lazy": lambda values: pl.LazyFrame({"x": values}, strict=False),
    "pyarrow": lambda values: pa.table({"x": values}),
    "an array": lambda values: np.array([[value] for value in values], dtype=object),
    "rows": lambda values: [[value] for value in values],
}


def same(cells, expected):
    """Whether cells say the same: numbers, texts, or moments however they are written."""
    if cells.dtype.kind == "f":
        return np.array_equal(cells, np.array(expected, dtype=float), equal_nan=True)
    moments = [text if text is None else text.replace("T", " ").removesuffix(":00") for text in cells.tolist()]
    return moments == expected or cells.tolist() == expected


@pytest.mark.parametrize("kind", COLUMNS)
@pytest.mark.parametrize("maker", MAKERS)
def test_every_type_in_every_frame(maker, kind):
    values, expected = COLUMNS[kind]
    table = as_table(MAKERS[maker](values))
    (name,) = table.columns
    assert same(table.cells(name), expected), table.cells(name)


SERIES = {
    "categories of numbers": (pd.Series([1, 2, None], dtype="category"), ["1", "2", None]),
    "unused levels": (pd.Series(["a", "b", None], dtype=pd.CategoricalDtype(["z", "b", "a"])), ["a", "b", None]),
    "intervals": (pd.cut(pd.Series([1.0, 3.0, None]), [0, 2, 4]), ["(0.0, 2.0]", "(2.0, 4.0]", None]),
    "Arrow's dictionary": (
        pd.Series(pd.array(["a", None, "b"], dtype=pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string())))),
        ["a", None, "b"],
    ),
    "polars' Enum": (pl.Series(["a", None, "b"], dtype=pl.Enum(["b", "a"])), ["a", None, "b"]),
    "polars' Categorical": (pl.Series(["a", None, "b"], dtype=pl.Categorical), ["a", None, "b"]),
    "pyarrow's dictionary": (pa.array(["a", None, "b"]).dictionary_encode(), ["a", None, "b"]),
}


@pytest.mark.parametrize("kind", SERIES)
def test_categories_are_names_even_where_they_are_numbers(kind):
    values, expected = SERIES[kind]
    makers = {pl.Series: pl.DataFrame, pd.Series: pd.DataFrame}
    table = as_table(makers.get(type(values), pa.table)({"x": values}))
    assert table.texts("x").tolist() == expected
    assert table.kinds == {"x": "nominal"}


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(pd.to_datetime(["2020-02-29 12:30"])).dt.tz_localize("Europe/Rome"),
        pd.Series([MOMENT.replace(tzinfo=ROME)], dtype=object),
        pl.Series([MOMENT]).dt.replace_time_zone("Europe/Rome"),
        pa.chunked_array([pa.array([MOMENT.replace(tzinfo=ROME)])]),
        pd.Series(np.array(["2020-02-29T12:30:00.123456789"], dtype="M8[ns]")),
        pd.Series([np.datetime64("2020-02-29T12:30")], dtype=object),
    ],
)
def test_moments_are_local_ones(column):
    frame = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}[type(column).__module__.split(".")[0]]
    days, year, month, weekday = as_table(frame({"x": column})).dates("x", "ymd")[0]
    assert days == pytest.approx((dt.datetime(2020, 2, 29, 12, 30) - dt.datetime(1970, 1, 1)) / dt.timedelta(days=1))
    assert (year, month, weekday) == (2020, 2, 5)


def test_more_of_what_cells_may_hold():
    one = uuid.UUID(int=1)
    cells = {
        "bytes": [b"yes", b" no"],
        "mixed": [1, "a"],
        "huge": [10**400, 1],
        "unsigned": [2**64 - 1, 0],
        "period": list(pd.period_range("2020-01", periods=2, freq="M")),
        "other": [one, one],
    }
    table = as_table(pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in cells.items()}))
    assert table.cells("bytes").tolist() == ["yes", "no"]
    assert table.cells("mixed").tolist() == ["1", "a"]
    assert table.cells("huge").tolist() == [np.inf, 1]
    assert table.cells("unsigned").tolist() == [2.0**64, 0]
    assert table.dates("period", "ymd")[:, 1:3].tolist() == [[2020, 1], [2020, 2]]
    assert table.cells("other").tolist() == [str(one)] * 2
    with pytest.raises(InputError, match=r"^X: row 1, column 'huge': 'inf' is not a finite number$"):
        table.numbers("huge")


@pytest.mark.parametrize(
    ("values", "what"),
    [
        ([[1], [2]], "a list"),
        ([{"a": 1}, None], "a dict"),
        ([np.arange(2), None], "a ndarray"),
        ([1j, None], "a complex"),
        ([object(), None], "an object"),
    ],
)
def test_what_is_no_cell_is_said_when_the_column_is_needed(values, what):
    table = as_table(pd.DataFrame({"tags": pd.Series(values, dtype=object), "x": [1, 2]}))
    assert table.n_rows == 2
    with pytest.raises(InputError, match=rf"^X: column 'tags' holds {what}, which is no cell of a table; drop="):
        table.cells("tags")


@pytest.mark.parametrize("frame", [pl.DataFrame({"tags": [[1], [2]]}), pl.DataFrame({"tags": [{"a": 1}, {"a": 2}]})])
def test_nested_columns_of_polars(frame):
    with pytest.raises(InputError, match=r"column 'tags' holds .*, which is no cell of a table"):
        as_table(frame).cells("tags")


def test_names_of_columns():
    frame = pd.DataFrame([[1, 2, 3]])
    assert list(as_table(frame).columns) == ["0", "1", "2"]
    fitted = TableClassifier(NCA()).fit(pd.concat([frame, 2 * frame, -frame, -2 * frame]), ["a", "a", "b", "b"])
    assert not hasattr(fitted, "feature_names_in_")
    levels = pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("a", "x"), ("a", "y")]))
    assert list(as_table(levels).columns) == ["a/x", "a/y"]
    assert list(as_table(frame.to_numpy()).columns) == ["x0", "x1", "x2"]
    assert list(as_table(np.array([(1, "a")], dtype=[("n", int), ("s", object)])).columns) == ["n", "s"]
    for twice in (pd.DataFrame([[1, 2]], columns=["a", "a"]), pd.DataFrame([[1, 2]], columns=[1, "1"])):
        with pytest.warns(DataWarning, match=r"^X: columns of the same name are renamed: '[a1]_2' \(was '[a1]'\)$"):
            table = as_table(twice)
        assert [table.cells(name).tolist() for name in table.columns] == [[1], [2]]


@pytest.mark.parametrize(
    ("X", "what"),
    [
        (pd.DataFrame(), r"0 feature\(s\) \(shape=\(0, 0\)\)"),
        (pd.DataFrame({"a": []}), r"0 sample\(s\) \(shape=\(0, 1\)\)"),
        (pl.DataFrame(), r"0 feature\(s\)"),
        (np.empty((3, 0)), r"0 feature\(s\) \(shape=\(3, 0\)\)"),
        ([1, 2], "1D array instead. Reshape your data"),
        ([[1, 2], [3]], "no table|Reshape your data"),
        (pd.Series([1, 2]), "1D array instead"),
        ({"a": [1]}, r"X is a dict; pandas.DataFrame\(X\) makes a table of it"),
        ("people.csv", "X is a path and no table; pandas reads the file, and so does `freemetric fit`"),
        ([{"a": 1}, [1]], "Reshape your data|no table"),
        (7, "int is no table"),
        (None, "NoneType is no table"),
    ],
)
def test_what_is_no_table_is_said_in_one_line(X, what):
    with pytest.raises(InputError, match=what) as problem:
        as_table(X)
    assert "\n" not in str(problem.value)


def test_records_are_a_frame():
    records = [{"a": 1, "b": "x"}, {"b": "y", "c": True}, {"a": None, "b": None, "c": False}]
    table, frame = as_table(records), as_table(pd.DataFrame(records))
    assert list(table.columns) == list(frame.columns)
    for name in table.columns:
        assert same(table.cells(name), frame.cells(name).tolist())


def test_dask_is_asked_to_compute():
    frames = pytest.importorskip("dask.dataframe")
    frame = frames.from_pandas(pd.DataFrame({"a": [1, 2]}), npartitions=1)
    with pytest.raises(InputError, match=r"^X is one of Dask's, not in memory; X.compute\(\) reads it$"):
        as_table(frame)


def test_whatever_speaks_arrow_is_a_frame():
    class Stream:
        def __arrow_c_stream__(self, schema=None):
            return pa.table({"a": [1, None], "b": ["x", "y"]}).__arrow_c_stream__(schema)

    table = as_table(Stream())
    assert same(table.cells("a"), [1, np.nan])
    assert table.cells("b").tolist() == ["x", "y"]


def test_sparse_matrices_within_working_memory():
    X = sparse.random(20, 3, 0.5, format="csr", random_state=0)
    np.testing.assert_array_equal(as_table(X).cells("x1"), X.toarray()[:, 1])
    with config_context(working_memory=1), pytest.raises(ValueError, match="TruncatedSVD"):
        as_table(sparse.csr_matrix((10**6, 100)))


def test_missing_texts_and_marks_are_the_users(tmp_path):
    frame = pd.DataFrame({"country": ["NA", "DE"], "price": ["1.234", "5.678"], "day": ["1.2.2020", "2.3.2020"]})
    assert as_table(frame, missing=[]).cells("country").tolist() == ["NA", "DE"]
    table = as_table(frame, thousands=".", date_order="dmy")
    assert table.numbers("price").tolist() == [1234, 5678]
    assert table.dates("day", "ymd")[:, 2].tolist() == [2, 3]
    for wrong in ({"decimal": ";"}, {"date_order": "dym"}):
        with pytest.raises(InputError, match=r"dates|decimals"):
            as_table(frame, **wrong)


@pytest.mark.filterwarnings("ignore::freemetric.exceptions.DataWarning")
def test_the_schema_is_that_of_the_file(mixed, written):
    expected = usable(read(written), "class")
    for frame in (mixed, pd.read_csv(written), pl.read_csv(written), pl.read_csv(written).to_arrow()):
        assert usable(as_table(frame), "class") == expected
