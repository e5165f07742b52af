"""scikit-learn's callbacks (progress bars, early stops) around the steps of a fit, where the release has them."""

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # before scikit-learn 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing to support."""

    def with_callbacks(fit):
        """The method as it is."""
        return fit


class Steps:
    """Tells an estimator's callbacks about every step of its fit.

    ``n_steps`` is how many there will be at most, None where nobody knows. Where several replicas make a step at once
    each counts: the time that is left follows from the number.
    """

    def __init__(self, estimator, X, y, n_steps=None, name="Monte Carlo step"):
        self.told, self.name = {"estimator": estimator, "X": X, "y": y}, name
        self.context = None
        if hasattr(estimator, "_init_callback_context"):
            self.context = estimator._init_callback_context(max_subtasks=n_steps)
            self.context.call_on_fit_task_begin(**self.told)

    def made(self, n=1):
        """n steps were made; whether a callback wants to stop here."""
        return any([self._made_one() for _ in range(n)])  # a list, for all are told

    def _made_one(self):
        if self.context is None:
            return False
        step = self.context.subcontext(task_name=self.name)
        step.call_on_fit_task_begin(**self.told)
        return bool(step.call_on_fit_task_end(**self.told))

    def close(self):
        if self.context is not None:
            self.context.call_on_fit_task_end(**self.told)
