"""What a translated parameter means: results are those of our learners, of closed
forms, or of the objective itself.
"""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from scipy.spatial.distance import cdist
from scipy.special import softmax
from sklearn.covariance import graphical_lasso
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.preprocessing import minmax_scale

import freemetric as fm
from freemetric.metric_learn import (
    ITML,
    LFDA,
    LMNN,
    LSML,
    MLKR,
    MMC,
    NCA,
    RCA,
    SDML,
    Constraints,
    Covariance,
    ITML_Supervised,
    LSML_Supervised,
    SCML_Supervised,
)

CENTIMETRES, SPECIES = load_iris(return_X_y=True)


def drawn(n, seed):
    """As many similar and dissimilar pairs, and their labels."""
    a, b, c, d = Constraints(SPECIES).positive_negative_pairs(n, random_state=seed)
    rows = np.vstack([np.column_stack([a, b]), np.column_stack([c, d])])
    return rows, np.repeat([1, -1], n)


@pytest.fixture
def pairs():
    return drawn(60, 0)


def differences(pairs):
    return CENTIMETRES[pairs[:, 0]] - CENTIMETRES[pairs[:, 1]]


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        (LFDA(2, k=3), fm.LFDA(2, n_neighbors=3)),
        (LFDA(), fm.LFDA(n_neighbors=3)),
        (LFDA(embedding_type="plain", k=2), fm.LFDA(n_neighbors=2, embedding="plain")),
        (LMNN(n_neighbors=2, init="identity"), fm.LMNN(n_neighbors=2, max_iter=1000)),
        (LMNN(regularization=0.3), fm.LMNN(regularization=0.3, max_iter=1000)),
        (NCA(n_components=2), fm.NCA(2, init="lda", max_iter=100, tol=1e-7)),
        (NCA(init="pca", n_components=3, tol=1e-2), fm.NCA(3, init="pca", tol=1e-2)),
        (
            NCA(init="random", random_state=3),
            fm.NCA(init="random", max_iter=100, tol=1e-7, random_state=3),
        ),
        (MLKR(init=np.eye(2, 4)), fm.MLKR(2, init=np.eye(2, 4))),
        (MLKR(3), fm.MLKR(3, init="pca")),
        (RCA(2), fm.RCA(2)),
        (Covariance(), fm.Covariance()),
        (
            SCML_Supervised(2, 4, n_basis=30, random_state=1, beta=1e-3),
            fm.SCML(
                n_basis=30,
                n_neighbors=2,
                n_impostors=4,
                max_iter=10_000,
                regularization=1e-3 / 5.9**2,
                random_state=1,
            ),
        ),
    ],
    ids=lambda model: type(model).__name__,
)
def test_the_result_is_that_of_our_learner(theirs, ours):
    theirs.fit(CENTIMETRES, SPECIES), ours.fit(CENTIMETRES, SPECIES)
    assert_allclose(theirs.components_, ours.components_, rtol=1e-6, atol=1e-9)
    if hasattr(theirs, "n_iter_"):
        assert theirs.n_iter_ == ours.n_iter_


@pytest.mark.parametrize("prior", ["identity", "covariance"])
def test_itml_solves_the_problem_that_its_bounds_say(pairs, prior):
    """No metric nearby costs less: LogDet from the prior, and slacks of squared
    distances against the bounds.
    """
    indices, labels = pairs
    model = ITML(prior=prior, tol=1e-7, preprocessor=CENTIMETRES)
    model.fit(indices, labels)
    X = np.unique(CENTIMETRES[np.unique(indices)], axis=0)
    expected = np.percentile(np.linalg.norm(X[:, None] - X, axis=2), (5, 95))
    assert_allclose(model.bounds_, expected)
    M0 = np.eye(4) if prior == "identity" else np.linalg.inv(np.cov(X.T))
    V, target = differences(indices), np.where(labels == 1, *model.bounds_)

    def price(M):
        ratio = np.einsum("ni,ij,nj->n", V, M, V) / target
        ratio = np.where(labels == 1, np.maximum(ratio, 1), np.minimum(ratio, 1))
        product = M @ np.linalg.inv(M0)
        slack = (ratio - np.log(ratio)).sum()
        return np.trace(product) - np.linalg.slogdet(product)[1] + slack

    M = model.get_mahalanobis_matrix()
    rng = np.random.default_rng(0)
    for size in (1e-3, 1e-2, 0.1):
        for _ in range(20):
            B = np.eye(4) + size * rng.standard_normal((4, 4))
            assert price(B.T @ M @ B) > price(M) - 1e-6


