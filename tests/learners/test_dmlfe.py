from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.base import clone

from freemetric import DMLFE
from freemetric.energies import Confinement, NCAEnergy
from freemetric.learners import walk
from freemetric.learners.dmlfe import bound_energy
from freemetric.mc import (
    Annealing,
    Constant,
    ElementMove,
    Geometric,
    MatrixMove,
    ParallelTempering,
    StretchRotateMove,
)
from freemetric.mc.diagnostics import split_r_hat


def test_attributes_tell_the_walk(iris):
    sampler = Annealing(Constant(1e-3), n_steps=15, n_replicas=3)
    model = DMLFE(2, sampler=sampler, random_state=0).fit(*iris)
    assert model.components_.shape == (2, 4)
    assert model.replicas_.shape == (3, 2, 4)
    assert model.n_iter_ == 15
    assert {k: v.shape for k, v in model.trace_.items()} == dict.fromkeys(
        ("temperature", "energy", "acceptance", "confinement", "norm"), (15, 3)
    )
    np.testing.assert_allclose(
        model.trace_["confinement"], 1e-4 * model.trace_["norm"] ** 2
    )
    assert model.energy_ == model.trace_["energy"].min()
    total = (NCAEnergy() + 1e-4 * Confinement()).bind(*iris)
    assert total(model.components_[None])[0] == pytest.approx(model.energy_, rel=1e-5)


def test_the_trace_tells_exchanges_and_confinement_apart(iris):
    sampler = ParallelTempering((1e-3, 2e-3, 4e-3), n_steps=12)
    model = DMLFE(sampler=sampler, confinement=1e-2, random_state=0).fit(*iris)
    swaps = model.trace_["swaps"]
    assert set(np.unique(swaps[:, :2][~np.isnan(swaps[:, :2])])) <= {0.0, 1.0}
    assert np.isnan(swaps[:, 2]).all()
    last = NCAEnergy().bind(*iris)(model.replicas_)
    without = model.trace_["energy"][-1] - model.trace_["confinement"][-1]
    np.testing.assert_allclose(without, last, rtol=1e-4)


class Spring:
    """stiffness |A - centre|^2: elements are normal, of variance T / (2 stiffness)."""

    def __init__(self, centre, stiffness=1.0):
        self.centre, self.stiffness = np.asarray(centre), stiffness

    def __call__(self, A):
        return self.stiffness * ((A - self.centre) ** 2).sum(axis=(1, 2))

    def value_and_grad(self, A):
        return self(A), 2 * self.stiffness * (A - self.centre)


def test_samples_give_the_error_bars_of_the_metric(rng):
    """M of normal maps has its moments in closed form."""
    X, y = rng.random((40, 2)) * [1.0, 2.0], np.tile([0, 1], 20)
    T, a, b = 0.02, 2.0, 1.0
    model = DMLFE(1, energy=Spring([[a, b]]), confinement=0, init=np.array([[a, b]]))
    model.set_params(sampler=Annealing(Constant(T)), n_samples=800, random_state=0)
    model.fit(X, y)
    s2 = T / 2
    mean = np.array([[a * a + s2, a * b], [a * b, b * b + s2]])
    squares = [4 * a * a * s2 + 2 * s2**2, 4 * b * b * s2 + 2 * s2**2]
    cross = (a * a + s2) * (b * b + s2) - (a * b) ** 2
    assert model.samples_.shape == (800, 1, 2)
    M = np.swapaxes(model.samples_, 1, 2) @ model.samples_
    np.testing.assert_allclose(M.mean(axis=0), mean, atol=0.05)
    expected = [[squares[0], cross], [cross, squares[1]]]
    np.testing.assert_allclose(M.var(axis=0), expected, rtol=0.3)
    chains = np.trace(M, axis1=1, axis2=2).reshape(-1, 4)
    assert split_r_hat(chains) < 1.05
    with pytest.raises(ValueError, match="a quench has no spread"):
        model.set_params(sampler=Annealing(Constant(0.0))).fit(X, y)


def test_samples_do_not_change_the_search(iris):
    plain = DMLFE(random_state=0).fit(*iris)
    model = DMLFE(n_samples=6, random_state=0).fit(*iris)
    np.testing.assert_array_equal(model.components_, plain.components_)
    assert not hasattr(model.set_params(n_samples=0).fit(*iris), "samples_")


def test_the_number_of_threads_does_not_matter(iris):
    sampler = Annealing(Constant(1e-3), n_steps=5, n_replicas=3)
    models = [
        DMLFE(sampler=sampler, init="random", n_jobs=n, random_state=0).fit(*iris)
        for n in (1, 3)
    ]
    np.testing.assert_array_equal(models[0].replicas_, models[1].replicas_)
    for name, rows in models[0].trace_.items():
        np.testing.assert_array_equal(rows, models[1].trace_[name])


@pytest.mark.parametrize(
    "sampler",
    [
        Annealing(Constant(1e-3), n_steps=12, n_replicas=2),
        Annealing(Geometric(0.1, 0.9), ElementMove(1.0), n_steps=12, tol=1e-9),
        ParallelTempering((1e-3, 2e-3), n_steps=12),
    ],
    ids=["threads", "annealing", "tempering"],
)
def test_a_killed_fit_goes_on_from_its_checkpoint(sampler, iris, tmp_path, monkeypatch):
    model = DMLFE(sampler=sampler, random_state=0)
    expected = clone(model).fit(*iris)
    kept = clone(model).set_params(checkpoint=tmp_path)
    monkeypatch.setattr(walk, "SECONDS", 0.0)
    steps = []

    def interrupted(self, state, info):
        steps.append(info.step)
        if len(steps) == 9:
            raise KeyboardInterrupt
        note(self, state, info)

    note = walk.Walk._note
    monkeypatch.setattr(walk.Walk, "_note", interrupted)
    with pytest.raises(KeyboardInterrupt):
        kept.fit(*iris)
    assert len(list(tmp_path.glob("*.npz"))) > 0
    kept.fit(*iris)
    assert steps[9] > 0  # not from the beginning
    np.testing.assert_array_equal(kept.components_, expected.components_)
    for name, rows in expected.trace_.items():
        np.testing.assert_array_equal(kept.trace_[name], rows)
    assert not list(tmp_path.iterdir())


