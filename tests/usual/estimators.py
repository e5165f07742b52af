"""The public estimators, small and fast, and what they are tried on."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.datasets import load_iris
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

import freemetric as fm
from freemetric.mc import Annealing, Constant

from .uses import Subject

# Kinds of estimators: they say on what an estimator is tried, and which uses it has.
LEARNER, REGRESSION_LEARNER = (
    "learner",
    "regression learner",
)  # transformers, in front of k-NN
CLASSIFIER, REGRESSOR = "classifier", "regressor"
TABLE_CLASSIFIER, TABLE_REGRESSOR = "table classifier", "table regressor"  # on frames
PAIRS, TRIPLETS, QUADRUPLETS = (
    "pairs",
    "triplets",
    "quadruplets",
)  # classifiers of tuples

TABLES = {TABLE_CLASSIFIER, TABLE_REGRESSOR}
LEARNERS = {LEARNER, REGRESSION_LEARNER}
CLASSIFIERS = {LEARNER, CLASSIFIER, TABLE_CLASSIFIER}
REGRESSORS = {REGRESSION_LEARNER, REGRESSOR, TABLE_REGRESSOR}
TUPLES = {PAIRS, TRIPLETS, QUADRUPLETS}
PREDICTORS = CLASSIFIERS | REGRESSORS
EVERYONE = PREDICTORS | TUPLES


EXPECTED_WARNINGS = (  # others are errors; the first two are of small data
    ".* rows (are copies of others|is a copy of another)",  # what a bootstrap makes, and what few features leave
    ".* samples? (were|was) never out of bag",  # few replicas
    "A worker stopped while some jobs were given to the executor",  # loky renews workers that grow; it needs its thread
)


class Estimator(NamedTuple):
    """A public estimator: its kind, how a small one is made, and a parameter with two values for searches."""

    kind: str
    make: Callable[[], Any]
    grid: dict[str, list]


SPACES = {"n_components": [2, 3]}
REPLICAS = {"n_replicas": [4, 5]}


def small() -> dict[str, Any]:
    """Parameters with which a free-energy fit takes less than a tenth of a second."""
    recipe = fm.Recipe(
        candidates=("scaled/diagonal",),
        n_steps=2,
        densities=(),
        trends=("linear",),
        noises=(),
    )
    return {"n_replicas": 4, "recipe": recipe, "random_state": 0}


ESTIMATORS = {
    "ANMM": Estimator(LEARNER, lambda: fm.ANMM(), SPACES),
    "Covariance": Estimator(LEARNER, lambda: fm.Covariance(), SPACES),
    "DCA": Estimator(LEARNER, lambda: fm.DCA(), {"n_components": [1, 2]}),
    "DMLFE": Estimator(
        LEARNER,
        lambda: fm.DMLFE(sampler=Annealing(Constant(1e-3), n_steps=2), random_state=0),
        SPACES,
    ),
    "DMLMJ": Estimator(LEARNER, lambda: fm.DMLMJ(n_neighbors=2), SPACES),
    "DMLeig": Estimator(LEARNER, lambda: fm.DMLeig(max_iter=5), SPACES),
    "Euclidean": Estimator(LEARNER, lambda: fm.Euclidean(), {}),
    "GMML": Estimator(LEARNER, lambda: fm.GMML(), SPACES),
    "ITML": Estimator(
        LEARNER, lambda: fm.ITML(max_iter=20, n_constraints=40, random_state=0), SPACES
    ),
    "Kernelized": Estimator(
        LEARNER, lambda: fm.Kernelized(fm.RCA(2)), {"n_directions": [4, 5]}
    ),
    "LDA": Estimator(LEARNER, lambda: fm.LDA(), {"n_components": [1, 2]}),
    "LDML": Estimator(
        LEARNER, lambda: fm.LDML(n_constraints=40, tol=0.01, random_state=0), SPACES
    ),
    "LFDA": Estimator(LEARNER, lambda: fm.LFDA(), SPACES),
    "LMNN": Estimator(LEARNER, lambda: fm.LMNN(n_neighbors=2, tol=0.01), SPACES),
    "LSML": Estimator(
        LEARNER, lambda: fm.LSML(n_constraints=40, tol=0.01, random_state=0), SPACES
    ),
    "MCML": Estimator(LEARNER, lambda: fm.MCML(tol=0.01), SPACES),
    "MLKR": Estimator(REGRESSION_LEARNER, lambda: fm.MLKR(tol=0.01), SPACES),
    "MMC": Estimator(
        LEARNER, lambda: fm.MMC(max_iter=10, n_constraints=40, random_state=0), SPACES
    ),
    "MetricRetriever": Estimator(
        LEARNER, lambda: fm.MetricRetriever(fm.RCA()), {"max_samples": [20, None]}
    ),
    "NCA": Estimator(LEARNER, lambda: fm.NCA(tol=0.01), SPACES),
    "NCMML": Estimator(LEARNER, lambda: fm.NCMML(tol=0.01), SPACES),
    "PCA": Estimator(LEARNER, lambda: fm.PCA(), SPACES),
    "RCA": Estimator(LEARNER, lambda: fm.RCA(), SPACES),
    "SCML": Estimator(
        LEARNER, lambda: fm.SCML(n_basis=20, tol=0.01, random_state=0), SPACES
    ),
    "SDML": Estimator(
        LEARNER, lambda: fm.SDML(n_constraints=40, tol=0.01, random_state=0), SPACES
    ),
    "FreeEnergyClassifier": Estimator(
        CLASSIFIER, lambda: fm.FreeEnergyClassifier(**small()), REPLICAS
    ),
    "FreeEnergyClassifier(n_jobs=2)": Estimator(
        CLASSIFIER, lambda: fm.FreeEnergyClassifier(**small(), n_jobs=2), REPLICAS
    ),
    "FreeEnergySelector": Estimator(
        LEARNER,
        lambda: fm.FreeEnergySelector(4, n_replicas=1, random_state=0),
        {"n_features_to_select": [2, 3]},
    ),
    "FreeEnergyRegressor": Estimator(
        REGRESSOR, lambda: fm.FreeEnergyRegressor(**small()), REPLICAS
    ),
    "MetricKNeighborsClassifier": Estimator(
        CLASSIFIER,
        lambda: fm.MetricKNeighborsClassifier(fm.RCA(), n_folds=2, random_state=0),
        {"n_neighbors": [3, 5]},
    ),
    "MetricKNeighborsRegressor": Estimator(
        REGRESSOR,
        lambda: fm.MetricKNeighborsRegressor(fm.MLKR(), 3, random_state=0),
        {"n_neighbors": [3, 5]},
    ),
    "TableClassifier": Estimator(
        TABLE_CLASSIFIER,
        lambda: fm.TableClassifier(fm.FreeEnergyClassifier(**small())),
        {"classifier__n_replicas": [4, 5]},
    ),
    "TableRegressor": Estimator(
        TABLE_REGRESSOR,
        lambda: fm.TableRegressor(fm.FreeEnergyRegressor(**small())),
        {"regressor__n_replicas": [4, 5]},
    ),
    "PairClassifier": Estimator(
        PAIRS, lambda: fm.PairClassifier(fm.GMML()), {"n_folds": [None, 2]}
    ),
    "TripletClassifier": Estimator(
        TRIPLETS,
        lambda: fm.TripletClassifier(fm.LSML(random_state=0)),
        {"learner__max_iter": [10, 20]},
    ),
    "QuadrupletClassifier": Estimator(
        QUADRUPLETS,
        lambda: fm.QuadrupletClassifier(fm.LSML(random_state=0)),
        {"learner__max_iter": [10, 20]},
    ),
}


def _iris():
    X, y = load_iris(return_X_y=True)
    return MinMaxScaler().fit_transform(X)[::3], y[::3]


IRIS = _iris()


def subject(name: str) -> Subject:
    """An estimator as it predicts, with small data of its kind: every third iris."""
    kind, make, grid = ESTIMATORS[name]
    X, y = IRIS
    if kind in TUPLES:
        return Subject(make(), *_tuples(kind, X, y), is_classifier=True, grid=grid)
    if kind in REGRESSORS:
        y = X[:, 2] + X[:, 3] ** 2  # a number of the last two features
    if kind in LEARNERS:
        last = (KNeighborsClassifier if kind == LEARNER else KNeighborsRegressor)(3)
        learner, steps = (
            make(),
            {f"{name.lower()}__{key}": values for key, values in grid.items()},
        )
        model = make_pipeline(learner, last)
        return Subject(
            model,
            X,
            y,
            kind == LEARNER,
            steps or {f"{model.steps[-1][0]}__n_neighbors": [3, 5]},
            learner,
        )
    if kind in TABLES:
        X = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    return Subject(make(), X, y, kind in CLASSIFIERS, grid)


def _tuples(kind, X, y):
    """80 pairs, or triplets or quadruplets of which every second has its pairs swapped, and what is right."""
    a, b, c, d = np.random.default_rng(0).integers(len(y), size=(4, 2000))
    if kind == PAIRS:
        alike = np.where(y[a] == y[b], 1, -1)
        chosen = np.sort(
            np.concatenate([np.flatnonzero(alike == sign)[:40] for sign in (1, -1)])
        )
        return X[np.stack([a, b], axis=1)][chosen], alike[chosen]
    clear = np.flatnonzero(
        (y[a] == y[b]) & (y[c] != (y[a] if kind == TRIPLETS else y[d]))
    )[:80]
    signs = np.tile([1, 1, -1, -1], 20)
    near, far = (a, b), (a, c) if kind == TRIPLETS else (c, d)
    first = np.where(signs > 0, np.array(near)[:, clear], np.array(far)[:, clear])
    second = np.where(signs > 0, np.array(far)[:, clear], np.array(near)[:, clear])
    rows = np.stack(
        [*first, second[1]] if kind == TRIPLETS else [*first, *second], axis=1
    )
    return X[rows], signs
