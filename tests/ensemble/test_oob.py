"""Out-of-bag predictions by hand: which replicas left a sample out, and what the other samples vote for."""

import numpy as np
import pytest

from freemetric.ensemble.model import Ensemble
from freemetric.ensemble.oob import OOBIndices, OOBPredictor, some_of
from freemetric.ensemble.tasks.classification import ClassificationHead
from freemetric.metrics import Candidate, ClassEncoding, Member, TrainingSet
from freemetric.metrics.views import Scaled

LEFT_OUT = np.arange(36).reshape(3, 12) % 5 < 3  # by three replicas, of twelve samples


@pytest.fixture
def ensemble(rng):
    X, y = rng.random((12, 2)), np.arange(12) % 3
    plain = Member(Candidate("scaled", "identity", "log-nca"), np.empty((0, 1, 2)))
    one, two = (
        Member(Candidate("scaled", "full", "log-nca"), rng.standard_normal((n_replicas, 2, 2))) for n_replicas in (1, 2)
    )
    weights = np.array([[0.3, 0.0, 0.1], [0.0, 0.2, 0.0], [0.1, 0.0, 0.3]])
    training_set, head = TrainingSet(X, y, ClassEncoding(3)), ClassificationHead(1.0, np.zeros(3))
    return Ensemble({"scaled": Scaled.of(X)}, [one, plain, two], weights, training_set, head)


def test_indices_know_what_every_replica_left_out(ensemble):
    """Plain neighbours have one space, which left everybody out."""
    indices = OOBIndices.of(np.arange(12), [LEFT_OUT[:1], LEFT_OUT[1:]])
    first, everyone, others = indices.left_out(ensemble.members)
    np.testing.assert_array_equal(first, LEFT_OUT[:1])
    np.testing.assert_array_equal(everyone, np.ones((1, 12), dtype=bool))
    np.testing.assert_array_equal(others, LEFT_OUT[1:])


def test_the_others_vote_in_spaces_that_left_the_sample_out(ensemble, rng):
    X, y = ensemble.training_set.X, ensemble.training_set.y
    samples = np.flatnonzero(LEFT_OUT[0] & LEFT_OUT[1:].any(axis=0))  # every member has left them out
    assert 3 < len(samples) < 12
    indices = OOBIndices.of(np.arange(12), [LEFT_OUT[:1], LEFT_OUT[1:]])
    predictor = OOBPredictor(ensemble, indices, 99, 99, 99)
    np.testing.assert_array_equal(predictor.oob_samples, samples)
    Q = X[samples] + 0.2 * rng.random((len(samples), 2))
    V, U = ensemble.views["scaled"](X), ensemble.views["scaled"](Q)
    expected = np.zeros((len(samples), 3))
    for number, row in enumerate(samples):
        others = np.arange(12) != row
        one, two = ensemble.members[0].maps, ensemble.members[2].maps[LEFT_OUT[1:, row]]
        for maps, weights in zip((one, [np.eye(2)], two), ensemble.weights, strict=True):
            for A in maps:
                nearest = y[others][np.argsort(np.linalg.norm((V[others] - U[number]) @ np.transpose(A), axis=1))]
                for k in (1, 2, 3):
                    expected[number] += weights[k - 1] / len(maps) * np.bincount(nearest[:k], minlength=3) / k
    np.testing.assert_allclose(predictor.shares(Q, np.arange(len(samples))), expected, atol=1e-6)


@pytest.mark.parametrize(("n", "most", "some"), [(3, 5, [0, 1, 2]), (3, 3, [0, 1, 2]), (9, 3, [0, 4, 8])])
def test_some_are_from_all_over(n, most, some):
    assert some_of(n, most).tolist() == some
