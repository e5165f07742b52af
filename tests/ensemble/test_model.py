"""Ensembles predict what their definition says, with all training samples and with a shortlist of them."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import make_classification

import freemetric
from freemetric import FreeEnergyClassifier, FreeEnergyRegressor, Recipe
from freemetric.ensemble.model import Ensemble
from freemetric.ensemble.population import mixed_shares
from freemetric.kernels import kernels_for, reference
from freemetric.kernels.numba import backend as numba_
from freemetric.metrics import index
from freemetric.metrics.training_set import ClassEncoding, TrainingSet


def problem(rng, copies=False, M=300, C=3):
    Z, Q = rng.random((2, M, 7)), rng.random((2, 25, 7))
    counts = rng.integers(1, 5, M) if copies else np.ones(M, dtype=int)
    votes = np.array([rng.multinomial(n, np.ones(C) / C) for n in counts]) * rng.uniform(0.5, 2, (M, 1))
    weights = np.where(np.isin(np.arange(1, 33), [1, 3, 8, 32]), 0.25, 0.0)
    candidates = np.array([rng.permutation(M)[:90] for _ in range(25)])
    return Z, Q, candidates, (counts, votes.astype(np.float32)), weights


@pytest.mark.parametrize("copies", [False, True])
@pytest.mark.parametrize("device", ["cpu", "torch"])
def test_kernels_agree(device, copies, rng):
    if device == "torch":
        pytest.importorskip("torch", reason="the GPU kernels need torch")
        from freemetric.kernels.torch import backend as torch_

        def shares(*arguments):
            return torch_.neighbor_shares(*arguments, device="cpu")
    else:
        shares = numba_.neighbor_shares
    arguments = problem(rng, copies)
    np.testing.assert_allclose(shares(*arguments), reference.neighbor_shares(*arguments), atol=1e-6)


@pytest.mark.parametrize("n_pairs", [numba_.PAIRS, 1])  # all spaces together, and one at a time
@pytest.mark.parametrize("kind", ["copies", "weights", "single"])
def test_spaces_that_stretch_features_need_no_coordinates(kind, n_pairs, rng, monkeypatch):
    Z, Q, candidates, (counts, votes), weights = problem(rng, copies=kind == "copies")
    if kind == "single":
        votes = np.eye(3, dtype=np.float32)[rng.integers(0, 3, len(counts))]
    squares, of_spaces, expected = [rng.random((4, 7)), rng.random((3, 7))], [weights, weights[:2]], 0.0
    for some, own in zip(squares, of_spaces, strict=True):
        mapped = (np.array([V[0] * root for root in np.sqrt(some)]) for V in (Z, Q))
        expected += reference.neighbor_shares(*mapped, candidates, (counts, votes), own)
    places = (counts[:0] if kind == "single" else counts, votes)  # without counts every place is one vote
    monkeypatch.setattr(numba_, "PAIRS", n_pairs)
    shares = numba_.diagonal_shares(Z[0], Q[0], squares, candidates, places, of_spaces)
    np.testing.assert_allclose(shares, expected, atol=1e-6)
    if kind == "single":
        np.testing.assert_allclose(
            numba_.neighbor_shares(Z, Q, candidates, places, weights),
            reference.neighbor_shares(Z, Q, candidates, (counts, votes), weights),
            atol=1e-6,
        )


def test_the_reference_by_hand():
    Z, Q = np.array([[[0.0], [1.0], [5.0]]]), np.array([[[0.1]]])
    votes = np.array([[1.0, 1.0], [0.0, 1.0], [3.0, 0.0]])
    shares = reference.neighbor_shares(Z, Q, np.array([[2, 0, 1]]), (np.array([2, 1, 3]), votes), [0.5, 0.0, 0.5])
    np.testing.assert_allclose(shares, [[0.5 * 0.5 + 0.5 / 3, 0.5 * 0.5 + 0.5 * 2 / 3]])
    few = reference.neighbor_shares(Z, Q, np.array([[2, 0]]), (np.array([2, 1, 3]), votes), [1.0])
    np.testing.assert_allclose(few, [[0.5, 0.5]])


@pytest.fixture(scope="module")
def model():
    X, y = make_classification(900, 8, n_informative=5, n_classes=3, random_state=0)
    return FreeEnergyClassifier(12, random_state=0).fit(X, y), X


def test_asking_all_is_the_mixture_of_all_shares(model):
    fitted, X = model
    ensemble = fitted.ensemble_
    mixed = mixed_shares(ensemble.weights, ensemble.shares(X[:50]))
    by_definition = ensemble.head.answers(mixed, ensemble.head.wholes(X[:50]))
    np.testing.assert_allclose(ensemble.predict(X[:50]), by_definition, atol=2e-5)


def test_a_shortlist_changes_little_and_its_recall_is_known(model, monkeypatch):
    fitted, X = model
    exact = fitted.set_params(recipe__shortlist=None).predict_proba(X)
    short = fitted.set_params(recipe__shortlist=Recipe.shortlist).predict_proba(X)
    assert (exact.argmax(axis=1) != short.argmax(axis=1)).mean() < 0.01
    assert np.abs(exact - short).mean() < 0.01
    assert fitted.shortlist_ in (64, 128, 256)
    assert fitted.shortlist_recall_ == pytest.approx(fitted.ensemble_.index().recall(X, fitted.shortlist_), abs=0.03)
    of_all = fitted.ensemble_.index()
    known = of_all.recall(X, fitted.shortlist_)
    monkeypatch.setattr(index, "SEARCHED", 111)
    assert of_all.recall(X, fitted.shortlist_) == pytest.approx(known, abs=1e-3)  # rounding orders equal distances
    assert of_all.recall(X[:20], 900) == 1.0
    assert of_all.recall(X[:20], 40) < of_all.recall(X[:20], 200) < 1.0


def test_places_in_the_order_of_cells_predict_the_same(model, monkeypatch):
    fitted, X = model
    plain = fitted.set_params(recipe__shortlist=100).predict_proba(X[:200])
    monkeypatch.setattr(index, "MANY_PLACES", 100)  # three cells, which are all asked
    fitted.ensemble_.computed.clear()
    np.testing.assert_allclose(fitted.predict_proba(X[:200]), plain, atol=1e-6)
    of_cells = fitted.ensemble_.index()
    assert len(of_cells.shortlist.cells.centres) == 3
    assert not np.array_equal(of_cells.places.rows, fitted.ensemble_.training_set.places.rows)
    fitted.ensemble_.computed.clear()


def test_places_in_another_order(rng):
    X = rng.integers(0, 3, (40, 2)).astype(float)
    places = TrainingSet(X, rng.integers(0, 2, 40), ClassEncoding(2)).places
    order = rng.permutation(len(places.rows))
    other = places.sorted_by(order)
    np.testing.assert_array_equal(X[other.rows[other.of_row]], X)
    np.testing.assert_array_equal(other.counts[other.of_row], places.counts[places.of_row])
    np.testing.assert_array_equal(other.votes, places.votes[order])


def test_large_models_compute_coordinates_when_they_are_asked(model, monkeypatch):
    fitted, X = model
    kept = fitted.set_params(recipe__shortlist=100).predict_proba(X[:30])
    monkeypatch.setattr(index, "KEPT_BYTES", 0)
    fitted.ensemble_.computed.clear()
    np.testing.assert_allclose(fitted.predict_proba(X[:30]), kept, atol=1e-4)  # views in single precision
    assert not fitted.ensemble_.index().are_few
    monkeypatch.setattr(index, "MANY_PLACES", 100)
    fitted.ensemble_.computed.clear()
    assert fitted.ensemble_.index().shortlist.cells is not None
    assert np.abs(fitted.predict_proba(X[:30]) - kept).mean() < 0.01
    monkeypatch.undo()
    fitted.ensemble_.computed.clear()


@pytest.mark.parametrize("n_jobs", [1, 2, -1])
def test_threads_do_not_matter(model, n_jobs):
    fitted, X = model
    one = fitted.set_params(n_jobs=None).predict_proba(X)
    np.testing.assert_array_equal(fitted.set_params(n_jobs=n_jobs).predict_proba(X), one)


def test_as_many_are_asked_as_there_are_neighbours_that_vote(model):
    fitted, X = model
    fewest = fitted.set_params(recipe__shortlist=fitted.ensemble_.n_neighbors).predict_proba(X[:30])
    np.testing.assert_array_equal(fitted.set_params(recipe__shortlist=1).predict_proba(X[:30]), fewest)
    fitted.set_params(recipe__shortlist=Recipe.shortlist)


def test_a_regression_predicts_by_its_head(rng):
    X = rng.random((40, 2))
    fitted = FreeEnergyRegressor(2, recipe=Recipe(candidates=["scaled/identity"]), random_state=0).fit(X, X[:, 0])
    ensemble = fitted.ensemble_
    assert isinstance(ensemble, Ensemble)
    assert not hasattr(ensemble.head, "densities")
    prediction = ensemble.head(ensemble.votes(X), ensemble.head.wholes(X))
    np.testing.assert_array_equal(ensemble.predict(X)[:, 0], ensemble.head.means(prediction))
    np.testing.assert_allclose(fitted.predict(X), ensemble.predict(X)[:, 0], rtol=1e-6)


def test_what_is_computed_once_is_no_part_of_an_ensemble(model):
    fitted, X = model
    ensemble = fitted.ensemble_
    ensemble.predict(X[:3])
    ensemble.outlier_score(X[:3])
    assert {"index", "embedding", "outliers"} <= set(ensemble.computed)
    copy = pickle.loads(pickle.dumps(ensemble))
    assert copy.computed == {}
    np.testing.assert_array_equal(copy.predict(X[:9]), ensemble.predict(X[:9]))


def test_every_backend_has_the_same_functions():
    for device in ("cpu", "reference"):
        assert hasattr(kernels_for(device), "neighbor_shares")


def test_an_ensemble_alone_is_saved(model, tmp_path):
    fitted, X = model
    freemetric.files.save(fitted.ensemble_, tmp_path / "ensemble.fm")
    loaded = freemetric.load(tmp_path / "ensemble.fm")
    np.testing.assert_array_equal(loaded.predict(X[:9]), fitted.ensemble_.predict(X[:9]))
