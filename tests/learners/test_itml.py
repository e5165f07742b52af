import numpy as np
import pytest
from scipy.optimize import minimize, minimize_scalar
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import minmax_scale

from freemetric import keep_interrupted_fits
from freemetric.exceptions import DataWarning, InterruptedFitWarning
from freemetric.kernels.numba.learner_loops import logdet_cycle
from freemetric.learners import itml
from freemetric.learners.itml import ITML


@pytest.fixture
def tiny(rng):
    """Twelve samples in the plane, four similar and five dissimilar pairs, some of them against the bounds."""
    X = rng.standard_normal((12, 2)) * [1, 0.3]
    pairs = np.array([[0, 1], [2, 3], [4, 5], [0, 6], [7, 8], [1, 9], [2, 10], [3, 11], [5, 8]])
    return X, pairs, np.array([1, 1, 1, 1, -1, -1, -1, -1, -1])


def differences(model, X):
    return X[model.pairs_[:, 0]] - X[model.pairs_[:, 1]]


def divergence(r):
    return r - np.log(r) - 1


def dual_objective(V, theta, targets, gamma, prior):
    """log det(M^-1 M_0) + gamma sum log(1 - theta xi_0 / gamma), from the multipliers alone."""
    inverse = np.linalg.inv(prior) + np.einsum("c,ci,cj->ij", theta, V, V)
    return np.linalg.slogdet(inverse @ prior)[1] + gamma * np.log(1 - theta * targets / gamma).sum()


