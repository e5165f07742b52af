"""A walk that is killed goes on where it was, and ends with the same map."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import freemetric
from freemetric import DMLFE
from freemetric.files import save
from freemetric.learners import kept_results
from freemetric.mc import Annealing, Constant, ElementMove, LangevinMove, ParallelTempering

SAMPLERS = {
    "hamiltonian": Annealing(Constant(1e-3), n_steps=8, n_replicas=3),
    "element": Annealing(Constant(1e-3), ElementMove(0.3), n_steps=8, n_replicas=2),
    "langevin": Annealing(Constant(1e-3), LangevinMove(n_leapfrog=2), n_steps=8),
    "tempering": ParallelTempering((1e-4, 1e-3), n_steps=8),
}

PROGRAM = """
import sys, numpy as np
from sklearn.datasets import load_wine
from sklearn.preprocessing import minmax_scale
from freemetric import DMLFE
from freemetric.learners import kept_results
from freemetric.mc import Annealing, Constant
move, folder, result = sys.argv[1:]
kept_results.SECONDS = 0.0
X, y = load_wine(return_X_y=True)
sampler = Annealing(Constant(1e-3), move, n_steps={"element": 20, "hamiltonian": 60}[move], n_replicas=2)
model = DMLFE(sampler=sampler, random_state=0, checkpoint=folder or None).fit(minmax_scale(X), y)
np.savez(result, A=model.components_, replicas=model.replicas_, energy=model.trace_["energy"])
"""


@pytest.mark.slow
@pytest.mark.parametrize("move", ["element", "hamiltonian"])
def test_killed_in_the_middle(move, tmp_path):
    folder = tmp_path / "kept"

    def run(folder, result):
        return subprocess.Popen([sys.executable, "-c", PROGRAM, move, str(folder), str(tmp_path / result)])

    child = run(folder, "killed.npz")
    while not any(folder.rglob("*.walk")):
        assert child.poll() is None
        time.sleep(0.01)
    os.kill(child.pid, signal.SIGKILL)
    assert child.wait() == -signal.SIGKILL
    assert not (tmp_path / "killed.npz").exists()
    written = next(folder.rglob("*.walk"))
    (written.parent / f".{written.name}.{'0123' * 8}.tmp").touch()  # as if it had been killed in the middle of a file
    assert run(folder, "resumed.npz").wait() == 0
    assert run("", "undisturbed.npz").wait() == 0
    assert not folder.exists()
    resumed, undisturbed = np.load(tmp_path / "resumed.npz"), np.load(tmp_path / "undisturbed.npz")
    for name in ("A", "replicas", "energy"):
        np.testing.assert_array_equal(resumed[name], undisturbed[name])


def stopped(model, data, n_steps, monkeypatch):
    """Let a fit die after so many steps of a replica."""
    made, real = [], kept_results.WalkFile.write

    def dying(self, *noted, **options):
        real(self, *noted, **options)
        made.append(1)
        if len(made) == n_steps:
            raise MemoryError

    with monkeypatch.context() as patched:
        patched.setattr(kept_results, "SECONDS", 0.0)
        patched.setattr(kept_results.WalkFile, "write", dying)
        with pytest.raises(MemoryError):
            model.fit(*data)


@pytest.mark.parametrize("sampler", SAMPLERS.values(), ids=SAMPLERS)
@pytest.mark.parametrize("batch_size", [None, 60])
def test_every_walk_goes_on_as_if_nothing_had_happened(sampler, batch_size, wine, tmp_path, monkeypatch):
    settings = {"sampler": sampler, "batch_size": batch_size, "random_state": 0}
    undisturbed = DMLFE(**settings).fit(*wine)
    kept = DMLFE(**settings, checkpoint=tmp_path / "kept")
    stopped(kept, wine, 5, monkeypatch)
    assert list((tmp_path / "kept").iterdir())
    kept.set_params(n_jobs=2).fit(*wine)  # the number of threads does not matter
    np.testing.assert_array_equal(kept.components_, undisturbed.components_)
    np.testing.assert_array_equal(kept.replicas_, undisturbed.replicas_)
    np.testing.assert_array_equal(kept.snapshots_["map"], undisturbed.snapshots_["map"])
    for name, rows in undisturbed.trace_.items():
        np.testing.assert_array_equal(kept.trace_[name], rows)
    assert kept.energy_ == undisturbed.energy_
    assert not (tmp_path / "kept").exists()


@pytest.mark.parametrize(
    "change", [{"random_state": 1}, {"confinement": 1e-3}, {"energy": "log-nca"}, {"data": 1}], ids=str
)
def test_another_fit_finds_nothing_and_disturbs_nothing(change, wine, tmp_path, monkeypatch):
    X, y = wine
    settings = {"sampler": SAMPLERS["hamiltonian"], "random_state": 0}
    stopped(DMLFE(**settings, checkpoint=tmp_path / "kept"), wine, 2, monkeypatch)
    kept = {path: path.read_bytes() for path in tmp_path.rglob("*.walk")}
    if "data" in change:
        X, change = X * 1.001, {}
    settings = {**settings, **change}
    other = DMLFE(**settings, checkpoint=tmp_path / "kept").fit(X, y)
    np.testing.assert_array_equal(other.components_, DMLFE(**settings).fit(X, y).components_)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*.walk")} == kept


def test_a_walk_in_more_dimensions_than_the_data_is_refused(wine, tmp_path, monkeypatch):
    """The kernels believe the shape of the maps, and would read behind the data."""
    settings = {"sampler": SAMPLERS["element"], "random_state": 0, "checkpoint": tmp_path}
    stopped(DMLFE(**settings), wine, 2, monkeypatch)
    (file, *_) = tmp_path.rglob("*.walk")
    kept = freemetric.load(file)
    walk = kept.to_state() | {name: wider(kept.to_state()[name]) for name in ("maps", "best_map")}
    chain = kept.chain.to_state()
    chain |= {name: wider(chain[name]) for name in ("A", "scale")}
    save(type(kept).from_state(walk | {"chain": type(kept.chain).from_state(chain)}), file)
    with pytest.raises(ValueError, match="holds a fit of other data or parameters"):
        DMLFE(**settings).fit(*wine)


def wider(array):
    return np.repeat(array, 100, axis=-1)


def test_a_file_that_is_not_whole_is_made_again(wine, tmp_path, monkeypatch):
    settings = {"sampler": SAMPLERS["element"], "random_state": 0}
    kept = DMLFE(**settings, checkpoint=tmp_path)
    stopped(kept, wine, 3, monkeypatch)
    (file, *_) = tmp_path.rglob("*.walk")
    file.write_bytes(file.read_bytes()[:-5])
    np.testing.assert_array_equal(kept.fit(*wine).components_, DMLFE(**settings).fit(*wine).components_)


def test_a_checkpoint_needs_a_seed(wine, tmp_path):
    with pytest.raises(ValueError, match="checkpoint needs a random_state"):
        DMLFE(checkpoint=tmp_path).fit(*wine)
