"""The border to scikit-learn: its private names that we use, its ``random_state``, the
checks that we fail on purpose, and errors of its checks in our words.

A release of scikit-learn that moves these names breaks this file alone.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn import get_config
from sklearn.utils import check_random_state
from sklearn.utils._missing import is_pandas_na, is_scalar_nan
from sklearn.utils._param_validation import (
    HasMethods,
    Interval,
    StrOptions,
    validate_parameter_constraints,
)
from sklearn.utils.validation import (
    _check_sample_weight as check_sample_weight,
    has_fit_parameter,
)

from .exceptions import printable

__all__ = [
    "HasMethods",
    "Interval",
    "StrOptions",
    "check_sample_weight",
    "dense",
    "expected_failed_checks",
    "generator",
    "naming_texts",
    "refuse_gaps",
    "seed_sequence",
    "validate_params",
]

WEIGHTS_AS_COPIES = (
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
)


def validate_params(estimator):
    """Raise an error where a parameter of an estimator is not what it may be.

    ``estimator._validate_params()`` does so, too, by reading the signature of the
    constructor, which takes longer than a fit to a small table.
    """
    constraints = getattr(estimator, "_parameter_constraints", {})
    values = {name: getattr(estimator, name) for name in constraints}
    name = type(estimator).__name__
    validate_parameter_constraints(constraints, values, caller_name=name)


def seed_sequence(random_state: Any) -> np.random.SeedSequence:
    """The root of all random streams of a fit, from scikit-learn's ``random_state``."""
    entropy = check_random_state(random_state).randint(2**32, size=4, dtype=np.uint32)
    return np.random.SeedSequence(entropy.tolist())


def generator(random_state: Any) -> np.random.Generator:
    """The one generator of a fit, from scikit-learn's ``random_state``."""
    return np.random.default_rng(seed_sequence(random_state))


def expected_failed_checks(estimator):
    """Return the checks of scikit-learn that an estimator of ours fails on purpose.

    Pass this to ``check_estimator`` as ``expected_failed_checks``. Estimators that take
    a ``sample_weight`` fail the two checks that weight n is the same as n copies: of n
    copies, leave-one-out leaves out one, but of a row of weight n the whole.

    Parameters
    ----------
    estimator : estimator
        An estimator, fitted or not.

    Returns
    -------
    checks : dict of str to str
        Reasons, by the names of checks.

    Examples
    --------
    >>> from freemetric import NCA, RCA
    >>> from freemetric.sklearn_compat import expected_failed_checks
    >>> len(expected_failed_checks(NCA())), expected_failed_checks(RCA())
    (2, {})
    """
    if not has_fit_parameter(estimator, "sample_weight"):
        return {}
    reason = "a weight is importance, not a number of copies"
    return dict.fromkeys(WEIGHTS_AS_COPIES, reason)


def dense(X: Any) -> Any:
    """X, or the array of a sparse one, at most as large as ``working_memory``."""
    if not issparse(X):
        return X
    size = X.shape[0] * X.shape[1] * 8 / 2**20
    most = get_config()["working_memory"]
    if size > most:
        raise ValueError(
            f"A sparse X of shape {X.shape} takes {size:,.0f} MiB when dense, more "
            f"than working_memory, {most} MiB: reduce its features first."
        )
    return X.toarray(order="C")


@contextmanager
def naming_texts(X: Any) -> Iterator[None]:
    """Let the error of a check name the first text or date in X, if there is one."""
    try:
        yield
    except (TypeError, ValueError):
        found = first_text(X)
        if found is None:
            raise
        name, cell = found
        kind = "text" if isinstance(cell, str) else "date"
        message = (
            f"Column {name!r} has the {kind} {str(cell)!r:.60}, and X must be numbers: "
            f"freemetric.TableClassifier and TableRegressor take tables with {kind}s, "
            "freemetric.tables.TableEncoder makes numbers of them."
        )
        raise ValueError(printable(message)) from None


def first_text(X: Any) -> tuple[Any, Any] | None:
    """The name of the first column with a date, or a text that is no number; the cell.

    Examples
    --------
    >>> first_text([[1, "2"], [3, "four"]])
    (1, 'four')
    """
    cells = np.asarray(X, dtype=object)
    if cells.ndim != 2:  # that of a sparse matrix has no dimension
        return None
    names = getattr(X, "columns", range(cells.shape[1]))
    for name, column in zip(names, cells.T, strict=True):
        for cell in column:
            is_word = isinstance(cell, str) and not is_number(cell)
            if is_word or isinstance(cell, date):
                return name, cell
    return None


def refuse_gaps(y: Any) -> None:
    """ValueError that names the first row without a target, where y holds objects."""
    targets = np.asarray(y)
    if targets.dtype != object or targets.ndim != 1:
        return  # scikit-learn's check finds NaN among numbers
    for row, target in enumerate(targets):
        if target is None or is_pandas_na(target) or is_scalar_nan(target):
            raise ValueError(f"y has no value in row {row}: leave such rows out.")


def is_number(text: str) -> bool:
    """Whether a text reads as a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True
