"""scikit-learn's own contract, for every estimator; no check is expected to fail."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from freemetric import DMLFE, LEARNERS, PCA, RCA, FreeEnergyClassifier, MetricKNeighborsClassifier
from freemetric.mc import Annealing, Constant, ElementMove

ESTIMATORS = [learner() for learner in LEARNERS.values()] + [
    DMLFE(sampler=Annealing(Constant(1e-3), ElementMove(0.3), n_steps=5, n_replicas=2), n_jobs=2),
    DMLFE.paper(),
    PCA(whiten=True),
    FreeEnergyClassifier(n_replicas=8),
    MetricKNeighborsClassifier(RCA()),
]


# The checks fit constant features, single patterns and copies on purpose; NCA need not converge on them.
@pytest.mark.filterwarnings("ignore::freemetric.exceptions.DataWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_contract(estimator, check):
    check(estimator)
