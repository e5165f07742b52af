"""Energies of numbers against the formula pair by pair, finite differences and each
other.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize_scalar
from sklearn.neighbors import NearestNeighbors

from freemetric.energies import Diagonal, RegressionEnergy

LOSSES = ["squared", "log_likelihood", "absolute", "pinball"]


def problem(rng, N=40, d=4, m=2, R=2):
    X = rng.random((N, d))
    Y = np.column_stack(
        [3 * X[:, 0] + 0.3 * rng.standard_normal(N), np.exp(2 * X[:, 1])]
    )[:, :m]
    return X, Y, 2 * rng.standard_normal((R, 3, d))


def by_hand(X, y, w, A, loss, quantile):
    """E of one output, one sample after another."""
    w, N = w / w.sum(), len(y)
    y = (y - w @ y) / np.sqrt(w @ (y - w @ y) ** 2)
    mean, variance = np.empty(N), np.empty(N)
    for i in range(N):
        near = w * np.exp(-(((X[i] - X) @ A.T) ** 2).sum(axis=1))
        near[i] = 0.0
        mean[i] = near @ y / near.sum()
        variance[i] = 0.01 + near @ (y - mean[i]) ** 2 / near.sum()

    def pinball(error, q):
        return w @ np.where(error > 0, q * error, (q - 1) * error)

    if loss == "squared":
        return w @ (y - mean) ** 2
    if loss == "log_likelihood":
        return w @ (np.log(100 * variance) + (y - mean) ** 2 / variance) / 2
    if loss == "absolute":
        return w @ np.abs(y - mean) / min(w @ np.abs(y - c) for c in y)
    c = minimize_scalar(
        lambda c: pinball(y - mean - c * np.sqrt(variance), quantile),
        bounds=(-9, 9),
        method="bounded",
    )
    return c.fun / min(pinball(y - c, quantile) for c in y)


@pytest.mark.parametrize("device", ["cpu", "reference"])
@pytest.mark.parametrize("loss", LOSSES)
def test_the_formula(rng, loss, device):
    X, Y, A = problem(rng, N=15)
    w = rng.uniform(0.3, 3, 15)
    energy = RegressionEnergy(loss, quantile=0.8).bind(
        X, Y, sample_weight=w, device=device
    )
    expected = [np.mean([by_hand(X, y, w, map_, loss, 0.8) for y in Y.T]) for map_ in A]
    assert_allclose(energy(A), expected, rtol=1e-5)


def test_a_weight_is_a_row_that_is_left_out_with_its_copies(rng):
    X, Y, A = problem(rng, N=12, m=1, R=1)
    counts = rng.integers(1, 4, 12)
    of = np.repeat(np.arange(12), counts)
    y = (Y[of, 0] - Y[of, 0].mean()) / Y[of, 0].std()
    D = ((X[of] @ A[0].T)[:, None] - (X[of] @ A[0].T)[None]) ** 2
    P = np.where(of[:, None] == of, 0, np.exp(-D.sum(axis=2)))
    left_out = ((y - P @ y / P.sum(axis=1)) ** 2).mean()
    assert RegressionEnergy().bind(X, Y, sample_weight=counts)(A)[0] == pytest.approx(
        left_out, rel=1e-5
    )


@pytest.mark.parametrize("loss", LOSSES)
def test_units_of_y_and_the_order_of_rows_do_not_matter(rng, loss):
    X, Y, A = problem(rng)
    energy = RegressionEnergy(loss).bind(X, Y)
    order = rng.permutation(len(X))
    assert_allclose(
        RegressionEnergy(loss).bind(X, 1e6 * Y + 5e6)(A), energy(A), rtol=1e-5
    )
    assert_allclose(
        RegressionEnergy(loss).bind(X[order], Y[order])(A), energy(A), rtol=1e-5
    )


def test_one_and_several_outputs(rng):
    X, Y, A = problem(rng)
    alone = [RegressionEnergy().bind(X, y)(A) for y in Y.T]
    assert_allclose(RegressionEnergy().bind(X, Y)(A), np.mean(alone, axis=0), rtol=1e-6)


def test_an_uninformed_metric_costs_about_one(rng):
    X, Y, _ = problem(rng, N=300)
    nothing = np.zeros((1, 3, 4))
    for loss in LOSSES:
        expected = (np.log(101) + 1 / 1.01) / 2 if loss == "log_likelihood" else 1
        energy = RegressionEnergy(loss, quantile=0.9).bind(X, Y)
        assert energy(nothing)[0] == pytest.approx(expected, abs=0.02)


def test_the_log_likelihood_sees_where_noise_is(rng):
    X = rng.random((400, 2))
    y = (0.05 + X[:, 0]) * rng.standard_normal(400)  # no mean to learn, but a spread
    along = RegressionEnergy("log_likelihood").bind(X, y)
    of_noise, of_nothing = along(np.array([[[5.0, 0.0]], [[0.0, 5.0]]]))
    assert of_noise < of_nothing - 0.1


def test_diagonal_maps(rng):
    X, Y, _ = problem(rng)
    weights = rng.random((2, 1, 4))
    full = RegressionEnergy().bind(X, Y)
    diagonal = Diagonal(RegressionEnergy()).bind(X, Y)
    matrices = weights * np.eye(4)
    assert_allclose(diagonal(weights), full(matrices), rtol=1e-6)
    expected = np.diagonal(full.value_and_grad(matrices)[1], axis1=1, axis2=2)[:, None]
    assert_allclose(diagonal.value_and_grad(weights)[1], expected, rtol=1e-6)


def test_a_constant_output_costs_nothing(rng):
    X, Y, A = problem(rng, m=1)
    for loss in LOSSES:
        energy = RegressionEnergy(loss)
        both = energy.bind(X, np.column_stack([Y, np.full(len(X), 0.1)]))
        value, gradient = both.value_and_grad(A)
        assert np.isfinite(gradient).all()
        assert_allclose(value, energy.bind(X, Y)(A) / 2, rtol=1e-5)


def test_parameters_are_checked(rng):
    X, Y, _ = problem(rng)
    for energy, y, weights, message in (
        ("mse", Y, None, "Unknown loss 'mse'; known losses: 'squared'"),
        ("pinball", Y, None, "quantile must lie between 0 and 1; got 90"),
        ("squared", Y[1:, 0], None, r"y has shape \(39,\); expected \(40,\)"),
        ("squared", np.full(40, np.nan), None, "y has values that are not finite"),
        ("squared", Y, np.zeros(40), "Weights in an energy must be positive"),
    ):
        with pytest.raises(ValueError, match=message):
            RegressionEnergy(energy, quantile=90).bind(X, y, sample_weight=weights)


@pytest.mark.parametrize("device", ["cpu", "reference"])
def test_of_the_nearest_alone_the_error_is_that_of_one_neighbour(rng, device):
    X, Y, A = problem(rng, N=60, m=1)
    y = (Y - Y.mean()) / Y.std()
    energy = RegressionEnergy(n_neighbors=1).bind(X, Y, device=device)
    for a, found in zip(A, energy(A), strict=True):
        search = NearestNeighbors(n_neighbors=1).fit(X @ a.T)
        nearest = search.kneighbors(return_distance=False)[:, 0]
        assert found == pytest.approx(((y - y[nearest]) ** 2).mean(), rel=1e-5)
