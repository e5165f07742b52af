"""Energies of numbers against the formula pair by pair, finite differences and each
other.
"""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import special_ortho_group
from sklearn.base import clone
from sklearn.neighbors import KNeighborsTransformer

from freemetric.energies import Confinement, Diagonal, RegressionEnergy
from freemetric.mc import Annealing, Constant, ElementMove, HamiltonianMove

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
        near = np.array(
            [
                0.0 if j == i else w[j] * np.exp(-np.sum((A @ (X[i] - X[j])) ** 2))
                for j in range(N)
            ]
        )
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
    np.testing.assert_allclose(energy(A), expected, rtol=1e-5)


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
def test_units_of_y_rotations_and_the_order_of_rows_do_not_matter(rng, loss):
    X, Y, A = problem(rng)
    energy = RegressionEnergy(loss).bind(X, Y)
    Q, order = special_ortho_group.rvs(3, random_state=0), rng.permutation(len(X))
    np.testing.assert_allclose(energy(Q @ A), energy(A), rtol=1e-5)
    np.testing.assert_allclose(
        RegressionEnergy(loss).bind(X, 1e6 * Y + 5e6)(A), energy(A), rtol=1e-5
    )
    np.testing.assert_allclose(
        RegressionEnergy(loss).bind(X[order], Y[order])(A), energy(A), rtol=1e-5
    )


def test_one_and_several_outputs(rng):
    X, Y, A = problem(rng)
    alone = [RegressionEnergy().bind(X, y)(A) for y in Y.T]
    np.testing.assert_allclose(
        RegressionEnergy().bind(X, Y)(A), np.mean(alone, axis=0), rtol=1e-6
    )


def test_every_replica_may_have_its_own_numbers(rng):
    X, Y, A = problem(rng)
    order = rng.permutation(len(X))
    stack = RegressionEnergy().bind(
        np.stack([X, X[order]]), np.stack([Y, Y[order] ** 2])
    )
    alone = (
        RegressionEnergy().bind(X, Y)(A[:1]),
        RegressionEnergy().bind(X[order], Y[order] ** 2)(A[1:]),
    )
    np.testing.assert_array_equal(stack(A), np.concatenate(alone))
    shared = RegressionEnergy().bind(np.stack([X, 2 * X]), Y[:, 0])
    np.testing.assert_array_equal(
        shared(A[:1].repeat(2, axis=0))[1:],
        RegressionEnergy().bind(2 * X, Y[:, 0])(A[:1]),
    )


def test_an_uninformed_metric_costs_about_one(rng):
    X, Y, _ = problem(rng, N=300)
    nothing = np.zeros((1, 3, 4))
    for loss in ("squared", "absolute", "pinball"):
        assert RegressionEnergy(loss, quantile=0.9).bind(X, Y)(nothing)[
            0
        ] == pytest.approx(1, abs=0.02)
    expected = (np.log(101) + 1 / 1.01) / 2
    assert RegressionEnergy("log_likelihood").bind(X, Y)(nothing)[0] == pytest.approx(
        expected, abs=0.02
    )


def test_the_log_likelihood_sees_where_noise_is(rng):
    X = rng.random((400, 2))
    y = (0.05 + X[:, 0]) * rng.standard_normal(400)  # no mean to learn, but a spread
    along = RegressionEnergy("log_likelihood").bind(X, y)
    of_noise, of_nothing = along(np.array([[[5.0, 0.0]], [[0.0, 5.0]]]))
    assert of_noise < of_nothing - 0.1


def test_diagonal_maps(rng):
    X, Y, _ = problem(rng)
    weights = rng.random((2, 1, 4))
    full, diagonal = (
        RegressionEnergy().bind(X, Y),
        Diagonal(RegressionEnergy()).bind(X, Y),
    )
    matrices = weights * np.eye(4)
    np.testing.assert_allclose(diagonal(weights), full(matrices), rtol=1e-6)
    expected = np.diagonal(full.value_and_grad(matrices)[1], axis1=1, axis2=2)[:, None]
    np.testing.assert_allclose(diagonal.value_and_grad(weights)[1], expected, rtol=1e-6)


def test_a_constant_output_costs_nothing(rng):
    X, Y, A = problem(rng, m=1)
    for loss in LOSSES:
        both = RegressionEnergy(loss).bind(
            X, np.column_stack([Y, np.full(len(X), 0.1)])
        )
        value, gradient = both.value_and_grad(A)
        assert np.isfinite(gradient).all()
        np.testing.assert_allclose(
            value, RegressionEnergy(loss).bind(X, Y)(A) / 2, rtol=1e-5
        )


def test_parameters_are_checked(rng):
    X, Y, _ = problem(rng)
    assert (
        clone(RegressionEnergy("pinball", quantile=0.2)).get_params()["quantile"] == 0.2
    )
    with pytest.raises(ValueError, match="Unknown loss 'mse'; known losses: 'squared'"):
        RegressionEnergy("mse").bind(X, Y)
    with pytest.raises(ValueError, match="quantile must lie between 0 and 1; got 90"):
        RegressionEnergy("pinball", quantile=90).bind(X, Y)
    with pytest.raises(ValueError, match=r"y has shape \(39,\); expected \(40,\)"):
        RegressionEnergy().bind(X, Y[1:, 0])
    with pytest.raises(ValueError, match="y has values that are not finite"):
        RegressionEnergy().bind(X, np.full(40, np.nan))
    with pytest.raises(ValueError, match="Weights in an energy must be positive"):
        RegressionEnergy().bind(X, Y, sample_weight=np.zeros(40))


@pytest.mark.parametrize("device", ["cpu", "reference"])
def test_of_the_nearest_alone_the_error_is_that_of_one_neighbour(rng, device):
    X, Y, A = problem(rng, N=60, m=1)
    y = (Y - Y.mean()) / Y.std()
    truth = [
        (
            (
                y
                - y[
                    KNeighborsTransformer(n_neighbors=1)
                    .fit(X @ B.T)
                    .kneighbors()[1][:, 0]
                ]
            )
            ** 2
        ).mean()
        for B in A
    ]
    np.testing.assert_allclose(
        RegressionEnergy(n_neighbors=1).bind(X, Y, device=device)(A), truth, rtol=1e-5
    )


@pytest.mark.parametrize(
    "move",
    [ElementMove(1.0), pytest.param(HamiltonianMove(), marks=pytest.mark.slow)],
    ids=repr,
)
@pytest.mark.parametrize(
    "loss", ["squared", pytest.param("absolute", marks=pytest.mark.slow)]
)
def test_walks_are_in_balance(rng, loss, move):
    """The mean energy on the walk is that of Boltzmann's distribution, integrated over
    the one element of the map.
    """
    X = rng.random((12, 1))
    y = X[:, 0] ** 2 + 0.1 * rng.standard_normal(12)
    T, bound = 0.1, (RegressionEnergy(loss) + 0.02 * Confinement()).bind(X, y)
    grid = np.linspace(-15, 15, 2001)
    energy = bound(grid[:, None, None])
    density = np.exp((energy.min() - energy) / T)
    sampler = Annealing(Constant(T), move, n_steps=60, burn_in=0.3)
    run = sampler.iterate(
        np.random.default_rng(1), bound, 4 * rng.standard_normal((40, 1, 1))
    )
    replicas = np.mean(
        [state.energy for state, info in run if not info.adapting], axis=0
    )
    error = replicas.std(ddof=1) / np.sqrt(40)
    assert error < 0.1 * T
    assert replicas.mean() == pytest.approx(
        energy @ density / density.sum(), abs=4 * error
    )
