import numpy as np
import pytest

from freemetric.energies import (
    Confinement,
    LogNCAEnergy,
    MiniBatch,
    NCAEnergy,
    RegressionEnergy,
)
from freemetric.energies.minibatch import Batches
from freemetric.mc import Annealing, Constant, ElementMove, LangevinMove, Streams


def streams(R, seed=0):
    return Streams.of(np.random.default_rng(seed), R)


def test_batches_are_stratified_and_without_repetition(rng):
    y = rng.permutation(np.repeat([0, 1, 2, 3, 4], [600, 300, 95, 4, 1]))
    batches = Batches(np.zeros((1000, 1)), y)
    assert batches.counts(100) == [60, 30, 10, 2, 1]  # at least two where there are two
    assert sum(batches.counts(10**6)) == 1000
    rows = batches.for_replicas(streams(3), 100)
    assert rows.shape == (3, 103)
    for some in rows:
        assert len(set(some)) == 103
        np.testing.assert_array_equal(np.bincount(y[some]), [60, 30, 10, 2, 1])
    assert len(set(rows[0]) & set(rows[1])) < 50


def test_all_samples_of_a_class_are_equally_likely(iris):
    batches, drawn = Batches(*iris), streams(1)
    rows = [batches.for_replicas(drawn, 30)[0] for _ in range(1000)]
    counts = np.bincount(np.concatenate(rows), minlength=150)
    assert np.abs(counts - 200).max() < 5 * np.sqrt(200 * 0.8)


@pytest.mark.parametrize(
    "energy",
    [NCAEnergy(), LogNCAEnergy(), NCAEnergy() + 0.01 * Confinement()],
    ids=repr,
)
def test_a_draw_is_the_energy_of_its_rows(energy, iris):
    X, y = iris
    bound = MiniBatch(energy, 40).bind(X, y)
    rows = Batches(X, y).for_replicas(streams(2), 40)
    A = np.random.default_rng(0).standard_normal((2, 3, 4))
    value, gradient = bound.draw(streams(2)).value_and_grad(A)
    for r in range(2):
        there = energy.bind(X[rows[r]], y[rows[r]]).value_and_grad(A[r : r + 1])
        assert value[r] == pytest.approx(there[0][0], rel=1e-6)
        np.testing.assert_allclose(gradient[r], there[1][0], rtol=1e-5, atol=1e-8)


def test_weights_go_along(iris):
    X, y = iris
    w = np.random.default_rng(0).uniform(0.5, 2, 150)
    rows, A = Batches(X, y).for_replicas(streams(1), 40)[0], np.eye(4)[None]
    there = NCAEnergy().bind(X[rows], y[rows], sample_weight=w[rows])(A)
    bound = MiniBatch(NCAEnergy(), 40).bind(X, y, sample_weight=w)
    np.testing.assert_allclose(bound.draw(streams(1))(A), there, rtol=1e-6)


@pytest.mark.parametrize("n_targets", [1, 2])
def test_a_draw_of_numbers_is_the_energy_of_its_rows(n_targets, rng):
    X, y = rng.random((60, 3)), rng.random((60, n_targets))
    given = y[:, 0] if n_targets == 1 else y
    energy, A = RegressionEnergy(), rng.standard_normal((2, 3, 3))
    rows = Batches(X, given, is_regression=True).for_replicas(streams(2), 20)
    drawn = MiniBatch(energy, 20).bind(X, given).draw(streams(2))(A)
    there = [
        energy.bind(X[some], y[some])(A[r : r + 1])[0] for r, some in enumerate(rows)
    ]
    np.testing.assert_allclose(drawn, there, rtol=1e-5)


def test_a_call_is_one_sample_without_noise(iris):
    X, y = iris
    A = np.eye(4)[None]
    some = MiniBatch(NCAEnergy(), 20, sample_size=60).bind(X, y)
    assert some(A)[0] == some(A)[0] == some.value_and_grad(A)[0][0]
    assert some(A)[0] == NCAEnergy().bind(X[some.sample], y[some.sample])(A)[0]
    assert some.n_samples == 60
    whole = MiniBatch(NCAEnergy(), 20).bind(X, y)(A)[0]
    assert whole == pytest.approx(NCAEnergy().bind(X, y)(A)[0], rel=1e-6)
    walk = Annealing(Constant(1e-3), ElementMove(0.5), n_steps=2)
    fixed = NCAEnergy().bind(X[some.sample], y[some.sample])
    walks = [
        [s.A for s, _ in walk.iterate(np.random.default_rng(0), energy, A)]
        for energy in (some, fixed)
    ]
    np.testing.assert_array_equal(*walks)  # moves that know no noise walk on it


def test_the_place_in_a_sum_does_not_matter(iris):
    A = np.eye(4)[None]
    inside = MiniBatch(2 * NCAEnergy() + 0.1 * Confinement(), 30).bind(*iris)
    outside = (2 * MiniBatch(NCAEnergy(), 30) + 0.1 * Confinement()).bind(*iris)
    np.testing.assert_allclose(
        inside.draw(streams(1))(A), outside.draw(streams(1))(A), rtol=1e-6
    )
    assert hasattr(outside, "sweep")


def test_a_replica_draws_the_same_alone_and_beside_others(iris):
    energy = MiniBatch(NCAEnergy(), 30).bind(*iris)
    sampler = Annealing(Constant(1e-3), LangevinMove(n_leapfrog=3), n_steps=4)
    seeds = np.random.SeedSequence(7).spawn(3)

    def last(numbers):
        A = np.repeat(np.eye(4)[None], len(numbers), axis=0)
        streams = Streams.from_seeds([seeds[n] for n in numbers])
        return list(sampler.iterate(streams, energy, A))[-1][0].A

    np.testing.assert_array_equal(last([2, 0]), last([0, 1, 2])[[2, 0]])


def test_memory_mapped_single_precision_is_not_copied(tmp_path, rng):
    np.save(tmp_path / "X.npy", rng.random((500, 4), dtype=np.float32))
    X, y = np.load(tmp_path / "X.npy", mmap_mode="r"), np.arange(500) % 3
    bound = MiniBatch(NCAEnergy(), 50).bind(X, y)
    assert bound.batches.X is X
    assert np.isfinite(bound.draw(streams(1))(np.eye(4)[None])).all()


def test_bad_sizes_are_named(iris):
    MiniBatch(NCAEnergy(), 2).bind(*iris)
    with pytest.raises(ValueError, match="batch_size must be at least 2; got 1"):
        MiniBatch(NCAEnergy(), 1).bind(*iris)
