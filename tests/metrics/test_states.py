"""States that nobody writes are refused: each differs in one place from one that is read."""

import numpy as np
import pytest

from freemetric.metrics import Calibration, Candidate, Member, Mixture, Reading, TargetEncoding


def mixture(weights):
    return Mixture(np.array(weights), Calibration(1.0, np.zeros(2)))


def member(shape):
    return Member(Candidate("scaled", "identity", "log-nca"), np.empty(shape))


def reading(seen):
    told = TargetEncoding(np.zeros(2), np.ones(2))
    return Reading(told, 0.0, np.ones(1), np.zeros(3), np.zeros(1), np.array([seen]))


@pytest.mark.parametrize(
    ("make", "good", "bad", "said"),
    [
        (mixture, [[0.75, 0.25]], [[1.25, -0.25]], "weights of Mixture"),
        (mixture, [[0.75, 0.25]], [[0.75, 0.26]], "weights of Mixture"),
        (member, (0, 1, 3), (0, 1, 0), "maps of Member"),
        (member, (0, 1, 3), (2, 1, 3), "maps of Member"),
        (reading, [-1.0, 1.0], [1.0, -1.0], "seen of Reading"),
        (reading, [1.0, 1.0], [1.0, 1.0, 1.0], "seen of Reading"),
    ],
)
def test_a_state_that_nobody_writes(make, good, bad, said):
    assert type(make(good)).from_state(make(good).to_state()) is not None
    with pytest.raises(ValueError, match=said):
        type(make(bad)).from_state(make(bad).to_state())