@pytest.mark.parametrize("prior", ["identity", np.array([[2.0, 0.5], [0.5, 1.0]])], ids=["identity", "array"])
@pytest.mark.parametrize("gamma", [0.3, 1.0, 5.0])
def test_the_convex_programme_solved_by_scipy(tiny, gamma, prior):
    X, pairs, labels = tiny
    u, l = 0.4, 2.5
    M0 = np.eye(2) if isinstance(prior, str) else prior
    V, targets = X[pairs[:, 0]] - X[pairs[:, 1]], np.where(labels == 1, u, l)

    def unpack(z):
        L = np.array([[z[0], 0], [z[1], z[2]]])
        return L @ L.T, np.exp(z[3:])

    def objective(z):
        M, xi = unpack(z)
        P = M @ np.linalg.inv(M0)
        return np.trace(P) - np.linalg.slogdet(P)[1] - 2 + gamma * divergence(xi / targets).sum()

    def feasible(z):
        M, xi = unpack(z)
        return labels * (xi - np.einsum("ci,ij,cj->c", V, M, V))

    start = np.concatenate([[1, 0, 1], np.log(np.einsum("ci,ci->c", V, V))])
    result = minimize(
        objective,
        start,
        method="SLSQP",
        constraints={"type": "ineq", "fun": feasible},
        options={"maxiter": 1000, "ftol": 1e-12},
    )
    assert result.success
    model = ITML(gamma=gamma, prior=prior, bounds=(u, l), tol=1e-10).fit(X, pairs=pairs, pair_labels=labels)
    assert model.objective_ == pytest.approx(result.fun, rel=1e-5)
    np.testing.assert_allclose(model.get_mahalanobis_matrix(), unpack(result.x)[0], rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("gamma", [0.1, 1.0, 10.0])
def test_the_conditions_of_optimality(wine, gamma):
    X, y = wine
    model = ITML(gamma=gamma, n_constraints=100, prior="covariance", tol=1e-12, random_state=0).fit(X, y)
    V, s, (u, l) = differences(model, X), model.pair_labels_, model.bounds_
    M, M0 = model.get_mahalanobis_matrix(), np.linalg.inv(np.cov(X.T, bias=True))
    stationary = np.linalg.inv(M0) + np.einsum("c,ci,cj->ij", s * model.dual_, V, V)
    np.testing.assert_allclose(np.linalg.inv(M), stationary, rtol=1e-6, atol=1e-8)
    assert (model.dual_ >= 0).all()
    xi = 1 / (1 / np.where(s == 1, u, l) - s * model.dual_ / gamma)
    distances = np.einsum("ci,ij,cj->c", V, M, V)
    assert (s * (distances - xi) <= 1e-4 * xi).all()
    active = model.dual_ > 1e-6 * model.dual_.max()
    assert 0 < active.sum() < len(s)
    np.testing.assert_allclose(distances[active], xi[active], rtol=1e-4)


def test_the_dual_rises_and_stays_below_the_objective(wine, monkeypatch):
    X, y = wine
    seen = []
    original = itml._Projections.cycle

    def record(self, order):
        original(self, order)
        seen.append(self.multipliers.copy())

    monkeypatch.setattr(itml._Projections, "cycle", record)
    model = ITML(tol=1e-9, n_constraints=200, random_state=0).fit(X, y)
    V, s, (u, l) = differences(model, X), model.pair_labels_, model.bounds_
    values = [dual_objective(V, s * dual, np.where(s == 1, u, l), 1.0, np.eye(13)) for dual in seen]
    assert len(values) == model.n_iter_ > 3
    assert (np.diff(values) >= -1e-9).all()
    assert values[0] > 0
    assert model.objective_ - values[-1] == pytest.approx(model.gap_, abs=1e-9)
    assert 0 <= model.gap_ <= 1e-9 * model.objective_


@pytest.mark.parametrize(("label", "bound"), [(1, 0.5), (-1, 20.0)])
@pytest.mark.parametrize("gamma", [0.5, 4.0])
def test_one_pair_in_closed_form(label, bound, gamma):
    X = np.array([[0.0, 0.0], [1.0, 2.0], [5.0, 5.0]])
    model = ITML(gamma=gamma, bounds=(bound, bound)).fit(X, pairs=[[0, 1]], pair_labels=[label])
    v, p = X[1], 5.0
    t = gamma / (gamma + 1) * (1 / bound - 1 / p)
    np.testing.assert_allclose(
        model.get_mahalanobis_matrix(), np.linalg.inv(np.eye(2) + t * np.outer(v, v)), atol=1e-10
    )
    assert model.dual_[0] == pytest.approx(abs(t))


def test_pairs_within_the_bounds_leave_the_prior(tiny):
    X, pairs, labels = tiny
    model = ITML(bounds=(100, 1e-6)).fit(X, pairs=pairs, pair_labels=labels)
    np.testing.assert_allclose(model.get_mahalanobis_matrix(), np.eye(2), atol=1e-12)
    assert model.objective_ == pytest.approx(0, abs=1e-12)
    assert model.n_iter_ == 0


def test_a_projection_climbs_to_the_top_of_the_dual_along_one_multiplier(rng):
    V, signs, gamma, order = rng.standard_normal((6, 3)), np.array([1.0, -1, 1, -1, 1, -1]), 2.0, np.array([3, 0, 5, 1])
    targets = np.where(signs > 0, 0.5, 4.0)
    multipliers = np.array([0.0, 0.05, 0, 0, 0.01, 0])
    slacks = 1 / (1 / targets - signs * multipliers / gamma)
    M = np.linalg.inv(np.eye(3) + np.einsum("c,ci,cj->ij", signs * multipliers, V, V))
    for c in order:
        most = gamma / targets[c] if signs[c] > 0 else multipliers[c] + 1 / (V[c] @ M @ V[c])
        best = minimize_scalar(
            lambda x, c, others: (
                -dual_objective(V, signs * np.where(np.arange(6) == c, x, others), targets, gamma, np.eye(3))
            ),
            args=(c, multipliers.copy()),
            bounds=(0, most),
            method="bounded",
            options={"xatol": 1e-10},
        ).x
        logdet_cycle(M, (V, signs, multipliers, slacks), gamma, np.array([c]))
        assert multipliers[c] == pytest.approx(best, abs=1e-6)
    np.testing.assert_allclose(np.linalg.inv(M), np.eye(3) + np.einsum("c,ci,cj->ij", signs * multipliers, V, V))
    np.testing.assert_allclose(1 / slacks, 1 / targets - signs * multipliers / gamma)


def test_labels_are_a_way_to_draw_pairs(wine):
    X, y = wine
    model = ITML(n_constraints=60, tol=1e-10, random_state=0).fit(X, y)
    assert model.pairs_.shape == (60, 2)
    np.testing.assert_array_equal(y[model.pairs_[:, 0]] == y[model.pairs_[:, 1]], model.pair_labels_ == 1)
    again = ITML(tol=1e-10, random_state=1).fit(X, pairs=model.pairs_, pair_labels=model.pair_labels_)
    np.testing.assert_allclose(again.get_mahalanobis_matrix(), model.get_mahalanobis_matrix(), atol=1e-5)
    assert not hasattr(again, "classes_")


def test_zero_differences_change_nothing(tiny):
    X, pairs, labels = tiny
    X = np.vstack([X, X[:1]])
    expected = ITML(random_state=0, tol=1e-10).fit(X, pairs=pairs, pair_labels=labels)
    more, more_labels = np.vstack([pairs, [[0, 12], [5, 5]]]), np.append(labels, [-1, 1])
    model = ITML(random_state=0, tol=1e-10).fit(X, pairs=more, pair_labels=more_labels)
    np.testing.assert_allclose(model.get_mahalanobis_matrix(), expected.get_mahalanobis_matrix())
    np.testing.assert_array_equal(model.dual_[-2:], 0)
    assert model.objective_ == pytest.approx(expected.objective_)


def test_default_bounds_are_percentiles(iris, wine):
    for (X, y), most in ((iris, 20000), (wine, 1000)):  # all distances, and a sample of them
        squared = ((X[:, None] - X[None]) ** 2).sum(axis=2)[np.triu_indices(len(X), 1)]
        expected = np.percentile(squared[squared > 0], [5, 95])
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(itml, "MOST_DISTANCES", most)
            bounds = ITML(random_state=0).fit(X, y).bounds_
        np.testing.assert_allclose(bounds, expected, rtol=0.2 if most == 1000 else 1e-12)


@pytest.mark.parametrize(
    ("counts", "expected"), [([100, 100], 1000), ([40] * 10, 2000), ([2, 100], 400), ([4, 4], 24), ([1, 1, 1], 0)]
)
@pytest.mark.filterwarnings("ignore::freemetric.exceptions.DataWarning")
def test_default_number_of_pairs(rng, counts, expected):
    y = np.repeat(np.arange(len(counts)), counts)
    assert ITML(random_state=0).fit(rng.random((len(y), 3)), y).pairs_.shape == (expected, 2)


def test_more_pairs_than_there_are_is_a_warning(iris):
    with pytest.warns(DataWarning, match="Only 392 similar and 833 dissimilar pairs exist"):
        assert len(ITML(n_constraints=9000, max_iter=200).fit(iris[0][::3], iris[1][::3]).pairs_) == 784


def test_fewer_components_are_the_leading_ones(wine):
    whole, part = ITML(random_state=0).fit(*wine), ITML(2, random_state=0).fit(*wine)
    np.testing.assert_allclose(part.components_, whole.components_[:2])
    values = np.linalg.norm(whole.components_, axis=1) ** 2
    assert (np.diff(values) <= 0).all()
    np.testing.assert_allclose(values[::-1], np.linalg.eigvalsh(whole.get_mahalanobis_matrix()))


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_default_converges_and_is_reproducible(load):
    X, y = load(return_X_y=True)
    X = minmax_scale(X)
    first = ITML(random_state=3).fit(X, y)
    np.testing.assert_array_equal(ITML(random_state=3).fit(X, y).components_, first.components_)
    assert first.gap_ <= 1e-4 * first.objective_


@pytest.mark.filterwarnings("ignore::freemetric.exceptions.DataWarning")
def test_defaults_survive_poor_data(rng, wine):
    X, y = wine
    digits = load_digits(return_X_y=True)
    for data, labels in (
        (np.hstack([X, np.ones((178, 3))]), y),
        (np.vstack([X, X]), np.append(y, (y + 1) % 3)),  # every sample contradicted by its copy
        (np.vstack([X, X + 1e-9 * rng.random(X.shape)]), np.append(y, (y + 1) % 3)),
        (np.ones((20, 3)), np.arange(20) % 2),
        (X[:6], np.arange(6)),
        (X[:2], np.array([0, 1])),
        (rng.random((12, 30)), np.repeat([0, 1], 6)),
        (X * np.logspace(-8, 8, 13), y),
        (digits[0][:200], digits[1][:200]),
    ):
        for prior in ("identity", "covariance"):
            assert np.isfinite(ITML(prior=prior, random_state=0).fit(data, labels).components_).all()


def test_warm_start_goes_on(wine):
    X, y = wine
    model = ITML(gamma=10, max_iter=4, warm_start=True, random_state=0)
    with pytest.warns(ConvergenceWarning, match=r"ITML stopped after 4 cycles \(max_iter=4\)"):
        first = model.fit(X, y).gap_
    pairs = model.pairs_
    with pytest.warns(ConvergenceWarning, match="ITML stopped after 4 cycles"):
        second = model.fit(X, y).gap_
    assert second < first  # the dual rises with every cycle
    model.set_params(max_iter=1000).fit(X, y)
    assert model.pairs_ is pairs
    cold = ITML(gamma=10, random_state=0).fit(X, y)
    assert model.fit(X, y).n_iter_ < 0.2 * cold.n_iter_  # the lowest objective need not come with the highest dual
    assert model.objective_ == pytest.approx(cold.objective_, rel=2e-4)


def test_warm_start_on_changed_data(wine, iris):
    X, y = wine
    model = ITML(warm_start=True, tol=1e-8, random_state=0).fit(X, y)
    moved = 3 * X[:, ::-1]  # the old multipliers imply no metric here
    with_old_pairs = model.fit(moved, y)
    expected = ITML(tol=1e-8).fit(moved, pairs=model.pairs_, pair_labels=model.pair_labels_)
    assert with_old_pairs.objective_ == pytest.approx(expected.objective_, rel=1e-6)
    assert model.fit(*iris).components_.shape == (4, 4)
    assert model.pairs_.max() < 150


def test_interrupted_fit_keeps_the_best(wine, monkeypatch):
    calls = []
    original = itml._Projections.cycle

    def press_ctrl_c(self, order):
        if len(calls) == 2:
            raise KeyboardInterrupt
        calls.append(1)
        original(self, order)

    monkeypatch.setattr(itml._Projections, "cycle", press_ctrl_c)
    with keep_interrupted_fits(), pytest.warns(InterruptedFitWarning, match="ITML.fit was interrupted"):
        model = ITML(random_state=0).fit(*wine)
    assert model.n_iter_ == 2
    assert model.transform(wine[0]).shape == (178, 13)
    assert model.gap_ > 1e-4 * model.objective_


def test_verbose_logs_progress(iris, caplog):
    with caplog.at_level("INFO", logger="freemetric"):
        ITML(verbose=True).fit(*iris)
    assert "ITML cycle 1: objective" in caplog.text


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (ITML(gamma=0), "'gamma' parameter of ITML"),
        (ITML(prior="best"), "'prior' parameter of ITML"),
        (ITML(prior=np.eye(3)), r"prior has shape \(3, 3\); expected \(4, 4\)"),
        (ITML(prior=-np.eye(4)), "prior must be symmetric and positive definite"),
        (ITML(prior=np.triu(np.ones((4, 4)))), "prior must be symmetric and positive definite"),
        (ITML(bounds=(0, 1)), r"bounds must be two positive squared distances, u and l; got \(0, 1\)"),
        (ITML(bounds=(1,)), "bounds must be two positive"),
    ],
    ids=repr,
)
def test_bad_parameters_are_named(model, message, iris):
    with pytest.raises(ValueError, match=message):
        model.fit(*iris)


def test_bad_pairs_are_named(iris):
    X, _ = iris
    with pytest.raises(ValueError, match="pairs needs pair_labels"):
        ITML().fit(X, pairs=[[0, 1]])
    with pytest.raises(ValueError, match="pair_labels needs pairs"):
        ITML().fit(X, pair_labels=[1])
    with pytest.raises(ValueError, match=r"pairs\[0\] = \[0, 150\] points outside X"):
        ITML().fit(X, pairs=[[0, 150]], pair_labels=[1])
