"""scikit-learn's own contract, for every estimator."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from freemetric import (
    DMLFE,
    PCA,
    RCA,
    FreeEnergyClassifier,
    FreeEnergyRegressor,
    MetricKNeighborsClassifier,
    MetricKNeighborsRegressor,
)
from freemetric.ensemble import (
    BoostedTreesClassifier,
    BoostedTreesRegressor,
    LinearClassifier,
    LineRegressor,
    ScreenedNaiveBayes,
    StudentTClassifier,
    SurfaceRegressor,
)
from freemetric.learners import BEYOND_CLASSES, LEARNERS
from freemetric.mc import Annealing, Constant, ElementMove
from freemetric.sklearn_compat import expected_failed_checks

SHORT = Annealing(Constant(1e-3), ElementMove(0.3), n_steps=5, n_replicas=2)
SHORTENED = {
    "dmlfe": {"sampler": SHORT, "n_jobs": 2},
    "dml-eig": {"max_iter": 2, "tol": 0.1},
    "scml": {"n_basis": 20, "tol": 0.1},
    "oasis": {"n_triplets": 500},
}
"""Parameters of the learners whose fits take longest."""

OFTEN = ("pca", "rca", "lda", "lmnn", "nca", "dmlfe", "mlkr", "oasis")
LEARN = {
    name: learner(**SHORTENED.get(name, {}))
    for name, learner in (LEARNERS | BEYOND_CLASSES).items()
}
ESTIMATORS = [
    *(LEARN[name] for name in OFTEN),
    MetricKNeighborsClassifier(RCA()),
    FreeEnergyClassifier(n_replicas=4),
    FreeEnergyRegressor(n_replicas=4),
    BoostedTreesClassifier(),
    BoostedTreesRegressor(),
    LinearClassifier(),
    LineRegressor(),
    ScreenedNaiveBayes(),
    StudentTClassifier(),
    SurfaceRegressor(),
]

# The checks fit constant features, single samples and copies on purpose.
pytestmark = [
    pytest.mark.filterwarnings("ignore::freemetric.exceptions.DataWarning"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning"),
]


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failed_checks)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(
    [
        *(LEARN[name] for name in LEARN if name not in OFTEN),
        DMLFE(energy="regression", sampler=SHORT),
        MetricKNeighborsRegressor(PCA()),
    ],
    expected_failed_checks=expected_failed_checks,
)
def test_contract_of_the_other_learners(estimator, check):
    check(estimator)
