"""Learners inside of scikit-learn's searches: costs, metadata, frames, sparse rows."""

import numpy as np
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from freemetric import GMML, ITML, LSML, NCA, RCA, SCML
from freemetric.learners import DistanceMatching

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
PAIRS = np.random.default_rng(0).integers(150, size=(60, 2))
TUPLES = np.random.default_rng(0).integers(150, size=(60, 4))


@pytest.mark.parametrize(
    ("learner", "metadata"),
    [
        (NCA(max_iter=5), {"sample_weight": np.linspace(0.1, 2, 150)}),
        (DistanceMatching(), {"sample_weight": np.linspace(0.1, 2, 150)}),
        (RCA(), {"chunks": np.arange(150) // 10}),
        (GMML(), {"pairs": PAIRS, "pair_labels": np.where(np.arange(60) % 2, 1, -1)}),
        (ITML(), {"pairs": PAIRS, "pair_labels": np.where(np.arange(60) % 2, 1, -1)}),
        (SCML(n_basis=20, max_iter=500, random_state=0), {"triplets": TUPLES[:, :3]}),
        (LSML(), {"quadruplets": TUPLES}),
    ],
    ids=repr,
)
@pytest.mark.filterwarnings("ignore::freemetric.exceptions.DataWarning")
def test_metadata_reach_a_learner_in_a_pipeline(learner, metadata, iris):
    X, y = iris
    if "random_state" in learner.get_params():
        learner = clone(learner).set_params(random_state=0)
    Z = MinMaxScaler().fit_transform(X)
    expected = clone(learner).fit(Z, y, **metadata).components_
    with config_context(enable_metadata_routing=True):
        requested = clone(learner).set_fit_request(**dict.fromkeys(metadata, True))
        model = make_pipeline(MinMaxScaler(), requested, KNeighborsClassifier())
        model.fit(X, y, **metadata)
    np.testing.assert_allclose(model[1].components_, expected)


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_matrix])
def test_sparse_samples_of_given_distances(kind, rng):
    X = rng.random((30, 4)) * (rng.random((30, 4)) < 0.5)
    D = pairwise_distances(X * [1, 2, 3, 4])
    expected = DistanceMatching().fit(X, D).components_
    np.testing.assert_allclose(DistanceMatching().fit(kind(X), D).components_, expected)
    with config_context(working_memory=1), pytest.raises(ValueError, match="MiB"):
        DistanceMatching().fit(sparse.csr_array((200, 10_000)), np.ones(200))
