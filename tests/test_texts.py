"""Texts among numbers, and gaps among labels, are errors that help."""

import numpy as np
import pandas as pd
import pytest

import freemetric as fm
from freemetric.learners import OASIS

ESTIMATORS = {
    "FreeEnergyClassifier": fm.FreeEnergyClassifier(4, estimators=None),
    "FreeEnergyRegressor": fm.FreeEnergyRegressor(4, estimators=None),
    "LMNN": fm.LMNN(),
    "NCA": fm.NCA(),
    "PCA": fm.PCA(),
    "OASIS": OASIS(),
    "neighbours": fm.MetricKNeighborsClassifier(fm.RCA()),
    "neighbours of numbers": fm.MetricKNeighborsRegressor(fm.PCA()),
}
SIZES = np.random.default_rng(0).normal(size=(30, 2))
NUMBERS = pd.DataFrame({"size": SIZES[:, 0], "town": SIZES[:, 1]})
TABLE = NUMBERS.assign(town=["12", "Köln", "Ulm"] * 10)
LABELS = np.arange(30) % 2
WAYS = {
    "frame": TABLE,
    "category": TABLE.astype({"town": "category"}),
    "string": TABLE.astype({"town": "string"}),
    "objects": TABLE.to_numpy(object),
    "list": TABLE.to_numpy(object).tolist(),
}


@pytest.mark.parametrize("X", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("estimator", ESTIMATORS.values(), ids=ESTIMATORS)
def test_fit_names_the_first_text(estimator, X):
    """By the name of its column, or by the column's number."""
    column = "'town'" if isinstance(X, pd.DataFrame) else "Column 1"
    with pytest.raises(ValueError, match=f"{column} has the text 'Köln'.*TableClassif"):
        estimator.fit(X, LABELS)


@pytest.mark.parametrize("estimator", ESTIMATORS.values(), ids=ESTIMATORS)
def test_fit_names_the_first_date(estimator):
    days = NUMBERS.assign(day=pd.date_range("2020-01-31", periods=30))
    message = r"'day' has the date '2020-01-31 00:00:00'.*Table.*with dates"
    for X in (days, days.astype({"day": object})):
        with pytest.raises(ValueError, match=message):
            estimator.fit(X, LABELS)


@pytest.mark.parametrize("name", ["FreeEnergyClassifier", "LMNN", "neighbours"])
def test_fitted_estimators_name_it_too(name):
    fitted = ESTIMATORS[name].fit(NUMBERS, LABELS)
    apply = fitted.transform if name == "LMNN" else fitted.predict
    with pytest.raises(ValueError, match="'town' has the text 'Köln'"):
        apply(TABLE)


GAPS = {"None": None, "NaN": np.nan, "NA": pd.NA}


@pytest.mark.parametrize("gap", GAPS.values(), ids=GAPS)
@pytest.mark.parametrize("name", ["FreeEnergyClassifier", "LMNN", "OASIS"])
def test_labels_without_a_value(name, gap):
    labels = pd.Series(["a", "b"] * 15, dtype=object)
    labels[4] = gap
    for y in (labels, labels.astype("string"), labels.astype("category")):
        with pytest.raises(ValueError, match="y has no value in row 4"):
            ESTIMATORS[name].fit(NUMBERS, y)


def test_numbers_as_texts_are_numbers():
    as_texts = NUMBERS.astype(str).to_numpy(object)
    maps = [fm.PCA().fit(X).components_ for X in (NUMBERS.to_numpy(), as_texts)]
    np.testing.assert_array_equal(*maps)
