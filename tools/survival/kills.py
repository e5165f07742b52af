"""kill -9 of processes that save models or write records: files stay whole."""

import os
import signal
import tempfile
import time
from pathlib import Path

import numpy as np

from freemetric import Euclidean, load, save
from freemetric.experiments.records import read_records
from freemetric.experiments.runner import plan, run

from .apart import Row

SAVES = 200
PATIENCE = 5.0  # seconds until a process has begun


def rows(rng):
    """Return a row of savers, and one of runs."""
    with tempfile.TemporaryDirectory() as folder:
        return [savers(rng, Path(folder) / "models"), runs(rng, Path(folder) / "runs")]


def savers(rng, folder):
    """Two models take turns under one name."""
    wanted = "the old file or the new one, whole"
    row = Row("kill -9 of a process that saves", SAVES, wanted)
    folder.mkdir()
    path = folder / "model.fm"
    X = np.random.default_rng(0).normal(size=(500, 40))
    models = [Euclidean().fit(X), Euclidean().fit(X[:, :20])]
    save(models[0], path)
    states = set()
    for _ in range(SAVES):
        before = path.stat().st_mtime_ns
        killed(
            lambda: [save(models[n % 2], path) for n in range(10**6)],
            rng.uniform(0, 0.01),
            lambda before=before: path.stat().st_mtime_ns != before,
        )
        states.add(path.stat().st_mtime_ns)
        try:
            load(path)
        except Exception as problem:
            row.broken.append(str(problem))
    n_drafts = len(list(folder.iterdir())) - 1
    row.measured = f"{len(states)} different files, {n_drafts} drafts stayed"
    return row


def runs(rng, folder):
    """A run of experiments is killed until nothing is left to do."""
    wanted = "begun again it goes on, and ends with the same records"
    row = Row("kill -9 of a run of experiments", 0, wanted)
    folder.mkdir()
    jobs = plan(["iris", "wine"], ["euclidean", "rca", "rf"], 1)
    started = time.monotonic()
    expected = contents(run(jobs, folder / "undisturbed.jsonl"))
    usual = time.monotonic() - started
    path = folder / "killed.jsonl"
    while killed(lambda: run(jobs, path), rng.uniform(0.05, 0.3) * usual):
        row.times += 1
        if row.times == 50:  # it does not come to an end
            break
    if (
        contents(run(jobs, path)) != expected
        or contents(read_records(path)) != expected
    ):
        row.broken.append("other records")
    row.measured = f"{len(expected)} records"
    return row


def contents(records):
    """Return all but the time."""
    return sorted(str((r.job, r.errors, r.honest_k, r.failure)) for r in records)


def killed(work, seconds, has_begun=lambda: True):
    """Whether a process was still at work so long after it had begun, and was ended."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    give_up = time.monotonic() + PATIENCE
    while not has_begun() and time.monotonic() < give_up:
        time.sleep(0.001)
    time.sleep(seconds)
    was_at_work = os.waitpid(child, os.WNOHANG)[0] == 0
    if was_at_work:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    return was_at_work
