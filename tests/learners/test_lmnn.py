import logging

import numpy as np
import pytest
from scipy.optimize import approx_fprime, linprog
from sklearn.datasets import load_digits, make_classification
from sklearn.exceptions import ConvergenceWarning

from freemetric import keep_interrupted_fits
from freemetric.exceptions import DataWarning, InterruptedFitWarning
from freemetric.kernels.numba import large_margin
from freemetric.learners import lmnn
from freemetric.learners.lmnn import LMNN


def blobs(rng, counts, d, spread=0.5):
    """Overlapping classes of the given sizes, in a random order."""
    y = rng.permutation(np.repeat(np.arange(len(counts)), counts))
    return rng.standard_normal((len(counts), d))[y] + spread * rng.standard_normal((len(y), d)), y


def all_triplets(X, y, k):
    """(i, target, impostor), by the definition."""
    triplets = []
    for i in range(len(X)):
        same = np.flatnonzero((y == y[i]) & (np.arange(len(X)) != i))
        for j in same[np.argsort(np.sum((X[same] - X[i]) ** 2, axis=1))[:k]]:
            triplets += [(i, j, l) for l in np.flatnonzero(y != y[i])]
    return np.array(triplets)


def defined(A, X, y, k, regularization):
    """The objective, term by term."""
    D = np.sum(((X[:, None] - X) @ A.T) ** 2, axis=2)
    triplets = all_triplets(X, y, k)
    pull = sum(D[i, j] for i, j in {(i, j) for i, j, _ in triplets.tolist()})
    push = sum(max(0, 1 + D[i, j] - D[i, l]) for i, j, l in triplets)
    return (regularization * pull + (1 - regularization) * push) / len(X)


def objective_of(loss, p):
    """Smooth f and its gradient as a function of A (flat) and the width of the smooth part."""
    objective = lmnn._Search(loss, np.empty((p, loss.X.shape[1])))

    def function(A, width=0.0):
        objective.width = width
        value, gradient = objective(loss.unit * A)
        return value, loss.unit * gradient

    return function


def labelled_value(A, X, y):
    """f of the default parameters."""
    return objective_of(lmnn._LabelledLoss(X, y, 3, 0.5), len(A))(A.ravel())[0]


def convex_optimum(X, y, k, regularization):
    """The minimum over M = A^T A, or up to 1e-5 less: linear programmes with cuts v^T M v >= 0 bound it from below."""
    d, triplets = X.shape[1], all_triplets(X, y, k)
    i, j, l = triplets.T

    def outer(differences):
        return np.einsum("na,nb->nab", differences, differences).reshape(len(differences), -1)

    pairs = np.unique(triplets[:, :2], axis=0)
    pull = outer(X[pairs[:, 0]] - X[pairs[:, 1]]).sum(axis=0)
    cost = np.append(regularization * pull, np.full(len(triplets), 1 - regularization)) / len(X)
    # slack >= 1 + D_ij - D_il
    rows = np.hstack([outer(X[i] - X[j]) - outer(X[i] - X[l]), -np.eye(len(triplets))])
    right = -np.ones(len(triplets))
    symmetric = np.array(
        [np.eye(d * d)[a * d + b] - np.eye(d * d)[b * d + a] for a in range(d) for b in range(a)]
    ).reshape(-1, d * d)
    equal = np.hstack([symmetric, np.zeros((len(symmetric), len(triplets)))])
    bounds = [(-1e3, 1e3)] * (d * d) + [(0, None)] * len(triplets)
    cuts = np.eye(d)
    for _ in range(500):
        cut_rows = np.hstack([-outer(cuts), np.zeros((len(cuts), len(triplets)))])
        result = linprog(
            cost,
            np.vstack([rows, cut_rows]),
            np.append(right, np.zeros(len(cuts))),
            equal,
            np.zeros(len(equal)),
            bounds,
        )
        values, vectors = np.linalg.eigh(result.x[: d * d].reshape(d, d))
        nearest = (vectors * np.sqrt(np.clip(values, 0, None))).T  # bounds it from above
        if defined(nearest, X, y, k, regularization) < result.fun + 1e-5:
            return result.fun
        cuts = np.vstack([cuts, vectors[:, values < 0].T])
    raise AssertionError("the cuts did not converge")


