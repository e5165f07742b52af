"""Which of scikit-learn's estimator checks our estimators fail on purpose, and why."""

from sklearn.base import BaseEstimator
from sklearn.utils.validation import has_fit_parameter

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

    The result is what scikit-learn's ``check_estimator`` and ``parametrize_with_checks`` (1.6 and newer) take as
    ``expected_failed_checks``.

    - Estimators whose ``fit`` takes a ``sample_weight`` fail the two checks that a row of weight n is the same as n
      copies of it. A weight is importance here, and a copy of a row is a row: leave-one-out leaves out one row, so that
      of five copies four remain among its neighbours, while a row of weight five is left out as a whole.
    - `TableClassifier` and `TableRegressor` refuse weights if the estimator inside them cannot use them, and then fail
      all checks that fit with weights.
    - Every other estimator passes all checks.

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
