"""Kernelized learners against feature spaces that can be written down, dual formulas, and scikit-learn."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from scipy.linalg import eigh
from scipy.spatial.distance import cdist, pdist
from sklearn.datasets import make_circles, make_friedman1
from sklearn.decomposition import KernelPCA
from sklearn.gaussian_process.kernels import RationalQuadratic
from sklearn.metrics.pairwise import pairwise_kernels, rbf_kernel
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline

from freemetric import (
    DCA,
    DMLMJ,
    ITML,
    LFDA,
    LMNN,
    MLKR,
    NCA,
    PCA,
    RCA,
    Euclidean,
    Kernelized,
    MetricKNeighborsClassifier,
    PairClassifier,
    load,
)
from freemetric.exceptions import DataWarning
from freemetric.files import ModelFileError
from freemetric.learners import kernelized
from freemetric.learners.kernelized import nystroem_space

POSITIVE = ("rbf", "laplacian", "poly", "cosine", "linear")
CLOSED = [RCA(2), DCA(2), LFDA(2), DMLMJ(2), PCA(2), RCA(regularization=0.1)]


@pytest.fixture(scope="module")
def rings():
    return make_circles(200, noise=0.1, factor=0.5, random_state=0)


@pytest.fixture(scope="module")
def few(iris):
    """Every third iris on two features, without copies, and others that are not learned from."""
    X, y = iris[0][:, 1:3] + 1e-3 * np.random.default_rng(0).standard_normal((150, 2)), iris[1]
    return X[::3], y[::3], X[1::3]


def squares(K, rows, columns):
    return np.diag(rows)[:, None] + np.diag(columns) - 2 * K


@pytest.mark.parametrize("kernel", POSITIVE)
def test_coordinates_keep_the_distances_of_the_feature_space(kernel, few):
    X, y, _ = few
    model = Kernelized(Euclidean(), kernel, gamma=0.7, n_directions=None, tol=0).fit(X, y)
    options = {"gamma": 0.7, "degree": 3, "coef0": 1}
    K = pairwise_kernels(X, metric=kernel, filter_params=True, **options)
    Z = model.transform(X)
    np.testing.assert_allclose(cdist(Z, Z, "sqeuclidean"), squares(K, K, K), atol=1e-6 * K.max())
    np.testing.assert_allclose(Z.mean(axis=0), 0, atol=1e-6)
    np.testing.assert_allclose(Z.var(axis=0), model.eigenvalues_, rtol=1e-3)


@pytest.mark.parametrize("learner", CLOSED, ids=str)
def test_a_linear_kernel_is_the_plain_learner(learner, wine):
    X, y = wine
    plain, kernelized = (
        learner.fit(X[::2], y[::2]),
        Kernelized(learner, "linear", n_directions=None, tol=0).fit(X[::2], y[::2]),
    )
    assert len(kernelized.projection_) == 13
    np.testing.assert_allclose(pdist(kernelized.transform(X)), pdist(plain.transform(X)), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("learner", CLOSED, ids=str)
def test_a_polynomial_kernel_is_the_learner_on_monomials(learner, few):
    """(u.v + 1)^2 is the product of all monomials of degree two at most, with weights; also for samples not seen."""
    X, y, new = few

    def monomials(X):
        a, b = X.T
        return np.column_stack([a * a, b * b, np.sqrt(2) * a * b, np.sqrt(2) * a, np.sqrt(2) * b])

    plain = learner.fit(monomials(X), y)
    expected = plain.transform(monomials(new))
    model = Kernelized(learner, "poly", gamma=1.0, degree=2, coef0=1, n_directions=None, tol=0).fit(X, y)
    assert len(model.projection_) == 5
    np.testing.assert_allclose(pdist(model.transform(new)), pdist(expected), rtol=1e-4, atol=1e-5)


def test_kernel_principal_components_are_scikit_learns(few):
    X, y, new = few
    model = Kernelized(PCA(3), gamma=2.0, n_directions=None, tol=0).fit(X, y)
    expected = KernelPCA(3, kernel="rbf", gamma=2.0).fit(X)
    np.testing.assert_allclose(np.abs(model.transform(new)), np.abs(expected.transform(new)), atol=1e-7)


def test_kernel_lda_by_its_dual(few):
    """Fisher's ratio of directions sum_i a_i phi(x_i), from the kernel matrix alone (generalised discriminants)."""
    X, y, new = few
    K = rbf_kernel(X, gamma=5.0)
    N = len(K)
    H, W = np.eye(N) - 1 / N, (y[:, None] == y) / np.bincount(y)[y]
    Kc = H @ K @ H
    within, total = Kc @ (np.eye(N) - W) @ Kc / N, Kc @ Kc / N
    model = Kernelized(RCA(2, regularization=0.1), gamma=5.0, n_directions=None, tol=0).fit(X, y)
    ridge = 0.1 * np.trace((np.eye(N) - W) @ Kc) / N / len(model.projection_)
    value, a = eigh(total, within + ridge * Kc + 1e-13 * np.eye(N), subset_by_index=[N - 2, N - 1])
    assert value[1] > 2 * value[0] > 2
    k = rbf_kernel(new, X, gamma=5.0) @ H
    np.testing.assert_allclose(pdist(model.transform(new)), pdist(k @ a), rtol=1e-4)


