"""Juries and hearings by hand: who may judge which replica, and what the others vote for."""

import numpy as np
import pytest

from freemetric.learners.free_energy.hearing import Hearing, _some
from freemetric.learners.free_energy.jury import Jury
from freemetric.metrics import Calibration, Candidate, Committee, Mixture, Voters
from freemetric.ensemble.model import Ensemble
from freemetric.metrics.views import Scaled

LEFT_OUT = np.arange(36).reshape(3, 12) % 5 < 3  # by three replicas, of twelve judges


@pytest.fixture
def committee(rng):
    X, y = rng.random((12, 2)), np.arange(12) % 3
    plain = Ensemble(Candidate("scaled", "identity", "log-nca"), np.empty((0, 1, 2)))
    one, two = (
        Ensemble(Candidate("scaled", "full", "log-nca"), rng.standard_normal((n_replicas, 2, 2)))
        for n_replicas in (1, 2)
    )
    weights = np.array([[0.3, 0.0, 0.1], [0.0, 0.2, 0.0], [0.1, 0.0, 0.3]])
    mixture = Mixture(weights, Calibration(1.0, np.zeros(3)))
    return Committee({"scaled": Scaled.of(X)}, [one, plain, two], mixture, Voters(X, y, 3))


def test_a_jury_knows_what_every_replica_left_out(committee):
    """Plain neighbours have one space, which left everybody out."""
    jury = Jury.of(np.arange(12), [LEFT_OUT[:1], LEFT_OUT[1:]])
    first, everyone, others = jury.left_out(committee.ensembles)
    np.testing.assert_array_equal(first, LEFT_OUT[:1])
    np.testing.assert_array_equal(everyone, np.ones((1, 12), dtype=bool))
    np.testing.assert_array_equal(others, LEFT_OUT[1:])


def test_a_hearing_asks_the_others_in_spaces_that_left_the_judge_out(committee, rng):
    X, y = committee.voters.X, committee.voters.y
    judges = np.flatnonzero(LEFT_OUT[0] & LEFT_OUT[1:].any(axis=0))  # every ensemble has left them out
    assert 3 < len(judges) < 12
    hearing = Hearing(committee, Jury.of(np.arange(12), [LEFT_OUT[:1], LEFT_OUT[1:]]), 99, 99, 99)
    np.testing.assert_array_equal(hearing.judges, judges)
    Q = X[judges] + 0.2 * rng.random((len(judges), 2))
    V, U = committee.views["scaled"](X), committee.views["scaled"](Q)
    expected = np.zeros((len(judges), 3))
    for number, row in enumerate(judges):
        others = np.arange(12) != row
        one, two = committee.ensembles[0].maps, committee.ensembles[2].maps[LEFT_OUT[1:, row]]
        for maps, weights in zip((one, [np.eye(2)], two), committee.mixture.weights, strict=True):
            for A in maps:
                nearest = y[others][np.argsort(np.linalg.norm((V[others] - U[number]) @ np.transpose(A), axis=1))]
                for k in (1, 2, 3):
                    expected[number] += weights[k - 1] / len(maps) * np.bincount(nearest[:k], minlength=3) / k
    np.testing.assert_allclose(hearing.shares(Q, np.arange(len(judges))), expected, atol=1e-6)


@pytest.mark.parametrize(("n", "most", "some"), [(3, 5, [0, 1, 2]), (3, 3, [0, 1, 2]), (9, 3, [0, 4, 8])])
def test_some_are_from_all_over(n, most, some):
    assert _some(n, most).tolist() == some
