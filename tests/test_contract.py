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
FEW = Recipe(candidates=("quantiles/diagonal", "scaled/full"), n_steps=2, trends=("linear",), noises=())
SHORTENED = {
    "dmlfe": {"sampler": SHORT, "n_jobs": 2},
    "dml-eig": {"max_iter": 2, "tol": 0.1},
    "scml": {"n_basis": 20, "tol": 0.1},
}
"""Parameters of the learners whose fits take longest; with their defaults they are slow."""
ESTIMATORS = [learner(**SHORTENED.get(name, {})) for name, learner in LEARNERS.items()] + [
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
GIVEN_BOTH = {"DMLFE", "FreeEnergyClassifier", "Kernelized", "MetricKNeighborsClassifier", "MetricRetriever", "NCA"}
"""Estimators that are always checked on sparse matrices, too."""
LONG = [
    *(LEARNERS[name]() for name in SHORTENED),
    DMLFE.paper(),
    PCA(whiten=True),
    MetricRetriever("cosine"),
    DMLFE(energy="regression"),
    FreeEnergyClassifier(n_replicas=8),
    FreeEnergyRegressor(n_replicas=8),
]

# The checks fit constant features, single patterns and copies on purpose; NCA need not converge on them.
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
    tests may be slow.
    """
    mark = parametrize_with_checks(estimators, expected_failed_checks=expected_failed_checks)
    names, cases = mark.args
    return pytest.mark.parametrize(names, [_slow_if_again(case) for case in cases], ids=cache(mark.kwargs["ids"]))


def _slow_if_again(case):
    if isinstance(case, tuple) and len(case) == 2:  # neither marked nor expected to fail
        estimator, check = case
        name = getattr(check, "func", check).__name__
        if name == "check_estimator_sparse_matrix" and type(estimator).__name__ not in GIVEN_BOTH:
            return pytest.param(estimator, check, marks=pytest.mark.slow)
    return case


@with_checks(ESTIMATORS)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.mark.slow
@with_checks(LONG)
def test_scikit_learn_contract_of_long_fits(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator", [DMLFE(sampler=SHORT), RCA()], ids=["takes weights", "takes none"])
def test_a_user_calls_check_estimator(estimator):
    expected = expected_failed_checks(estimator)
    found = check_estimator(estimator, expected_failed_checks=expected)  # raises if another check fails
    assert {check["check_name"] for check in found if check["status"] == "xfail"} == set(expected)
