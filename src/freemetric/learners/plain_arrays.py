"""Arrays in which scikit-learn's ``validate_data`` would find nothing to say or to change.

It asks of everything whether it is a frame of one of many libraries, sparse, or on a device; on small tables that takes
longer than many learners. Arrays that are plainly numbers of the wanted kind need none of it. Whatever is otherwise
goes to ``validate_data``, whose words are the ones to read.
"""

from typing import Any

import numpy as np

UNDERSTOOD = {"dtype", "order", "ensure_min_samples", "reset", "y_numeric", "multi_output"}


def are_plain(estimator: Any, X: Any, *y: Any, **options: Any) -> bool:
    """Whether ``validate_data(estimator, X, *y, **options)`` would give X and y back as they are."""
    return (
        "dtype" in options
        and UNDERSTOOD.issuperset(options)
        and _are_patterns(X, options)
        and _are_expected(estimator, X, options.get("reset", True))
        and all(_are_targets(target, len(X)) for target in y)
    )


def remember_features(estimator: Any, X: np.ndarray) -> None:
    """What ``validate_data`` leaves in an estimator that learns from X, whose columns have no names."""
    estimator.n_features_in_ = X.shape[1]
    if hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_


def _are_patterns(X, options):
    return (
        type(X) is np.ndarray
        and X.ndim == 2
        and X.dtype in _listed(options["dtype"])
        and (options.get("order") is None or X.flags.c_contiguous)
        and len(X) >= options.get("ensure_min_samples", 1)
        and X.shape[1] > 0
        and _all_finite(X)
    )


def _listed(dtypes):
    return dtypes if isinstance(dtypes, list | tuple) else (dtypes,)


def _are_expected(estimator, X, reset):
    """A first fit expects anything; what comes later must have as many features, where they have no names."""
    if reset:
        return True
    return not hasattr(estimator, "feature_names_in_") and getattr(estimator, "n_features_in_", -1) == X.shape[1]


def _are_targets(y, n):
    return (
        type(y) is np.ndarray and y.shape == (n,) and y.dtype.kind in "biuf" and y.flags.c_contiguous and _all_finite(y)
    )


def _all_finite(values):
    """Whether the sum is; one that overflows is looked at by scikit-learn."""
    with np.errstate(over="ignore", invalid="ignore"):
        return values.dtype.kind != "f" or np.isfinite(values.sum())
