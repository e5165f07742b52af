"""scikit-learn's callbacks (progress bars, early stops) around the steps of a fit, where the release has them."""

from threading import Lock
from typing import Any

from sklearn.base import BaseEstimator

from ..sklearn_compat import CALLBACKS, callback_context


class FitSteps:
    """Tells an estimator's callbacks about every step of its fit.

    ``n_steps`` is how many there will be at most, None where that is unknown. Where several replicas make a step at
    once each counts: the time that is left follows from the number. Threads may share it.
    """

    def __init__(
        self, estimator: BaseEstimator, X: Any, y: Any, n_steps: int | None = None, name: str = "Monte Carlo step"
    ) -> None:
        self.data, self.name = {"estimator": estimator, "X": X, "y": y}, name
        self.stopped, self.lock = False, Lock()
        self.context = callback_context(estimator, n_steps)
        if self.context is not None:
            self.context.call_on_fit_task_begin(**self.data)

    def made(self, n: int = 1) -> bool:
        """n steps were made; whether to stop here: a callback wants to, or has wanted to before."""
        with self.lock:
            for _ in range(n if self.context is not None else 0):
                self.stopped |= self._made_one()
            return self.stopped

    def show(self, method: str, *found: Any) -> None:
        """Hand what a fit has found so far to those of the callbacks that have a method for it."""
        for callback in getattr(self.data["estimator"], CALLBACKS, ()):
            if hasattr(callback, method):
                getattr(callback, method)(*found)

    def stop(self) -> None:
        """Let ``made`` say from now on that it is time to stop."""
        self.stopped = True

    def _made_one(self):
        step = self.context.subcontext(task_name=self.name)
        step.call_on_fit_task_begin(**self.data)
        return bool(step.call_on_fit_task_end(**self.data))

    def close(self) -> None:
        if self.context is not None:
            self.context.call_on_fit_task_end(**self.data)
