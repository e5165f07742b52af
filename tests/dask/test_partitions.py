"""What partitions must be is said in one line."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags

pytest.importorskip("dask.dataframe", reason="needs the extra dask")

import dask.array as da
import dask.dataframe as dd
import pandas as pd

from freemetric import Recipe
from freemetric.dask import DaskFreeEnergyClassifier, DaskFreeEnergyRegressor

X = da.from_array(np.random.default_rng(0).random((40, 3)), chunks=(20, -1))
y = da.from_array(np.arange(40) % 2, chunks=20)
holed = X.map_blocks(lambda block: np.where(block > 0.9, np.nan, block))
FRAME = dd.from_pandas(pd.DataFrame({"a": np.arange(40.0), "b": ["x", "y"] * 20}), npartitions=2)
GAPS = dd.from_pandas(pd.Series([1, None] * 20, dtype="Int64"), npartitions=2)
THIN = dd.from_pandas(pd.DataFrame({"a": pd.arrays.SparseArray(np.arange(40.0))}), npartitions=2)
WRONG = {
    "other chunks": (X, y.rechunk(10), r"same rows; they have \(20, 20\) and \(10, 10, 10, 10\)"),
    "fewer labels": (X, y[:30], r"\(20, 20\) and \(20, 10\)"),
    "gaps": (holed, y, "X contains NaN or infinity in partition"),
    "an array": (np.ones((40, 3)), y, r"same rows; they have \(40\) and \(20, 20\)"),
    "labels here": (X, np.ones(40), r"same rows; they have \(20, 20\) and \(40\)"),
    "one dimension": (y, y, "X must be an array of two dimensions or a dataframe, of Dask or not; got Array"),
    "a sparse matrix": (csr_array(np.eye(40)), y, "X must be an array of two dimensions or .*; got csr_array"),
    "a column": (
        X,
        np.ones((40, 1)),
        "y must be an array of one dimension or a series, of Dask or not; got ndarray",
    ),
    "words": (FRAME, y, "X has columns that are no numbers: 'b'"),
    "objects": (X.astype(object), y, "X has dtype object; numbers are needed"),
    "sparse chunks": (X.map_blocks(csr_array), y, "X is sparse in partition"),
    "sparse columns": (THIN, y, "X has sparse columns"),
    "no label": (X, da.from_array(np.array(["a", None] * 20, dtype=object), chunks=20), "y has no label for some rows"),
    "a label of NaN": (X, y.astype(float).map_blocks(lambda block: block / block), "y has no label for some rows"),
    "no rows": (X[:0], y[:0], "X has no rows"),
    "one class": (X, y * 0, "at least two classes"),
}


@pytest.mark.filterwarnings("ignore:invalid value encountered in divide")
@pytest.mark.parametrize(("samples", "labels", "said"), WRONG.values(), ids=WRONG)
def test_what_cannot_be_learned_from(samples, labels, said):
    with pytest.raises(ValueError, match=said) as error:
        DaskFreeEnergyClassifier(n_replicas=4).fit(samples, labels)
    assert "\n" not in str(error.value)


def test_what_cannot_be_predicted():
    model = DaskFreeEnergyClassifier(n_replicas=4, recipe=Recipe(candidates=["scaled/diagonal"]), random_state=0).fit(
        X, y
    )
    with pytest.raises(ValueError, match="X has 2 features, but DaskFreeEnergyClassifier is expecting 3"):
        model.predict(X[:, :2])
    with pytest.raises(ValueError, match="NaN or infinity"):
        model.predict_proba(holed).compute()
    assert not get_tags(model).input_tags.allow_nan
    assert model.score(X, y.rechunk(10)) == model.score(X, y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.score(X, y[:30])
    assert model.predict(X[:0]).compute().shape == (0,)


WRONG_TARGETS = {
    "other chunks": (X, y.rechunk(10), r"same rows; they have \(20, 20\) and \(10, 10, 10, 10\)"),
    "words": (X, da.from_array(np.array(["a", "b"] * 20), chunks=20), "y has something that is no number in partition"),
    "a gap": (X, y.astype(float).map_blocks(lambda block: block / block), "y contains NaN or infinity in partition"),
    "pandas' gap": (FRAME[["a"]], GAPS, "y contains NaN or infinity in partition"),
    "one row": (X[:1], y[:1], "X has 1 row; at least 2 are needed"),
    "no rows": (X[:0], y[:0], "X has no rows"),
    "gaps": (holed, y, "X contains NaN or infinity in partition"),
}


@pytest.mark.filterwarnings("ignore:invalid value encountered in divide")
@pytest.mark.parametrize(("samples", "numbers", "said"), WRONG_TARGETS.values(), ids=WRONG_TARGETS)
def test_what_targets_cannot_be_learned_from(samples, numbers, said):
    with pytest.raises(ValueError, match=said) as error:
        DaskFreeEnergyRegressor(n_replicas=4).fit(samples, numbers)
    assert "\n" not in str(error.value)


def test_parameters_are_checked():
    with pytest.raises(ValueError, match="'scale' parameter"):
        DaskFreeEnergyRegressor(scale="cubic").fit(X, y)
    with pytest.raises(ValueError, match="scale='log' is for positive numbers; the smallest of y is 0"):
        DaskFreeEnergyRegressor(scale="log").fit(X, y)
    with pytest.raises(ValueError, match="n_components=4 is larger"):
        DaskFreeEnergyRegressor(recipe=Recipe(n_components=4)).fit(X, y)


def test_what_cannot_be_predicted_by_a_regressor():
    with pytest.raises(NotFittedError):
        DaskFreeEnergyRegressor().predict(X)
    settings = {"n_replicas": 4, "recipe": Recipe(candidates=["scaled/diagonal"]), "random_state": 0}
    model = DaskFreeEnergyRegressor(**settings).fit(X, X[:, 0])
    with pytest.raises(ValueError, match="X has 2 features, but DaskFreeEnergyRegressor is expecting 3"):
        model.predict(X[:, :2])
    with pytest.raises(ValueError, match="q is a chance between 0 and 1"):
        model.predict_quantiles(X, 1.5)
    with pytest.raises(ValueError, match="alpha"):
        model.predict_interval(X, 2.0)
    for given in ({"groups": (y, y)}, {"shift": X}):
        with pytest.raises(ValueError, match=r"are those of to_local\(\).predict_interval"):
            model.predict_interval(X, **given)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.score(X, y[:30])
    with pytest.raises(ValueError, match="X has no rows"):
        model.score(X[:0], y[:0])
    assert model.predict_interval(X[:0]).compute().shape == (0, 2)
    assert model.predict(X[:0]).compute().shape == (0,)
