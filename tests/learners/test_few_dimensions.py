"""Maps to a plane: as good as scikit-learn's, and the same whatever the order of the features."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA as ScikitLearnPCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.neighbors import KNeighborsClassifier, NeighborhoodComponentsAnalysis

from freemetric import (
    ANMM,
    DMLFE,
    DMLMJ,
    GMML,
    LDA,
    LDML,
    LMNN,
    LSML,
    MCML,
    MMC,
    NCA,
    NCMML,
    SCML,
    SDML,
    Covariance,
    FreeEnergyClassifier,
    Recipe,
)
from freemetric.learners.descent import initial_map

pytestmark = [
    pytest.mark.filterwarnings("ignore::freemetric.exceptions.DataWarning"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]

LEARNERS = {
    "NCA": NCA(2, max_iter=30),
    "LMNN": LMNN(2, max_iter=60),
    "DMLFE": DMLFE(2, random_state=0),
    "DMLMJ": DMLMJ(2),
    "NCMML": NCMML(2),
    "MCML": MCML(2, max_iter=25),
    "LDML": LDML(2, random_state=0),
    "GMML": GMML(2),
    "LDA": LDA(2),
    "Covariance": Covariance(2),
    "ANMM": ANMM(2),
    "LSML": LSML(2, random_state=0),
    "MMC": MMC(2, random_state=0),
    "SDML": SDML(2, random_state=0),
    "SCML": SCML(2, random_state=0),
}
PEERS = {  # of the same kind; the others' is scikit-learn's NCA
    **dict.fromkeys(("GMML", "LDA", "LDML"), LinearDiscriminantAnalysis(n_components=2)),  # LDML: 0.65 to 0.69 by seed
    "Covariance": ScikitLearnPCA(2, whiten=True),
    **dict.fromkeys(("LSML", "MMC", "SDML", "SCML"), ScikitLearnPCA(2)),  # of metrics of all dimensions
}


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[::2] / 16, y[::2], X[1::2] / 16, y[1::2]


def score(learner, X, y, new, truth):
    learner.fit(X, y)
    training_set = KNeighborsClassifier(5).fit(learner.transform(X), y)
    return training_set.score(learner.transform(new), truth)


@pytest.fixture(scope="module")
def of_scikit_learn(digits):
    return score(NeighborhoodComponentsAnalysis(2, max_iter=30, random_state=0), *digits)


@pytest.mark.slow
@pytest.mark.parametrize("name", LEARNERS)
def test_a_plane_of_digits(name, digits, of_scikit_learn):
    X, y, new, truth = digits
    order = np.random.default_rng(1).permutation(64)
    found = [score(LEARNERS[name], X[:, o], y, new[:, o], truth) for o in (np.arange(64), order)]
    peer = score(PEERS[name], *digits) if name in PEERS else of_scikit_learn
    # DMLMJ and ANMM have no objective that knows of classes one by one; they have to be far above chance, which is 0.1
    assert found[0] > (0.5 if name in ("DMLMJ", "ANMM") else peer - 0.06)
    assert abs(found[0] - found[1]) < (0.1 if name == "MMC" else 0.05)  # which draws other pairs then


def test_planes_of_the_classifier(digits):
    X, y, new, truth = digits
    model = FreeEnergyClassifier(6, recipe=Recipe(n_components=2, candidates=["scaled/full"]), random_state=0).fit(
        X[::2], y[::2]
    )
    assert model.score(new, truth) > 0.85
    assert model.embed(new).shape == (len(new), 2)


def test_where_auto_begins(rng):
    X, y = rng.normal(size=(30, 5)) * [1, 1, 1, 1, 9], np.arange(30) % 3
    X[:, 2] += y
    np.testing.assert_array_equal(initial_map("auto", rng, X, y), np.eye(5))
    np.testing.assert_array_equal(initial_map("auto", rng, X, y, 5), np.eye(5))
    np.testing.assert_array_equal(initial_map("auto", rng, X, y, 2), initial_map("lda", rng, X, y, 2))
    np.testing.assert_array_equal(initial_map("auto", rng, X, y, 3), initial_map("pca", rng, X, y, 3))
    np.testing.assert_array_equal(initial_map("auto", rng, X, None, 2), initial_map("pca", rng, X, None, 2))
