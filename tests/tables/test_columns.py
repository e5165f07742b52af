"""Every kind of column in fit with every kind in predict."""

import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import OneHotEncoder

from freemetric.tables import TableEncoder

N = 60
RNG = np.random.default_rng(0)
NUMBERS = RNG.normal(50, 10, N).round(2)
WORDS = RNG.choice(["red", "green", "blue"], N)
BITS = RNG.integers(0, 2, N)
DAYS = pd.Series(
    pd.Timestamp("2020-01-05") + pd.to_timedelta(RNG.integers(0, 900, N), "D")
)

COLUMNS = {
    "floats": pd.Series(NUMBERS),
    "integers": pd.Series(RNG.integers(20, 80, N)),
    "nullable": pd.Series(RNG.integers(20, 80, N)).astype("Int64"),
    "float texts": pd.Series([str(number) for number in NUMBERS]),
    "commas": pd.Series([f"{number:.2f}".replace(".", ",") for number in NUMBERS]),
    "decimals": pd.Series([Decimal(str(number)) for number in NUMBERS]),
    "spans": pd.to_timedelta(pd.Series(NUMBERS), unit="s"),
    "dollars": pd.Series([f"${number * 100:,.0f}" for number in NUMBERS]),
    "euros": pd.Series([f"{number:.2f} €".replace(".", ",") for number in NUMBERS]),
    "percent": pd.Series([f"{number} %" for number in NUMBERS]),
    "shares": pd.Series(NUMBERS / 100),
    "zero one": pd.Series(BITS),
    "booleans": pd.Series(BITS == 1),
    "nullable booleans": pd.Series(BITS == 1).astype("boolean"),
    "yes no": pd.Series(np.where(BITS == 1, "Yes", "no")),
    "words": pd.Series(WORDS),
    "categories": pd.Series(WORDS).astype("category"),
    "codes": pd.Series(RNG.choice([1, 2, 3], N)).astype("category"),
    "dates": DAYS,
    "dates of a zone": DAYS.dt.tz_localize("UTC"),
    "iso texts": DAYS.dt.strftime("%Y-%m-%d"),
    "date objects": DAYS.dt.date,
    "german dates": DAYS.dt.strftime("%d.%m.%Y"),
    "gaps": pd.Series([None] * N, dtype=object),
    "infinite": pd.Series(np.where(np.arange(N) == 1, np.inf, NUMBERS)),
    "lists": pd.Series([[1]] * N),
}
PLAIN = {"floats", "integers", "nullable", "float texts", "commas", "decimals", "spans"}
PLAIN |= {"shares", "zero one"}
TRUTH = {"zero one", "booleans", "nullable booleans", "yes no"}
UNITS = {"dollars", "euros", "percent"}
TEXTS = {"words", "categories"}
ISO_DATES = {"dates", "dates of a zone", "iso texts", "date objects"}
DATES = ISO_DATES | {"german dates"}
TRUTH_WORDS = TRUTH - {"zero one"}


def works(fit, new):
    """Return whether cells of one kind can be predicted after cells of another."""
    if new == "gaps":
        return True
    if fit in TRUTH_WORDS:
        return new in TRUTH
    if fit in PLAIN:
        fits_truth = fit in {"shares", "zero one"}
        return new in PLAIN | UNITS | {"codes"} | (TRUTH if fits_truth else set())
    if fit in UNITS:
        return new in PLAIN | {fit, "codes"}
    if fit in TEXTS:
        return new in TEXTS
    if fit == "codes":
        return True
    return new in ISO_DATES or new == fit


def warns(fit, new):
    """Return whether a kind is read that may mean something else than in fit."""
    if fit in TRUTH_WORDS:
        return new == "zero one"
    if fit in {"zero one", "shares"} and new in TRUTH_WORDS | {"percent"}:
        return True
    if fit in PLAIN and new in {"dollars", "euros"}:
        return True
    if fit == "codes":
        return new not in {"codes", "zero one", "gaps", "lists"}
    return fit == "percent" and new in {"shares", "zero one"}


def table(column, rows=slice(None)):
    return pd.DataFrame({"other": NUMBERS, "c": column}).iloc[rows]


FITTED = [name for name in COLUMNS if name not in ("gaps", "infinite", "lists")]


@pytest.mark.parametrize("new", COLUMNS)
@pytest.mark.parametrize("fit", FITTED)
def test_every_pair_of_kinds(fit, new):
    encoder = TableEncoder().fit(table(COLUMNS[fit]))
    rows = table(COLUMNS[new], slice(0, 5))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if new not in ("infinite", "lists") and works(fit, new):
            features = encoder.transform(rows[["c", "other"]])
            assert np.isfinite(features).all()
            assert features.shape == (5, len(encoder.get_feature_names_out()))
        elif new == "infinite" and fit == "codes":
            assert np.isfinite(encoder.transform(rows)).all()
        else:
            message = r"Column 'c', row \d: .*$"
            with pytest.raises((ValueError, TypeError), match=message):
                encoder.transform(rows)
    assert bool(caught) is warns(fit, new)


