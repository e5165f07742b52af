"""Single metrics from mini-batches: when, how well, and the same whatever runs beside them."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from sklearn.datasets import make_classification

from freemetric import DMLFE, LMNN, NCA, keep_interrupted_fits
from freemetric.energies import NCAEnergy
from freemetric.exceptions import InterruptedFitWarning
from freemetric.learners import descent
from freemetric.learners.descent import well_scaled
from freemetric.learners.lmnn import SomeAnchors
from freemetric.mc import Annealing, Constant, ElementMove, LangevinMove

from .test_lmnn import blobs, defined

QUICK = Annealing(Constant(1e-4), LangevinMove(), n_steps=30, n_replicas=2)
LEARNERS = [NCA(batch_size=150), LMNN(batch_size=150, tol=0.01), DMLFE(batch_size=150, sampler=QUICK)]
SHORT = Annealing(Constant(1e-4), LangevinMove(n_leapfrog=2), n_steps=4, n_replicas=2)


@pytest.fixture(scope="module")
def data():
    """Two features of six say something; they are the smallest."""
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=1500)
    X = np.hstack(
        [rng.standard_normal((3, 2))[y] + 0.4 * rng.standard_normal((1500, 2)), rng.standard_normal((1500, 4))]
    )
    return X * [0.5, 0.5, 1, 1, 1, 1], y


@pytest.mark.slow
@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_features_of_noise_are_squeezed_out(learner, data):
    M = learner.set_params(random_state=0).fit(*data).get_mahalanobis_matrix().diagonal()
    # LMNN pulls towards targets that Euclid has chosen; all pairs give it 1.3
    assert M[:2].min() > (1.5 if isinstance(learner, LMNN) else 4) * M[2:].max()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    "learner",
    [NCA(max_iter=2), DMLFE(sampler=SHORT), pytest.param(LMNN(max_iter=2), marks=pytest.mark.slow)],
    ids=repr,
)
def test_same_seed_same_map(learner, data):
    learner.set_params(batch_size=60)
    X, y = data[0][::15], data[1][::15]
    maps = [learner.set_params(random_state=seed).fit(X, y).components_ for seed in (0, 0, 1)]
    np.testing.assert_array_equal(maps[0], maps[1])
    assert not np.array_equal(maps[0], maps[2])


def test_threads_do_not_matter(data):
    maps = [DMLFE(batch_size=60, sampler=SHORT, n_jobs=n, random_state=0).fit(*data).replicas_ for n in (1, 2)]
    np.testing.assert_array_equal(*maps)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("learner", [NCA(max_iter=2), LMNN(max_iter=2), DMLFE(sampler=SHORT)], ids=repr)
def test_few_samples_are_looked_at_together(learner, wine):
    together = learner.set_params(random_state=0).fit(*wine).components_
    np.testing.assert_array_equal(learner.set_params(batch_size=178).fit(*wine).components_, together)
    learner.set_params(batch_size=type(learner)().batch_size)
    assert [learner._rows_per_batch(n) for n in (10_000, 10_001)] == [None, 2048]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    "learner", [NCA(), LMNN(), DMLFE(sampler=Annealing(Constant(0.0), ElementMove(), n_steps=1))], ids=repr
)
def test_many_samples_in_single_precision(learner, monkeypatch, tmp_path):
    """What very many are is made small here: memory-mapped rows reach the batches as they are."""
    monkeypatch.setattr(descent, "MOST_WHOLE", 300)
    monkeypatch.setattr("freemetric.learners.training_rows.MOST_ORDERED", 300)
    monkeypatch.setattr(descent, "STEPS", 2)
    rows, y = make_classification(600, 5, random_state=0)
    X = np.lib.format.open_memmap(tmp_path / "X.npy", mode="w+", dtype=np.float32, shape=rows.shape)
    X[:] = rows
    seen = []
    learn = type(learner)._learn
    monkeypatch.setattr(
        type(learner), "_learn", lambda self, X, *rest, **more: seen.append(X) or learn(self, X, *rest, **more)
    )
    learner.set_params(random_state=0).fit(X, y)
    assert seen[0].dtype == np.float32
    assert learner.components_.dtype == np.float64
    if not isinstance(learner, LMNN):
        assert np.shares_memory(seen[0], X)


@pytest.mark.slow
def test_as_good_as_all_pairs(data):
    """By the error of soft neighbours among other samples, at the best scale: ranks of neighbours have none."""
    X, y = data
    held_out_energy = NCAEnergy().bind(X[750:], y[750:])
    learners = NCA(batch_size=150, random_state=0), NCA(max_iter=200)
    by_batches, together = (
        well_scaled(learner.fit(X[:750], y[:750]).components_, held_out_energy) for learner in learners
    )
    assert held_out_energy(by_batches[None])[0] < held_out_energy(together[None])[0] + 0.005


@pytest.mark.parametrize("counts", [(14, 9, 6), (12, 3, 2, 1)])
def test_the_margin_of_a_batch_is_lmnns(counts, rng):
    X, y = blobs(rng, counts, 4)
    A = rng.standard_normal((3, 4))
    loss = SomeAnchors(X, y, 3, 0.3)
    value, gradient = loss.value_and_grad(A[None])
    assert value[0] == pytest.approx(defined(A, X, y, 3, 0.3), rel=1e-9)
    numerical = approx_fprime(A.ravel(), lambda flat: loss.value_and_grad(flat.reshape(1, 3, 4))[0][0], 1e-7)
    np.testing.assert_allclose(gradient.ravel(), numerical, rtol=1e-4, atol=1e-4 * np.abs(numerical).max())


def test_interrupted_fit_keeps_the_best(data, monkeypatch):
    real, looks = descent.StochasticDescent._walk, []

    def press_ctrl_c(self, *walk):
        looks.append(1)
        if len(looks) == 3:
            raise KeyboardInterrupt
        return real(self, *walk)

    monkeypatch.setattr(descent.StochasticDescent, "_walk", press_ctrl_c)
    with keep_interrupted_fits(), pytest.warns(InterruptedFitWarning, match="NCA.fit was interrupted"):
        assert NCA(batch_size=100, random_state=0).fit(*data).n_iter_ == 2
