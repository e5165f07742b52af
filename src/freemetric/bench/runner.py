"""The runner: makes the records that are missing, in processes with limits."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any, TextIO

from joblib import Parallel, delayed

from ..printable import counted, verb
from ..tabular.limits import WARM, Limits, limited
from ..versions import versions
from .classification import learns_on_sample
from .protocol import evaluate, task_of
from .records import Job, Record, read

if sys.platform == "win32":
    import msvcrt

try:
    import fcntl
except ImportError:  # a module of Unix
    fcntl = None  # type: ignore[assignment]


@contextmanager
def claim(path: Path) -> Iterator[bool]:
    """Whether this process may now make the file. The system releases the lock of a process that dies."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = path.with_name(f".{path.name}.lock")
    with open(lock, "w") as file:
        try:
            _lock(file)
        except (BlockingIOError, PermissionError):
            yield False
            return
        try:
            yield True
        finally:
            # A process that waits for this very file will find the other one made when it gets the lock.
            with suppress(PermissionError):  # of Windows, where open files stay
                lock.unlink(missing_ok=True)


def _lock(file: TextIO) -> None:
    """BlockingIOError or PermissionError where another process has the lock.

    On a system that knows no locks two processes may do the same work; files are written whole all the same.
    """
    if fcntl is not None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    elif sys.platform == "win32":
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)


PRELOAD = [WARM, f"{__package__}.protocol"]  # what is imported once for all fits
WAIT = 0.5  # seconds between looks at fits that another runner has taken


@dataclass
class Report:
    """What a run did: numbers of fits, and a line for everything that went wrong."""

    fitted: int = 0
    found: int = 0  # records that were there already
    problems: list[str] = field(default_factory=list)


def plan(
    datasets: Iterable[str],
    methods: Iterable[str],
    repeats: int,
    setting: str = "default",
    task: str = "classification",
) -> list[Job]:
    """All fits of a comparison, data set by data set; ``task`` is a name in ``protocol.TASKS``."""
    methods, known = list(methods), task_of(task).methods
    unknown = sorted(set(methods) - set(known))
    if unknown:
        raise ValueError(f"Unknown method {unknown[0]!r}; known methods: {', '.join(known)}.")
    return [Job(d, m, r, f, setting) for d, r, m, f in product(datasets, range(repeats), methods, range(2))]


def run(
    jobs: Iterable[Job],
    folder: Path | str,
    *,
    data_home: Path | str | None = None,
    limits: Limits | None = None,
    device: str = "cpu",
    most_patterns: int | None = None,
    n_jobs: int | None = None,
    retry_failed: bool = False,
    on_fit: Callable[[Job, int, int], None] | None = None,
    task: str = "classification",
) -> Report:
    """Make the records of all jobs that have none yet.

    Several runners may share a folder: a fit that another one has taken is waited for, not repeated. Jobs are spread by
    joblib, so ``joblib.parallel_config`` chooses where they run.

    Parameters
    ----------
    jobs : iterable of Job
        What to fit, from :func:`plan`.
    folder : path
        Where records are kept, one file a fit.
    data_home : path or None, default=None
        Where data sets are looked for first.
    limits : Limits or None, default=None
        Time and memory of one fit; beyond them it becomes a record of a failure.
    device : str, default="cpu"
        Where the methods compute that can choose.
    most_patterns : int or None, default=None
        Learn metrics on a stratified sample of this size where a half is larger; k-NN uses the whole half. The record
        then says so among its parameters. Records that exist are kept, whatever they were learned on; the report
        counts those that this run would have made otherwise.
    n_jobs : int or None, default=None
        Fits at a time.
    retry_failed : bool, default=False
        Fit again what has a record of a failure.
    on_fit : callable or None, default=None
        Called with (job, number done, number of all) after every fit.
    task : {"classification", "regression", "synthetic"}, default="classification"
        What the jobs are about: sets of :func:`freemetric.datasets.load`, of
        :func:`freemetric.datasets.load_regression`, or synthetic problems with a number of samples, like "fan-200".

    Returns
    -------
    report : Report
        What was done.
    """
    if most_patterns is not None and most_patterns < 2:
        raise ValueError(f"most_patterns must be at least 2; got {most_patterns}.")
    if most_patterns is not None and not task_of(task).samples:
        raise ValueError(f"most_patterns is for classification; the task is {task!r}.")
    report, folder, others = Report(), Path(folder), 0
    options = {"device": device, "most_patterns": most_patterns}
    possible = _possible(list(jobs), data_home, report, task_of(task))
    left, done = possible, 0
    while left:
        # Threads, because each of them waits for a process of its own.
        attempts = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator_unordered")(
            delayed(attempt)(job, folder, data_home, limits or Limits(), options, retry_failed, task) for job in left
        )
        taken = []
        for job, outcome, lines in attempts:
            report.problems += lines
            if outcome == "taken":
                taken.append(job)
                continue
            report.fitted += outcome == "fitted"
            report.found += outcome in ("found", "other")
            others += outcome == "other"
            done += 1
            if on_fit:
                on_fit(job, done, len(possible))
        left = taken
        if taken:
            time.sleep(WAIT)
    if others:
        report.problems.append(
            f"{counted(others, 'record')} of fits with another most_patterns {verb(others, 'is', 'are')} kept."
        )
    return report


def _possible(jobs, data_home, report, task):
    """Jobs whose data can be read and split; a line for every set that cannot."""
    good = set()
    for name in dict.fromkeys(job.dataset for job in jobs):
        try:
            task.split(task.load(name, data_home), 0, 0)
            good.add(name)
        except ValueError as problem:
            report.problems.append(f"{name}: {str(problem).removeprefix(f'{name}: ')}")
    return [job for job in jobs if job.dataset in good]


def attempt(
    job: Job,
    folder: Path,
    data_home: Path | str | None,
    limits: Limits,
    options: dict[str, Any],
    retry_failed: bool,
    task: str = "classification",
) -> tuple[Job, str, list[str]]:
    """One job in a process of its own: (job, "fitted" | "found" | "other" | "taken", problems).

    "other" is a record that was found but learned on a sample of another size than the options ask for.
    """
    problems: list[str] = []
    with claim(job.path(folder)) as mine:
        if not mine:
            return job, "taken", problems
        record = _kept(job.path(folder), retry_failed, problems)
        if record:
            return job, "found" if _as_asked(record, options["most_patterns"]) else "other", problems
        failure = limited(_make, job, folder, data_home, options, task, limits=limits, preload=PRELOAD).failure
        if failure:
            problems.append(f"{job.dataset}, {job.method}, repeat {job.repeat}, fold {job.fold}: {failure}")
            Record(job, failure=failure, versions=versions()).write(folder)
    return job, "fitted", problems


def _kept(path, retry_failed, problems):
    """The record that is there and stays, or None."""
    if not path.exists():
        return None
    try:
        record = read(path)
        return None if record.failure and retry_failed else record
    except ValueError as problem:
        problems.append(f"{problem} It is made again.")
        return None


def _as_asked(record, most_patterns):
    asked = most_patterns if learns_on_sample(record.job, record.shape[0], most_patterns) else None
    return bool(record.failure) or record.parameters.get("most_patterns") == asked


def _make(job, folder, data_home, options, task):
    """Fit and write the record."""
    evaluate(job, task_of(task).load(job.dataset, data_home), task, **options).write(folder)