def test_kernel_dmlmj_by_its_dual(few):
    """Neighbours by kernel distances, differences as sums over rows of the kernel matrix."""
    X, y, _ = few
    K = rbf_kernel(X, gamma=20.0)
    D = squares(K, K, K)
    np.fill_diagonal(D, np.inf)

    def moment(allowed):
        """Of differences to the five nearest, as a matrix between coefficients of the images."""
        nearest = np.argsort(np.where(allowed, D, np.inf), axis=1)[:, :5]
        i, j = np.repeat(np.arange(len(X)), 5), nearest.ravel()
        apart = np.eye(len(X))[i] - np.eye(len(X))[j]
        return K @ apart.T @ apart @ K / len(apart), np.mean(D[i, j])

    (P, spread), (Q, _) = moment(y[:, None] == y), moment(y[:, None] != y)
    model = Kernelized(DMLMJ(regularization=0.1), gamma=20.0, n_directions=None, tol=0).fit(X, y)
    ridge = 0.1 * spread / len(model.projection_) * K
    values = eigh(Q + ridge, P + ridge + 1e-13 * np.eye(len(K)), eigvals_only=True)
    expected = np.sort(values + 1 / values)[::-1][:10]
    found = model.learner_.eigenvalues_[:10]
    np.testing.assert_allclose(found + 1 / found, expected, rtol=1e-4)


@pytest.mark.parametrize("learner", [RCA(1), NCA(1), LMNN(1)], ids=str)
def test_rings_on_one_axis(learner, rings):
    X, y = rings
    new, truth = make_circles(200, noise=0.1, factor=0.5, random_state=1)
    plain, kernelized = (
        make_pipeline(one, KNeighborsClassifier(5)).fit(X, y).score(new, truth)
        for one in (learner, Kernelized(learner, random_state=0))
    )
    assert plain < 0.85
    assert kernelized > 0.93


# landmarks


def test_all_rows_as_landmarks_are_exact(few):
    X, y, new = few
    exact = Kernelized(RCA(2), tol=1e-6, n_directions=None).fit(X, y)
    every = kernelized.Kernel("rbf", exact.gamma_)
    space = nystroem_space(every, X, X, every(X, X), 0, len(exact.projection_))
    np.testing.assert_allclose(space.eigenvalues, exact.eigenvalues_, rtol=1e-6)
    found = RCA(2).fit(space.coordinates(every, X), y).transform(space.coordinates(every, new))
    np.testing.assert_allclose(pdist(found), pdist(exact.transform(new)), rtol=1e-3, atol=1e-4)


def test_landmarks_approximate_the_better_the_more(wine):
    X = wine[0]
    K = rbf_kernel(X, gamma=1.0)
    errors = []
    for m in (10, 40, 120):
        model = Kernelized(
            Euclidean(), gamma=1.0, n_directions=None, tol=0, max_exact=0, n_landmarks=m, random_state=0
        ).fit(X)
        Z = model.transform(X)
        assert not model.is_exact_
        assert model.landmarks_.shape == (m, 13)
        off = squares(K, K, K) - cdist(Z, Z, "sqeuclidean")
        assert off.min() > -1e-6  # a projection makes no distance longer
        on_rows = (X[:, None] == model.landmarks_).all(axis=2).any(axis=1)
        assert np.abs(off[np.ix_(on_rows, on_rows)]).max() < 1e-6  # and keeps those of landmarks
        errors.append(off.mean())
    assert errors[0] > 2 * errors[1] > 4 * errors[2] > 0


