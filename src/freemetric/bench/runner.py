"""The runner: fits that have no record yet, in processes with limits of time and memory."""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

from joblib import Parallel, delayed

from ..extras import versions
from ..files.atomic import release_lock, take_lock
from ..printable import counted, verb
from ..tabular.limits import WARM, Limits, limited
from .protocol import evaluate, learns_on_sample, task_of
from .records import BenchJob, Record, read

PRELOAD = [WARM, f"{__package__}.protocol"]  # imported once for all fits
WAIT = 0.5  # seconds between looks at fits that another runner has taken


@contextmanager
def claim(path: Path) -> Iterator[bool]:
    """Whether this process may now make the file. The system releases the lock of a process that dies."""
    path.parent.mkdir(parents=True, exist_ok=True)
    place = path.with_name(f".{path.name}.lock")
    lock = take_lock(place)
    try:
        yield lock is not None
    finally:
        if lock is not None:
            # A process that waits for this very file will find the other one made when it gets the lock.
            with suppress(PermissionError):  # of Windows, where open files stay
                place.unlink(missing_ok=True)
            release_lock(lock)


@dataclass(frozen=True)
class RunOptions:
    """How fits are made.

    Parameters
    ----------
    task : {"classification", "regression", "synthetic"}, default="classification"
        Data sets of :func:`freemetric.datasets.load`, of :func:`freemetric.datasets.load_regression`, or synthetic
        problems with a number of samples, like "fan-200".
    data_home : path or None, default=None
        Folder to look in first for data sets.
    limits : Limits, default=Limits()
        Time and memory of one fit; beyond them it becomes a record of a failure.
    device : str, default="cpu"
        Where the methods compute that can choose.
    most_samples : int or None, default=None
        Learn metrics on a stratified sample of this size where a half is larger; k-NN uses the whole half. The record
        has it as its parameter ``most_patterns``. Existing records are kept, whatever they were learned on.
    retry_failed : bool, default=False
        Repeat fits that failed before.
    """

    task: str = "classification"
    data_home: Path | str | None = None
    limits: Limits = field(default_factory=Limits)
    device: str = "cpu"
    most_samples: int | None = None
    retry_failed: bool = False

    def __post_init__(self):
        can_sample = task_of(self.task).samples
        if self.most_samples is not None and self.most_samples < 2:
            raise ValueError(f"most_samples must be at least 2; got {self.most_samples}.")
        if self.most_samples is not None and not can_sample:
            raise ValueError(f"most_samples is for classification; the task is {self.task!r}.")


@dataclass
class Report:
    """Numbers of fits that a run made and found, and a line for every problem."""

    fitted: int = 0
    found: int = 0
    problems: list[str] = field(default_factory=list)


def plan(
    datasets: Iterable[str],
    methods: Iterable[str],
    repeats: int,
    setting: str = "default",
    task: str = "classification",
) -> list[BenchJob]:
    """All fits of a comparison, data set by data set; ``task`` is a name in ``protocol.TASKS``."""
    methods, known = list(methods), task_of(task).methods
    unknown = sorted(set(methods) - set(known))
    if unknown:
        raise ValueError(f"Unknown method {unknown[0]!r}; known methods: {', '.join(known)}.")
    return [BenchJob(d, m, r, f, setting) for d, r, m, f in product(datasets, range(repeats), methods, range(2))]


def run(
    jobs: Iterable[BenchJob],
    folder: Path | str,
    options: RunOptions | None = None,
    *,
    n_jobs: int | None = None,
    on_fit: Callable[[BenchJob, int, int], None] | None = None,
) -> Report:
    """Make the records of all jobs that have none yet.

    Several runners may share a folder: a fit that another one has taken is waited for, not repeated. Jobs are spread by
    joblib, so ``joblib.parallel_config`` chooses where they run.

    Parameters
    ----------
    jobs : iterable of BenchJob
        Fits to make, from :func:`plan`.
    folder : path
        Folder of records, one file a fit.
    options : RunOptions or None, default=None
        How fits are made.
    n_jobs : int or None, default=None
        Fits at a time.
    on_fit : callable or None, default=None
        Called with (job, number done, number of all) after every fit.
    """
    options, report, folder, others = options or RunOptions(), Report(), Path(folder), 0
    left = possible = _possible(list(jobs), options, report)
    done = 0
    while left:
        # Threads, because each of them waits for a process of its own.
        attempts = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator_unordered")(
            delayed(attempt)(job, folder, options) for job in left
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
        kept = f"{counted(others, 'record')} of fits with another most_samples {verb(others, 'is', 'are')} kept."
        report.problems.append(kept)
    return report


def _possible(jobs, options, report):
    """Jobs whose data can be read and split; a line for every set that cannot."""
    good, task = set(), task_of(options.task)
    for name in dict.fromkeys(job.dataset for job in jobs):
        try:
            task.split(task.load(name, options.data_home), 0, 0)
            good.add(name)
        except ValueError as problem:
            report.problems.append(f"{name}: {str(problem).removeprefix(f'{name}: ')}")
    return [job for job in jobs if job.dataset in good]


def attempt(job: BenchJob, folder: Path, options: RunOptions) -> tuple[BenchJob, str, list[str]]:
    """One job in a process of its own: (job, "fitted" | "found" | "other" | "taken", problems).

    "other" is a record that was found, but was learned on a sample of another size than the options have.
    """
    problems: list[str] = []
    with claim(job.path(folder)) as mine:
        if not mine:
            return job, "taken", problems
        record = _kept(job.path(folder), options.retry_failed, problems)
        if record:
            most, given = options.most_samples, record.parameters.get("most_patterns")
            expected = most if learns_on_sample(job, record.shape[0], most) else None
            return job, "found" if record.failure or given == expected else "other", problems
        failure = limited(_make, job, folder, options, limits=options.limits, preload=PRELOAD).failure
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


def _make(job, folder, options):
    """Fit and write the record."""
    data = task_of(options.task).load(job.dataset, options.data_home)
    evaluate(job, data, options.task, options.device, options.most_samples).write(folder)
