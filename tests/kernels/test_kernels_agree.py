"""Every backend against the definition in plain numpy, and the definition against finite differences."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from freemetric.kernels import kernels_for, reference
from freemetric.kernels.numba import backend as numba_
from freemetric.kernels.numba import element_panels, element_trials
from freemetric.kernels.numba import element_trials as element_means


@pytest.fixture(params=["numba", "torch"])
def kernels(request):
    if request.param == "torch":
        pytest.importorskip("torch", reason="the GPU kernels need torch")
        return kernels_for("cuda")
    return numba_


def prepare(kernels, X, bounds, **options):
    return kernels.prepare(X, bounds, "reference" if kernels is reference else "cpu", **options)


def problem(rng, N=97, d=5, p=3, n_classes=3, R=2, scale=1.0, one_data_set=False):
    """A stack of data sets sorted by class with uneven classes, one of them a single sample, and maps."""
    label = np.sort(np.append(rng.integers(0, n_classes, N - 1), n_classes))
    bounds = np.searchsorted(label, np.arange(n_classes + 2))
    X = rng.random((1 if one_data_set else R, N, d)) + 0.3 * np.eye(n_classes + 1, d)[label]
    return scale * X, bounds, rng.standard_normal((R, p, d))


def uneven_weights(rng, X):
    """Some samples weigh a thousand times more than others."""
    return 10 ** rng.uniform(-2, 1, X.shape[:2])


@pytest.mark.parametrize("scale", [1e-3, 1.0, 10.0, 1e3])
@pytest.mark.parametrize("one_data_set", [True, False])
def test_energy_and_gradient_are_the_reference(kernels, rng, scale, one_data_set):
    X, bounds, A = problem(rng, scale=scale, one_data_set=one_data_set)
    data = prepare(kernels, X, bounds)
    energy, gradient = kernels.energy_and_gradient(data, A)
    true_energy, true_gradient = reference.energy_and_gradient(reference.prepare(X, bounds), A)
    np.testing.assert_allclose(energy, true_energy, rtol=1e-5)
    np.testing.assert_allclose(kernels.energy(data, A), energy, rtol=1e-6)
    # float32 knows a squared distance to 1e-7 of the largest: at scale 1000 that is 0.1 in an exponent
    tolerance = 1e-4 if scale <= 10 else 0.3
    np.testing.assert_allclose(gradient, true_gradient, atol=tolerance * np.abs(true_gradient).max() + 1e-30)


@pytest.mark.parametrize("log_floor", [0.0, 1e-6])
@pytest.mark.parametrize("N", [2, 97, 300, 700])
def test_weighted_energy_and_gradient_are_the_reference(kernels, rng, N, log_floor):
    X, bounds, A = problem(rng, N=N, n_classes=1 if N < 4 else 3)
    w = uneven_weights(rng, X)
    options = {"log_floor": log_floor, "weights": w}
    energy, gradient = kernels.energy_and_gradient(prepare(kernels, X, bounds, **options), A)
    truth = reference.prepare(X, bounds, **options)
    true_energy, true_gradient = reference.energy_and_gradient(truth, A)
    np.testing.assert_allclose(energy, true_energy, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(gradient, true_gradient, atol=1e-3 * np.abs(true_gradient).max() + 1e-6)
    unweighted = reference.energy(reference.prepare(X, bounds, log_floor=log_floor), A)
    assert N == 2 or np.abs(energy / unweighted - 1).min() > 1e-3
    twice = kernels.energy(prepare(kernels, X, bounds, weights=2 * w, log_floor=log_floor), A)
    np.testing.assert_array_equal(twice, energy)


def test_reference_weighs_as_the_formula_says(rng):
    X, bounds, A = problem(rng, N=12, R=1)
    w = uneven_weights(rng, X)
    label = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
    energy = 0.0
    for i in range(12):
        near = [0.0 if j == i else w[0, j] * np.exp(-np.sum((A[0] @ (X[0, i] - X[0, j])) ** 2)) for j in range(12)]
        right = sum(value for value, c in zip(near, label, strict=True) if c == label[i]) / sum(near)
        energy += w[0, i] * (1 - right) / w.sum()
    assert reference.energy(reference.prepare(X, bounds, weights=w), A)[0] == pytest.approx(energy, rel=1e-12)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 10.0])
def test_logarithmic_energy_and_gradient_are_the_reference(kernels, rng, scale):
    X, bounds, A = problem(rng, scale=scale)
    data = prepare(kernels, X, bounds, log_floor=1e-6)
    energy, gradient = kernels.energy_and_gradient(data, A)
    true_energy, true_gradient = reference.energy_and_gradient(reference.prepare(X, bounds, log_floor=1e-6), A)
    np.testing.assert_allclose(energy, true_energy, rtol=1e-4)
    np.testing.assert_allclose(kernels.energy(data, A), energy, rtol=1e-6)
    np.testing.assert_allclose(gradient, true_gradient, atol=2e-3 * np.abs(true_gradient).max() + 1e-30)


@pytest.mark.parametrize("N", [2, 3, 255, 256, 257, 700])
def test_any_number_of_patterns(kernels, rng, N):
    X, bounds, A = problem(rng, N=N, n_classes=1 if N < 4 else 3)
    energy, gradient = kernels.energy_and_gradient(prepare(kernels, X, bounds), A)
    true_energy, true_gradient = reference.energy_and_gradient(reference.prepare(X, bounds), A)
    np.testing.assert_allclose(energy, true_energy, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(gradient, true_gradient, atol=1e-4 * np.abs(true_gradient).max() + 1e-9)


def test_duplicated_rows(kernels, rng):
    X, bounds, A = problem(rng)
    X[:, 1::2] = X[:, :-1:2]
    energy, gradient = kernels.energy_and_gradient(prepare(kernels, X, bounds), A)
    true_energy, true_gradient = reference.energy_and_gradient(reference.prepare(X, bounds), A)
    np.testing.assert_allclose(energy, true_energy, rtol=1e-5)
    np.testing.assert_allclose(gradient, true_gradient, atol=1e-4 * np.abs(true_gradient).max())


@pytest.mark.parametrize("log_floor", [0.0, 1e-6])
@pytest.mark.parametrize("weighted", [False, True])
def test_reference_gradient_is_finite_differences(rng, log_floor, weighted):
    X, bounds, A = problem(rng, N=20, R=1)
    data = reference.prepare(X, bounds, weights=uneven_weights(rng, X) if weighted else None, log_floor=log_floor)
    _, gradient = reference.energy_and_gradient(data, A)
    h = 1e-6
    for r, c in np.ndindex(A[0].shape):
        step = np.zeros_like(A)
        step[0, r, c] = h
        up, down = (reference.energy(data, A + side * step) for side in (1, -1))
        slope = (up - down) / (2 * h)
        assert gradient[0, r, c] == pytest.approx(slope[0], abs=1e-8)


def trials(rng, A, n, step, temperature):
    R, p, d = A.shape
    rows, columns = rng.integers(p, size=(R, n)), rng.integers(d, size=(R, n))
    return rows, columns, rng.uniform(-step, step, (R, n)), temperature * rng.standard_exponential((R, n))


@pytest.mark.parametrize(
    ("scale", "step"), [(1e-3, 1.0), (1e-3, 30.0), (1.0, 0.01), (1.0, 1.0), (1.0, 30.0), (1e3, 0.01), (1e6, 1.0)]
)
def test_sweep_makes_the_reference_decisions(rng, scale, step):
    X, bounds, A = problem(rng, scale=scale)
    moves = trials(rng, A, 200, step, temperature=0.03)
    A_fast, energy, accepted = numba_.element_sweep(numba_.prepare(X, bounds), A, moves, ridge=1e-4)
    single = np.float32(X - X.mean(axis=1, keepdims=True)).astype(float)  # at scale 1e6 the rounding of X decides
    A_true, true_energy, true_accepted = reference.element_sweep(
        reference.prepare(single, bounds), A, moves, ridge=1e-4
    )
    np.testing.assert_array_equal(accepted, true_accepted)
    np.testing.assert_allclose(A_fast, A_true, rtol=1e-12)
    np.testing.assert_allclose(energy, true_energy, rtol=1e-5)


@pytest.mark.parametrize("scale", [1.0, 1e3])
@pytest.mark.parametrize("step", [0.3, 30.0])
def test_weighted_sweep_makes_the_reference_decisions(rng, scale, step):
    X, bounds, A = problem(rng, scale=scale)
    w, moves = uneven_weights(rng, X), trials(rng, A, 200, step, temperature=0.03)
    A_fast, energy, accepted = numba_.element_sweep(numba_.prepare(X, bounds, weights=w), A, moves, ridge=1e-4)
    single = np.float32(X - X.mean(axis=1, keepdims=True)).astype(float)
    truth = reference.prepare(single, bounds, weights=w)
    A_true, true_energy, true_accepted = reference.element_sweep(truth, A, moves, ridge=1e-4)
    np.testing.assert_array_equal(accepted, true_accepted)
    np.testing.assert_allclose(A_fast, A_true, rtol=1e-12)
    np.testing.assert_allclose(energy, true_energy, rtol=1e-5)


@pytest.mark.parametrize(("N", "scale"), [(5, 1.0), (22, 1.0), (22, 30.0), (37, 5.0)])
@pytest.mark.parametrize("weighted", [False, True])
def test_short_sweeps_make_the_reference_decisions(rng, N, scale, weighted):
    X, bounds, A = problem(rng, N=N, scale=scale)
    w, moves = uneven_weights(rng, X) if weighted else None, trials(rng, A, 10, 3.0, temperature=0.3)
    A_fast, energy, accepted = numba_.element_sweep(numba_.prepare(X, bounds, weights=w), A, moves, ridge=1e-3)
    single = np.float32(X - X.mean(axis=1, keepdims=True)).astype(float)
    truth = reference.prepare(single, bounds, weights=w)
    A_true, true_energy, true_accepted = reference.element_sweep(truth, A, moves, ridge=1e-3)
    np.testing.assert_array_equal(accepted, true_accepted)
    np.testing.assert_allclose(A_fast, A_true, rtol=1e-12)
    np.testing.assert_allclose(energy, true_energy, rtol=1e-4)


def one_trial(rng, N=21, delta=0.7):
    """One data set as a trial sees it, with padding, and h (N, N) after it, as a map that has changed gives it."""
    X, bounds, A = problem(rng, N=N, R=1)
    label = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
    x, w, class_stop = element_panels.padded_layout(
        np.float32(X[0]), bounds[label], bounds[label + 1], np.float32(uneven_weights(rng, X)[0])
    )
    z, H = element_panels.project(A[0], x), np.empty((x.shape[1], x.shape[1]), np.float32)
    for i in range(0, len(H), element_panels.PANEL):
        element_panels.fill_panel(H[i : i + element_panels.PANEL], np.float32(z), i, w)
    a = np.float32(-np.log2(np.e) * (2 * delta * z[1] + delta**2 * x[2]))
    A[0, 1, 2] += delta
    h = -np.log2(np.e) * cdist(X[0] @ A[0].T, X[0] @ A[0].T, "sqeuclidean")
    np.fill_diagonal(h, -np.inf)
    return (H, np.float32(z), w), class_stop, (x[2], a), label, h


def test_shifts_are_the_largest_exponents_after_a_trial(rng):
    pairs, _, trial, _, h = one_trial(rng)
    w, m = pairs[2], np.empty(len(pairs[2]), np.float32)
    element_panels.find_shifts(*pairs, *trial, m)
    np.testing.assert_array_equal(m, np.rint(m))
    np.testing.assert_allclose(m[w > 0], h.max(axis=1), rtol=0, atol=0.5 + 1e-4)
    np.testing.assert_array_equal(m[w == 0], m[0])  # padding keeps no row from sharing a shift


@pytest.mark.parametrize("one_shift", [False, True])
def test_sums_over_pairs_after_a_trial(rng, one_shift):
    """Weights inside and outside classes, and weighted sums of numbers, against all pairs of the changed map."""
    pairs, class_stop, trial, label, h = one_trial(rng)
    w = pairs[2]
    m = np.where(w > 0, rng.integers(-9, 1, len(w)), 0).astype(np.float32)
    shifts = np.rint((m.min() + m.max()) / 2) if one_shift else m[w > 0][:, None]
    weights, same = w[w > 0] * 2.0 ** (h - shifts), label[:, None] == label
    sums = np.empty((2, len(w)), np.float32)
    element_trials.weigh(*pairs, class_stop, *trial, m, one_shift, sums)
    expected = (weights * same).sum(axis=1), (weights * ~same).sum(axis=1)
    np.testing.assert_allclose(sums[:, w > 0], expected, rtol=1e-4)
    numbers = np.where(w > 0, [np.ones(len(w)), rng.random(len(w)), rng.standard_normal(len(w))], 0)
    sums = np.empty((3, len(w)), np.float32)
    element_means.weigh_means(*pairs, np.float32(w * numbers), *trial, m, one_shift, sums)
    np.testing.assert_allclose(sums[:, w > 0], numbers[:, w > 0] @ weights.T, rtol=1e-4, atol=1e-4 * weights.max())


def test_sweep_does_not_drift_over_ten_thousand_trials(rng):
    X, bounds, A = problem(rng, N=60, R=1)
    data = numba_.prepare(X, bounds)
    moves = trials(rng, A, 10_000, 0.3, temperature=0.1)
    A, energy, accepted = numba_.element_sweep(data, A, moves)
    assert accepted.sum() > 5_000
    np.testing.assert_allclose(energy, reference.energy(reference.prepare(X, bounds), A), rtol=1e-5)


def test_memory_budgets_change_nothing(rng, monkeypatch):
    X, bounds, A = problem(rng, N=600)
    data, moves = numba_.prepare(X, bounds), trials(rng, A, 20, 0.3, temperature=0.01)
    energy, gradient = numba_.energy_and_gradient(data, A)
    swept = numba_.element_sweep(data, A, moves)
    monkeypatch.setattr(numba_, "KEPT_BYTES", 0)
    monkeypatch.setattr(numba_, "STORED_BYTES", 0)
    small_energy, small_gradient = numba_.energy_and_gradient(data, A)
    np.testing.assert_array_equal(small_energy, energy)
    np.testing.assert_array_equal(small_gradient, gradient)
    small_swept = numba_.element_sweep(data, A, moves)
    np.testing.assert_array_equal(small_swept[2], swept[2])
    np.testing.assert_allclose(small_swept[1], swept[1], rtol=1e-6)


def test_beyond_the_default_budget_of_kept_pairs(rng):
    N = 4300
    label = np.sort(rng.integers(0, 3, N))
    X = rng.random((N, 2)) + 0.3 * np.eye(3, 2)[label]
    bounds = np.searchsorted(label, np.arange(4))
    A = 3 * rng.standard_normal((1, 2, 2))
    energy, gradient = numba_.energy_and_gradient(numba_.prepare(X[None], bounds), A)
    K = cdist(X @ A[0].T, X @ A[0].T, "sqeuclidean")
    np.fill_diagonal(K, np.inf)
    np.exp(-K, out=K)
    p = np.array([K[i, bounds[c] : bounds[c + 1]].sum() for i, c in enumerate(label)]) / K.sum(axis=1)
    assert energy[0] == pytest.approx(1 - p.mean(), rel=1e-5)
    step = 1e-3 * gradient / np.linalg.norm(gradient)
    ahead, behind = (numba_.energy(numba_.prepare(X[None], bounds), A + s * step)[0] for s in (1, -1))
    assert ahead - behind == pytest.approx(2e-3 * np.linalg.norm(gradient), rel=1e-2)


def test_replicas_do_not_know_each_other(rng):
    X, bounds, A = problem(rng, R=5)
    data = numba_.prepare(X, bounds)
    energy, gradient = numba_.energy_and_gradient(data, A)
    for r in range(5):
        alone = numba_.prepare(X[r : r + 1], bounds) if len(X) > 1 else data
        value, force = numba_.energy_and_gradient(alone, A[r : r + 1])
        np.testing.assert_array_equal(value[0], energy[r])
        np.testing.assert_array_equal(force[0], gradient[r])


def test_unknown_device_is_named():
    with pytest.raises(ValueError, match="Unknown device 'tpu'; known devices: 'cpu'"):
        kernels_for("tpu")


def test_missing_gpu_is_said():
    torch = pytest.importorskip("torch", reason="needs torch")
    if torch.cuda.is_available():
        pytest.skip("this machine has a GPU")
    with pytest.raises(ValueError, match="no such device"):
        kernels_for("cuda").prepare(np.zeros((1, 2, 1)), np.array([0, 1, 2]), "cuda")


@pytest.mark.parametrize("n_rows", [0, 3, 90, 150])
def test_ridge_regression_is_the_reference(kernels, rng, n_rows):
    Z, Y, ridges = rng.normal(size=(150, 3)), rng.normal(size=(150, 2)), rng.uniform(0.01, 2, size=150)
    Z[7] = Z[3]  # twice the same sample
    some = rng.permutation(150)[:n_rows]
    coefficients, rows = kernels.ridge_regression(Z, Y, 0.7, ridges, some, "cpu")
    wanted = reference.ridge_regression(Z, Y, 0.7, ridges, some)
    np.testing.assert_allclose(coefficients, wanted[0], rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(rows, wanted[1], rtol=1e-6, atol=1e-6)
    K = np.exp(-np.linalg.norm(Z[:, None] - Z, axis=2) / 0.7)
    np.testing.assert_allclose(K @ wanted[0] + ridges[:, None] * wanted[0], Y, atol=1e-10)


def test_weighted_squares_are_the_reference(kernels, rng):
    Q, Z, shares = rng.normal(size=(4, 9, 3)), rng.normal(size=(4, 17, 3)), rng.uniform(size=(4, 9))
    shares[2, 5] = 0.0
    found = kernels.weighted_squares(Q, Z, shares, "cpu")
    np.testing.assert_allclose(found, reference.weighted_squares(Q, Z, shares), rtol=1e-5)
    by_hand = sum(shares[r, 4] * np.sum((Q[r, 4] - Z[r, 11]) ** 2) for r in range(4))
    assert found[4, 11] == pytest.approx(by_hand, rel=1e-5)


@pytest.mark.parametrize("for_all", [False, True], ids=["own candidates", "the same for all"])
@pytest.mark.parametrize("rows", ["one each", "several", "several of several weights", "fewer than vote"])
def test_shares_of_neighbors_are_the_reference(rows, for_all, rng):
    R, n, M, p, S, C = 3, 7, 40, 8, 4 if rows == "fewer than vote" else 12, 3
    Z, Q = rng.random((R, M, p)).astype(np.float32), rng.random((R, n, p)).astype(np.float32)
    candidates = np.array([rng.permutation(M)[:S] for _ in range(n)])
    candidates = np.broadcast_to(candidates[0], (n, S)) if for_all else candidates
    votes = np.eye(C)[rng.integers(0, C, M)].astype(np.float32)
    counts = np.ones(M, dtype=int) if rows == "one each" else rng.integers(1, 4, M)
    votes *= (counts * (rng.uniform(0.5, 2, M) if "weights" in rows else 1))[:, None].astype(np.float32)
    weights = rng.random(6)
    given = np.empty(0, dtype=int) if rows == "one each" else counts  # without counts every place is one row
    found = numba_.neighbor_shares(Z, Q, candidates, (given, votes), weights)
    np.testing.assert_allclose(found, reference.neighbor_shares(Z, Q, candidates, (counts, votes), weights), rtol=1e-4)
    if rows != "fewer than vote":
        np.testing.assert_allclose(found.sum(axis=1), R * weights.sum(), rtol=1e-4)


@pytest.mark.parametrize("diagonal", [False, True], ids=["maps", "weights of features"])
@pytest.mark.parametrize("counted", [False, True], ids=["a row each", "several rows"])
def test_shares_in_the_spaces_that_a_query_uses_are_the_reference(counted, diagonal, rng):
    R, n, M, p, S, C = 5, 9, 40, 8, 12, 3
    Z, Q = rng.random((R, M, p)).astype(np.float32), rng.random((R, n, p)).astype(np.float32)
    squares, used = rng.random((R, p)), rng.random((R, n)) < 0.5
    used[:, 0] = False
    candidates = np.array([rng.permutation(M)[:S] for _ in range(n)])
    counts = rng.integers(1, 4, M) if counted else np.ones(M, dtype=int)
    votes = np.eye(C)[rng.integers(0, C, M)].astype(np.float32) * counts[:, None].astype(np.float32)
    places, weights = (counts if counted else np.empty(0, dtype=int), votes), rng.random(6)
    spaces = (Z[0], Q[0]) if diagonal else (Z, Q)
    found = numba_.shares_in_some(*spaces, used, candidates, places, weights, squares if diagonal else None)
    maps = np.sqrt(squares)[:, None]
    Z, Q = (Z[:1] * maps, Q[:1] * maps) if diagonal else (Z, Q)
    for q, own in enumerate(used.T):
        expected = reference.neighbor_shares(Z[own], Q[own, q : q + 1], candidates[[q]], (counts, votes), weights)
        np.testing.assert_allclose(found[[q]], expected, rtol=1e-4)
