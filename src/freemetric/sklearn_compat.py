"""Everything this library uses of scikit-learn that scikit-learn does not promise to keep: one file to mend."""

from typing import Any

from sklearn.base import BaseEstimator
from sklearn.utils import _safe_indexing as safe_indexing
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import _check_sample_weight as check_sample_weight

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # before scikit-learn 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing to support."""

    def with_callbacks(fit):
        """The method as it is."""
        return fit


CALLBACKS = "_skl_callbacks"  # the attribute in which an estimator keeps its callbacks

__all__ = [
    "CALLBACKS",
    "CallbackSupportMixin",
    "HasMethods",
    "Interval",
    "StrOptions",
    "callback_context",
    "check_sample_weight",
    "safe_indexing",
    "validate_params",
    "with_callbacks",
]


def validate_params(estimator: BaseEstimator) -> None:
    """ValueError or TypeError where a parameter of an estimator is not what its constraints allow."""
    if hasattr(estimator, "_parameter_constraints"):
        estimator._validate_params()


def callback_context(estimator: BaseEstimator, n_steps: int | None) -> Any:
    """The context that tells an estimator's callbacks of its fit; None where this release has no callbacks."""
    if not hasattr(estimator, "_init_callback_context"):
        return None
    return estimator._init_callback_context(max_subtasks=n_steps)
