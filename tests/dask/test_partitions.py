"""What partitions must be is said in one line."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import load_diabetes

pytest.importorskip("dask.dataframe", reason="needs the extra dask")

import dask.array as da
import dask.dataframe as dd
import pandas as pd

import freemetric.dask
from freemetric import FreeEnergyRegressor
from freemetric.dask import DaskFreeEnergyClassifier

X = da.from_array(np.random.default_rng(0).random((40, 3)), chunks=(20, -1))
y = da.from_array(np.arange(40) % 2, chunks=20)
holed = X.map_blocks(lambda block: np.where(block > 0.9, np.nan, block))
FRAME = dd.from_pandas(pd.DataFrame({"a": np.arange(40.0), "b": ["x", "y"] * 20}), npartitions=2)
THIN = dd.from_pandas(pd.DataFrame({"a": pd.arrays.SparseArray(np.arange(40.0))}), npartitions=2)
WRONG = {
    "other chunks": (X, y.rechunk(10), r"same rows; they have \(20, 20\) and \(10, 10, 10, 10\)"),
    "fewer labels": (X, y[:30], r"\(20, 20\) and \(20, 10\)"),
    "gaps": (holed, y, "X contains NaN or infinity in partition"),
    "an array": (np.ones((40, 3)), y, "X must be a Dask array of two dimensions or a Dask dataframe; got ndarray"),
    "labels here": (X, np.ones(40), "y must be a Dask array of one dimension or a Dask series; got ndarray"),
    "one dimension": (y, y, "of two dimensions"),
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
@pytest.mark.parametrize(("patterns", "labels", "said"), WRONG.values(), ids=WRONG)
def test_what_cannot_be_learned_from(patterns, labels, said):
    with pytest.raises(ValueError, match=said) as error:
        DaskFreeEnergyClassifier(n_replicas=4).fit(patterns, labels)
    assert "\n" not in str(error.value)


def test_what_cannot_be_predicted():
    model = DaskFreeEnergyClassifier(n_replicas=4, candidates=["scaled/diagonal"], random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="X has 2 features, but DaskFreeEnergyClassifier is expecting 3"):
        model.predict(X[:, :2])
    with pytest.raises(ValueError, match="NaN or infinity"):
        model.predict_proba(holed).compute()
    with pytest.raises(ValueError, match="X has 2 partitions, and y has 4"):
        model.score(X, y.rechunk(10))
    with pytest.raises(ValueError, match=r"X has 20 rows in partition ., and y has .0"):
        model.score(X, y.rechunk(((10, 30),)))
    assert model.predict(X[:0]).compute().shape == (0,)


def test_numbers_are_not_for_partitions_yet():
    line = r"^Numbers as target are not for partitions yet; FreeEnergyRegressor takes Dask arrays that fit .*$"
    with pytest.raises(AttributeError, match=line):
        freemetric.dask.DaskFreeEnergyRegressor  # noqa: B018
    rows, numbers = (part[::4] for part in load_diabetes(return_X_y=True))
    settings = {"n_replicas": 3, "candidates": ["scaled/full"], "random_state": 0}
    there = FreeEnergyRegressor(**settings).fit(da.from_array(rows, chunks=(50, 10)), da.from_array(numbers, chunks=50))
    here = FreeEnergyRegressor(**settings).fit(rows, numbers)
    np.testing.assert_array_equal(there.predict(rows), here.predict(rows))