@pytest.mark.parametrize("new", COLUMNS)
def test_a_column_of_gaps_in_fit_is_not_read_later(new):
    with pytest.warns(UserWarning, match=r"'c' \(it has no value\)"):
        encoder = TableEncoder().fit(table(COLUMNS["gaps"]))
    encoder.transform(table(COLUMNS[new]))
    with pytest.warns(UserWarning, match="silences"):
        TableEncoder().fit(table(COLUMNS["gaps"]))
    TableEncoder(keep=["c"]).fit(table(COLUMNS["gaps"]))


def test_what_is_refused_in_fit():
    with pytest.raises(ValueError, match="Column 'c', row 1: it holds an infinite"):
        TableEncoder().fit(table(COLUMNS["infinite"]))
    with pytest.raises(TypeError, match="Column 'c', row 0"):
        TableEncoder().fit(table(COLUMNS["lists"]))


def test_numbers_as_scikit_learn_imputes_them():
    column = pd.Series(NUMBERS).mask(BITS == 1)
    frame = table(column)
    expected = SimpleImputer(strategy="median", add_indicator=True).fit_transform(frame)
    encoder = TableEncoder()
    np.testing.assert_array_equal(encoder.fit_transform(frame), expected)
    assert encoder.get_feature_names_out().tolist() == ["other", "c", "c_missing"]


@pytest.mark.parametrize("n_categories", [3, 31, 32, 33, 50])
def test_categories_as_scikit_learn_encodes_them(n_categories):
    texts = [f"v{i}" for i in range(n_categories) for _ in range(i + 2)] + ["once"]
    column = pd.Series(texts, name="c")
    options = {"min_frequency": 2, "max_categories": 32, "sparse_output": False}
    model = OneHotEncoder(handle_unknown="infrequent_if_exist", **options)
    model.fit(column.to_frame())
    encoder = TableEncoder().fit(column.to_frame())
    new = pd.DataFrame({"c": [*dict.fromkeys(texts), "never seen"]})
    ours = encoder.transform(new)
    theirs = model.transform(new)
    assert ours.shape == theirs.shape
    assert sorted(map(tuple, ours.T)) == sorted(map(tuple, theirs.T))


def test_dates_as_pandas_parts_them():
    moments = DAYS + pd.to_timedelta(RNG.integers(0, 86400, N), unit="s")
    encoder = TableEncoder()
    days, year, month, weekday = encoder.fit_transform(pd.DataFrame({"t": moments})).T
    epoch = pd.Timestamp(0)
    np.testing.assert_allclose(days, (moments - epoch) / pd.Timedelta(days=1))
    np.testing.assert_array_equal(year, moments.dt.year)
    np.testing.assert_array_equal(month, moments.dt.month)
    np.testing.assert_array_equal(weekday, moments.dt.day_of_week)


def test_a_date_that_is_missing_has_the_medians():
    frame = pd.DataFrame({"t": DAYS.mask(BITS == 1)})
    features = TableEncoder().fit_transform(frame)
    medians = np.median(features[BITS == 0], axis=0)
    expected = np.tile(medians[:4], (BITS.sum(), 1))
    np.testing.assert_array_equal(features[BITS == 1, :4], expected)
    np.testing.assert_array_equal(features[:, 4], BITS)


def test_categories_of_numbers_keep_their_names():
    column = pd.Series([1, 2] * 20).astype("category")
    encoder = TableEncoder().fit(pd.DataFrame({"c": column}))
    for values in ([1, 2], [1.0, 2.0], ["1", "2"], np.float32([1, 2])):
        rows = encoder.transform(pd.DataFrame({"c": values}))
        np.testing.assert_array_equal(rows, np.eye(2))


def test_the_cell_that_is_no_truth_value_is_named():
    encoder = TableEncoder().fit(table(COLUMNS["yes no"]))
    rows = table(COLUMNS["yes no"]).head(3).assign(c=["yes", "no", "maybe"])
    with pytest.raises(ValueError, match=r"row 2: it holds 'maybe', .* true or false"):
        encoder.transform(rows)


@pytest.mark.parametrize("n_rows", [1, 8, 9])
def test_few_rows_are_read_as_many(n_rows):
    frame = pd.DataFrame({name: COLUMNS[name] for name in FITTED})
    frame["gaps"] = frame["nullable"].mask(BITS == 1)
    encoder = TableEncoder().fit(frame)
    whole = encoder.transform(frame)
    for start in (0, 20, 40):
        rows = slice(start, start + n_rows)
        np.testing.assert_array_equal(encoder.transform(frame[rows]), whole[rows])
