"""The kernel regression of classes against scikit-learn's, regressions without a sample, and blocks by hand."""

import copy
from itertools import product

import numpy as np
import pytest
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics import log_loss

from freemetric import FreeEnergyClassifier, Recipe, load, save
from freemetric.metrics import Candidate, Member
from freemetric.metrics.kernel_ridge import ClassKernelRidge, OOBMetrics, blocks_of, grouped, places_of
from freemetric.metrics.views import VIEWS

N = 400


@pytest.fixture(scope="module")
def smooth():
    """A smooth boundary, which a smooth model follows farther than votes."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2 * N, 4))
    return X, (np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=2 * N) > 0).astype(int)


@pytest.fixture(scope="module", params=[1500, 150], ids=["one block", "blocks"])
def fitted(request, smooth):
    X, y = smooth
    recipe = Recipe(n_replicas=8, kernel_block=request.param, plain_margin=0.0)
    return FreeEnergyClassifier(recipe=recipe, random_state=0).fit(X[:N], y[:N])


def kernel_of(model):
    (kernel,) = (some for some in model.ensemble_.head.densities if isinstance(some, ClassKernelRidge))
    return kernel


def coordinates(kernel, X):
    return sum(view(X) @ kernel.maps[name] for name, view in kernel.views.items()) - kernel.origin


def regression(kernel, model, members, left_out=()):
    """scikit-learn's regression of some of the samples in a block."""
    kept = np.setdiff1d(members, left_out)
    numbers = places_of(kernel.rows[kept], model.ensemble_.training_set.rows)
    Y = np.eye(2)[model.ensemble_.training_set.y[numbers]] - kernel.base
    Z = kernel.landmarks[kept].astype(float)
    K = np.exp(-np.linalg.norm(Z[:, None] - Z, axis=2) / kernel.length)
    found = KernelRidge(alpha=kernel.ridges[kept[0]], kernel="precomputed").fit(K, Y)
    return lambda Q: found.predict(np.exp(-np.linalg.norm(Q[:, None] - Z, axis=2) / kernel.length)) + kernel.base


def test_energies_are_those_of_scikit_learns_regression(fitted, smooth):
    kernel, X = kernel_of(fitted), smooth[0][N : N + 60]
    Q, wanted = coordinates(kernel, X), np.empty((60, 2))
    nearest = np.linalg.norm(Q[:, None] - kernel.centres, axis=2).argmin(axis=1)
    for number in np.unique(nearest):
        some = nearest == number
        wanted[some] = regression(kernel, fitted, kernel.blocks[number])(Q[some])
    np.testing.assert_allclose(np.exp(-kernel(X)) - 0.05, np.maximum(wanted, 0), atol=2e-4)


def test_a_sample_that_is_left_out_has_no_part(fitted):
    """Its energies are those of a regression that never saw it, wherever its features were moved."""
    kernel, training_set = kernel_of(fitted), fitted.ensemble_.training_set
    numbers = np.arange(0, N, 50)
    X = training_set.X[numbers].astype(float) + 0.1
    found = kernel.left_out(training_set)(X, numbers)
    for x, number, energies in zip(X, numbers, found, strict=True):
        Q = coordinates(kernel, x[None])
        block = kernel.blocks[np.linalg.norm(Q - kernel.centres, axis=1).argmin()]
        own = np.flatnonzero(kernel.rows == training_set.rows[number])
        wanted = regression(kernel, fitted, block, own)(Q)[0]
        np.testing.assert_allclose(np.exp(-energies) - 0.05, np.maximum(wanted, 0), atol=2e-4)


def test_distances_are_means_over_the_replicas_that_left_a_sample_out(rng, monkeypatch):
    monkeypatch.setattr("freemetric.metrics.kernel_ridge.MOST_AT_ONCE", 60)  # coordinates: a few spaces at a time
    X, samples, others = rng.normal(size=(20, 3)), np.array([2, 5, 11, 17]), np.array([0, 2, 9, 16, 17])
    views = {"scaled": VIEWS["scaled"].of(X), "quantiles": VIEWS["quantiles"].of(X)}
    forms = {
        "full": rng.normal(size=(5, 3, 3)),
        "diagonal": rng.normal(size=(4, 1, 3)),
        "identity": np.empty((0, 1, 3)),
    }
    members = [Member(Candidate(name, form, "log-nca"), maps) for name in views for form, maps in forms.items()]
    left_out = [rng.integers(0, 2, (len(member), len(samples))).astype(bool) for member in members]
    for absent in left_out:
        absent[0] = True  # some replica did
    metrics = OOBMetrics(views, members, rng.uniform(size=6), samples, left_out)
    some, sizes = np.array([3, 0, 2]), metrics.sizes(X)
    found = metrics.distances(X, some, others, sizes)
    for (i, number), (j, other) in product(enumerate(some), enumerate(others)):
        total = 0.0
        for member, weight, absent, size in zip(members, metrics.weights, left_out, sizes, strict=True):
            u, v = (views[member.candidate.view](X[[row]])[0] for row in (samples[number], other))
            M = member.matrices()
            total += weight * np.mean([(u - v) @ M[r] @ (u - v) / size[r] for r in np.flatnonzero(absent[:, number])])
        assert found[i, j] == pytest.approx(np.sqrt(total / metrics.weights.sum()), abs=2e-3, rel=1e-4)


