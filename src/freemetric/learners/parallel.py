"""Tasks through joblib, so that threads, processes and clusters all can carry them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError
from typing import Any, TypeVar

from joblib import Parallel, delayed, parallel_config

Task = TypeVar("Task", bound=tuple)
Result = TypeVar("Result")

LOST = (BrokenExecutor, CancelledError)  # what loky and Dask say when a worker has died with what only it had
MOST_LOSSES = 3  # in a row, without a result between them; then it is the tasks that kill


def in_parallel(
    work: Callable[[Task], Result], tasks: Sequence[Task], n_jobs: int | None, shared: Sequence[str] = ()
) -> Iterator[Result]:
    """work(task) of every task, a named tuple, in their order, as they get ready.

    In threads, unless ``joblib.parallel_config`` names another backend. Fields that are ``shared`` hold the same large
    objects in many tasks: a cluster gets each of them once. Tasks that were lost with a worker are done again.
    """
    done = losses = 0
    while done < len(tasks):
        try:
            for result in _run(work, tasks[done:], n_jobs, shared):
                yield result
                done, losses = done + 1, 0
        except LOST:
            losses += 1
            if losses > MOST_LOSSES:
                raise


def _run(work, tasks, n_jobs, shared) -> Iterable:
    try:
        run = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")
    except ValueError:  # a backend that hands over all results at once
        run = Parallel(n_jobs=n_jobs, prefer="threads")
    return run(delayed(_whole)(work, *_apart(task, shared)) for task in tasks)


def _apart(task: Any, shared: Sequence[str]) -> list:
    """A task without what it shares, and that: backends look at the arguments of a call to find what they have sent."""
    return [task._replace(**dict.fromkeys(shared)), shared, *(getattr(task, name) for name in shared)]


def _whole(work, light, shared, *values):
    task = light._replace(**dict(zip(shared, values, strict=True)))
    with parallel_config(backend="sequential"):  # or a task on a cluster would want threads for all of its cores
        return work(task)
