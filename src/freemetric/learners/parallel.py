"""Tasks through joblib, so that threads, processes and clusters all can carry them."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError
from typing import Any, TypeVar

from joblib import Parallel, delayed, parallel_config
from joblib.parallel import get_active_backend

Task = TypeVar("Task", bound=tuple)
Result = TypeVar("Result")

LOST = (BrokenExecutor, CancelledError)  # what executors say when a worker has died with what only it had
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
    backend, _ = get_active_backend()
    if hasattr(backend, "client"):
        return _run_by_dask(backend, work, tasks, shared)
    try:
        run = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")
    except ValueError:  # a backend that hands over all results at once
        run = Parallel(n_jobs=n_jobs, prefer="threads")
    return run(delayed(_whole)(work, *_apart(task, shared)) for task in tasks)


def _run_by_dask(backend: Any, work: Callable, tasks: Sequence, shared: Sequence[str]) -> Iterator:
    """Results by the client of joblib's Dask backend.

    That backend itself scatters what is shared. Scattered data are lost with the worker that has them, and a worker
    that dies while it gets them is waited for without an end. What a task gives, Dask makes again: here what is shared
    comes from tasks.
    """
    sent: dict[int, Any] = {}

    def send(value):
        if id(value) not in sent:
            sent[id(value)] = backend.client.submit(_itself, value, pure=False)
        return sent[id(value)]

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sending large graph")  # once: that is the purpose
        calls = [_apart(task, shared) for task in tasks]
        results = [backend.client.submit(_whole, work, *call[:2], *map(send, call[2:]), pure=False) for call in calls]
    try:
        with backend.retrieval_context():  # a task that waits for tasks makes room for them
            while results:
                yield results.pop(0).result()
    finally:
        backend.client.cancel(results)


def _apart(task: Any, shared: Sequence[str]) -> list:
    """A task without what it shares, and that: backends look at the arguments of a call to find what they have sent."""
    return [task._replace(**dict.fromkeys(shared)), shared, *(getattr(task, name) for name in shared)]


def _whole(work, light, shared, *values):
    task = light._replace(**dict(zip(shared, values, strict=True)))
    with parallel_config(backend="sequential"):  # or a task on a cluster would want threads for all of its cores
        return work(task)


def _itself(value):
    return value
