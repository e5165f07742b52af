"""Everything private of scikit-learn that this library uses: the one file to adapt to a new release."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.neighbors._base import NeighborsBase
from sklearn.utils import _safe_indexing as safe_indexing
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions, validate_parameter_constraints
from sklearn.utils.validation import _check_sample_weight as check_sample_weight

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # before scikit-learn 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing to support."""

    def with_callbacks(fit: Callable) -> Callable:
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
    "kept_rows",
    "safe_indexing",
    "validate_params",
    "with_callbacks",
]


def validate_params(estimator: BaseEstimator) -> None:
    """ValueError or TypeError where a parameter of an estimator is not what its constraints allow.

    ``_validate_params`` without ``get_params``, which reads signatures: that takes longer than a fit on a small table.
    """
    constraints = getattr(estimator, "_parameter_constraints", {})
    values = {name: getattr(estimator, name) for name in constraints if hasattr(estimator, name)}
    validate_parameter_constraints(constraints, values, caller_name=type(estimator).__name__)


def callback_context(estimator: BaseEstimator, n_steps: int | None) -> Any:
    """The context that tells an estimator's callbacks of its fit; None where this release has no callbacks."""
    if not hasattr(estimator, "_init_callback_context"):
        return None
    return estimator._init_callback_context(max_subtasks=n_steps)


def kept_rows(estimator: BaseEstimator) -> tuple[NDArray, NDArray | None] | None:
    """Rows (N, d) that one of scikit-learn's neighbour searches has kept from its fit, and their class numbers.

    None where it has kept none, or a sparse matrix; no class numbers where it is no classifier of one output.
    """
    rows = getattr(estimator, "_fit_X", None) if isinstance(estimator, NeighborsBase) else None
    if not isinstance(rows, np.ndarray):
        return None
    y = getattr(estimator, "_y", None)
    is_one_output = isinstance(y, np.ndarray) and y.ndim == 1
    return rows, y if is_one_output and hasattr(estimator, "classes_") else None