@pytest.mark.parametrize(("counts", "k", "p"), [((9, 6, 1, 2), 3, 3), ((8, 8), 1, 2)])
def test_objective_and_gradient_by_the_definition(rng, counts, k, p):
    X, y = blobs(rng, counts, 3)
    objective = objective_of(lmnn._LabelledLoss(X, y, k, 0.3), p)
    for scale in (0.2, 1.0, 3.0):
        A = scale * rng.standard_normal((p, 3))
        value, gradient = objective(A.ravel())
        assert value == pytest.approx(defined(A, X, y, k, 0.3), rel=1e-12)
        numerical = approx_fprime(A.ravel(), lambda a: defined(a.reshape(p, 3), X, y, k, 0.3), 1e-7)
        np.testing.assert_allclose(gradient, numerical, rtol=1e-4, atol=1e-4 * np.abs(gradient).max())


@pytest.mark.parametrize("kind", ["labels", "triplets"])
def test_the_smooth_objective(rng, kind):
    X, y = blobs(rng, (9, 7, 4), 3)
    triplets = all_triplets(X, y, 2)
    loss = lmnn._LabelledLoss(X, y, 2, 0.3) if kind == "labels" else lmnn._TripletLoss(X, triplets, 0.3)
    objective = objective_of(loss, 2)
    A = rng.standard_normal(6)
    value, gradient = objective(A, width=0.5)
    exact = defined(A.reshape(2, 3), X, y, 2, 0.3)
    assert exact - 0.7 * 0.25 * len(triplets) / len(X) < value < exact
    numerical = approx_fprime(A, lambda a: objective(a, width=0.5)[0], 1e-7)
    np.testing.assert_allclose(gradient, numerical, rtol=1e-5, atol=1e-5 * np.abs(gradient).max())


@pytest.mark.slow
@pytest.mark.parametrize("kept_pairs", [lmnn.KEPT_PAIRS, 10])
@pytest.mark.parametrize("scale", [1e-3, 1.0, 30.0])
def test_many_tiles_and_kept_pairs_leave_nothing_out(rng, monkeypatch, scale, kept_pairs):
    """Against all triplets at once, on a walk of small and large steps."""
    monkeypatch.setattr(lmnn, "KEPT_PAIRS", kept_pairs)
    X, y = blobs(rng, (300, 150, 1, 149), 6)
    X += 50  # far from the origin
    loss = lmnn._LabelledLoss(X, y, 2, 0.5)
    labelled, triplets = (objective_of(f, 4) for f in (loss, lmnn._TripletLoss(X, all_triplets(X, y, 2), 0.5)))
    A = scale * rng.standard_normal(24)
    searches = 0
    for step in (0, 1e-3, 1e-3, 1e-3, 0.3, 1e-3):
        A = A + step * scale * rng.standard_normal(24)
        before = getattr(loss, "searched_at", None)
        value, gradient = labelled(A)
        searches += loss.searched_at is not before
        expected, expected_gradient = triplets(A)
        assert value == pytest.approx(expected, rel=1e-10)
        np.testing.assert_allclose(gradient, expected_gradient, rtol=1e-9, atol=1e-9 * np.abs(gradient).max())
    if kept_pairs == 10 or scale > 1:
        assert searches > 1
    else:
        assert searches < 6


def test_the_screen_lets_every_near_pair_pass(rng):
    for scale in (1e-30, 1.0, 1e30):
        Z = scale * (rng.standard_normal((80, 5)) + 100)
        r = scale * rng.random(80)
        U, V, bound = large_margin.screen(Z, r, 0.0)
        near = np.linalg.norm(Z[:, None] - Z, axis=2) < np.maximum(r[:, None], r)
        passed = np.maximum(bound[:, None], bound) >= U @ V.T
        assert near.sum() > 80  # more than the diagonal
        assert passed[near].all()


@pytest.mark.parametrize(
    ("counts", "d", "k", "regularization"),
    [((6, 6), 2, 1, 0.5), ((7, 5, 4), 2, 2, 0.5), ((6, 8), 3, 2, 0.2), ((10, 10), 3, 2, 0.5), ((6, 7, 7), 3, 1, 0.5)],
)
@pytest.mark.parametrize("seed", range(3))
def test_reaches_the_convex_optimum(seed, counts, d, k, regularization):
    X, y = blobs(np.random.default_rng(seed), counts, d)
    lower_bound = convex_optimum(X, y, k, regularization)
    model = LMNN(n_neighbors=k, regularization=regularization, tol=1e-9, max_iter=2000).fit(X, y)
    assert model.objective_ == pytest.approx(defined(model.components_, X, y, k, regularization), rel=1e-10)
    assert lower_bound - 1e-6 <= model.objective_ <= lower_bound + 2e-5


