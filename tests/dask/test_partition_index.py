"""Votes counted partition by partition are those of all training samples together."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from freemetric.dask.partition_index import NearestPlaces, PartitionIndex, Spaces, row_keys
from freemetric.ensemble.model import Ensemble
from freemetric.ensemble.tasks.classification import ClassificationHead
from freemetric.metrics import Candidate, ClassEncoding, Member, TrainingSet
from freemetric.metrics.training_set import places_of
from freemetric.metrics.views import Scaled


@pytest.fixture
def ensemble(rng):
    X = np.round(rng.random((90, 3)), 1)
    X[60:] = X[:30]  # copies
    y = rng.integers(3, size=90)
    plain = Member(Candidate("scaled", "identity", "log-nca"), np.empty((0, 1, 3)))
    full = Member(Candidate("scaled", "full", "log-nca"), rng.standard_normal((4, 2, 3)))
    weights = np.zeros((2, 9))
    weights[0, 2], weights[1, [0, 6]] = 0.5, 0.25
    training_set, head = TrainingSet(X, y, ClassEncoding(3)), ClassificationHead(1.0, np.zeros(3))
    return Ensemble({"scaled": Scaled.of(X)}, [plain, full], weights, training_set, head)


def indices(training_set, parts):
    for rows in parts:
        X = training_set.X[rows]
        yield PartitionIndex.of(places_of(X, training_set.y[rows], training_set.encoding), X, rows)


@pytest.mark.parametrize("n_parts", [1, 2, 7])
def test_as_if_all_were_in_one_partition(ensemble, rng, n_parts):
    Q, spaces = np.round(rng.random((25, 3)), 1), Spaces.of(ensemble)
    parts = [np.sort(rows) for rows in np.array_split(rng.permutation(90), n_parts)]
    found = [index.nearest(spaces, Q) for index in indices(ensemble.training_set, parts)]
    for order in (found, found[::-1]):
        assert_allclose(
            ensemble.head.answers(NearestPlaces.merged(order).shares(spaces)), ensemble.predict(Q), rtol=1e-5
        )
    in_steps = NearestPlaces.merged([NearestPlaces.merged(found[: n_parts // 2 + 1]), *found[n_parts // 2 + 1 :]])
    assert_allclose(in_steps.shares(spaces), NearestPlaces.merged(found).shares(spaces))


def test_a_partition_without_samples_and_one_with_fewer_than_wanted(ensemble, rng):
    Q, spaces = rng.random((5, 3)), Spaces.of(ensemble)
    parts = [np.arange(0), np.arange(2), np.arange(2, 90)]
    found = [index.nearest(spaces, Q, 256) for index in indices(ensemble.training_set, parts)]
    assert_allclose(ensemble.head.answers(NearestPlaces.merged(found).shares(spaces)), ensemble.predict(Q), rtol=1e-5)


def test_a_shortlist_of_a_partition_compares_only_those_on_it(ensemble, rng):
    Q, spaces = rng.random((8, 3)), Spaces.of(ensemble)
    (index,) = indices(ensemble.training_set, [np.arange(90)])
    listed = index.with_shortlist(spaces).nearest(spaces, Q, 12)
    near = index.with_shortlist(spaces).shortlist.nearest({"scaled": ensemble.views["scaled"](Q)}, 12)
    for query, places in zip(near, listed.places, strict=True):
        assert set(listed.ranks[places[places >= 0]]) <= set(index.ranks[query])


@pytest.mark.parametrize("block", [24, 36, 16_384])
def test_nearest_places_of_a_shortlist_by_hand(ensemble, rng, block, monkeypatch):
    """Of the places nearest in the averaged metric, the nearest in every space, however many queries go at once."""
    monkeypatch.setattr("freemetric.dask.partition_index.BLOCK", block)
    Q, spaces = rng.random((8, 3)), Spaces.of(ensemble)
    (index,) = indices(ensemble.training_set, [np.arange(90)])
    found = index.with_shortlist(spaces).nearest(spaces, Q, 12)
    seen, asked = ensemble.views["scaled"](index.X), ensemble.views["scaled"](Q)
    apart = asked[:, None] - seen
    listed = np.argsort(np.einsum("qpi,ij,qpj->qp", apart, spaces.matrices["scaled"], apart))[:, :12]
    maps = [np.eye(3), *ensemble.members[1].maps]
    for number, A in enumerate(maps):
        truth = np.take_along_axis(((apart @ A.T) ** 2).sum(axis=2), listed, axis=1)
        assert_allclose(found.distances[:, number], np.sort(truth)[:, :7], rtol=1e-4, atol=1e-6)
        nearest = np.take_along_axis(listed, np.argsort(truth)[:, :7], axis=1)
        assert_array_equal(found.ranks[found.places[:, number]], index.ranks[nearest])


def test_equal_rows_have_equal_keys():
    X = np.array([[0.0, 1.0], [-0.0, 1.0], [1.0, 0.0], [1e-300, 1.0]])
    keys = row_keys(X)
    assert keys[0] == keys[1]
    assert len(set(keys.tolist())) == 3
    assert row_keys(X.astype(np.float32))[0] == keys[0]
