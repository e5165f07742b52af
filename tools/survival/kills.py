"""kill -9 of savers, benchmark runs, walks and fits: files are whole, and what goes on ends as if nothing had been."""

import contextlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from sklearn.datasets import load_wine
from sklearn.preprocessing import minmax_scale

import freemetric
from freemetric import DMLFE, Euclidean, FreeEnergyClassifier, Recipe
from freemetric.bench import records
from freemetric.bench.runner import plan, run
from freemetric.learners import kept_results
from freemetric.mc import Annealing, Constant

from .apart import Row

X, y = load_wine(return_X_y=True)
X = minmax_scale(X)
SETS, NAMES = ["iris", "wine"], ["euclidean", "rca", "rf"]
KILLS = 12  # of each that goes on
LONGEST = 4.0  # seconds until one is killed
PATIENCE = 5.0  # seconds until one has begun


def rows(rng: random.Random) -> list[Row]:
    """A row for each kind of victim."""
    kept_results.SECONDS = 0.0  # a file after every step
    found = [saves(rng, 200)]
    with tempfile.TemporaryDirectory() as folder:
        found.append(bench_runs(Path(folder)))
        found += [resumed(work, rng, Path(folder) / work.__name__) for work in (walks, fits)]
    return found


def saves(rng: random.Random, times: int) -> Row:
    """Two models take turns under one name."""
    row = Row("kill -9 of a process that saves", times, "the old file or the new one, whole; no drafts after the next")
    models = [Euclidean().fit(X), Euclidean().fit(X[:, :2])]
    with tempfile.TemporaryDirectory() as folder:
        path, drafts, files = Path(folder) / "a.fm", set(), set()
        started = time.monotonic()
        models[0].save(path)
        usual = time.monotonic() - started
        for _ in range(times):
            seen = path.stat().st_mtime_ns
            killed(
                lambda: [models[n % 2].save(path) for n in range(10**6)],
                rng.uniform(0, 2 * usual),
                lambda seen=seen: path.stat().st_mtime_ns != seen,  # at work: it has put a file of its own there
            )
            drafts |= set(path.parent.glob(".*"))
            files.add(path.stat().st_mtime_ns)
            try:
                loaded = freemetric.load(path)
                loaded.transform(X[:, : loaded.n_features_in_])
            except Exception as problem:
                row.broken.append(str(problem))
        models[0].save(path)
        row.broken += [f"{file.name} stayed" for file in path.parent.glob(".*")]
    row.measured = f"{len(files)} different files and {len(drafts)} drafts seen on the way"
    return row


def killed(work: Callable[[], object], seconds: float, begun: Callable[[], bool] = lambda: True) -> bool:
    """Whether a process was still at work so many seconds after it had begun, and was ended."""
    child = os.fork()
    if child == 0:
        os.setsid()
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    give_up = time.monotonic() + PATIENCE
    while not begun() and time.monotonic() < give_up:
        time.sleep(0.001)
    time.sleep(seconds)
    was_at_work = os.waitpid(child, os.WNOHANG)[0] == 0
    if was_at_work:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    return was_at_work


def resumed(work: Callable[[Path], list], rng: random.Random, folder: Path) -> Row:
    """Kill it again and again, let it end, and compare with one that nobody disturbed."""
    row = Row(f"kill -9 of {work.__doc__}", 0, "begun again it goes on, and ends with the very same")
    wanted, usual = undisturbed(work, folder)
    ended = 0
    while row.tried < KILLS and ended < KILLS:
        once_more = partial(work, folder / f"{ended}")
        while row.tried < KILLS and killed(once_more, rng.uniform(0.1, 0.5) * min(usual, 2 * LONGEST)):
            row.tried += 1
        found = once_more()
        ended += 1
        if not all(np.array_equal(a, b) for a, b in zip(wanted, found, strict=True)):
            row.broken.append("another result")
    row.measured = f"{ended} that ended, of {usual:.1f} s if undisturbed"
    return row


def undisturbed(work: Callable[[Path], list], folder: Path) -> tuple[list, float]:
    """The result, and the seconds of a second time: the first may have to compile."""
    work(folder / "first")
    started = time.monotonic()
    return work(folder / "undisturbed"), time.monotonic() - started


def bench_runs(folder: Path) -> Row:
    """A run is killed with all that it has started whenever it has written a record or two."""
    row = Row("kill -9 of a run of benchmarks", 0, "begun again it goes on, and ends with the very same")
    run(plan(SETS, NAMES, 1), folder / "undisturbed")
    wanted = contents(folder / "undisturbed")
    words = [sys.executable, "-m", "freemetric", "bench", "run", str(folder / "killed")]
    words += ["--datasets", ",".join(SETS), "--methods", ",".join(NAMES), "--repeats", "1"]
    while (seen := written(folder / "killed")) < len(wanted):
        process = subprocess.Popen(words, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while process.poll() is None and written(folder / "killed") < min(seen + 2, len(wanted)):
            time.sleep(0.02)
        row.tried += process.poll() is None
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    if contents(folder / "killed") != wanted:
        row.broken.append("other records")
    row.measured = f"{len(wanted)} records"
    return row


def written(folder: Path) -> int:
    """How many records there are."""
    return len(list(records.record_files(folder))) if folder.exists() else 0


def contents(folder: Path) -> list[str]:
    """All records but for the seconds they took."""
    found, broken = records.read_all(folder)
    return [*map(str, broken), *(str((r.job, r.errors, r.honest_k, r.honest_error, r.failure)) for r in found)]


def walks(folder):
    """a walk with a checkpoint"""
    sampler = Annealing(Constant(1e-3), n_steps=60, n_replicas=2)
    model = DMLFE(sampler=sampler, random_state=0, checkpoint=folder).fit(X, y)
    return [model.components_, model.trace_["energy"]]


def fits(folder):
    """a FreeEnergyClassifier with a checkpoint"""
    return [FreeEnergyClassifier(20, random_state=0, recipe=Recipe(checkpoint=folder)).fit(X, y).predict_proba(X)]