def test_triplets_are_what_labels_stand_for(rng):
    X, y = blobs(rng, (20, 15, 1, 2), 3)
    with pytest.warns(DataWarning, match="single sample"):
        labelled = LMNN(tol=1e-8).fit(X, y)
    given = LMNN(tol=1e-8).fit(X, triplets=all_triplets(X, y, 3))
    assert given.objective_ == pytest.approx(labelled.objective_, rel=1e-6)
    np.testing.assert_allclose(given.get_mahalanobis_matrix(), labelled.get_mahalanobis_matrix(), atol=0.01)
    ignored = LMNN(tol=1e-8).fit(X, y, triplets=all_triplets(X, y, 3))
    np.testing.assert_array_equal(ignored.components_, given.components_)


def test_triplets_that_are_satisfied_stay_so(rng):
    """Only feature 0 decides; the others are noise."""
    X = rng.random((60, 4))
    triplets = rng.integers(60, size=(3000, 3))
    near, far = np.abs(X[triplets[:, 0], 0] - X[triplets[:, 1:], 0].T)
    triplets = triplets[near + 0.1 < far]
    model = LMNN(regularization=0.02).fit(X, triplets=triplets)
    i, j, l = model.transform(X)[triplets.T]
    assert np.mean(np.linalg.norm(i - j, axis=1) < np.linalg.norm(i - l, axis=1)) > 0.97
    M = model.get_mahalanobis_matrix()
    assert M[0, 0] > 10 * np.diag(M)[1:].max()


@pytest.mark.parametrize(
    ("triplets", "message"),
    [
        ([[0, 1]], r"triplets must be integers of shape \(n, 3\)"),
        ([[0, 1, 2], [0, 1, 150]], r"triplets\[1\] = \[0, 1, 150\] points outside X, which has 150 rows"),
    ],
)
def test_bad_triplets_are_named(iris, triplets, message):
    with pytest.raises(ValueError, match=message):
        LMNN().fit(iris[0], triplets=triplets)


def test_lda_start_needs_labels(iris):
    with pytest.raises(ValueError, match="init='lda' needs labels"):
        LMNN(init="lda").fit(iris[0], triplets=[[0, 1, 100]])


def test_the_objective_never_rises(wine, monkeypatch):
    """From one iteration to the next, as long as the hinge stays the same; nor does the true one from then to then."""
    original, seen = lmnn._Search.report, []

    def note(self, flat):
        original(self, flat)
        seen.append((self.width, self(flat)[0], self.best.value))

    monkeypatch.setattr(lmnn._Search, "report", note)
    model = LMNN(tol=1e-6).fit(*wine)
    widths, smooth, lowest = np.array(seen).T
    assert len(seen) == model.n_iter_
    assert len(np.unique(widths)) > 1
    for width in np.unique(widths):
        assert np.all(np.diff(smooth[widths == width]) <= 0)
    assert np.all(np.diff(lowest) <= 0)
    assert model.objective_ == lowest[-1] == pytest.approx(labelled_value(model.components_, *wine))


def test_verbose_logs_progress(iris, caplog):
    with caplog.at_level(logging.INFO, logger="freemetric"):
        model = LMNN(verbose=True).fit(*iris)
    assert caplog.messages[0].startswith("LMNN iteration 1: objective")
    assert caplog.messages[-1] == f"LMNN iteration {model.n_iter_}: objective {model.objective_:.6f}"


def test_same_seed_same_result(wine):
    first, second = (LMNN(5, init="random", random_state=3).fit(*wine) for _ in range(2))
    np.testing.assert_array_equal(first.components_, second.components_)
    assert not np.array_equal(LMNN(5, init="random", random_state=4).fit(*wine).components_, first.components_)


@pytest.mark.parametrize("init", ["identity", "pca", "lda", "random", "uniform", np.eye(2, 4)], ids=str)
def test_every_start_lowers_the_objective(iris, init):
    model = LMNN(2, init=init, random_state=0).fit(*iris)
    assert model.components_.shape == (2, 4)
    assert model.objective_ < 2.2
    assert model.objective_ < labelled_value(np.eye(2, 4), *iris) / 10


