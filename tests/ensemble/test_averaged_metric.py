"""The averaged metric against brute force over all pairs and all maps."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist, pdist, squareform

from freemetric.ensemble import Ensemble, Member
from freemetric.ensemble.averaged_metric import Embedding, evenly_spaced, feature_shares
from freemetric.ensemble.training_set import TrainingSet
from freemetric.ensemble.views import VIEWS

from . import brute_force

KINDS = {
    "one": ["scaled/full"],
    "stretched": ["scaled/identity", "scaled/diagonal"],
    "linear": ["scaled/identity", "scaled/diagonal", "scaled/full", "axes/full"],
    "all": ["scaled/full", "quantiles/diagonal", "logs/full", "axes/full"],
}


@pytest.fixture
def make(rng):
    """A function: an ensemble of random maps of these kinds."""

    def ensemble(kinds, n=40, d=4):
        X = np.exp(rng.normal(size=(n, d))) * [1, 1e3, 1e-3, 1]
        shares = rng.dirichlet(np.ones(2 * len(kinds))).reshape(-1, 2)
        members, views = [], {}
        for kind, weights in zip(kinds, shares, strict=True):
            view, form = kind.split("/")
            views[view] = VIEWS[view].fit(X)
            width = len(views[view].owner)
            shape = (3, width, width) if form == "full" else (3, 1, width)
            maps = np.ones((1, 1, width))
            if form != "identity":
                maps = rng.normal(size=shape)
            members.append(Member(view, form, maps, weights))
        training_set = TrainingSet.of(X, rng.normal(size=(n, 2)), np.ones(n))
        return Ensemble(np.zeros(d), views, members, np.array([1, 4]), training_set)

    return ensemble


@pytest.mark.parametrize("kinds", KINDS.values(), ids=KINDS)
def test_distances_are_weighted_means_over_all_maps(make, kinds):
    ensemble = make(kinds)
    X = ensemble.X
    Z = ensemble.embed(X)
    for i, j in ([0, 1], [5, 9], [11, 30]):
        known = brute_force.squared_distance(ensemble, X[i], X[j])
        assert ((Z[i] - Z[j]) ** 2).sum() == pytest.approx(known, rel=1e-5)
    assert (pdist(Z) ** 2).mean() == pytest.approx(1, rel=1e-5)


@pytest.mark.parametrize("kinds", KINDS.values(), ids=KINDS)
def test_axes_are_principal(make, kinds):
    ensemble = make(kinds)
    Z = ensemble.embed(ensemble.X)
    covariance = np.cov(Z, rowvar=False)
    assert_allclose(Z.mean(axis=0), 0, atol=1e-9)
    assert_allclose(covariance, np.diag(np.diag(covariance)), atol=1e-9)
    assert (np.diff(np.diag(covariance)) <= 1e-12).all()


def test_new_samples_are_where_their_distances_say(make, rng):
    ensemble = make(KINDS["all"])
    Q = np.exp(rng.normal(size=(3, 4))) * [1, 1e3, 1e-3, 1]
    D = cdist(ensemble.embed(Q), ensemble.embed(ensemble.X))
    for i in range(3):
        known = brute_force.squared_distance(ensemble, Q[i], ensemble.X[7])
        assert D[i, 7] ** 2 == pytest.approx(known, rel=1e-5)
    distances, rows = ensemble.kneighbors(Q, 5)
    assert_allclose(distances, np.sort(D, axis=1)[:, :5], rtol=1e-9)
    assert_allclose(D[np.arange(3)[:, None], rows], distances, rtol=1e-9)


@pytest.mark.parametrize("kinds", KINDS.values(), ids=KINDS)
def test_votes_are_those_of_brute_force(make, rng, kinds):
    """Fewer rows than a prediction looks at: nothing is left out."""
    ensemble = make(kinds)
    Q = np.exp(rng.normal(size=(6, 4))) * [1, 1e3, 1e-3, 1]
    known = brute_force.ensemble_votes(ensemble, Q)
    for n_jobs in (1, 2):
        assert_allclose(ensemble.votes(Q, n_jobs), known, atol=1e-5)


def test_votes_without_kept_images_are_the_same(make, rng, monkeypatch):
    ensemble = make(KINDS["all"], n=150)
    Q = np.exp(rng.normal(size=(9, 4))) * [1, 1e3, 1e-3, 1]
    expected = ensemble.votes(Q)
    again = ensemble.with_training_set(ensemble.training_set)
    monkeypatch.setattr("freemetric.ensemble.ensemble.KEPT_BYTES", 0)
    monkeypatch.setattr("freemetric.ensemble.ensemble.MOST_LOOKED_AT", 100)
    assert_allclose(again.votes(Q), expected, atol=1e-6)
    assert again.index.images is None


def test_strongest_votes_make_the_vote(make, rng):
    ensemble = make(KINDS["all"])
    Q = np.exp(rng.normal(size=(5, 4))) * [1, 1e3, 1e-3, 1]
    rows, shares = ensemble.strongest_votes(Q, 40)
    assert (np.diff(shares, axis=1) <= 0).all()
    assert_allclose(shares.sum(axis=1), 1, rtol=1e-5)
    values = ensemble.training_set.values[rows]
    found = (shares[:, :, None] * values).sum(axis=1)
    assert_allclose(found, ensemble.votes(Q), atol=1e-5)


def test_shares_of_features_are_shares_of_the_squared_distance(make):
    """With a single stretching map, the part of every feature in all pairs."""
    ensemble = make(["scaled/diagonal"])
    maps = np.array([[[1.0, 2, 0, 5]]])
    ensemble.members[0] = Member("scaled", "diagonal", maps, np.ones(1))
    Z = ensemble.views["scaled"](ensemble.X) * [1, 2, 0, 5]
    parts = [squareform(pdist(z[:, None]) ** 2).sum() for z in Z.T]
    found = feature_shares(ensemble.members, ensemble.views, ensemble.X)
    assert_allclose(found, np.array(parts) / sum(parts))


def test_equal_rows_have_a_place(make):
    """No two rows differ: there are no axes, and no distances."""
    X = np.ones((5, 2))
    views = {"scaled": VIEWS["scaled"].fit(X)}
    members = [Member("scaled", "identity", np.ones((1, 1, 2)), np.ones(1))]
    assert Embedding.fit(members, views, X)({"scaled": X}).shape == (5, 1)
    assert_allclose(feature_shares(members, views, X), 0)


def test_evenly_spaced_rows_are_from_all_over():
    X = np.arange(100.0)[:, None]
    assert_allclose(evenly_spaced(X, 4)[:, 0], [0, 33, 66, 99])
    assert len(evenly_spaced(X, 100)) == 100
