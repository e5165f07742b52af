"""Scripts as users of metric-learn write them, with one line changed."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.cluster import DBSCAN
from sklearn.datasets import load_digits, load_iris
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import (
    GridSearchCV,
    cross_val_predict,
    cross_val_score,
    train_test_split,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import freemetric.metric_learn as metric_learn

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def pairs_of(y, n, seed=0):
    """Pairs of rows and whether they are alike, half of them so."""
    a, b, c, d = metric_learn.Constraints(y).positive_negative_pairs(
        n, random_state=seed
    )
    pairs = np.vstack([np.column_stack([a, b]), np.column_stack([c, d])])
    return pairs, np.repeat([1, -1], [len(a), len(c)])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:balance_param=:freemetric.exceptions.DataWarning")
def test_the_tour_of_all_algorithms():
    """Three features that tell classes and three loud ones that do not: every metric
    must find out.
    """
    rng = np.random.default_rng(42)
    y = np.arange(120) % 3
    X = rng.standard_normal((120, 6))
    X[:, :3] += 4 * np.eye(3)[y]
    X[:, 3:] *= 20
    knn = KNeighborsClassifier(3)
    before = cross_val_score(knn, X, y, cv=4).mean()
    learners = {
        "lmnn": metric_learn.LMNN(n_neighbors=5, learn_rate=1e-6),
        "itml": metric_learn.ITML_Supervised(random_state=0),
        "mmc": metric_learn.MMC_Supervised(random_state=0),
        "sdml": metric_learn.SDML_Supervised(0.0015, 0.1, "covariance", random_state=0),
        "lsml": metric_learn.LSML_Supervised(1e-4, 10_000, random_state=42),
        "nca": make_pipeline(StandardScaler(), metric_learn.NCA(max_iter=1000)),
        "lfda": metric_learn.LFDA(k=2, n_components=2),
        "rca": metric_learn.RCA_Supervised(n_chunks=30, chunk_size=2, random_state=0),
        "scml": metric_learn.SCML_Supervised(n_basis=160, random_state=0),
        "covariance": metric_learn.Covariance(),
    }
    after = {
        name: cross_val_score(make_pipeline(one, knn), X, y, cv=4).mean()
        for name, one in learners.items()
    }
    assert before < 0.6
    assert min(after.values()) > 0.75, after


def test_pairs_of_faces_as_indices():
    """Weak supervision with a preprocessor that is an array, cross-validated,
    calibrated and asked.
    """
    X, y = load_digits(return_X_y=True)
    X, y = X[:300] / 16, y[:300]
    pairs, labels = pairs_of(y, 300)
    itml = metric_learn.ITML(preprocessor=X, random_state=0)
    scores = cross_val_score(itml, pairs, labels, cv=3, scoring="roc_auc")
    assert scores.mean() > 0.8
    train, test, y_train, y_test = train_test_split(
        pairs, labels, random_state=0, stratify=labels
    )
    itml.fit(train, y_train, calibration_params={"strategy": "f_beta", "beta": 0.5})
    assert_array_equal(itml.predict(test), itml.predict(X[test]))
    assert_allclose(itml.score(test, y_test), itml.score(X[test], y_test))
    itml.calibrate_threshold(test, y_test, strategy="max_tpr", min_rate=0.9)
    assert np.mean(itml.predict(test)[y_test == -1] == -1) >= 0.9
    itml.set_threshold(0.0)
    assert (itml.predict(test) == -1).all()


def test_a_preprocessor_that_reads_files(tmp_path):
    X, y = load_iris(return_X_y=True)
    for i, row in enumerate(X):
        np.save(tmp_path / f"{i}.npy", row)
    asked = []

    def read(names):
        asked.extend(names)
        return np.array([np.load(tmp_path / name) for name in names])

    indices, labels = pairs_of(y, 40)
    names = np.array([f"{i}.npy" for i in range(len(X))])
    mmc = metric_learn.MMC(preprocessor=read).fit(names[indices], labels)
    assert len(asked) == len(set(asked)) == len(np.unique(indices))
    plain = metric_learn.MMC().fit(X[indices], labels)
    M, expected = (model.get_mahalanobis_matrix() for model in (mmc, plain))
    assert_allclose(M, expected, rtol=1e-6, atol=1e-12)
    assert_allclose(mmc.transform(names[:5]), X[:5] @ mmc.components_.T)
    assert_allclose(mmc.pair_score(names[[[0, 1]]]), -mmc.pair_distance(X[[[0, 1]]]))


def test_a_grid_search_over_a_pairs_learner():
    X, y = load_iris(return_X_y=True)
    pairs, labels = pairs_of(y, 60)
    grid = {"gamma": [0.01, 1.0, 10.0]}
    search = GridSearchCV(metric_learn.ITML(preprocessor=X), grid, cv=3)
    search.fit(pairs, labels)
    assert search.best_score_ > 0.9
    assert search.predict(pairs).shape == labels.shape
    scores = cross_val_predict(
        search.best_estimator_, pairs, labels, method="decision_function", cv=3
    )
    assert roc_auc_score(labels, scores) > 0.9


def test_the_metric_in_other_estimators():
    X, y = load_iris(return_X_y=True)
    nca = metric_learn.NCA(random_state=42).fit(X, y)
    knn = KNeighborsClassifier(n_neighbors=1, metric=nca.get_metric()).fit(X, y)
    same = KNeighborsClassifier(n_neighbors=1).fit(nca.transform(X), y)
    assert_array_equal(knn.predict(X[::7]), same.predict(nca.transform(X[::7])))
    DBSCAN(eps=2, metric=nca.get_metric()).fit(X[::3])


def test_triplets_and_quadruplets():
    X, y = load_iris(return_X_y=True)
    constraints = metric_learn.Constraints(y)
    triplets = constraints.generate_knntriplets(X, k_genuine=2, k_impostor=2)
    scml = metric_learn.SCML(n_basis=40, preprocessor=X, random_state=0).fit(triplets)
    assert scml.score(triplets) > 0.9
    assert cross_val_score(scml, triplets, cv=3).min() > 0.85
    rows = constraints.positive_negative_pairs(80, random_state=1)
    quadruplets, weights = np.column_stack(rows), np.linspace(1, 2, 80)
    lsml = metric_learn.LSML(preprocessor=X).fit(quadruplets, weights=weights)
    assert lsml.score(quadruplets) > 0.9
    said = lsml.predict(quadruplets)
    assert_array_equal(said, lsml.predict(X[quadruplets]))
    assert_array_equal(said, np.sign(lsml.decision_function(quadruplets)))


OPTIONS = {
    "RCA_Supervised": {"n_chunks": 20},
    "SCML": {"n_basis": 20},
    "SCML_Supervised": {"n_basis": 20},
    "SDML": {"balance_param": 1e-4},
    "SDML_Supervised": {"balance_param": 1e-4},
}


@pytest.mark.parametrize("name", sorted(set(metric_learn.__all__) - {"Constraints"}))
def test_it_is_cloned_and_pickled(name):
    X, y = load_iris(return_X_y=True)
    pairs, labels = pairs_of(y, 30)
    triplets = [[0, 1, 60], [60, 61, 2], [120, 121, 3], [5, 6, 70], [80, 81, 9]]
    given = {"LSML": (pairs.reshape(-1, 4),), "SCML": (np.array(triplets),)}
    given |= dict.fromkeys(["ITML", "MMC", "SDML"], (pairs, labels))
    cls = getattr(metric_learn, name)
    model = clone(cls(preprocessor=X, **OPTIONS.get(name, {})))
    model.fit(*given.get(name, (X, y)))
    loaded = pickle.loads(pickle.dumps(model))
    assert_array_equal(loaded.transform(np.arange(9)), model.transform(X[:9]))
    some = [[0, 1], [2, 60]]
    assert_array_equal(loaded.pair_distance(some), model.pair_distance(X[some]))
    assert loaded.get_params().keys() == model.get_params().keys()
