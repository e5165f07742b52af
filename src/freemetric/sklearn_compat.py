"""Everything private of scikit-learn that this library uses, and its checks that our estimators fail on purpose."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.model_selection._search_successive_halving import HalvingGridSearchCV, HalvingRandomSearchCV
from sklearn.neighbors._base import NeighborsBase
from sklearn.utils import _safe_indexing as safe_indexing
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions, validate_parameter_constraints
from sklearn.utils.validation import _check_sample_weight as check_sample_weight
from sklearn.utils.validation import has_fit_parameter

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # before scikit-learn 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing to support."""

    def with_callbacks(fit: Callable) -> Callable:
        """The method as it is."""
        return fit


CALLBACKS = "_skl_callbacks"  # the attribute in which an estimator keeps its callbacks

HALVING = (HalvingGridSearchCV, HalvingRandomSearchCV)  # which scikit-learn calls experimental
"""Searches by successive halving."""

__all__ = ["CALLBACKS", "HALVING", "CallbackSupportMixin", "HasMethods", "Interval", "StrOptions", "callback_context"]
__all__ += ["check_sample_weight", "expected_failed_checks", "kept_rows", "safe_indexing", "validate_params"]
__all__ += ["with_callbacks"]


def validate_params(estimator: BaseEstimator) -> None:
    """ValueError or TypeError where a parameter of an estimator is not what its constraints allow.

    ``_validate_params`` without ``get_params``, which reads signatures: that takes longer than a fit on a small table.
    """
    constraints = getattr(estimator, "_parameter_constraints", {})
    values = {name: getattr(estimator, name) for name in constraints if hasattr(estimator, name)}
    validate_parameter_constraints(constraints, values, caller_name=type(estimator).__name__)


def callback_context(estimator: BaseEstimator, n_steps: int | None) -> Any:
    """The context of an estimator's callbacks during its fit; None where this release has no callbacks."""
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


WEIGHTS_AS_COPIES = tuple(f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse"))
"""Checks that a row of weight n is the same as n copies of it."""

WEIGHTS = (
    *WEIGHTS_AS_COPIES,
    *(f"check_sample_weights_{what}" for what in ("list", "not_an_array", "not_overwritten", "pandas_series", "shape")),
    "check_all_zero_sample_weights_error",
    "check_classifiers_one_label_sample_weights",
)
"""All checks that fit with weights."""


def expected_failed_checks(estimator: BaseEstimator) -> dict[str, str]:
    """Return the scikit-learn checks that an estimator of this package fails on purpose, each with the reason.

    The result is the ``expected_failed_checks`` of scikit-learn's ``check_estimator`` and ``parametrize_with_checks``.

    - Estimators whose ``fit`` takes a ``sample_weight`` fail the two checks that a row of weight n is the same as n
      copies of it: leave-one-out leaves out one of n copies, but a row of weight n as a whole.
    - `TableClassifier` and `TableRegressor` refuse weights if the estimator inside them cannot use them, and then fail
      all checks that fit with weights.

    Parameters
    ----------
    estimator : estimator
        An instance, fitted or not.

    Returns
    -------
    checks : dict of str to str
        Reasons by names of checks; empty if all checks pass.

    Examples
    --------
    >>> from freemetric import NCA, RCA, expected_failed_checks
    >>> list(expected_failed_checks(NCA()))
    ['check_sample_weight_equivalence_on_dense_data', 'check_sample_weight_equivalence_on_sparse_data']
    >>> expected_failed_checks(RCA())
    {}
    """
    if not has_fit_parameter(estimator, "sample_weight"):
        return {}
    inside = estimator.made() if hasattr(estimator, "made") else estimator  # what an estimator of tables fits
    if not has_fit_parameter(inside, "sample_weight"):
        return dict.fromkeys(WEIGHTS, f"{type(inside).__name__} cannot use weights, and they are refused")
    reason = "a weight is importance, not a number of copies: leave-one-out leaves out a row with its whole weight"
    return dict.fromkeys(WEIGHTS_AS_COPIES, reason)