@pytest.mark.parametrize("unit", [1e-9, 1e-3, 1e6])
def test_the_unit_of_the_features_does_not_matter(wine, unit):
    X, y = wine
    expected = LMNN().fit(X, y).objective_
    assert LMNN().fit(unit * X, y).objective_ == pytest.approx(expected, rel=0.01)


@pytest.mark.slow
def test_less_pull_more_margin(wine):
    """With hardly any pull separable data get all their margins."""
    assert LMNN(regularization=1e-6, tol=1e-8).fit(*wine).objective_ < 1e-3
    assert LMNN(regularization=0, tol=1e-8).fit(*wine).objective_ == pytest.approx(0, abs=1e-9)


def test_warm_start_goes_on(wine):
    model = LMNN(max_iter=3, warm_start=True)
    with pytest.warns(ConvergenceWarning, match="LMNN stopped at max_iter=3 before it converged") as caught:
        first = model.fit(*wine).objective_
    assert caught[0].filename == __file__
    with pytest.warns(ConvergenceWarning, match="LMNN stopped at max_iter=3"):
        model.fit(*wine)
    assert model.objective_ < first
    assert model.n_iter_ == 3


def test_warm_start_on_other_features_starts_anew(wine, iris):
    model = LMNN(warm_start=True).fit(*wine).fit(*iris)
    np.testing.assert_array_equal(model.components_, LMNN().fit(*iris).components_)


def test_interrupted_fit_keeps_the_best(wine, monkeypatch):
    original = lmnn._Search.report

    def press_ctrl_c(self, flat):
        original(self, flat)
        if self.n_iter == 4:
            raise KeyboardInterrupt

    monkeypatch.setattr(lmnn._Search, "report", press_ctrl_c)
    with keep_interrupted_fits(), pytest.warns(InterruptedFitWarning, match="LMNN.fit was interrupted"):
        model = LMNN().fit(*wine)
    assert model.n_iter_ == 4
    assert model.objective_ < labelled_value(np.eye(13), *wine)
    assert model.transform(wine[0]).shape == (178, 13)


def test_more_neighbors_than_the_largest_class_has_is_one_warning(rng):
    X, y = blobs(rng, (5, 3), 2)
    with pytest.warns(DataWarning, match="n_neighbors=10 is more than the data allow; 4 is used") as caught:
        model = LMNN(n_neighbors=10).fit(X, y)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert model.objective_ == LMNN(n_neighbors=4).fit(X, y).objective_


@pytest.mark.filterwarnings("ignore::freemetric.exceptions.DataWarning")
@pytest.mark.parametrize(
    "data",
    [
        (np.arange(6.0)[:, None], np.arange(6)),  # classes of one only
        (np.ones((8, 3)), np.repeat([0, 1], 4)),  # nothing varies
        (np.repeat(np.eye(3), 4, axis=0), np.tile([0, 1], 6)),  # copies in both classes
        (np.random.default_rng(0).random((6, 40)), np.repeat([0, 1], 3)),  # fewer samples than features
        (np.array([[0.0], [1.0]]), np.array([0, 1])),
    ],
    ids=["lonely", "constant", "copies", "wide", "two"],
)
def test_poor_data_do_no_harm(data):
    model = LMNN().fit(*data)
    assert np.isfinite(model.components_).all()
    assert np.isfinite(model.objective_)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"regularization": 1}, "'regularization' parameter of LMNN"),
        ({"n_neighbors": 0}, "'n_neighbors' parameter of LMNN"),
        ({"init": "best"}, "'init' parameter of LMNN"),
        ({"tol": -1}, "'tol' parameter of LMNN"),
    ],
)
def test_bad_parameters_are_named(iris, parameters, message):
    with pytest.raises(ValueError, match=message):
        LMNN(**parameters).fit(*iris)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::freemetric.exceptions.DataWarning")
def test_larger_data_converge():
    X, y = load_digits(return_X_y=True)
    assert LMNN().fit(X[:1000] / 16, y[:1000]).objective_ < 0.86
    model = LMNN().fit(*make_classification(3000, 30, random_state=0))
    assert model.n_iter_ < 50
