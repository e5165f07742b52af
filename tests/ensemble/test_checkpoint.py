"""A fit that is killed goes on where it was, and ends with the same model."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone

import freemetric
from freemetric import FreeEnergyClassifier, Recipe
from freemetric.ensemble import running
from freemetric.ensemble.running import resuming
from freemetric.ensemble.sampling import replicas_of
from freemetric.ensemble.search import Search, SearchProblem
from freemetric.ensemble.tasks.classification import ClassificationTask
from freemetric.files import save
from freemetric.mc import Annealing, Constant, ElementMove
from freemetric.metrics import Candidate, ClassEncoding, TrainingSet

MOVES = {"hamiltonian": None, "element": Annealing(Constant(1e-3), ElementMove(0.3), n_steps=3)}


@pytest.mark.parametrize("sampler", MOVES.values(), ids=MOVES)
def test_only_what_is_missing_is_done_again(sampler, wine, tmp_path, monkeypatch):
    X, y = wine[0][::2], wine[1][::2]
    recipe = Recipe(sampler=sampler, energy="nca", n_steps=3)
    kept = replace(recipe, checkpoint=tmp_path / "kept")
    undisturbed = FreeEnergyClassifier(16, recipe=recipe, random_state=0).fit(X, y)
    done, real = [], running.replicas_of

    def dying(task, *shared):
        if len(done) == 7:
            raise MemoryError
        done.append(task)
        return real(task, *shared)

    monkeypatch.setattr(running, "replicas_of", dying)
    with pytest.raises(MemoryError):
        FreeEnergyClassifier(16, recipe=kept, random_state=0).fit(X, y)
    files = sorted((tmp_path / "kept").rglob("*.task"))
    assert len(files) == 7
    files[2].write_bytes(files[2].read_bytes()[:-5])  # a file that is not whole is made again,
    other = freemetric.load(files[4])  # and one of a shape that compiled code should not believe
    save(other._replace(maps=np.repeat(other.maps, 100, axis=2)), files[4])
    monkeypatch.setattr(running, "replicas_of", lambda task, *shared: done.append(task) or real(task, *shared))
    again = FreeEnergyClassifier(16, recipe=kept, random_state=0).fit(X, y)
    np.testing.assert_array_equal(again.predict_proba(X), undisturbed.predict_proba(X))
    np.testing.assert_array_equal(again.trace_["energy"], undisturbed.trace_["energy"])
    assert len(done) == 7 + len(undisturbed_tasks(undisturbed, X, y)) - 5
    assert not (tmp_path / "kept").exists()


def test_a_run_is_asked_to_its_end(iris, tmp_path):
    """It may do something after the last task, too."""
    ended = []

    def run(tasks):
        for task in tasks:
            yield replicas_of(task)
            ended.append(task.candidate.view)

    problem = SearchProblem(TrainingSet(iris[0][::5], iris[1][::5], ClassEncoding(3)), ClassificationTask(3))
    with resuming(tmp_path / "kept", run) as resumed:
        search = Search(problem, Recipe(), np.random.SeedSequence(0))
        wanted = [(search.enter(Candidate(view, "identity", "nca")), 0) for view in ("scaled", "steps")]
        search.grow(wanted, resumed)
    assert ended == ["scaled", "steps"]


def undisturbed_tasks(model, X, y):
    """As many tasks as a fit of this model takes."""
    count, real = [], running.replicas_of
    running.replicas_of = lambda task, *shared: count.append(task) or real(task, *shared)
    try:
        clone(model).fit(X, y)
    finally:
        running.replicas_of = real
    return count


def test_another_fit_finds_nothing(wine, tmp_path):
    X, y = wine
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "mine.txt").write_text("stays")
    first = FreeEnergyClassifier(4, random_state=0, recipe=Recipe(checkpoint=kept)).fit(X, y)
    other = FreeEnergyClassifier(4, random_state=1, recipe=Recipe(checkpoint=kept)).fit(X, y)
    assert np.abs(first.predict_proba(X) - other.predict_proba(X)).max() > 0
    assert [path.name for path in kept.iterdir()] == ["mine.txt"]


def test_what_cannot_be_a_folder(wine, tmp_path):
    (tmp_path / "file").write_text("mine")
    for path in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(ValueError, match=r"checkpoint='.*' cannot be made a folder \(.*\)\.$"):
            FreeEnergyClassifier(4, recipe=Recipe(checkpoint=path), random_state=0).fit(*wine)
    assert (tmp_path / "file").read_text() == "mine"


PROGRAM = """
import sys, numpy as np
from sklearn.datasets import make_classification
from freemetric import FreeEnergyClassifier, Recipe
X, y = make_classification(300, 6, n_informative=4, random_state=0)
model = FreeEnergyClassifier(30, random_state=0, recipe=Recipe(checkpoint=sys.argv[1] or None)).fit(X, y)
np.save(sys.argv[2], model.predict_proba(X))
"""


@pytest.mark.slow
def test_killed_in_the_middle(tmp_path):
    def run(folder, result, **options):
        return subprocess.Popen([sys.executable, "-c", PROGRAM, folder, result], **options)

    folder = tmp_path / "kept"
    for _ in range(2):  # twice: the second goes on from what the first has left
        child = run(str(folder), str(tmp_path / "killed.npy"))
        seen = len(list(folder.rglob("*.task")))
        while len(list(folder.rglob("*.task"))) < seen + 2:
            assert child.poll() is None
            time.sleep(0.02)
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
    assert run(str(folder), str(tmp_path / "resumed.npy")).wait() == 0
    assert run("", str(tmp_path / "undisturbed.npy")).wait() == 0
    np.testing.assert_array_equal(np.load(tmp_path / "resumed.npy"), np.load(tmp_path / "undisturbed.npy"))
