"""Sparse matrices: multiplied as they are where a map is applied, dense within working_memory where it is learned."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.datasets import make_classification
from sklearn.decomposition import TruncatedSVD
from sklearn.pipeline import make_pipeline

from freemetric import (
    DMLFE,
    LEARNERS,
    PCA,
    RCA,
    FreeEnergyClassifier,
    MetricKNeighborsClassifier,
    Recipe,
    TableClassifier,
)

QUICK = {"n_replicas": 4, "recipe": Recipe(candidates=["scaled/diagonal"]), "random_state": 0}
FORMATS = ("csr", "csc", "coo", "lil", "dok", "bsr")


@pytest.fixture(scope="module")
def counts():
    """Few entries that are not zero, in three classes."""
    X, y = make_classification(60, 6, n_informative=4, n_classes=3, random_state=0)
    return np.maximum(X.round(3), 0), y


def seeded(learner):
    return learner.set_params(random_state=0) if "random_state" in learner.get_params() else learner


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_learns_the_same(name, counts):
    X, y = counts
    make = DMLFE.paper if name == "dmlfe" else LEARNERS[name]
    dense, of_sparse = seeded(make()).fit(X, y), seeded(make()).fit(sparse.csr_array(X), y)
    np.testing.assert_array_equal(of_sparse.components_, dense.components_)
    Z = dense.transform(sparse.csr_matrix(X))
    assert type(Z) is np.ndarray
    np.testing.assert_allclose(Z, dense.transform(X), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("layout", FORMATS)
def test_every_layout(layout, counts):
    X, y = counts
    learner = RCA().fit(sparse.csr_matrix(X).asformat(layout), y)
    np.testing.assert_allclose(learner.transform(sparse.csr_array(X).asformat(layout)), X @ learner.components_.T)


@pytest.mark.parametrize(
    "model",
    [FreeEnergyClassifier(**QUICK), MetricKNeighborsClassifier(PCA(), 3), TableClassifier(PCA(), random_state=0)],
)
def test_classifiers(model, counts):
    X, y = counts
    S = sparse.csr_matrix(X)
    expected = model.fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(model.predict_proba(S), expected)
    np.testing.assert_array_equal(model.predict(S), model.predict(X))
    np.testing.assert_array_equal(model.fit(S, y).predict_proba(S), expected)
    if hasattr(model, "transform"):
        np.testing.assert_array_equal(model.transform(S), model.transform(X))
    if hasattr(model, "partial_fit"):
        np.testing.assert_array_equal(model.partial_fit(S[:5], y[:5]).predict(S), model.predict(X))


def test_a_map_is_applied_without_a_dense_copy(counts):
    learner = PCA(2).fit(*counts)
    learner.components_, learner.n_features_in_ = np.ones((2, 20_000)), 20_000
    rng = np.random.default_rng(0)
    S = sparse.csr_array((rng.random(4_000), (rng.integers(0, 2_000, 4_000), rng.integers(0, 20_000, 4_000))))
    S.resize(2_000, 20_000)
    tracemalloc.start()
    with config_context(working_memory=1):
        Z = learner.transform(S)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    np.testing.assert_allclose(Z[:, 0], np.asarray(S.sum(axis=1)).ravel())
    assert peak < 20 * 2**20  # dense it would be 305 MiB


TOO_LARGE = (
    r"^A sparse X of shape \(60, 100000\) takes 46 MiB when dense, more than working_memory, 1 MiB: "
    r"sklearn.decomposition.TruncatedSVD makes fewer features, or give fewer rows.$"
)


@pytest.mark.parametrize(
    "model", [RCA(), FreeEnergyClassifier(), MetricKNeighborsClassifier(RCA()), TableClassifier(RCA())]
)
def test_what_would_not_fit_is_refused_in_one_line(model, counts):
    with config_context(working_memory=1), pytest.raises(ValueError, match=TOO_LARGE):
        model.fit(sparse.csr_array((60, 100_000)), counts[1])


@pytest.mark.parametrize("layout", [sparse.csr_matrix, sparse.csr_array])
def test_what_to_do_instead(layout, counts):
    X, y = counts
    model = make_pipeline(TruncatedSVD(3, random_state=0), MetricKNeighborsClassifier(RCA(), 3)).fit(layout(X), y)
    assert model.score(layout(X), y) > 0.6


def test_sparse_columns_of_pandas(counts):
    X, y = counts
    frame = pd.DataFrame(X).astype(pd.SparseDtype(float, 0.0))
    model = TableClassifier(PCA(), random_state=0)
    np.testing.assert_array_equal(model.fit(frame, y).predict_proba(frame), model.fit(X, y).predict_proba(X))
    with pytest.raises(TypeError, match=r"^Sparse data was passed for X, but dense data is required.*toarray"):
        RCA().fit(frame, y)


def test_nan_in_a_sparse_matrix_is_said(counts):
    X, y = counts
    S = sparse.csr_matrix(np.where(X > 1, np.nan, X))
    with pytest.raises(ValueError, match=r"^Input X contains NaN; .*TableClassifier"):
        RCA().fit(S, y)


def test_dask_takes_dense_blocks_only(counts):
    array = pytest.importorskip("dask.array")
    from freemetric.dask import DaskFreeEnergyClassifier

    X, y = counts
    blocks = array.from_array(X, chunks=(30, 6)).map_blocks(sparse.csr_matrix)
    model = DaskFreeEnergyClassifier(**QUICK)
    with pytest.raises(ValueError, match=r"X is sparse in partition [01]; dense numbers are needed"):
        model.fit(blocks, array.from_array(y, chunks=30))
    with pytest.raises(
        ValueError, match="X must be an array of two dimensions or a dataframe, of Dask or not; got csr_matrix"
    ):
        model.fit(sparse.csr_matrix(X), y)