def test_landmarks_are_seeded_and_classify_as_well(rings):
    X, y = make_circles(1200, noise=0.1, factor=0.5, random_state=2)
    seeds = [Kernelized(RCA(1), max_exact=100, n_landmarks=60, random_state=seed).fit(X, y) for seed in (0, 0, 1)]
    np.testing.assert_array_equal(seeds[0].transform(X), seeds[1].transform(X))
    assert not np.array_equal(seeds[0].landmarks_, seeds[2].landmarks_)
    for model in seeds:
        assert make_pipeline(model, KNeighborsClassifier(5)).fit(X, y).score(*rings) > 0.97


@pytest.mark.slow
def test_memory_is_that_of_landmarks_and_coordinates(monkeypatch):
    monkeypatch.setattr(kernelized, "BLOCK", 2**16)
    rng = np.random.default_rng(0)
    X, y = rng.random((20_000, 3)), rng.integers(2, size=20_000)
    model = Kernelized(RCA(1), n_landmarks=100, n_directions=5, random_state=0).fit(X[:3000], y[:3000])
    tracemalloc.start()
    model.fit(X, y)
    model.transform(X)
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    assert peak < 12  # 20,000 x 100 kernels alone are 15


# what learners take


def test_numbers():
    X, y = make_friedman1(300, 5, random_state=0)
    model = make_pipeline(Kernelized(MLKR(3)), KNeighborsRegressor(5)).fit(X[:200], y[:200])
    assert model.score(X[200:], y[200:]) > 0.5