def test_checkpoints_of_other_data_are_other_files(iris, wine, tmp_path, monkeypatch):
    monkeypatch.setattr(Path, "unlink", lambda *args, **options: None)
    model = DMLFE(sampler=Annealing(n_steps=2), checkpoint=tmp_path, random_state=0)
    for data in (iris, wine, iris):
        model.fit(*data)
    assert len(list(tmp_path.glob("*.npz"))) == 2
    with pytest.raises(ValueError, match="checkpoint needs a random_state"):
        model.set_params(random_state=None).fit(*iris)


def test_the_energy_of_a_model_on_its_data(wine):
    X, y = wine
    model = DMLFE(random_state=0).fit(1e3 * X, y)
    energy, unit = bound_energy(model, 1e3 * X, y)
    A = model.components_ * unit
    trap = 1e-4 * (A**2).sum()
    assert energy(A[None])[0] + trap == pytest.approx(model.energy_, rel=1e-5)


def test_the_paper_preset():
    model = DMLFE.paper(n_components=2)
    assert model.init == "uniform"
    assert model.confinement == 0
    assert model.n_components == 2
    sampler = model.sampler
    assert (sampler.schedule.start, sampler.schedule.factor) == (0.1, 0.9)
    move = sampler.move
    settings = move.step_size, move.n_moves, move.target_acceptance
    assert settings == (1.0, "samples", None)


def test_a_quench_finds_what_scipy_finds(wine):
    energy = (NCAEnergy() + 1e-3 * Confinement()).bind(*wine)

    def objective(flat):
        value, gradient = energy.value_and_grad(flat.reshape(1, 13, 13))
        return value[0], gradient.ravel()

    lowest = minimize(objective, np.eye(13).ravel(), jac=True, method="L-BFGS-B").fun
    quench = Annealing(Constant(0.0), n_steps=150)
    model = DMLFE(sampler=quench, confinement=1e-3, random_state=0).fit(*wine)
    assert model.energy_ < lowest + 1e-3


@pytest.mark.parametrize(
    "sampler",
    [
        Annealing(Constant(0.0), ElementMove(0.3), n_steps=20),
        Annealing(Constant(1e-3), MatrixMove(0.1, n_moves=50), n_steps=20),
        Annealing(Constant(1e-3), StretchRotateMove(), n_steps=20),
        ParallelTempering((1e-4, 1e-3, 1e-2), n_steps=20),
        Annealing(move="element", n_steps=10),
    ],
    ids=repr,
)
def test_every_sampler_lowers_the_energy(sampler, iris):
    model = DMLFE(sampler=sampler, random_state=0).fit(*iris)
    total = (NCAEnergy() + 1e-4 * Confinement()).bind(*iris)
    assert model.energy_ < 0.5 * total(np.eye(4)[None])[0]


def test_any_callable_is_an_energy(iris):
    def off_axis(A):  # lowest where A is diagonal with ones
        return ((A - np.eye(4)) ** 2).sum(axis=(1, 2))

    sampler = Annealing(Geometric(0.1, 0.9), ElementMove(1.0), n_steps=100)
    model = DMLFE(
        energy=off_axis, sampler=sampler, init="random", confinement=0, random_state=0
    ).fit(*iris)
    np.testing.assert_allclose(model.components_, np.eye(4), atol=0.1)


def test_an_energy_of_ones_own_sees_the_data(iris):
    class ErrorOfTheNearest:
        """The leave-one-out error of 1-NN: a staircase that no gradient can descend."""

        def bind(self, X, y, **options):
            def energy(A):
                Z = X @ np.swapaxes(A, 1, 2)
                D = ((Z[:, :, None] - Z[:, None, :]) ** 2).sum(axis=3)
                D[:, np.arange(len(X)), np.arange(len(X))] = np.inf
                return (y[D.argmin(axis=2)] != y).mean(axis=1)

            return energy

    X, y = iris[0][::2], iris[1][::2]
    sampler = Annealing(Constant(0.0), ElementMove(0.5), n_steps=5)
    model = DMLFE(energy=ErrorOfTheNearest(), sampler=sampler, random_state=0).fit(X, y)
    euclidean = ErrorOfTheNearest().bind(X, y)(np.eye(4)[None])[0]
    assert model.energy_ - 1e-4 * (model.components_**2).sum() < euclidean


def test_a_nan_energy_is_one_clear_error(iris):
    with pytest.raises(ValueError, match="The energy is NaN for replica 0"):
        DMLFE(
            energy=lambda A: np.full(len(A), np.nan), sampler=Annealing(move="element")
        ).fit(*iris)


def test_batches_lower_the_energy_of_all_samples(wine):
    model = DMLFE(batch_size=60, random_state=0).fit(*wine)
    before, after = NCAEnergy().bind(*wine)(np.array([np.eye(13), model.components_]))
    assert after < 0.2 * before
