import numpy as np
import pytest
from sklearn.base import clone

from freemetric.energies import (
    CallableEnergy,
    Confinement,
    Diagonal,
    LogNCAEnergy,
    NCAEnergy,
    as_energy,
)
from freemetric.energies.base import knows_its_data
from freemetric.mc import Annealing, Constant, ElementMove
from freemetric.mc.moves.metropolis import _trial_by_trial


def maps(rng, R=3, p=4, d=4):
    return rng.standard_normal((R, p, d))


def test_eq_4_on_three_samples_by_hand():
    """Samples at 0, 1, 3 on a line, of the classes a, a, b.

    p_1 = e^-1 / (e^-1 + e^-9), p_2 = e^-1 / (e^-1 + e^-4), p_3 = 0.
    """
    X, y = np.array([[0.0], [1.0], [3.0]]), np.array([0, 0, 1])
    p = np.append(np.exp(-1) / (np.exp(-1) + np.exp([-9.0, -4.0])), 0.0)
    nca, log_nca = (
        energy.bind(X, y)(np.ones((1, 1, 1)))[0]
        for energy in (NCAEnergy(), LogNCAEnergy())
    )
    assert nca == pytest.approx(1 - p.mean(), rel=1e-6)
    assert log_nca == pytest.approx(-np.log(p + 1e-6).mean(), rel=1e-5)


def test_order_of_samples_and_names_of_classes_do_not_matter(rng, iris):
    X, y = iris
    order = rng.permutation(len(y))
    A = maps(rng)
    shuffled = NCAEnergy().bind(X[order], 5 - y[order])(A)
    np.testing.assert_allclose(shuffled, NCAEnergy().bind(X, y)(A), rtol=1e-6)


def test_energies_add_and_scale(rng, iris):
    A = maps(rng)
    nca, trap = NCAEnergy().bind(*iris), Confinement().bind(*iris)
    total = (2 * NCAEnergy() + 0.1 * Confinement()).bind(*iris)
    np.testing.assert_allclose(total(A), 2 * nca(A) + 0.1 * trap(A))
    value, gradient = total.value_and_grad(A)
    np.testing.assert_allclose(value, total(A), rtol=1e-6)
    np.testing.assert_allclose(
        gradient, 2 * nca.value_and_grad(A)[1] + 0.2 * A, rtol=1e-6
    )


@pytest.mark.parametrize(
    "energy",
    [
        NCAEnergy(),
        NCAEnergy() + 0.01 * Confinement(),
        3 * (NCAEnergy() + 0.01 * Confinement()),
    ],
    ids=repr,
)
def test_the_fused_sweep_walks_like_single_trials(energy, iris):
    bound = energy.bind(*iris)
    sampler = Annealing(Constant(0.01), ElementMove(0.5), n_steps=3)
    A = np.repeat(np.eye(4)[None], 2, axis=0)
    fused = [s for s, _ in sampler.iterate(np.random.default_rng(0), bound, A)]
    single = [
        s for s, _ in sampler.iterate(np.random.default_rng(0), lambda A: bound(A), A)
    ]
    np.testing.assert_allclose(fused[-1].A, single[-1].A)
    np.testing.assert_allclose(fused[-1].energy, single[-1].energy, rtol=1e-5)


def test_a_multiple_sweeps_as_its_energy_does_on_its_scale(rng, iris):
    bound = (3 * NCAEnergy()).bind(*iris)
    truth = NCAEnergy().bind(*iris, device="reference")
    A, ridge = maps(rng, R=2), 0.05
    rows, columns = rng.integers(4, size=(2, 2, 30))
    deltas = rng.uniform(-0.5, 0.5, (2, 30))
    allowed = 0.05 * rng.standard_exponential((2, 30))
    after, energy, accepted = bound.sweep(A, rows, columns, deltas, allowed, ridge)

    def total(A):
        return 3 * truth(A) + ridge * (A**2).sum(axis=(1, 2))

    expected = _trial_by_trial(total, total(A), A, rows, columns, deltas, allowed)
    np.testing.assert_array_equal(accepted, expected[2])
    assert 0 < accepted.sum() < accepted.size
    np.testing.assert_allclose(after, expected[0])
    np.testing.assert_allclose(energy, expected[1], rtol=1e-5)


def test_the_lists_of_neighbours_follow_the_map(rng, iris):
    energy = NCAEnergy(n_neighbors=5)
    bound = energy.bind(*iris)
    for A in (*maps(rng), np.eye(4), np.diag([1, 1, 1, 9.0]), np.diag([9.0, 1, 1, 1])):
        assert bound(A[None])[0] == energy.bind(*iris)(A[None])[0]


def test_lists_of_one_feature_have_a_slope(iris):
    A, h = np.full((1, 1, 1), 8.0), 1e-2
    bound = NCAEnergy(n_neighbors=20).bind(iris[0][:, 2:3], iris[1]).near(A)
    gradient = bound.value_and_grad(A)[1]
    slope = (bound(A + h)[0] - bound(A - h)[0]) / (2 * h)
    assert gradient[0, 0, 0] == pytest.approx(slope, rel=1e-2)
    assert abs(gradient[0, 0, 0]) > 1e-5


def test_a_function_knows_its_data_wherever_it_stands():
    opaque = CallableEnergy(lambda A: A[:, 0, 0])
    knowing = [opaque, NCAEnergy() + 2 * opaque, Diagonal(opaque)]
    assert all(map(knows_its_data, knowing))
    bound = [NCAEnergy(), NCAEnergy() + 0.1 * Confinement(), Diagonal(NCAEnergy())]
    assert not any(map(knows_its_data, bound))


def test_a_sum_can_what_its_terms_can(iris):
    opaque = CallableEnergy(lambda A: A[:, 0, 0])
    mixed = (NCAEnergy() + opaque).bind(*iris)
    assert not hasattr(mixed, "value_and_grad")
    assert not hasattr(mixed, "sweep")
    assert mixed.n_samples == 150
    only_traps = (Confinement() + 2 * Confinement()).bind(*iris)
    assert only_traps.ridge == 3
    assert not hasattr(only_traps, "sweep")
    assert hasattr((NCAEnergy() + (Confinement() + Confinement())).bind(*iris), "sweep")


def test_energies_are_parameter_objects():
    energy = NCAEnergy() + 1e-4 * Confinement()
    assert clone(energy).set_params(second__factor=0.5).second.factor == 0.5
    assert energy.second.factor == 1e-4


def test_bad_energies_are_named(iris):
    with pytest.raises(ValueError, match=r"Unknown energy 'ncaa'; known .*'nca'"):
        as_energy("ncaa")
    with pytest.raises(TypeError, match=r"must be an Energy, its name or .*; got 3"):
        as_energy(3)
    with pytest.raises(ValueError, match="positive factor; got -1"):
        (-1 * NCAEnergy()).bind(*iris)


@pytest.mark.parametrize("energy", [NCAEnergy(), LogNCAEnergy()], ids=repr)
def test_weights_of_very_many_features_are_those_of_matrices(energy, rng):
    X, y = rng.standard_normal((12, 700)), np.arange(12) % 2
    w = 0.05 * rng.random((2, 1, 700))
    value, gradient = Diagonal(energy).bind(X, y).value_and_grad(w)
    full = energy.bind(X, y, device="reference")
    truth, slopes = full.value_and_grad(w * np.eye(700))
    np.testing.assert_allclose(value, truth, rtol=1e-4)
    expected = np.diagonal(slopes, axis1=1, axis2=2)[:, None]
    np.testing.assert_allclose(gradient, expected, atol=1e-4 * np.abs(expected).max())
