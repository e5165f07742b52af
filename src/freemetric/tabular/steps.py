"""How far a fit is: its steps, told by scikit-learn's callbacks where the release and the estimator have them."""

from collections.abc import Callable
from contextlib import contextmanager

Progress = Callable[[int, int | None], None]


class Told:
    """A callback of scikit-learn's that hands on how many steps of a fit were made, and how many there are at most."""

    def __init__(self, on_step: Progress):
        self.on_step, self.done = on_step, 0

    def setup(self, estimator, context):
        self.on_step(0, context.max_subtasks)

    def on_fit_task_begin(self, estimator, context):
        """Nothing to tell yet."""

    def on_fit_task_end(self, estimator, context):
        if context.max_subtasks == 0 and context.parent is not None:  # a step, not the fit as a whole
            self.done += 1
            self.on_step(self.done, context.parent.max_subtasks)

    def teardown(self, estimator, context):
        """Nothing to clear up."""


@contextmanager
def steps_told(estimator, on_step: Progress | None):
    """While the estimator is fitted, tell ``on_step(done, total)`` every step; total is None where nobody knows."""
    able = on_step is not None and hasattr(estimator, "set_callbacks")
    if able:
        estimator.set_callbacks(Told(on_step))
    try:
        yield
    finally:
        if able:
            estimator.set_callbacks()
