"""The classifier as a metric: its distances are the mean over the metrics that vote, by definition."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.neighbors import NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from freemetric import FreeEnergyClassifier, Recipe


@pytest.fixture(scope="module")
def model(wine):
    X, y = wine
    kinds = ["scaled/identity", "scaled/full", "quantiles/diagonal"]  # with fewer columns than samples
    return FreeEnergyClassifier(8, recipe=Recipe(candidates=kinds), random_state=0).fit(X[::2], y[::2])


@pytest.fixture(scope="module")
def linear(wine):
    X, y = wine
    kinds = ["scaled/full", "whitened/diagonal"]
    return FreeEnergyClassifier(8, recipe=Recipe(candidates=kinds), random_state=0).fit(X[::2], y[::2])


def averaged_distances(model, U, V):
    """Replica by replica."""
    ensemble, total = model.ensemble_, 0.0
    for member, member_weights in zip(ensemble.members, ensemble.member_weights, strict=True):
        view = ensemble.views[member.candidate.view]
        rows = view(ensemble.training_set.X)
        for M in member.matrices():
            scale = 2 * np.sum(M * np.cov(rows, rowvar=False))
            D = view(U) - view(V)
            total = total + member_weights / len(member) * np.einsum("ni,ij,nj->n", D, M, D) / scale
    return np.sqrt(total)


def test_distances_by_definition(model, wine):
    U, V = wine[0][1:40:2], wine[0][41:80:2]
    expected = averaged_distances(model, U, V)
    np.testing.assert_allclose(model.pair_distance(np.stack([U, V], axis=1)), expected, rtol=1e-6)
    np.testing.assert_allclose(model.pair_score(np.stack([U, V], axis=1)), -expected, rtol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(model.transform(U) - model.transform(V), axis=1), expected, rtol=1e-6)
    metric = model.get_metric()
    assert metric(U[0], V[0]) == pytest.approx(expected[0])
    assert metric(U[0], V[0], squared=True) == pytest.approx(expected[0] ** 2)


def test_a_mahalanobis_matrix_where_views_are_linear(linear, model, wine):
    U, V = wine[0][1:40:2], wine[0][41:80:2]
    M = linear.get_mahalanobis_matrix()
    np.testing.assert_allclose(np.einsum("ni,ij,nj->n", U - V, M, U - V), averaged_distances(linear, U, V) ** 2)
    with pytest.raises(ValueError, match=r"There is no Mahalanobis matrix: metrics that vote see .* of features"):
        model.get_mahalanobis_matrix()


def test_neighbours_are_rows_that_were_given(model, wine):
    X, new = wine[0][::2], wine[0][1:20:2]
    distances, rows = model.kneighbors(new, 3)
    for query, near, row in zip(new, distances, rows, strict=True):
        all_of_them = averaged_distances(model, np.repeat(query[None], len(X), axis=0), X)
        np.testing.assert_allclose(near, np.sort(all_of_them)[:3], rtol=1e-5)
        np.testing.assert_allclose(all_of_them[row], near, rtol=1e-5)
    np.testing.assert_array_equal(model.kneighbors(new, 3, return_distance=False), rows)


@pytest.mark.filterwarnings("ignore::freemetric.exceptions.DataWarning")
def test_unlabelled_rows_are_no_neighbours(wine):
    X, y = wine
    partly = np.where(np.arange(len(y)) % 2, -1, y)
    model = FreeEnergyClassifier(6, random_state=0).fit(X, partly)
    assert not (model.kneighbors(X[1:30:2], return_distance=False) % 2).any()


def test_as_a_step_before_others(wine):
    X, y = wine
    space = make_pipeline(StandardScaler(), FreeEnergyClassifier(6, recipe=Recipe(n_components=2), random_state=0)).fit(
        X, y
    )
    Z = space.transform(X)
    assert Z.shape == (len(X), 2)
    assert (y[NearestNeighbors(n_neighbors=2).fit(Z).kneighbors(Z)[1][:, 1]] == y).mean() > 0.9
    named = space[-1].set_output(transform="pandas").transform(space[0].transform(X))
    assert list(named.columns) == ["freeenergyclassifier0", "freeenergyclassifier1"]


@pytest.mark.parametrize("pairs", [np.zeros((2, 13)), np.zeros((2, 3, 13)), np.zeros((4, 2, 12))])
def test_pairs_of_another_shape(model, pairs):
    with pytest.raises(ValueError, match=r"pairs must have shape \(n_pairs, 2, 13\); got"):
        model.pair_distance(pairs)


@pytest.mark.parametrize("verb", ["transform", "embed", "kneighbors"])
def test_nothing_is_known_before_a_fit(verb, wine):
    with pytest.raises(NotFittedError, match="is not fitted yet"):
        getattr(FreeEnergyClassifier(), verb)(wine[0])
