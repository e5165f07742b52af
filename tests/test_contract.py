"""scikit-learn's own contract, for every estimator.

One check is expected to fail where there are weights: it takes a weight for a number of copies. Here a weight is
importance, and a copy of a row is a row. Leave-one-out leaves out one row: of five copies four stay, of one row of
weight five nothing does. Otherwise the row would tell its own class.
"""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.validation import has_fit_parameter

from freemetric import (
    DMLFE,
    LEARNERS,
    MLKR,
    PCA,
    RCA,
    FreeEnergyClassifier,
    FreeEnergyRegressor,
    Kernelized,
    MetricKNeighborsClassifier,
    MetricKNeighborsRegressor,
)
from freemetric.mc import Annealing, Constant, ElementMove

ESTIMATORS = [learner() for learner in LEARNERS.values()] + [
    DMLFE(sampler=Annealing(Constant(1e-3), ElementMove(0.3), n_steps=5, n_replicas=2), n_jobs=2),
    DMLFE.paper(),
    PCA(whiten=True),
    MLKR(),
    DMLFE(energy="regression"),
    FreeEnergyClassifier(n_replicas=8),
    FreeEnergyRegressor(n_replicas=4),
    Kernelized(RCA(), random_state=0),
    Kernelized(MLKR(), max_exact=0, n_landmarks=10, random_state=0),
    MetricKNeighborsClassifier(RCA()),
    MetricKNeighborsRegressor(PCA()),
]


def not_counts(estimator):
    weighs = has_fit_parameter(estimator, "sample_weight")
    reason = "a weight is importance, not a number of copies: a row is left out with its whole weight"
    return {f"check_sample_weight_equivalence_on_{kind}_data": reason for kind in ("dense", "sparse")} if weighs else {}


# The checks fit constant features, single patterns and copies on purpose; NCA need not converge on them.
@pytest.mark.filterwarnings("ignore::freemetric.exceptions.DataWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(ESTIMATORS, expected_failed_checks=not_counts)
def test_scikit_learn_contract(estimator, check):
    check(estimator)
