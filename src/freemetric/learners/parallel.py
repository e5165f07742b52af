"""Tasks through joblib, so that threads, processes and clusters all can carry them."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from joblib import Parallel, delayed

Task = TypeVar("Task")
Result = TypeVar("Result")


def in_parallel(work: Callable[[Task], Result], tasks: Sequence[Task], n_jobs: int | None) -> Iterable[Result]:
    """work(task) of every task, in their order, as they get ready.

    In threads, unless ``joblib.parallel_config`` names another backend.
    """
    try:
        run = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")
    except ValueError:  # a backend that hands over all results at once
        run = Parallel(n_jobs=n_jobs, prefer="threads")
    return run(delayed(work)(task) for task in tasks)
