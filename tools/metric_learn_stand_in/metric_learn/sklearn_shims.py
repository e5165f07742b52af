"""Helpers of tests that other releases of scikit-learn keep elsewhere."""

from sklearn.metrics import get_scorer  # noqa: F401
from sklearn.utils._testing import (  # noqa: F401
    _get_args,
    assert_allclose_dense_sparse,
    ignore_warnings,
    set_random_state,
)

SKLEARN_AT_LEAST_0_22 = True


def is_public_parameter(name):
    """Whether a name is neither private nor one of what a fit has learned."""
    return not name.startswith("_") and not name.endswith("_")
