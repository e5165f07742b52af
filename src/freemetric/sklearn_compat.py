"""The border to scikit-learn: its private names that we use, its ``random_state``, and
the checks that we fail on purpose.

A release of scikit-learn that moves these names breaks this file alone.
"""

from typing import Any

import numpy as np
from sklearn.utils import check_random_state
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

__all__ = [
    "HasMethods",
    "Interval",
    "StrOptions",
    "check_sample_weight",
    "expected_failed_checks",
    "generator",
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