def test_itml_takes_bounds():
    model = ITML_Supervised(random_state=0)
    model.fit(CENTIMETRES, SPECIES, bounds=[0.5, 9])
    assert_array_equal(model.bounds_, [0.5, 9])
    with pytest.raises(ValueError, match="bounds must be two numbers of at least 0"):
        model.fit(CENTIMETRES, SPECIES, bounds=[1, 2, 3])


def test_itml_with_bounds_that_must_hold(pairs):
    """gamma of infinity, as metric-learn writes it: similar pairs that can be within
    their bound are.
    """
    indices, labels = pairs
    near = indices[labels == 1][:5]
    model = ITML(gamma=np.inf, preprocessor=CENTIMETRES)
    model.fit(near, np.ones(5), bounds=[0.05, 4.0])
    assert (model.pair_distance(near) ** 2 < 0.0501).all()


@pytest.mark.parametrize("penalty", [0.0, 0.02])
def test_sdml_is_a_graphical_lasso_in_the_units_of_the_points(pairs, penalty):
    indices, labels = pairs
    model = SDML(1e-4, penalty, prior="covariance", preprocessor=CENTIMETRES)
    model.fit(indices, labels)
    V, X = differences(indices), np.unique(CENTIMETRES[np.unique(indices)], axis=0)
    S = np.cov(X.T) + 1e-4 * (V.T * labels) @ V
    expected = np.linalg.inv(S)
    if penalty > 0:
        expected = graphical_lasso(S, penalty, tol=1e-6, enet_tol=1e-9)[1]
    M = model.get_mahalanobis_matrix()
    assert_allclose(M, expected, atol=5e-3 * np.abs(expected).max())


def test_mmc_has_the_scale_of_its_start_and_the_best_shape(pairs):
    indices, labels = pairs
    model = MMC(init=4 * np.eye(4), tol=1e-6, preprocessor=CENTIMETRES)
    model.fit(indices, labels)
    V, W = differences(indices[labels == 1]), differences(indices[labels == -1])
    total = np.sum((V @ model.components_.T) ** 2)
    assert total == pytest.approx(0.01 * 4 * (V**2).sum())

    def minus_spread(flat):
        L = flat.reshape(4, 4)
        return -np.linalg.norm(W @ L.T, axis=1).sum() / np.linalg.norm(V @ L.T)

    starts = np.eye(4), np.diag([1, 2, 3, 4.0])
    best = min(minimize(minus_spread, start.ravel()).fun for start in starts)
    assert minus_spread(model.components_.ravel()) == pytest.approx(best, rel=1e-4)


@pytest.mark.parametrize("c", [0.5, 3.0])
def test_diagonal_mmc_minimises_what_xing_wrote(pairs, c):
    indices, labels = pairs
    model = MMC(diagonal=True, diagonal_c=c, tol=1e-7, preprocessor=CENTIMETRES)
    model.fit(indices, labels)
    S, D = (differences(indices[labels == label]) ** 2 for label in (1, -1))

    def price(w):
        return (S @ w).sum() - c * np.log(np.sqrt(D @ w).sum())

    bounds, exact = [(0, None)] * 4, {"ftol": 1e-15, "gtol": 1e-10}
    best = minimize(price, np.full(4, 1e-2), bounds=bounds, options=exact)
    M = model.get_mahalanobis_matrix()
    assert_allclose(M, np.diag(np.diag(M)), atol=1e-12)
    assert price(np.diag(M)) == pytest.approx(best.fun, abs=1e-4)


