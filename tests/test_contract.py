"""scikit-learn's own contract, for every estimator; `freemetric.expected_failed_checks` says what fails on purpose."""

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
from freemetric.mc import Annealing, Constant, ElementMove

SHORT = Annealing(Constant(1e-3), ElementMove(0.3), n_steps=5, n_replicas=2)
FEW = Recipe(candidates=("quantiles/diagonal", "scaled/full"), n_steps=4)
SHORTENED = {
    "dmlfe": {"sampler": SHORT, "n_jobs": 2},
    "dml-eig": {"max_iter": 2, "tol": 0.1},
    "scml": {"n_basis": 20, "tol": 0.1},
}
"""Parameters of the learners whose fits take longest; with their defaults they are slow."""
ESTIMATORS = [learner(**SHORTENED.get(name, {})) for name, learner in LEARNERS.items()] + [
    PCA(whiten=True),
    MLKR(),
    DMLFE(energy="regression", sampler=SHORT),
    FreeEnergyClassifier(n_replicas=4, recipe=FEW),
    FreeEnergyRegressor(n_replicas=4, recipe=FEW),
    FreeEnergySelector(n_replicas=1),
    Kernelized(RCA(), random_state=0),
    Kernelized(MLKR(), max_exact=0, n_landmarks=10, random_state=0),
    MetricKNeighborsClassifier(RCA()),
    MetricKNeighborsRegressor(PCA()),
    MetricRetriever(),
    MetricRetriever("cosine"),
]
LONG = [
    *(LEARNERS[name]() for name in SHORTENED),
    DMLFE.paper(),
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


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failed_checks)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(LONG, expected_failed_checks=expected_failed_checks)
def test_scikit_learn_contract_of_long_fits(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator", [DMLFE(sampler=SHORT), RCA()], ids=["takes weights", "takes none"])
def test_a_user_calls_check_estimator(estimator):
    expected = expected_failed_checks(estimator)
    found = check_estimator(estimator, expected_failed_checks=expected)  # raises if another check fails
    assert {check["check_name"] for check in found if check["status"] == "xfail"} == set(expected)