def test_blocks_hold_the_samples_nearest_to_their_centres(rng):
    Z = rng.normal(size=(500, 3)) * [3, 1, 1]
    centres, blocks = blocks_of(Z, 120)
    assert len(centres) >= 500 / 60
    for centre, block in zip(centres, blocks, strict=True):
        distances = np.linalg.norm(Z - centre, axis=1)
        assert set(block) == set(np.argsort(distances)[:120])
    parts = dict(grouped(Z, centres))
    assert sum(map(len, parts.values())) == 500
    assert np.mean([np.isin(some, blocks[number]).mean() for number, some in parts.items()]) > 0.95
    one, everyone = blocks_of(Z, 500)
    np.testing.assert_allclose(one, [Z.mean(axis=0)])
    assert everyone.tolist() == [list(range(500))]


def test_it_is_taken_where_it_helps(smooth):
    X, y = smooth
    recipes = [Recipe(n_replicas=8, kernel_block=size) for size in (Recipe.kernel_block, 0)]
    models = [FreeEnergyClassifier(recipe=recipe, random_state=0) for recipe in recipes]
    losses = [log_loss(y[N:], model.fit(X[:N], y[:N]).predict_proba(X[N:])) for model in models]
    assert kernel_of(models[0]) is not None
    assert losses[0] < 0.95 * losses[1]


def test_it_is_left_out_where_it_does_not(rng):
    """Of few samples, and of classes that nothing tells apart."""
    X, y = rng.normal(size=(400, 3)), rng.integers(0, 2, 400)
    recipe = Recipe(n_replicas=6)
    for n in (400, 150):
        head = FreeEnergyClassifier(recipe=recipe, random_state=0).fit(X[:n], y[:n]).ensemble_.head
        assert not any(isinstance(some, ClassKernelRidge) for some in head.densities)


def test_small_blocks_are_refused():
    with pytest.raises(ValueError, match=r"^kernel_block of Recipe is neither 0 nor at least 100: 1$"):
        Recipe(kernel_block=1)


def test_an_interrupt_leaves_the_model_as_it_was(smooth, monkeypatch):
    X, y = smooth
    model = FreeEnergyClassifier(recipe=Recipe(n_replicas=6), random_state=0).fit(X[:N], y[:N])
    before = model.predict_proba(X[N:])

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("freemetric.metrics.kernel_ridge._best", stop)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X[N:], y[N:])
    np.testing.assert_array_equal(model.predict_proba(X[N:]), before)


def test_files_hold_it(fitted, smooth, tmp_path):
    X = smooth[0][N:]
    save(fitted, tmp_path / "model.fm")
    np.testing.assert_array_equal(load(tmp_path / "model.fm").predict_proba(X), fitted.predict_proba(X))


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("blocks", lambda state: state["blocks"] + len(state["rows"])),
        ("ridges", lambda state: -state["ridges"]),
        ("maps", lambda state: {}),
        ("views", lambda state: {"other": 3}),
        ("coefficients", lambda state: state["coefficients"][:, 1:]),
        ("n_features", lambda state: "2"),
    ],
)
def test_broken_states_are_refused(fitted, name, change):
    state = kernel_of(fitted).to_state()
    with pytest.raises(ValueError, match="ClassKernelRidge"):
        ClassKernelRidge.from_state({**state, name: change(state)})


def test_forgotten_rows_are_gone(fitted):
    model = copy.deepcopy(fitted).forget([3, 70])
    kernels = [some for some in model.ensemble_.head.densities if isinstance(some, ClassKernelRidge)]
    assert kernels
    assert not np.isin([3, 70], kernels[0].rows).any()


def test_weights_are_importance(smooth):
    """The ridge of a sample that hardly counts is large."""
    X, y = (some[:N] for some in smooth)
    wrong = np.arange(N) % 5 == 0
    noisy, weights = np.where(wrong, 1 - y, y), np.where(wrong, 1e-3, 1.0)
    recipe = Recipe(n_replicas=8, plain_margin=0.0)
    kernel = kernel_of(FreeEnergyClassifier(recipe=recipe, random_state=0).fit(X, noisy, weights))
    heavy = ~np.isin(kernel.rows, np.flatnonzero(wrong))
    np.testing.assert_allclose(kernel.ridges[~heavy], 1000 * kernel.ridges[heavy][0])
