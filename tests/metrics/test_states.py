"""States that nobody writes are refused: each differs in one place from one that is read."""

import numpy as np
import pytest

from freemetric.ensemble.model import Ensemble
from freemetric.ensemble.tasks.classification import ClassificationHead
from freemetric.ensemble.tasks.regression import RegressionHead
from freemetric.ensemble.tasks.scales import Scale
from freemetric.metrics import Candidate, ClassEncoding, Member, TargetEncoding, TrainingSet
from freemetric.metrics.trends import LinearTrend
from freemetric.metrics.views import Scaled

X = np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 1.0], [2.0, 2.0, 0.0]])


def member(shape):
    return Member(Candidate("scaled", "identity", "log-nca"), np.empty(shape))


def ensemble(weights):
    training_set, head = TrainingSet(X, np.array([0, 1, 1]), ClassEncoding(2)), ClassificationHead(1.0, np.zeros(2))
    return Ensemble({"scaled": Scaled.of(X)}, [member((0, 1, 3))], np.array(weights), training_set, head)


def head(seen):
    encoding, noise = TargetEncoding(np.zeros(2), np.ones(2)), LinearTrend([Scaled.of(X)], np.zeros(3), 0.0)
    noises, scale = [noise], Scale("linear", 0.0, 1.0)
    return RegressionHead(encoding, 0.0, np.ones(1), np.zeros(3), np.zeros(1), [], noises, np.array([seen]), scale)


@pytest.mark.parametrize(
    ("make", "good", "bad", "said"),
    [
        (ensemble, [[0.75, 0.25]], [[1.25, -0.25]], "weights of Ensemble"),
        (ensemble, [[0.75, 0.25]], [[0.75, 0.26]], "weights of Ensemble"),
        (ensemble, [[0.75, 0.25]], [[0.75, 0.25, 0.0]], "weights of Ensemble"),  # more neighbours than other samples
        (member, (0, 1, 3), (0, 1, 0), "maps of Member"),
        (member, (0, 1, 3), (2, 1, 3), "maps of Member"),
        (head, [-1.0, 1.0], [1.0, -1.0], "seen of RegressionHead"),
        (head, [1.0, 1.0], [1.0, 1.0, 1.0], "seen of RegressionHead"),
    ],
)
def test_a_state_that_nobody_writes(make, good, bad, said):
    assert type(make(good)).from_state(make(good).to_state()) is not None
    with pytest.raises(ValueError, match=said):
        type(make(bad)).from_state(make(bad).to_state())
