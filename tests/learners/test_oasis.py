"""OASIS against its closed form, and where it ought to be better than the identity."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import load_iris
from sklearn.preprocessing import normalize

from freemetric import PairClassifier
from freemetric.learners import OASIS
from freemetric.learners.oasis import draw_triplets


@pytest.fixture
def documents(rng):
    """Three topics of ten words each among 200 words, most of which say nothing."""
    y = np.arange(240) % 3
    counts = rng.poisson(0.3, (240, 200)).astype(float)
    topic = np.arange(10) + 10 * y[:, None]
    counts[np.arange(240)[:, None], topic] += rng.poisson(0.6, (240, 10))
    return normalize(counts), y


def precision_at(k, S, y):
    S = S - np.diag(np.full(len(S), np.inf))
    nearest = np.argsort(-S, axis=1)[:, :k]
    return (y[nearest] == y[:, None]).mean()


@pytest.mark.parametrize("aggressiveness", [0.05, 10.0])
def test_one_step_is_the_closed_form(aggressiveness):
    a, p, n = np.array([[1.0, 2.0], [0.5, -1.0], [1.0, 1.0]])
    model = OASIS(aggressiveness=aggressiveness).fit([a, p, n], triplets=[[0, 1, 2]])
    loss = 1 - a @ p + a @ n
    size = (a @ a) * ((p - n) @ (p - n))
    tau = min(aggressiveness, loss / size)
    expected = np.eye(2) + tau * np.outer(a, p - n)
    np.testing.assert_allclose(model.similarity_matrix_, expected)
    assert model.mean_loss_ == pytest.approx(loss)
    near, far = model.pair_score([[a, p], [a, n]])
    assert near - far == pytest.approx(1 - loss + tau * size)


def test_triplets_without_loss_change_nothing():
    X = np.diag([3.0, 3.0])[[0, 0, 1]]
    model = OASIS().fit(X, triplets=[[0, 1, 2], [0, 1, 1]])
    np.testing.assert_array_equal(model.similarity_matrix_, np.eye(2))
    assert model.mean_loss_ == 0.5


def test_the_loss_falls_and_neighbours_are_better_than_by_the_identity(documents):
    X, y = documents
    model = OASIS(random_state=0, n_triplets=2000)
    losses = [model.partial_fit(X[:120], y[:120]).mean_loss_ for _ in range(4)]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < 0.5 * losses[0]
    held_out, labels = X[120:], y[120:]
    plain = precision_at(10, held_out @ held_out.T, labels)
    S = held_out @ model.similarity_matrix_ @ held_out.T
    assert precision_at(10, S, labels) > plain + 0.1


def test_sparse_rows_give_what_dense_ones_do(documents):
    X, y = documents
    dense = OASIS(random_state=0, n_triplets=1500).fit(X, y)
    sparse = OASIS(random_state=0, n_triplets=1500).fit(csr_array(X), y)
    W = dense.similarity_matrix_
    np.testing.assert_allclose(sparse.similarity_matrix_, W, atol=1e-12)
    pairs = X[:40].reshape(20, 2, -1)
    scores = np.einsum("ni,ij,nj->n", pairs[:, 0], W, pairs[:, 1])
    np.testing.assert_allclose(dense.pair_score(pairs), scores)
    both = csr_array(pairs[:, 0]), csr_array(pairs[:, 1])
    np.testing.assert_allclose(sparse.pair_score(both), scores)


def test_two_halves_are_one_pass(documents):
    X = documents[0]
    rng = np.random.default_rng(0)
    triplets = rng.integers(len(X), size=(400, 3))
    whole = OASIS().fit(X, triplets=triplets)
    halves = OASIS().partial_fit(X, triplets=triplets[:150])
    halves.partial_fit(X, triplets=triplets[150:])
    np.testing.assert_array_equal(whole.similarity_matrix_, halves.similarity_matrix_)
    assert whole.n_iter_ == halves.n_iter_ == 400


def test_drawn_triplets_are_two_of_a_class_and_one_of_another():
    y = np.array([2, 0, 1, 0, 2, 2, 3])
    drawn = draw_triplets(np.random.default_rng(0), y, 20_000)
    a, p, n = drawn.T
    assert (y[a] == y[p]).all()
    assert (a != p).all()
    assert (y[a] != y[n]).all()
    _, counts = np.unique(drawn, axis=0, return_counts=True)
    assert len(counts) == 2 * 5 + 6 * 4  # ordered pairs of a class, and the others
    share = np.bincount(a, minlength=7) / len(a)
    np.testing.assert_allclose(share, [0.2, 0.2, 0, 0.2, 0.2, 0.2, 0], atol=0.02)


def test_further_calls_draw_other_triplets(documents):
    X, y = documents
    model = OASIS(random_state=0, n_triplets=300).fit(X, y)
    once = model.similarity_matrix_ - np.eye(200)
    twice = model.partial_fit(X, y).similarity_matrix_ - np.eye(200)
    assert np.corrcoef(once.ravel(), (twice - once).ravel())[0, 1] < 0.9


@pytest.mark.parametrize(
    "name", ["transform", "pair_distance", "get_metric", "get_mahalanobis_matrix"]
)
def test_a_similarity_has_no_distance(name):
    model = OASIS(n_triplets=10).fit(*load_iris(return_X_y=True))
    assert not hasattr(model, name)
    with pytest.raises(AttributeError, match="OASIS learns a similarity"):
        getattr(model, name)
    with pytest.raises(ValueError, match="'learner' parameter of PairClassifier"):
        PairClassifier(model).fit(np.ones((2, 2, 3)), [1, -1])


@pytest.mark.parametrize(
    ("y", "options", "message"),
    [
        (None, {}, "target y is None"),
        ([0, 1, 2], {}, "a class of two samples"),
        ([0, 0, 0], {}, "at least two classes"),
        (None, {"triplets": [[0, 1, 3]]}, "points outside X"),
        (None, {"triplets": [[0.0, 1.0, 2.0]]}, r"integers of shape \(n, 3\)"),
    ],
)
def test_what_it_refuses(y, options, message):
    with pytest.raises(ValueError, match=message):
        OASIS().fit(np.eye(3), y, **options)


def test_a_similarity_that_is_too_large_is_refused():
    X = csr_array((10, 50_000))
    with pytest.raises(ValueError, match="W of 50000 features takes 19,073 MiB"):
        OASIS().fit(X, np.arange(10) % 2)
