import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from freemetric.tables import TableEncoder
from freemetric.tables.encoder import CONSTANT, EMPTY

N = 60
RNG = np.random.default_rng(0)
SIZES = RNG.normal(size=N)


def table(**columns):
    return pd.DataFrame({"size": SIZES, **columns})


@pytest.mark.parametrize(
    ("name", "cells", "reason"),
    [
        ("c", [None] * N, "it has no value"),
        ("c", ["NA"] * N, "it has no value"),
        ("c", [pd.NaT] * N, "it has no value"),
        ("c", [5] * N, "it is constant"),
        ("c", ["5 %"] * N, "it is constant"),
        ("c", ["same"] * N, "it is constant"),
        ("c", [f"name {row}" for row in range(N)], "nearly every row"),
        ("c", list(range(100, 100 + N)), "it numbers the rows"),
        ("c", [str(row) for row in reversed(range(N))], "it numbers the rows"),
        ("patient_id", RNG.permutation(10**6)[:N].tolist(), "it numbers the rows"),
        ("Unnamed: 0", (7 * np.arange(N)).tolist(), "it numbers the rows"),
    ],
)
def test_columns_of_no_use(name, cells, reason):
    frame = table(**{name: cells})
    with pytest.warns(UserWarning, match=rf"'{name}' \({reason}") as caught:
        encoder = TableEncoder().fit(frame)
    assert len(caught) == 1
    advice = "drop" if reason in (CONSTANT, EMPTY) else "keep"
    assert f"; {advice}=['{name}']" in str(caught[0].message)
    assert list(encoder.kinds_) == ["size"]
    assert encoder.transform(frame[["size"]]).shape == (N, 1)
    assert name in TableEncoder(keep=[name]).fit(frame).kinds_
    assert list(TableEncoder(drop=[name]).fit(frame).kinds_) == ["size"]


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("price", [f"${20000 + row:,}" for row in range(N)]),
        ("price", [f"{20000 + row}€" for row in range(N)]),
        ("price", RNG.permutation(10**6)[:N]),
        ("amount", np.arange(N) * 0.5),
        ("width", RNG.integers(0, 9, N)),
        ("day", pd.date_range("2020-01-01", periods=N)),
        ("some", [5] * (N - 1) + [None]),
    ],
)
def test_columns_of_use(name, cells):
    assert name in TableEncoder().fit(table(**{name: cells})).kinds_


def test_one_warning_names_all_columns():
    frame = table(key=range(N), gap=np.nan, same=1)
    with pytest.warns(UserWarning, match="'key' .*'gap' .*'same' ") as caught:
        TableEncoder().fit(frame)
    assert len(caught) == 1


def test_what_keep_can_use_is_named():
    frame = table(same=1, key=range(N))
    with pytest.warns(UserWarning, match=r"keep=\['key'\] .*drop=\['key'\]"):
        TableEncoder().fit(frame)


def test_a_word_among_numbers_is_named():
    cells = [*map(str, range(N - 1)), "about 7"]
    with pytest.warns(UserWarning, match="'about 7' is no number"):
        TableEncoder(keep=["c"]).fit(table(c=cells))


@pytest.mark.parametrize("parameter", ["keep", "drop"])
def test_names_that_are_none(parameter):
    with pytest.raises(ValueError, match=rf"{parameter} names .* lacks: \['x'\]"):
        TableEncoder(**{parameter: ["size", "x"]}).fit(table())
    with pytest.raises(TypeError, match=r"such as \['size'\]"):
        TableEncoder(**{parameter: "size"}).fit(table())


def test_nothing_of_use():
    with pytest.raises(ValueError, match=r"no usable column: 'c' \(it is constant\)"):
        TableEncoder().fit(pd.DataFrame({"c": [1] * N}))


def test_one_column_with_a_comma_decides_about_the_others():
    thousands = [f"{number}.{number + 100}" for number in range(1, N + 1)]
    clear = [f"{number},5" for number in range(N)]
    encoder = TableEncoder().fit(pd.DataFrame({"a": thousands, "b": clear}))
    new = pd.DataFrame({"a": ["2.500", "3"], "b": ["1.234,5", "2"]})
    np.testing.assert_array_equal(encoder.transform(new), [[2500, 1234.5], [3, 2]])
    alone = TableEncoder().fit_transform(pd.DataFrame({"a": thousands}))
    np.testing.assert_array_equal(alone[:, 0], [float(text) for text in thousands])


def test_columns_are_matched_by_name():
    frame = table(colour=RNG.choice(["red", "blue"], N), more=RNG.random(N))
    encoder = TableEncoder().fit(frame)
    shuffled = frame[["more", "colour", "size"]].assign(extra="x")
    np.testing.assert_array_equal(encoder.transform(shuffled), encoder.transform(frame))
    with pytest.raises(ValueError, match=r"X lacks the columns \['colour'\]"):
        encoder.transform(frame.drop(columns="colour"))


def test_parts_that_do_not_vary_are_no_features():
    days = pd.date_range("2020-01-01", periods=N)
    encoder = TableEncoder().fit(pd.DataFrame({"day": days}))
    names = ["day_days", "day_month", "day_weekday"]
    assert encoder.get_feature_names_out().tolist() == names


def test_a_failed_fit_leaves_the_old_one():
    encoder = TableEncoder().fit(table())
    with pytest.raises(ValueError, match="infinite"):
        encoder.fit(table(c=np.where(np.arange(N) == 5, -np.inf, SIZES)))
    assert list(encoder.kinds_) == ["size"]
    assert clone(encoder).get_params() == {"keep": (), "drop": ()}


def test_every_kind_of_table():
    polars = pytest.importorskip("polars", reason="needs the extra dev-all")
    frame = table(colour=RNG.choice(["red", "blue"], N))
    encoder = TableEncoder()
    expected = encoder.fit_transform(frame)
    np.testing.assert_array_equal(encoder.transform(frame.to_dict("records")), expected)
    np.testing.assert_array_equal(
        encoder.transform(polars.from_pandas(frame)), expected
    )


def test_many_columns_of_no_use_are_counted():
    frame = table(**{f"c{i}": np.ones(N) for i in range(30)})
    with pytest.warns(UserWarning, match="'c19' .* and 10 others; drop=") as caught:
        TableEncoder().fit(frame)
    assert len(caught) == 1
