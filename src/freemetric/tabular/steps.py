"""How far a fit is: its steps, counted by scikit-learn's callbacks where the release and the estimator have them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from sklearn.base import BaseEstimator

Progress = Callable[[int, int | None], None]


class StepReporter:
    """A callback of scikit-learn's that hands on how many steps of a fit were made, and how many there are at most.

    An ``on_step`` with methods ``on_replicas(task, replicas)`` and ``on_round(population)`` is shown what the search of
    a free-energy classifier finds, too.
    """

    def __init__(self, on_step: Progress):
        self.on_step, self.done = on_step, 0

    def setup(self, estimator: BaseEstimator, context: Any) -> None:
        self.on_step(0, context.max_subtasks)

    def on_fit_task_begin(self, estimator: BaseEstimator, context: Any) -> None:
        """Nothing to count yet."""

    def on_fit_task_end(self, estimator: BaseEstimator, context: Any) -> None:
        if context.max_subtasks == 0 and context.parent is not None:  # a step, not the fit as a whole
            self.done += 1
            self.on_step(self.done, context.parent.max_subtasks)

    def on_replicas(self, task: Any, replicas: Any) -> None:
        self._show("on_replicas", task, replicas)

    def on_round(self, population: Any) -> None:
        self._show("on_round", population)

    def _show(self, method, *found):
        if hasattr(self.on_step, method):
            getattr(self.on_step, method)(*found)

    def teardown(self, estimator: BaseEstimator, context: Any) -> None:
        """Nothing to clear up."""


@contextmanager
def steps_told(estimator: BaseEstimator, on_step: Progress | None) -> Iterator[None]:
    """Call ``on_step(done, total)`` after every step of a fit; total is None where it is unknown."""
    if on_step is None or not hasattr(estimator, "set_callbacks"):
        yield
        return
    estimator.set_callbacks(StepReporter(on_step))
    try:
        yield
    finally:
        estimator.set_callbacks()
