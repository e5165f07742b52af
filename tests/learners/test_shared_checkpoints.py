"""Fits that share a checkpoint's folder do not disturb each other, in threads and in processes."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from freemetric import DMLFE, FreeEnergyClassifier, FreeEnergyRegressor, Recipe
from freemetric.files import atomic as locks
from freemetric.learners import kept_results
from freemetric.learners.kept_results import Claim
from freemetric.mc import Annealing

FEW = {"n_replicas": 4, "recipe": Recipe(candidates=["scaled/diagonal"], n_steps=3), "random_state": 0}
WALK = DMLFE(sampler=Annealing(n_steps=4), random_state=0)
ESTIMATORS = {
    "classifier": FreeEnergyClassifier(**FEW),
    "regressor": FreeEnergyRegressor(**FEW),
    "dmlfe": make_pipeline(WALK, KNeighborsClassifier()),
}


@pytest.mark.parametrize("name", ESTIMATORS)
def test_folds_in_threads(name, wine, tmp_path, monkeypatch):
    monkeypatch.setattr(kept_results, "SECONDS", 0.0)
    X, y = wine[0][::2], wine[1][::2].astype(float if name == "regressor" else int)
    model, folder = clone(ESTIMATORS[name]), tmp_path / "kept"
    wanted = cross_val_score(model, X, y, cv=3)
    model.set_params(**{"dmlfe__checkpoint" if name == "dmlfe" else "recipe__checkpoint": folder})
    with parallel_config("threading", n_jobs=3):
        found = cross_val_score(model, X, y, cv=3, error_score="raise")
    np.testing.assert_array_equal(found, wanted)
    assert not folder.exists()


PROGRAM = """
import sys, numpy as np
from sklearn.datasets import load_wine
from freemetric import DMLFE, FreeEnergyClassifier, Recipe
from freemetric.learners import kept_results
from freemetric.mc import Annealing
kept_results.SECONDS = 0.0
X, y = load_wine(return_X_y=True)
kind, folder, result = sys.argv[1:]
print("ready", flush=True)
sys.stdin.readline()
for seed in (0, 0, 1):
    if kind == "walk":
        model = DMLFE(sampler=Annealing(n_steps=6), random_state=seed, checkpoint=folder).fit(X, y)
    else:
        recipe = Recipe(candidates=["scaled/diagonal"], checkpoint=folder)
        model = FreeEnergyClassifier(4, recipe=recipe, random_state=seed).fit(X, y)
np.save(result, model.transform(X))
"""


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["walk", "votes"])
def test_two_processes_with_one_folder(kind, tmp_path):
    """Both do the same at the same time, three times."""
    command = [sys.executable, "-W", "ignore", "-c", PROGRAM, kind, str(tmp_path / "kept")]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    both = [subprocess.Popen([*command, str(tmp_path / f"{n}.npy")], **pipes) for n in range(2)]
    try:
        assert [child.stdout.readline() for child in both] == ["ready\n"] * 2
        for child in both:
            child.stdin.write("\n")
            child.stdin.flush()
        said = [child.communicate(timeout=300)[1] for child in both]
    finally:
        for child in both:
            child.kill()
    assert said == ["", ""]
    np.testing.assert_array_equal(np.load(tmp_path / "0.npy"), np.load(tmp_path / "1.npy"))
    assert not (tmp_path / "kept").exists()


def test_the_same_fit_at_the_same_time_has_another_subfolder(tmp_path):
    folder = tmp_path / "kept"
    with Claim(folder, "a") as first, Claim(folder, "a") as second, Claim(folder, "b") as other:
        assert len({first.path, second.path, other.path}) == 3
        (second.path / "result").touch()
    assert list(folder.iterdir()) == [second.path]  # what was not removed stays,
    with Claim(folder, "a") as later:
        assert later.path == second.path  # and the next one finds it
        (later.path / "result").unlink()
    assert not folder.exists()


def test_an_error_keeps_results_and_frees_the_subfolder(tmp_path):
    claim = Claim(tmp_path, "a")
    (claim.path / "result").touch()
    with pytest.raises(KeyboardInterrupt), claim:
        raise KeyboardInterrupt
    with Claim(tmp_path, "a") as again:
        assert again.path == claim.path
        assert (again.path / "result").exists()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_child_does_not_hold_the_lock_of_its_parent(tmp_path):
    """Workers that outlive a process that was killed must not keep the fit from being resumed."""
    (ours, theirs), (ready, begun) = os.pipe(), os.pipe()
    with Claim(tmp_path / "kept", "a") as claim:
        child = os.fork()
        if child == 0:
            os.write(begun, b"!")
            os.close(theirs)
            os.read(ours, 1)  # until the parent closes its end
            os._exit(0)
        os.read(ready, 1)
        (claim.path / "result").touch()
        with Claim(tmp_path / "kept", "a") as second:
            still_locked = second.path != claim.path
    with Claim(tmp_path / "kept", "a") as again:
        is_free = again.path == claim.path
    os.close(theirs)
    os.waitpid(child, 0)
    assert still_locked
    assert is_free


@pytest.mark.parametrize("has_locks", [False, True])
def test_without_locks_a_fit_goes_on(has_locks, tmp_path, monkeypatch, wine):
    """Neither of a system, nor of a file system."""

    class NoLocks:
        LOCK_EX = LOCK_NB = 0

        @staticmethod
        def flock(*_):
            raise OSError(95, "Operation not supported")

    monkeypatch.setattr(locks, "fcntl", NoLocks if has_locks else None)
    monkeypatch.setattr(locks, "msvcrt", None)
    kept = clone(WALK).set_params(checkpoint=tmp_path / "kept").fit(*wine)
    np.testing.assert_array_equal(kept.components_, clone(WALK).fit(*wine).components_)
    assert not Path(tmp_path / "kept").exists()