def test_pairs_triplets_and_weights(rings, rng):
    X, y = rings
    pairs = rng.integers(200, size=(400, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    alike = np.where(y[pairs[:, 0]] == y[pairs[:, 1]], 1, -1)
    by_pairs = Kernelized(ITML(random_state=0)).fit(X, pairs=pairs, pair_labels=alike)
    apart = by_pairs.pair_distance(X[pairs])
    assert np.median(apart[alike == -1]) > 1.5 * np.median(apart[alike == 1])
    inner, outer = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    triplets = np.column_stack([rng.choice(inner, 300), rng.choice(inner, 300), rng.choice(outer, 300)])
    Z = Kernelized(LMNN()).fit(X, triplets=triplets).transform(X)
    own, other = (np.linalg.norm(Z[triplets[:, 0]] - Z[triplets[:, i]], axis=1) for i in (1, 2))
    assert (own < other).mean() > 0.95
    half = np.arange(200) < 100
    weighted = Kernelized(NCA(2), gamma=1.0).fit(X, y, sample_weight=half)
    assert not np.allclose(weighted.transform(X), Kernelized(NCA(2), gamma=1.0).fit(X, y).transform(X))


def test_knowledge_reaches_the_last_step_and_classifiers_of_pairs(rings, rng):
    X, y = rings
    pairs = rng.integers(200, size=(300, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    alike = np.where(y[pairs[:, 0]] == y[pairs[:, 1]], 1, -1)
    model = Kernelized(make_pipeline(PCA(20), ITML(random_state=0)))
    apart = model.fit(X, pairs=pairs, pair_labels=alike).pair_distance(X[pairs])
    assert np.median(apart[alike == -1]) > 1.5 * np.median(apart[alike == 1])
    assert PairClassifier(model).fit(X[pairs], alike).score(X[pairs], alike) > 0.9
    with pytest.raises(ValueError, match="Kernelized takes no pairs: it learns from labels alone"):
        PairClassifier(Kernelized()).fit(X[pairs], alike)


def test_rows_without_a_label_span_the_space(rings):
    X, y = rings
    some = np.where(np.arange(200) < 40, y, -1)
    with pytest.warns(DataWarning, match="160 unlabelled rows"):
        model = Kernelized(RCA(1), n_directions=20).fit(X, some)
    assert model.landmarks_.shape == (200, 2)
    Z = model.transform(X)
    assert KNeighborsClassifier(3).fit(Z[:40], y[:40]).score(Z[40:], y[40:]) > 0.95


def test_precomputed(few):
    X, y, new = few
    model = Kernelized(RCA(2), gamma=3.0).fit(X, y)
    given = Kernelized(RCA(2), "precomputed").fit(rbf_kernel(X, gamma=3.0), y)
    kernels = rbf_kernel(new, X, gamma=3.0)
    np.testing.assert_allclose(pdist(given.transform(kernels)), pdist(model.transform(new)), rtol=1e-6)
    np.testing.assert_allclose(
        given.pair_distance([kernels[:2]]), np.linalg.norm(np.diff(model.transform(new)[:2], axis=0), axis=1)
    )
    options = {"max_exact": 0, "n_landmarks": 20, "random_state": 0}
    some = Kernelized(RCA(2), "precomputed", **options).fit(rbf_kernel(X, gamma=3.0), y)
    some_too = Kernelized(RCA(2), gamma=3.0, **options).fit(X, y)
    np.testing.assert_allclose(pdist(some.transform(kernels)), pdist(some_too.transform(new)), rtol=1e-6)
    given.set_params(n_directions=10)
    scores = cross_val_score(make_pipeline(given, KNeighborsClassifier(3)), rbf_kernel(X, gamma=3.0), y, cv=3)
    assert scores.mean() > 0.8  # scikit-learn takes columns out, too
    with pytest.raises(ValueError, match="needs a square X"):
        Kernelized(RCA(), "precomputed").fit(X, y)
    with pytest.raises(ValueError, match="needs a symmetric X"):
        Kernelized(RCA(), "precomputed").fit(np.triu(np.ones((50, 50))), y)


def test_a_function_as_kernel(few):
    X, y, new = few
    smooth = RationalQuadratic()
    model = Kernelized(RCA(2), smooth).fit(X, y)
    given = Kernelized(RCA(2), "precomputed").fit(smooth(X), y)
    np.testing.assert_allclose(pdist(model.transform(new)), pdist(given.transform(smooth(new, X))), rtol=1e-6)
    with pytest.raises(ValueError, match=r"gives a matrix \(50, 50\); it gave float64 of shape \(\)"):
        Kernelized(RCA(), lambda u, v: np.sum(u) * np.sum(v)).fit(X, y)


# numbers of kernels


def test_widths(wine):
    X, y = wine
    assert Kernelized(RCA()).fit(X, y).gamma_ == pytest.approx(1 / np.median(pdist(X, "sqeuclidean")), rel=1e-3)
    assert Kernelized(RCA(), "laplacian").fit(X, y).gamma_ == pytest.approx(1 / np.median(pdist(X, "cityblock")), 1e-3)
    assert Kernelized(RCA(), "poly").fit(X, y).gamma_ == pytest.approx(1 / np.median((X**2).sum(axis=1)))
    assert Kernelized(RCA(), gamma="scale").fit(X, y).gamma_ == pytest.approx(1 / (13 * X.var()))
    assert Kernelized(RCA(), gamma="auto").fit(X, y).gamma_ == pytest.approx(1 / 13)
    assert Kernelized(RCA(), gamma=2).fit(X, y).gamma_ == 2.0


@pytest.mark.parametrize("kernel", ["rbf", "laplacian"])
def test_units_and_origin_do_not_matter(kernel, few):
    X, y, new = few
    model = Kernelized(RCA(2), kernel).fit(X, y)
    other = Kernelized(RCA(2), kernel).fit(1e4 * X + 1e6, y)
    np.testing.assert_allclose(pdist(other.transform(1e4 * new + 1e6)), pdist(model.transform(new)), rtol=1e-3)


def test_a_kernel_that_is_not_positive_is_warned_of(wine):
    with pytest.warns(DataWarning, match="This kernel is not positive: .* are negative and left out"):
        model = Kernelized(RCA(2), "sigmoid", gamma=1.0, coef0=-1).fit(*wine)
    assert np.isfinite(model.transform(wine[0])).all()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_what_cannot_be_is_said_in_one_line(few):
    X, y, _ = few
    with pytest.raises(ValueError, match="The kernel gives values that are not finite: scale the features"):
        Kernelized(RCA(), "poly", degree=400, gamma=100.0).fit(X, y)
    with pytest.raises(ValueError, match="n_components=20 of NCA is more than the directions of the kernel, 2"):
        Kernelized(NCA(20), "linear").fit(X, y)
    with pytest.raises(ValueError, match="'kernel' parameter of Kernelized must be"):
        Kernelized(NCA(), "gauss").fit(X, y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        Kernelized(NCA()).fit(X, y[:-1])
    with pytest.raises(ValueError, match="requires y"):
        Kernelized(NCA()).fit(X)
    with pytest.raises(TypeError, match="NCA learns nothing from triplets"):
        Kernelized(NCA()).fit(X, triplets=[[0, 1, 2]])


@pytest.mark.filterwarnings("ignore::freemetric.exceptions.DataWarning")
def test_equal_samples():
    X = np.ones((6, 3))
    assert (Kernelized(RCA()).fit(X, [0, 0, 0, 1, 1, 1]).transform(X) == 0).all()


# the skin


def test_search_names_and_frames(rings):
    X, y = rings
    frame = pd.DataFrame(X, columns=["width", "height"])
    model = Kernelized(RCA()).set_output(transform="pandas")
    pipeline = make_pipeline(model, KNeighborsClassifier(3))
    grid = {"kernelized__learner__n_components": [1], "kernelized__kernel": ["linear", "rbf"]}
    found = GridSearchCV(pipeline, grid, cv=3).fit(frame, y)
    assert found.best_params_["kernelized__kernel"] == "rbf"
    assert found.best_score_ > 0.9
    Z = model.fit(frame, y).transform(frame)
    assert list(Z.columns) == list(model.get_feature_names_out()) == [f"kernelized{i}" for i in range(Z.shape[1])]


def test_distances(few):
    X, y, _ = few
    model = Kernelized(RCA(2)).fit(X, y)
    Z = model.transform(X)
    apart = np.linalg.norm(Z[0] - Z[1])
    np.testing.assert_allclose(model.pair_distance(X[None, :2]), [apart])
    np.testing.assert_allclose(model.pair_score(X[None, :2]), [-apart])
    metric = model.get_metric()
    model.fit(X[:30], y[:30])
    assert metric(X[0], X[1]) == pytest.approx(apart)
    assert metric(X[0], X[1], squared=True) == pytest.approx(apart**2)


def test_neighbours_in_it(rings):
    model = MetricKNeighborsClassifier(Kernelized(RCA(1)), n_folds=2, random_state=0).fit(*rings)
    assert model.score(*make_circles(200, noise=0.1, factor=0.5, random_state=3)) > 0.95


def test_a_pipeline_as_learner(wine):
    X, y = wine
    model = Kernelized(make_pipeline(PCA(10), NCA(2))).fit(X[::2], y[::2])
    assert KNeighborsClassifier(3).fit(model.transform(X[::2]), y[::2]).score(model.transform(X[1::2]), y[1::2]) > 0.9


def test_files(rings, tmp_path):
    X, y = rings
    model = Kernelized(RCA(1), max_exact=0, n_landmarks=30, random_state=0).fit(X, y)
    model.save(tmp_path / "rings.fm")
    loaded = load(tmp_path / "rings.fm")
    assert loaded.transform(X).tobytes() == model.transform(X).tobytes()
    with pytest.raises(ModelFileError, match="Kernelized cannot be saved: its parameter `kernel` is a function"):
        Kernelized(RCA(), np.inner).fit(X, y).save(tmp_path / "no.fm")
    model.projection_ = model.projection_[:, 1:]
    with pytest.raises(ModelFileError, match="landmarks_ of Kernelized has shape"):
        model.save(tmp_path / "no.fm")
    assert not (tmp_path / "no.fm").exists()


def test_default_learner(rings):
    assert isinstance(Kernelized().fit(*rings).learner_, NCA)


def test_pictures_and_report(rings, tmp_path):
    display = pytest.importorskip("freemetric.display")
    X, y = rings
    model = MetricKNeighborsClassifier(Kernelized(RCA(2)), 3).fit(X, y)
    shown = display.EmbeddingDisplay.from_estimator(model, X, y, before=True)
    assert shown.embedding.shape == shown.before.shape == (200, 2)
    with pytest.raises(TypeError, match="Kernelized has no components_, so there is no matrix to show"):
        display.MetricDisplay.from_estimator(model)
    assert model.learner_.report(tmp_path / "rings.html", X, y).stat().st_size > 10_000
