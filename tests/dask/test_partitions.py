"""Points of partitions against brute force, and what cannot be learned from."""

from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.exceptions import NotFittedError

dask = pytest.importorskip("dask", reason="needs the extra dask")
da = pytest.importorskip("dask.array", reason="needs the extra dask")
dd = pytest.importorskip("dask.dataframe", reason="needs the extra dask")
pd = pytest.importorskip("pandas", reason="needs the extra dask")

import freemetric.dask as fd  # noqa: E402
from freemetric.dask.collections import merged_in_steps  # noqa: E402
from freemetric.dask.partitions import Points, nearest_of_all  # noqa: E402


def places_of(X, weights, values):
    return Points.of(X, np.ones(len(X)), weights, weights[:, None] * values)


def test_places_of_parts_are_places_of_the_whole(rng):
    X = rng.integers(3, size=(300, 3)).astype(float)
    weights, values = rng.random(300), rng.random((300, 2))
    whole = places_of(X, weights, values)
    parts = []
    for part in (slice(0, 100), slice(100, 300)):
        places = places_of(X[part], weights[part], values[part])
        assert_array_equal(places.with_codes(whole.codes).counts, places.counts)
        parts.append(places.with_codes(whole.codes[:10]))
    names = "X", "counts", "masses", "sums"
    columns = [np.concatenate([getattr(p, name) for p in parts]) for name in names]
    merged = Points.of(*columns)
    for row, place in enumerate(whole.row_of_point[:10]):
        is_there = (X[place] == X).all(axis=1)
        assert_array_equal(merged.X[merged.row_of_point[row]], X[place])
        assert merged.counts[row] == is_there.sum()
        assert merged.masses[row] == pytest.approx(weights[is_there].sum())
        weighted = weights[is_there] @ values[is_there]
        assert_allclose(merged.sums[row], weighted)


@pytest.mark.parametrize("n_partitions", [1, 3, 30])
def test_the_nearest_of_all_partitions(rng, n_partitions):
    """Of places that several have, one counts; codes are known by their distance."""
    model = SimpleNamespace(ensemble_=SimpleNamespace(n_candidates=5))
    merge = partial(nearest_of_all, model)
    distances = rng.integers(60, size=(n_partitions, 4, 7)).astype(np.float32)
    found = [merge([(D, D.astype(np.uint64))]) for D in distances]
    _, codes = merged_in_steps(found, merge)
    for row, own in enumerate(codes):
        assert set(np.unique(distances[:, row])[:5]) <= set(own)


X = da.from_array(np.random.default_rng(0).random((40, 3)), chunks=(20, -1))
y = da.from_array(np.arange(40) % 2, chunks=20)
FRAME = dd.from_pandas(
    pd.DataFrame({"a": np.arange(40.0), "b": ["x", "y"] * 20}), npartitions=2
)
GAPS = dd.from_pandas(pd.Series([1, None] * 20, dtype="Int64"), npartitions=2)
NONE = np.array(["a", None] * 20, dtype=object)
WRONG = {
    "few labels": (X, y[:30], "inconsistent numbers of samples"),
    "infinity": (X / 0, y, "infinity"),
    "one dimension": (y, y, "X must be an array of 2 dim.* not sparse"),
    "a sparse matrix": (csr_array(np.eye(40)), y, "of 2 dim.* not sparse"),
    "a column of labels": (X, y[:, None], "y must be an array of 1 dim"),
    "words": (FRAME, y, "could not convert string to float"),
    "no label": (X, NONE, "y has missing values"),
    "pandas' gap": (X, GAPS, "y has missing values"),
    "a label of NaN": (X, y / np.nan, "contains NaN"),
    "no samples": (X[:0], y[:0], "X has no samples"),
    "one class": (X, y * 0, "at least 2 classes"),
    "numbers": (X, X[:, 0], "Unknown label type"),
}


@pytest.mark.filterwarnings("ignore:(divide|invalid):RuntimeWarning")
@pytest.mark.parametrize(("samples", "labels", "said"), WRONG.values(), ids=WRONG)
def test_what_cannot_be_learned_from(samples, labels, said):
    with pytest.raises(ValueError, match=said):
        fd.DaskFreeEnergyClassifier(n_replicas=0).fit(samples, labels)


WRONG_TARGETS = {
    "words": (np.array(["a", "b"] * 20), "could not convert string to float"),
    "a gap": (GAPS, "y has missing values"),
    "NaN": (y / np.nan, "contains NaN"),
    "not positive": (y, "scale='log' is for positive targets"),
}


@pytest.mark.parametrize(("targets", "said"), WRONG_TARGETS.values(), ids=WRONG_TARGETS)
def test_targets_that_cannot_be_learned_from(targets, said):
    with pytest.raises(ValueError, match=said):
        fd.DaskFreeEnergyRegressor(n_replicas=0, scale="log").fit(X, targets)


def test_what_cannot_be_predicted():
    with pytest.raises(NotFittedError):
        fd.DaskFreeEnergyClassifier().predict(X)
    with pytest.raises(ValueError, match="'n_replicas' parameter"):
        fd.DaskFreeEnergyClassifier(n_replicas=-1).fit(X, y)
    model = fd.DaskFreeEnergyRegressor(n_replicas=0, random_state=0).fit(X, X[:, 0])
    with pytest.raises(ValueError, match="X has 2 features"):
        model.predict(X[:, :2])
    with pytest.raises(ValueError, match="alpha"):
        model.predict_interval(X, 2.0)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.score(X, y[:30])
