"""The tasks of a search, done: in parallel, counted, within a time, and kept where that is wanted."""

import time
import warnings
from collections.abc import Iterator, Sequence

import numpy as np

from ...exceptions import InterruptedFitWarning, callers_stacklevel
from ..base import one_blas_thread, tell
from ..fitting import FitSteps
from ..parallel import in_parallel
from .sample import Replicas, ReplicaTask, replicas_of


class SearchStopped(Exception):  # noqa: N818 - the end of a search is no error
    """The search is to end with what it has."""


class TaskRunner:
    """Does tasks and yields their results in order; raises SearchStopped where it is time to end.

    Parameters
    ----------
    n_jobs : int or None
        Tasks at a time.
    steps : FitSteps
        Counts the Monte Carlo steps for the callbacks, one of which may want to stop; those with a method
        ``on_replicas(task, replicas)`` are shown what was sampled.
    max_seconds : float or None
        When to stop, from now on; with a warning.
    """

    def __init__(self, n_jobs: int | None, steps: FitSteps, max_seconds: float | None):
        self.n_jobs, self.steps, self.max_seconds = n_jobs, steps, max_seconds
        self.start = time.monotonic()

    def __call__(self, tasks: Sequence[ReplicaTask]) -> Iterator[Replicas]:
        with one_blas_thread():
            every_result = in_parallel(replicas_of, tasks, self.n_jobs, shared=("seen", "voters", "judged"))
            for task, replicas in zip(tasks, every_result, strict=True):
                yield replicas
                tell(False, "%d replicas of %s", len(replicas.maps), task.candidate)  # for whoever debugs
                self.steps.show("on_replicas", task, replicas)
                self._go_on_or_stop(replicas)

    def _go_on_or_stop(self, replicas):
        energy = replicas.trace.get("energy", np.empty((0, 0)))
        if self.steps.made(energy.size):
            raise SearchStopped
        if self.max_seconds is not None and time.monotonic() - self.start > self.max_seconds:
            said = f"The fit was stopped after max_seconds={self.max_seconds:g}, with the replicas sampled so far."
            warnings.warn(said, InterruptedFitWarning, stacklevel=callers_stacklevel())
            raise SearchStopped