def test_lsml_minimises_residuals_in_the_units_of_the_points():
    X, y = load_wine(return_X_y=True)
    X = X[:, [0, 6, 9]]
    rows = Constraints(y).positive_negative_pairs(50, random_state=0)
    weights = np.linspace(1, 3, 50)
    model = LSML(tol=1e-8, preprocessor=X)
    model.fit(np.column_stack(rows), weights=weights)
    a, b, c, d = (X[row] for row in rows)

    def price(flat):
        L = flat.reshape(3, 3)
        near = np.linalg.norm((a - b) @ L.T, axis=1)
        missing = np.maximum(near - np.linalg.norm((c - d) @ L.T, axis=1), 0)
        divergence = (L * L).sum() - 2 * np.linalg.slogdet(L)[1]
        return weights @ missing**2 / weights.sum() + divergence

    best = minimize(price, np.eye(3).ravel()).fun
    assert price(model.components_.ravel()) == pytest.approx(best, abs=1e-5)


def test_labels_are_a_way_to_draw_pairs():
    model = ITML_Supervised(n_constraints=40, random_state=5)
    model.fit(CENTIMETRES, SPECIES)
    rows, labels = drawn(40, 5)
    same = ITML(random_state=5).fit(CENTIMETRES[rows], labels, bounds=model.bounds_)
    assert_allclose(model.components_, same.components_, rtol=1e-6)


@pytest.mark.parametrize("cls", [ITML_Supervised, LSML_Supervised, SCML_Supervised])
def test_labels_below_zero_are_unknown(cls):
    options = {"n_basis": 10} if cls is SCML_Supervised else {}
    y, words = SPECIES.copy(), np.array(["setosa", "versicolor", "virginica"])[SPECIES]
    y[::2] = -1
    hidden = np.where(y < 0, 99.0, CENTIMETRES.T).T  # where they are does not matter
    partly = cls(random_state=0, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        partly.fit(hidden, y)
        known = cls(random_state=0, **options).fit(hidden[1::2], y[1::2])
    if cls is SCML_Supervised:
        assert_allclose(partly.components_, known.components_, rtol=1e-6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cls(random_state=0, **options).fit(CENTIMETRES, words)


def test_bases_of_ones_own():
    basis = np.random.default_rng(0).standard_normal((12, 4))
    theirs = SCML_Supervised(basis=basis, random_state=0)
    ours = fm.SCML(
        basis=basis, max_iter=10_000, regularization=1e-5 / 5.9**2, random_state=0
    )
    A, B = (model.fit(CENTIMETRES, SPECIES).components_ for model in (theirs, ours))
    assert_allclose(A, B, rtol=1e-6)


def test_as_many_steps_as_asked_for_are_no_reason_to_warn():
    model = SCML_Supervised(n_basis=20, max_iter=2000, random_state=0)
    assert model.fit(CENTIMETRES, SPECIES).n_iter_ == 2000


def test_nca_ends_where_metric_learn_does():
    X, y = load_breast_cancer(return_X_y=True)
    Z = NCA().fit_transform(minmax_scale(X), y)
    D = cdist(Z, Z, "sqeuclidean")
    np.fill_diagonal(D, np.inf)
    error = 1 - (softmax(-D, axis=1) * (y[:, None] == y)).sum() / len(y)
    # metric-learn 0.7.0: 0.007030; 0.007062 at a tolerance of 1e-5
    assert error < 0.007035


def test_default_bounds_of_many_points_are_those_of_distinct_ones(monkeypatch):
    """All but one of forty points on a line, whichever it is: none counts twice."""
    monkeypatch.setattr("freemetric.metric_learn.pairs.MOST_COMPARED", 39)
    points = np.arange(40.0)[:, None]
    model = ITML_Supervised(random_state=0).fit(points, np.arange(40) % 2)
    assert_allclose(model.bounds_, [1, 30.5], atol=0.9)
