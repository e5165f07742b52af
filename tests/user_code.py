"""Code of a user with every public name, which `make lint` checks by mypy --strict."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import freemetric
from freemetric import (
    ANMM,
    DCA,
    DMLFE,
    DMLMJ,
    GMML,
    ITML,
    LDA,
    LDML,
    LFDA,
    LMNN,
    LSML,
    MCML,
    MLKR,
    MMC,
    NCA,
    NCMML,
    PCA,
    RCA,
    SCML,
    SDML,
    Covariance,
    DMLeig,
    Euclidean,
    FreeEnergyClassifier,
    FreeEnergyRegressor,
    MetricKNeighborsClassifier,
    MetricKNeighborsRegressor,
    PairClassifier,
    QuadrupletClassifier,
    TableClassifier,
    TableRegressor,
    TripletClassifier,
    load,
    save,
)

Array = NDArray[np.float64]


class Wider(NCA):
    """A learner of the user's own."""

    def fit_and_stretch(self, X: Array, y: Array) -> Array:
        return 2 * self.fit(X, y).transform(X)


def maps(X: Array, y: Array) -> list[Array]:
    learners = [
        ANMM(n_neighbors=3),
        DMLFE(2, random_state=0),
        DMLMJ(),
        GMML(),
        LDA(),
        LDML(),
        LFDA(),
        LMNN(max_iter=5),
        MCML(),
        MLKR(),
        NCA(2, max_iter=5),
        NCMML(),
        PCA(2),
        SCML(),
        Covariance(),
        DMLeig(),
        Euclidean(),
    ]
    return [learner.fit(X, y).get_mahalanobis_matrix() for learner in learners]


def from_groups(X: Array, groups: Array) -> Array:
    far: Array = DCA().fit(X, groups).pair_distance(X[None, :2])
    near: Array = RCA().fit(X, groups).pair_distance(X[None, :2])
    return far - near


def from_tuples(X: Array, pairs: Array, labels: Array) -> Array:
    MMC().fit(X, pairs=pairs, pair_labels=labels)
    SDML().fit(X, pairs=pairs, pair_labels=labels)
    PairClassifier(ITML(), preprocessor=X).fit(pairs, labels)
    TripletClassifier(SCML(), preprocessor=X)
    QuadrupletClassifier(LSML(), preprocessor=X)
    learned = ITML().fit(X, pairs=pairs, pair_labels=labels)
    Z: Array = learned.transform(X)
    return Z


def neighbours(X: Array, y: Array) -> tuple[float, float]:
    classifier = MetricKNeighborsClassifier(NCA()).fit(X, y)
    regressor = MetricKNeighborsRegressor(MLKR()).fit(X, y)
    return classifier.score(X, y), regressor.score(X, y)


def ensembles(X: Array, y: Array, path: Path) -> Array:
    classifier = FreeEnergyClassifier(random_state=0).fit(X, y)
    regressor = FreeEnergyRegressor(random_state=0).fit(X, X[:, 0])
    interval: Array = regressor.predict_interval(X, alpha=0.2)
    save(classifier, path)
    again = load(path)
    assert isinstance(again, FreeEnergyClassifier)
    distances, rows = again.kneighbors(X, 3)
    print(distances.shape, rows.shape, again.oob_score_)
    return np.hstack([classifier.predict_proba(X), interval, classifier.predict_set(X)])


def tables(rows: list[dict[str, object]], y: Array) -> Array:
    model = TableClassifier(FreeEnergyClassifier(8), random_state=0).fit(rows, y)
    wages = TableRegressor().fit(rows, y)
    share: float = model.score(rows, y) + wages.score(rows, y)
    chances: Array = model.predict_proba(rows)
    return chances * share


def versions() -> str:
    freemetric.show_versions()
    return freemetric.__version__
