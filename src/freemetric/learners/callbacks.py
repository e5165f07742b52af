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

    ``n_steps`` is how many there will be, None where nobody knows.
    """

    def __init__(self, estimator, X, y, n_steps=None):
        self.told = {"estimator": estimator, "X": X, "y": y}
        self.context = None
        if hasattr(estimator, "_init_callback_context"):
            self.context = estimator._init_callback_context(max_subtasks=n_steps)
            self.context.call_on_fit_task_begin(**self.told)

    def made(self):
        """A step was made; whether a callback wants to stop here."""
        if self.context is None:
            return False
        step = self.context.subcontext(task_name="Monte Carlo step")
        step.call_on_fit_task_begin(**self.told)
        return bool(step.call_on_fit_task_end(**self.told))

    def close(self):
        if self.context is not None:
            self.context.call_on_fit_task_end(**self.told)
