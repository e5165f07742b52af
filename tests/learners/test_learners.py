"""What every metric learner must do, whatever its mathematics."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.spatial.distance import mahalanobis
from sklearn import config_context
from sklearn.base import clone
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import MinMaxScaler

from freemetric import (
    DMLFE,
    GMML,
    ITML,
    LDML,
    LSML,
    MCML,
    MLKR,
    NCA,
    RCA,
    SDML,
    FreeEnergyClassifier,
)
from freemetric.exceptions import DataWarning
from freemetric.learners import LEARNERS
from freemetric.learners.validation import canonical_order, count_copies, unit_of

pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning",
    "ignore::freemetric.exceptions.DataWarning",
)
NO_CLASSES = ("euclidean", "pca", "covariance")


def made(name):
    learner = LEARNERS[name]()
    has_seed = "random_state" in learner.get_params()
    return learner.set_params(random_state=0) if has_seed else learner


@pytest.fixture(params=LEARNERS, ids=str)
def learner(request):
    return made(request.param)


@pytest.fixture(scope="module", params=LEARNERS, ids=str)
def fitted(request, iris):
    """A learner of iris; tests leave it as it is."""
    return made(request.param).fit(*iris)


def test_everything_public_follows_from_components(fitted, iris):
    X = iris[0]
    A = fitted.components_
    M = fitted.get_mahalanobis_matrix()
    assert_allclose(fitted.transform(X), X @ A.T)
    assert_allclose(M, A.T @ A)
    expected = mahalanobis(X[0], X[90], M)
    metric = fitted.get_metric()
    assert metric(X[0], X[90]) == pytest.approx(expected)
    assert metric(X[0], X[90], squared=True) == pytest.approx(expected**2)
    assert_allclose(fitted.pair_distance([[X[0], X[90]]]), [expected])
    assert_allclose(fitted.pair_score([[X[0], X[90]]]), [-expected])


def test_get_metric_outlives_a_refit(fitted, iris, wine):
    X = iris[0]
    learner = copy.deepcopy(fitted)
    metric = learner.get_metric()
    before = metric(X[0], X[90])
    learner.fit(*wine)
    assert metric(X[0], X[90]) == before


def test_pairs_of_a_wrong_shape_are_an_error(fitted):
    with pytest.raises(ValueError, match=r"shape \(n_pairs, 2, 4\); got \(3, 2, 5\)"):
        fitted.pair_distance(np.zeros((3, 2, 5)))


def test_a_fit_that_fails_leaves_the_estimator_as_it_was(fitted, wine, monkeypatch):
    """Nothing is assigned before the end, not even the number of features."""
    learner = copy.deepcopy(fitted)
    before = pickle.dumps(vars(learner))
    learn = type(learner)._learn

    def interrupted(self, *data, **options):
        learn(self, *data, **options)
        raise KeyboardInterrupt

    monkeypatch.setattr(type(learner), "_learn", interrupted)
    with pytest.raises(KeyboardInterrupt):
        learner.fit(*wine)
    assert pickle.dumps(vars(learner)) == before


def test_attributes_of_an_earlier_fit_are_removed(iris):
    X, y = iris
    model = ITML(random_state=0).fit(pd.DataFrame(X, columns=list("abcd")), y)
    model.fit(X, pairs=[[0, 1], [0, 100]], pair_labels=[1, -1])
    assert not hasattr(model, "classes_")
    assert not hasattr(model, "feature_names_in_")


def test_any_kind_of_array_gives_the_same_metric(learner, iris):
    X, y = iris[0][::2], iris[1][::2]
    X = np.round(100 * X)
    expected = clone(learner).fit(X, y).components_
    kinds = [X.astype(np.float32), np.asfortranarray(X), X.tolist()]
    for same in [*kinds, pd.DataFrame(X), sparse.csr_array(X)]:
        again = clone(learner).fit(same, y)
        assert_array_equal(again.components_, expected)
    rows = sparse.csr_matrix(X)
    assert_allclose(again.transform(rows), X @ expected.T)


@pytest.mark.parametrize("estimator", [RCA(), FreeEnergyClassifier()])
def test_a_sparse_matrix_that_is_too_large_is_refused(estimator, iris):
    X = sparse.csr_array((150, 100_000))
    with config_context(working_memory=1), pytest.raises(ValueError, match="114 MiB"):
        estimator.fit(X, iris[1])


def test_the_order_of_rows_does_not_matter(learner, wine):
    X, y = wine[0][::2], wine[1][::2]
    order = np.random.default_rng(0).permutation(len(y))
    M = clone(learner).fit(X, y).get_mahalanobis_matrix()
    shuffled = clone(learner).fit(X[order], y[order]).get_mahalanobis_matrix()
    assert_allclose(shuffled, M, rtol=0, atol=1e-3 * np.abs(M).max())


def test_the_canonical_order_forgets_the_order(rng):
    X = rng.integers(3, size=(60, 4)).astype(float)
    y = rng.integers(2, size=60)
    order = rng.permutation(60)
    for some in (X, X[:, :1], rng.random((60, 4))):
        first = canonical_order(some, y)
        second = canonical_order(some[order], y[order])
        assert_array_equal(some[first], some[order][second])


@pytest.mark.parametrize("factor", [1e-12, 1e12])
def test_neighbours_are_the_same_in_any_unit(learner, factor):
    rng = np.random.default_rng(0)
    X = MinMaxScaler().fit_transform(rng.standard_normal((80, 4)))
    y = (np.hypot(X[:, 0] - 0.5, X[:, 1] - 0.5) > 0.25).astype(int)

    def neighbors(scale):
        Z = clone(learner).fit(X * scale, y).transform(X * scale)
        search = NearestNeighbors(n_neighbors=6).fit(Z / np.abs(Z).max())
        return search.kneighbors(return_distance=False)

    assert np.mean(neighbors(factor) == neighbors(1.0)) > 0.95


@pytest.mark.parametrize("factor", [1e200, 1e-200])
def test_numbers_whose_squares_overflow_are_refused(learner, factor, iris):
    with pytest.raises(ValueError, match=r"too (large|little)"):
        learner.fit(factor * iris[0], iris[1])


def test_the_unit_of_features(rng):
    X = MinMaxScaler().fit_transform(rng.standard_normal((80, 4)))
    assert unit_of(X) == 1
    assert unit_of(5 * X) == pytest.approx(5)
    Z = rng.standard_normal((80, 4))
    standard = (Z - Z.mean(axis=0)) / Z.std(axis=0)
    assert unit_of(1e9 * standard) == pytest.approx(1e9)


@pytest.mark.parametrize("name", ["itml", "lsml", "mmc", "sdml", "dml-eig", "scml"])
def test_fewer_components_are_the_leading_ones(name, wine):
    whole = made(name).fit(*wine)
    part = made(name).set_params(n_components=2).fit(*wine)
    assert_allclose(part.components_, whole.components_[:2])


POOR_DATA = {
    "constant features": lambda rng: (
        np.hstack([rng.random((40, 3)), np.ones((40, 2))]),
        np.arange(40) % 2,
    ),
    "contradicting copies": lambda rng: (
        np.repeat(rng.random((20, 3)), 2, axis=0),
        np.arange(40) % 2,
    ),
    "all rows equal": lambda rng: (np.ones((20, 3)), np.arange(20) % 2),
    "classes of one": lambda rng: (rng.random((6, 3)), np.arange(6)),
    "wide": lambda rng: (rng.random((12, 30)), np.repeat([0, 1], 6)),
    "very different units": lambda rng: (
        rng.random((40, 6)) * np.logspace(-4, 4, 6),
        np.arange(40) % 2,
    ),
}

REFUSED = [
    ("dca", "all rows equal"),
    ("dca", "contradicting copies"),
    ("lda", "all rows equal"),
    ("lda", "contradicting copies"),
    ("ldml", "classes of one"),
]


@pytest.mark.parametrize("case", POOR_DATA)
@pytest.mark.parametrize("name", LEARNERS)
def test_poor_data_give_a_finite_map_or_one_clear_error(name, case, rng):
    X, y = POOR_DATA[case](rng)
    learner = made(name)
    if (name, case) in REFUSED:
        with pytest.raises(ValueError, match=r"same mean|needs similar pairs"):
            learner.fit(X, y)
    else:
        assert np.isfinite(learner.fit(X, y).components_).all()


@pytest.mark.parametrize("name", [name for name in LEARNERS if name not in NO_CLASSES])
def test_one_class_is_an_error(name, iris):
    with pytest.raises(ValueError, match="at least two classes; y has only 1 class"):
        made(name).fit(iris[0], np.ones(150, dtype=int))


@pytest.mark.parametrize(
    ("learner", "message"),
    [
        (NCA(init="best"), "'init' parameter of NCA"),
        (NCA(tol=-1), "'tol' parameter of NCA"),
        (NCA(n_components=5), "n_components=5 is larger than the number of features"),
        (DMLFE(confinement=-1), "'confinement' parameter of DMLFE"),
        (DMLFE(energy="ncaa"), "Unknown energy 'ncaa'"),
        (DMLFE(sampler="annealing"), "'sampler' parameter of DMLFE"),
        (DMLFE(init=np.eye(3)), r"init has shape \(3, 3\); expected \(<= 4, 4\)"),
        (ITML(prior=-np.eye(4)), "prior must be symmetric and positive definite"),
        (ITML(prior=np.eye(3)), r"prior has shape \(3, 3\); expected \(4, 4\)"),
        (ITML(bounds=(0, 1)), "bounds must be two positive squared distances"),
    ],
    ids=repr,
)
def test_bad_parameters_are_named(learner, message, iris):
    with pytest.raises(ValueError, match=message):
        learner.fit(*iris)


def warnings_of(learner, X, y):
    with pytest.warns(DataWarning) as caught:
        learner.fit(X, y)
    return " ".join(str(one.message) for one in caught if one.category is DataWarning)


@pytest.mark.filterwarnings("always::freemetric.exceptions.DataWarning")
def test_warnings_about_data(iris, wine):
    X, y = iris
    copies = np.vstack([X, X])
    assert count_copies(copies) == 150
    assert "150 of 300 rows" in warnings_of(RCA(), copies, np.append(y, y))
    wrong = wine[0].copy()
    wrong[7, 3] = 1e9
    assert "Feature 3 spans" in warnings_of(NCA(max_iter=1), wrong, wine[1])
    some = np.where(np.arange(150) % 3 == 0, -1, y)
    assert "left out: 50" in warnings_of(RCA(), X, some)


@pytest.mark.parametrize("learner", [RCA(), NCA()], ids=repr)
def test_unlabelled_rows_are_left_out(learner, iris):
    X, y = iris
    some = np.where(np.arange(150) % 3 == 0, -1, y)
    A = clone(learner).fit(X, some).components_
    rows = some >= 0
    alone = clone(learner).fit(X[rows], y[rows]).components_
    assert_array_equal(A, alone)


@pytest.mark.parametrize(
    "learner",
    [ITML(), SDML(), LSML(), GMML(regularization=0.5), LDML(), MCML()],
    ids=repr,
)
def test_unlabelled_rows_have_a_part_in_a_prior_of_covariance(learner, wine):
    X, y = wine
    some = np.where(np.arange(len(y)) % 3 == 0, y, -1)
    rows = some >= 0
    if "random_state" in learner.get_params():
        learner.set_params(random_state=0)

    def metric(prior, X, y):
        model = clone(learner).set_params(prior=prior).fit(X, y)
        return model.get_mahalanobis_matrix()

    of_all = np.linalg.inv(np.cov(X.T, bias=True))
    expected = metric(of_all, X[rows], y[rows])
    size = np.abs(expected).max()
    assert_allclose(metric("covariance", X, some), expected, atol=1e-3 * size)
    alone = metric("covariance", X[rows], y[rows])
    assert np.abs(alone - expected).max() > 1e-2 * size


def test_minus_one_and_one_are_two_classes(iris):
    X, y = iris
    signs = RCA().fit(X, np.where(y == 1, 1, -1))
    assert_allclose(signs.components_, RCA().fit(X, y == 1).components_)


# Sample weights


WEIGHED = [NCA(max_iter=8), MLKR(2, max_iter=8), DMLFE(random_state=0)]


@pytest.mark.parametrize("learner", WEIGHED, ids=repr)
def test_weights(learner, wine):
    X, y = wine

    def components(X, y, weights=None):
        return clone(learner).fit(X, y, sample_weight=weights).components_

    plain = components(X, y)
    same = components(X, y, np.full(len(y), 3.0))
    assert_allclose(same, plain)
    there = y != 1
    assert_array_equal(components(X, y, there), components(X[there], y[there]))
    heavy = components(X, y, np.where(y == 1, 5.0, 1.0))
    assert np.abs(heavy - plain).max() > 1e-3


@pytest.mark.parametrize(
    ("weights", "problem"),
    [
        (np.zeros(178), "zero"),
        (np.append(-1.0, np.ones(177)), "[Nn]egative"),
        (np.append(np.nan, np.ones(177)), "NaN"),
        (np.ones(100), "sample_weight.shape"),
        (np.r_[1.0, np.zeros(177)], "at least two classes"),
    ],
)
def test_what_weights_cannot_be(weights, problem, wine):
    with pytest.raises(ValueError, match=problem):
        NCA().fit(*wine, sample_weight=weights)
