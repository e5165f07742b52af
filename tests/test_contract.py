"""scikit-learn's own contract, for every estimator; `freemetric.expected_failed_checks` says what fails on purpose."""

from functools import cache

import pytest
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks

from freemetric import (
    DMLFE,
    LEARNERS,
    MLKR,
    PCA,
    RCA,
    FreeEnergyClassifier,
    FreeEnergyRegressor,
    FreeEnergySelector,
    Kernelized,
    MetricKNeighborsClassifier,
    MetricKNeighborsRegressor,
    MetricRetriever,
    Recipe,
    expected_failed_checks,
)
from freemetric.ensemble import selector
from freemetric.mc import Annealing, Constant, ElementMove

SHORT = Annealing(Constant(1e-3), ElementMove(0.3), n_steps=5, n_replicas=2)
FEW = Recipe(
    candidates=("quantiles/diagonal", "scaled/full"),
    n_steps=2,
    densities=(),
    trends=("linear",),
    noises=(),
)
SHORTENED = {
    "dmlfe": {"sampler": SHORT, "n_jobs": 2},
    "dml-eig": {"max_iter": 2, "tol": 0.1},
    "scml": {"n_basis": 20, "tol": 0.1},
}
"""Parameters of the learners whose fits take longest; with their defaults they are slow."""
ESTIMATORS = [
    learner(**SHORTENED.get(name, {})) for name, learner in LEARNERS.items()
] + [
    MLKR(),
    DMLFE(energy="regression", sampler=SHORT),
    FreeEnergyClassifier(n_replicas=2, recipe=FEW),
    FreeEnergyRegressor(n_replicas=2, recipe=FEW),
    FreeEnergySelector(n_replicas=1),
    Kernelized(RCA(), random_state=0),
    Kernelized(MLKR(max_iter=3), max_exact=0, n_landmarks=10, random_state=0),
    MetricKNeighborsClassifier(RCA()),
    MetricKNeighborsRegressor(PCA()),
    MetricRetriever(),
]
GIVEN_BOTH = {
    "DMLFE",
    "FreeEnergyClassifier",
    "Kernelized",
    "MetricKNeighborsClassifier",
    "MetricRetriever",
    "NCA",
}
"""Estimators that are always checked on sparse matrices, too."""
ALIKE = {type(learner).__name__ for learner in ESTIMATORS[: len(LEARNERS)]} - {
    "DMLFE",
    "NCA",
    "PCA",
    "RCA",
}
OF_SPARSE_TOO = frozenset(ALIKE)
"""Learners that learn the same from sparse rows: learners/test_sparse.py."""
ALIKE |= {
    "FreeEnergySelector",
    "MLKR",
    "TableRegressor",
}  # which has the base of TableClassifier
"""Learners that differ in what they learn alone; how they read, refuse and say something is their base's."""
OF_EVERY_LEARNER = {
    *("check_array_api_input", "check_dict_unchanged", "check_estimators_dtypes"),
    *(
        "check_estimators_nan_inf",
        "check_estimators_pickle",
        "check_f_contiguous_array_estimator",
    ),
    *(
        "check_fit2d_1feature",
        "check_fit2d_1sample",
        "check_fit_idempotent",
        "check_n_features_in",
    ),
    *(
        "check_no_attributes_set_in_init",
        "check_parameters_default_constructible",
        "check_transformer_general",
    ),
    *(
        "check_do_not_raise_errors_in_init_or_set_param",
        "check_methods_sample_order_invariance",
    ),
}
"""Checks of what a learner itself may get wrong: they are fast for each of them."""
LONG = [
    *(LEARNERS[name]() for name in SHORTENED),
    DMLFE.paper(),
    PCA(whiten=True),
    MetricRetriever("cosine"),
    DMLFE(energy="regression"),
    FreeEnergyClassifier(n_replicas=8),
    FreeEnergyRegressor(n_replicas=8),
]

# The checks fit constant features, single samples and copies on purpose; NCA need not converge on them.
pytestmark = [
    pytest.mark.filterwarnings("ignore::freemetric.exceptions.DataWarning"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning"),
]


@pytest.fixture(autouse=True)
def short_walks(monkeypatch):
    """FreeEnergySelector has no parameter for the length of its walks."""
    monkeypatch.setattr(selector, "STEPS", 3)
    monkeypatch.setattr(selector, "MEASURED", 2)


def with_checks(estimators):
    """scikit-learn's mark, which by itself writes out an estimator again for the name of each of its checks.

    A learner reads sparse matrices as it reads sparse arrays, by the same function: most are given both only where
    tests may be slow. So are the checks of ``ALIKE`` that others pass by the same code, and those expected to fail.
    """
    mark = parametrize_with_checks(
        estimators, expected_failed_checks=expected_failed_checks
    )
    names, cases = mark.args
    return pytest.mark.parametrize(
        names, [_slow_if_again(case) for case in cases], ids=cache(mark.kwargs["ids"])
    )


def _slow_if_again(case):
    if len(case) != 2:  # expected to fail: pytest takes its time to write down how
        return pytest.param(*case.values, marks=[*case.marks, pytest.mark.slow])
    estimator, check = case
    name, kind = getattr(check, "func", check).__name__, type(estimator).__name__
    if name == "check_estimator_sparse_matrix":
        is_again = kind not in GIVEN_BOTH
    elif name == "check_estimator_sparse_array":
        is_again = kind in OF_SPARSE_TOO
    else:
        is_again = kind in ALIKE and name not in OF_EVERY_LEARNER
    return pytest.param(estimator, check, marks=pytest.mark.slow) if is_again else case


@with_checks(ESTIMATORS)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.mark.slow
@with_checks(LONG)
def test_scikit_learn_contract_of_long_fits(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "estimator", [DMLFE(sampler=SHORT), RCA()], ids=["takes weights", "takes none"]
)
def test_a_user_calls_check_estimator(estimator):
    expected = expected_failed_checks(estimator)
    found = check_estimator(
        estimator, expected_failed_checks=expected
    )  # raises if another check fails
    assert {
        check["check_name"] for check in found if check["status"] == "xfail"
    } == set(expected)
