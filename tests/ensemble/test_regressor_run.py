"""A regression as a run: reported to callbacks, stopped, killed, resumed; and what it says of frames."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes

from freemetric import FreeEnergyRegressor, Recipe
from freemetric.ensemble import running
from freemetric.exceptions import InterruptedFitWarning

KINDS = {"recipe": Recipe(candidates=("scaled/full", "steps/diagonal")), "random_state": 0}


@pytest.fixture(scope="module")
def diabetes():
    return load_diabetes(return_X_y=True, as_frame=True)


class Watcher:
    """Counts the steps that a fit tells, keeps what its rounds have found, and may stop it."""

    max_estimator_depth = None

    def __init__(self, most=None):
        self.most, self.steps, self.rounds, self.errors = most, 0, 0, []

    def setup(self, estimator, context):
        self.total = context.max_subtasks

    def on_fit_task_begin(self, estimator, context):
        pass

    def on_fit_task_end(self, estimator, context):
        self.steps += context.task_name == "Monte Carlo step"
        return self.most is not None and self.steps >= self.most

    def on_round(self, population):
        self.rounds += 1
        self.errors.append(float(population.scores().min()))

    def teardown(self, estimator, context):
        pass


def test_callbacks_hear_of_every_step_and_change_nothing(diabetes):
    pytest.importorskip("sklearn.callback", reason="scikit-learn has callbacks since 1.9")
    X, y = diabetes
    watcher = Watcher()
    model = FreeEnergyRegressor(6, **KINDS).set_callbacks(watcher).fit(X[::4], y[::4])
    assert watcher.steps == watcher.total == 6 * Recipe().n_steps
    assert watcher.rounds > 0
    assert watcher.errors[-1] == pytest.approx(model.selection_["oob_squared"].min())
    np.testing.assert_array_equal(clone(model).fit(X[::4], y[::4]).predict(X), model.predict(X))


@pytest.mark.filterwarnings("ignore::freemetric.exceptions.DataWarning")
def test_a_callback_can_stop_the_search(diabetes):
    pytest.importorskip("sklearn.callback", reason="scikit-learn has callbacks since 1.9")
    X, y = diabetes
    watcher = Watcher(most=30)
    model = FreeEnergyRegressor(40, **KINDS).set_callbacks(watcher).fit(X[::4], y[::4])
    assert 30 <= watcher.steps < 40 * Recipe().n_steps
    assert np.isfinite(model.predict(X)).all()
    assert np.ptp(model.predict_interval(X), axis=1).min() > 0


@pytest.mark.parametrize("seconds", [1e-6, 0.3])
def test_time_is_up(seconds, diabetes):
    """A model is made of what there is, and says so; trends make it better than the mean even then."""
    X, y = diabetes
    with pytest.warns(InterruptedFitWarning, match=f"stopped after max_seconds={seconds}"):
        model = FreeEnergyRegressor(5000, max_seconds=seconds, **KINDS).fit(X[::4], y[::4])
    assert model.trace_["energy"].shape[1] < 5000
    assert model.score(X[1::2], y[1::2]) > 0.2


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_only_what_is_missing_is_done_again(scale, diabetes, tmp_path, monkeypatch):
    X, y = diabetes[0][::4], diabetes[1][::4]
    settings = {"n_replicas": 8, "scale": scale, **KINDS}
    undisturbed = FreeEnergyRegressor(**settings).fit(X, y)
    done, real = [], running.replicas_of

    def dying(task, *shared):
        if len(done) == 3:
            raise MemoryError
        done.append(task)
        return real(task, *shared)

    monkeypatch.setattr(running, "replicas_of", dying)
    with pytest.raises(MemoryError):
        FreeEnergyRegressor(**settings).set_params(recipe__checkpoint=tmp_path / "kept").fit(X, y)
    files = sorted((tmp_path / "kept").rglob("*.task"))
    assert len(files) == 3
    files[1].write_bytes(files[1].read_bytes()[:-5])  # one that is not whole is made again
    again = []
    monkeypatch.setattr(running, "replicas_of", lambda task, *shared: again.append(task) or real(task, *shared))
    resumed = FreeEnergyRegressor(**settings).set_params(recipe__checkpoint=tmp_path / "kept").fit(X, y)
    np.testing.assert_array_equal(resumed.predict(X), undisturbed.predict(X))
    np.testing.assert_array_equal(resumed.predict_interval(X), undisturbed.predict_interval(X))
    np.testing.assert_array_equal(resumed.oob_prediction_, undisturbed.oob_prediction_)
    n_first, again[:] = len(again), []
    clone(undisturbed).fit(X, y)
    assert n_first == len(again) - 2
    assert not (tmp_path / "kept").exists()


def test_other_numbers_find_nothing(diabetes, tmp_path, monkeypatch):
    """Results on the way belong to their target: the same rows with other numbers begin anew."""
    X, y = diabetes[0][::4], diabetes[1][::4]
    real, done = running.replicas_of, []

    def dying(task, *shared):
        if len(done) == 2:
            raise MemoryError
        done.append(task)
        return real(task, *shared)

    monkeypatch.setattr(running, "replicas_of", dying)
    with pytest.raises(MemoryError):
        FreeEnergyRegressor(8, **KINDS).set_params(recipe__checkpoint=tmp_path / "kept").fit(X, y)
    monkeypatch.setattr(running, "replicas_of", real)
    other = FreeEnergyRegressor(8, **KINDS).set_params(recipe__checkpoint=tmp_path / "kept").fit(X, -y)
    np.testing.assert_array_equal(other.predict(X), FreeEnergyRegressor(8, **KINDS).fit(X, -y).predict(X))


PROGRAM = """
import sys, numpy as np
from sklearn.datasets import make_friedman1
from freemetric import FreeEnergyRegressor, Recipe
X, y = make_friedman1(300, random_state=0)
model = FreeEnergyRegressor(30, random_state=0, recipe=Recipe(checkpoint=sys.argv[1] or None)).fit(X, y)
np.save(sys.argv[2], np.column_stack([model.predict(X), model.predict_interval(X)]))
"""


@pytest.mark.slow
def test_killed_in_the_middle(tmp_path):
    def run(folder, result):
        return subprocess.Popen([sys.executable, "-c", PROGRAM, str(folder), str(tmp_path / result)])

    folder = tmp_path / "kept"
    child = run(folder, "killed.npy")
    while len(list(folder.rglob("*.task"))) < 2:
        assert child.poll() is None
        time.sleep(0.02)
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    assert run(folder, "resumed.npy").wait() == 0
    assert run("", "undisturbed.npy").wait() == 0
    np.testing.assert_array_equal(np.load(tmp_path / "resumed.npy"), np.load(tmp_path / "undisturbed.npy"))


def test_frames_keep_their_names(diabetes):
    X, y = diabetes
    model = FreeEnergyRegressor(4, **KINDS).set_output(transform="pandas").fit(X[::4], y[::4])
    assert model.feature_names_in_.tolist() == X.columns.tolist()
    embedded = model.transform(X[:5])
    assert isinstance(embedded, pd.DataFrame)
    assert embedded.columns.tolist() == model.get_feature_names_out().tolist()
    assert embedded.columns[0] == "freeenergyregressor0"
    assert (embedded.index == X.index[:5]).all()
    np.testing.assert_allclose(embedded.to_numpy(), model.embed(X[:5]))
    assert isinstance(model.predict(X[:5]), np.ndarray)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(X[:5].rename(columns={"age": "years"}))
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        model.predict(X[:5].to_numpy())
