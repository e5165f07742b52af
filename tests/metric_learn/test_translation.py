"""What a translated parameter means: results are those of our learners, of closed
forms, or of the objective itself.
"""

import warnings

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.spatial.distance import cdist
from scipy.special import softmax
from sklearn.covariance import graphical_lasso
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.preprocessing import minmax_scale

import freemetric
from freemetric import metric_learn

CENTIMETRES, SPECIES = load_iris(return_X_y=True)


@pytest.fixture
def pairs():
    a, b, c, d = metric_learn.Constraints(SPECIES).positive_negative_pairs(
        60, random_state=0
    )
    return np.vstack([np.column_stack([a, b]), np.column_stack([c, d])]), np.repeat(
        [1, -1], 60
    )


def differences(pairs):
    return CENTIMETRES[pairs[:, 0]] - CENTIMETRES[pairs[:, 1]]


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        (metric_learn.LFDA(2, k=3), freemetric.LFDA(2, n_neighbors=3)),
        (metric_learn.LFDA(), freemetric.LFDA(n_neighbors=3)),
        (
            metric_learn.LFDA(embedding_type="plain", k=2),
            freemetric.LFDA(n_neighbors=2, embedding="plain"),
        ),
        (
            metric_learn.LMNN(n_neighbors=2, init="identity"),
            freemetric.LMNN(n_neighbors=2, max_iter=1000),
        ),
        (
            metric_learn.LMNN(regularization=0.3),
            freemetric.LMNN(regularization=0.3, max_iter=1000),
        ),
        (
            metric_learn.NCA(n_components=2),
            freemetric.NCA(2, init="lda", max_iter=100, tol=1e-7),
        ),
        (
            metric_learn.NCA(init="pca", n_components=3, tol=1e-2),
            freemetric.NCA(3, init="pca", tol=1e-2),
        ),
        (
            metric_learn.NCA(init="random", random_state=3),
            freemetric.NCA(init="random", max_iter=100, tol=1e-7, random_state=3),
        ),
        (metric_learn.MLKR(init=np.eye(2, 4)), freemetric.MLKR(2, init=np.eye(2, 4))),
        (metric_learn.MLKR(3), freemetric.MLKR(3, init="pca")),
        (metric_learn.RCA(2), freemetric.RCA(2)),
        (metric_learn.Covariance(), freemetric.Covariance()),
        (
            metric_learn.SCML_Supervised(2, 4, n_basis=30, random_state=1, beta=1e-3),
            freemetric.SCML(
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
    np.testing.assert_allclose(
        theirs.components_, ours.components_, rtol=1e-6, atol=1e-9
    )
    if hasattr(theirs, "n_iter_"):
        assert theirs.n_iter_ == ours.n_iter_


def test_covariance_is_a_closed_form():
    M = metric_learn.Covariance().fit(CENTIMETRES).get_mahalanobis_matrix()
    np.testing.assert_allclose(M, np.linalg.inv(np.cov(CENTIMETRES.T)))


def test_rca_is_a_closed_form():
    within = np.mean(
        [np.cov(CENTIMETRES[c == SPECIES].T, bias=True) for c in range(3)], axis=0
    )
    M = metric_learn.RCA().fit(CENTIMETRES, SPECIES).get_mahalanobis_matrix()
    np.testing.assert_allclose(M, np.linalg.inv(within))


@pytest.mark.parametrize("prior", ["identity", "covariance"])
def test_itml_solves_the_problem_that_its_bounds_say(pairs, prior):
    """No metric nearby costs less: LogDet from the prior, and slacks of squared
    distances against the bounds.
    """
    indices, labels = pairs
    model = metric_learn.ITML(prior=prior, tol=1e-7, preprocessor=CENTIMETRES).fit(
        indices, labels
    )
    X = CENTIMETRES[np.unique(indices)]
    X = np.unique(X, axis=0)
    expected = np.percentile(np.linalg.norm(X[:, None] - X, axis=2), (5, 95))
    np.testing.assert_allclose(model.bounds_, expected)
    M0 = np.eye(4) if prior == "identity" else np.linalg.inv(np.cov(X.T))
    V, target = differences(indices), np.where(labels == 1, *model.bounds_)

    def price(M):
        ratio = np.einsum("ni,ij,nj->n", V, M, V) / target
        ratio = np.where(labels == 1, np.maximum(ratio, 1), np.minimum(ratio, 1))
        product = M @ np.linalg.inv(M0)
        return (
            np.trace(product)
            - np.linalg.slogdet(product)[1]
            + (ratio - np.log(ratio)).sum()
        )

    M = model.get_mahalanobis_matrix()
    rng = np.random.default_rng(0)
    for size in (1e-3, 1e-2, 0.1):
        for _ in range(20):
            B = np.eye(4) + size * rng.standard_normal((4, 4))
            assert price(B.T @ M @ B) > price(M) - 1e-6


def test_itml_takes_bounds():
    model = metric_learn.ITML_Supervised(random_state=0).fit(
        CENTIMETRES, SPECIES, bounds=[0.5, 9]
    )
    np.testing.assert_array_equal(model.bounds_, [0.5, 9])
    with pytest.raises(ValueError, match="bounds must be two numbers of at least 0"):
        model.fit(CENTIMETRES, SPECIES, bounds=[1, 2, 3])


def test_itml_with_bounds_that_must_hold(pairs):
    """gamma of infinity, as metric-learn writes it: similar pairs that can be within
    their bound are.
    """
    indices, labels = pairs
    near = indices[labels == 1][:5]
    model = metric_learn.ITML(gamma=np.inf, preprocessor=CENTIMETRES)
    model.fit(near, np.ones(5), bounds=[0.05, 4.0])
    assert (model.pair_distance(near) ** 2 < 0.0501).all()


@pytest.mark.parametrize("penalty", [0.0, 0.02])
def test_sdml_is_a_graphical_lasso_in_the_units_of_the_points(pairs, penalty):
    indices, labels = pairs
    model = metric_learn.SDML(
        balance_param=1e-4,
        sparsity_param=penalty,
        prior="covariance",
        preprocessor=CENTIMETRES,
    )
    model.fit(indices, labels)
    V, X = differences(indices), np.unique(CENTIMETRES[np.unique(indices)], axis=0)
    S = np.cov(X.T) + 1e-4 * (V.T * labels) @ V
    expected = (
        np.linalg.inv(S)
        if penalty == 0
        else graphical_lasso(S, penalty, tol=1e-6, enet_tol=1e-9)[1]
    )
    M = model.get_mahalanobis_matrix()
    np.testing.assert_allclose(M, expected, atol=5e-3 * np.abs(expected).max())


def test_mmc_has_the_scale_of_its_start_and_the_best_shape(pairs):
    indices, labels = pairs
    model = metric_learn.MMC(
        init=4 * np.eye(4), tol=1e-6, preprocessor=CENTIMETRES
    ).fit(indices, labels)
    V, W = differences(indices[labels == 1]), differences(indices[labels == -1])
    assert np.sum((V @ model.components_.T) ** 2) == pytest.approx(
        0.01 * 4 * (V**2).sum()
    )

    def minus_spread(flat):
        L = flat.reshape(4, 4)
        return -np.linalg.norm(W @ L.T, axis=1).sum() / np.linalg.norm(V @ L.T)

    best = min(
        minimize(minus_spread, start.ravel()).fun
        for start in (np.eye(4), np.diag([1, 2, 3, 4.0]))
    )
    assert minus_spread(model.components_.ravel()) == pytest.approx(best, rel=1e-4)


@pytest.mark.parametrize("c", [0.5, 3.0])
def test_diagonal_mmc_minimises_what_xing_wrote(pairs, c):
    indices, labels = pairs
    model = metric_learn.MMC(
        diagonal=True, diagonal_c=c, tol=1e-7, preprocessor=CENTIMETRES
    ).fit(indices, labels)
    S, D = (
        differences(indices[labels == 1]) ** 2,
        differences(indices[labels == -1]) ** 2,
    )

    def price(w):
        return (S @ w).sum() - c * np.log(np.sqrt(D @ w).sum())

    bounds = [(0, None)] * 4
    best = minimize(
        price,
        np.full(4, 1e-2),
        bounds=bounds,
        method="L-BFGS-B",
        options={"ftol": 1e-15, "gtol": 1e-10},
    )
    M = model.get_mahalanobis_matrix()
    np.testing.assert_allclose(M, np.diag(np.diag(M)), atol=1e-12)
    assert price(np.diag(M)) == pytest.approx(best.fun, abs=1e-4)


def test_lsml_minimises_residuals_in_the_units_of_the_points():
    X, y = load_wine(return_X_y=True)
    X = X[:, [0, 6, 9]]
    quadruplets = np.column_stack(
        metric_learn.Constraints(y).positive_negative_pairs(50, random_state=0)
    )
    weights = np.linspace(1, 3, 50)
    model = metric_learn.LSML(tol=1e-8, preprocessor=X).fit(
        quadruplets, weights=weights
    )
    V, W = (
        X[quadruplets[:, 0]] - X[quadruplets[:, 1]],
        X[quadruplets[:, 2]] - X[quadruplets[:, 3]],
    )

    def price(flat):
        L = flat.reshape(3, 3)
        missing = np.maximum(
            np.linalg.norm(V @ L.T, axis=1) - np.linalg.norm(W @ L.T, axis=1), 0
        )
        return (
            weights @ missing**2 / weights.sum()
            + (L * L).sum()
            - 2 * np.linalg.slogdet(L)[1]
        )

    best = minimize(price, np.eye(3).ravel()).fun
    assert price(model.components_.ravel()) == pytest.approx(best, abs=1e-5)


def test_labels_are_a_way_to_draw_pairs():
    model = metric_learn.ITML_Supervised(n_constraints=40, random_state=5).fit(
        CENTIMETRES, SPECIES
    )
    a, b, c, d = metric_learn.Constraints(SPECIES).positive_negative_pairs(
        40, random_state=5
    )
    pairs = np.vstack([np.column_stack([a, b]), np.column_stack([c, d])])
    same = metric_learn.ITML(random_state=5).fit(
        CENTIMETRES[pairs], np.repeat([1, -1], 40), bounds=model.bounds_
    )
    np.testing.assert_allclose(model.components_, same.components_, rtol=1e-6)


@pytest.mark.parametrize(
    "cls",
    [
        metric_learn.ITML_Supervised,
        metric_learn.LSML_Supervised,
        metric_learn.SCML_Supervised,
    ],
)
def test_labels_below_zero_are_unknown(cls):
    options = {"n_basis": 10} if cls is metric_learn.SCML_Supervised else {}
    y, words = SPECIES.copy(), np.array(["setosa", "versicolor", "virginica"])[SPECIES]
    y[::2] = -1
    hidden = np.where(y < 0, 99.0, CENTIMETRES.T).T  # where they are does not matter
    partly = cls(random_state=0, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        partly.fit(hidden, y)
        known = cls(random_state=0, **options).fit(hidden[1::2], y[1::2])
    if cls is metric_learn.SCML_Supervised:
        np.testing.assert_allclose(partly.components_, known.components_, rtol=1e-6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cls(random_state=0, **options).fit(CENTIMETRES, words)


def test_bases_of_ones_own():
    basis = np.random.default_rng(0).standard_normal((12, 4))
    model = metric_learn.SCML_Supervised(basis=basis, random_state=0).fit(
        CENTIMETRES, SPECIES
    )
    ours = freemetric.SCML(
        basis=basis, max_iter=10_000, regularization=1e-5 / 5.9**2, random_state=0
    )
    np.testing.assert_allclose(
        model.components_, ours.fit(CENTIMETRES, SPECIES).components_, rtol=1e-6
    )


def test_as_many_steps_as_asked_for_are_no_reason_to_warn():
    model = metric_learn.SCML_Supervised(n_basis=20, max_iter=2000, random_state=0)
    assert model.fit(CENTIMETRES, SPECIES).n_iter_ == 2000


def test_nca_ends_where_metric_learn_does():
    X, y = load_breast_cancer(return_X_y=True)
    Z = metric_learn.NCA().fit_transform(minmax_scale(X), y)
    D = cdist(Z, Z, "sqeuclidean")
    np.fill_diagonal(D, np.inf)
    error = 1 - (softmax(-D, axis=1) * (y[:, None] == y)).sum() / len(y)
    assert (
        error < 0.007035
    )  # metric-learn 0.7.0: 0.007030; 0.007062 at a tolerance of 1e-5
