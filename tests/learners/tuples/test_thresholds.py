"""The best threshold is the best of all that could be tried."""

from functools import partial

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, fbeta_score, precision_score, recall_score

from freemetric.learners.tuples.classifiers import best_threshold


def rate(truth, said, of, at_least):
    """Recall of one kind where that of the other is large enough, else -1."""
    return (
        recall_score(truth, said, pos_label=of)
        if recall_score(truth, said, pos_label=not of) >= at_least
        else -1
    )


GOALS = [
    ({}, accuracy_score),
    *(
        (
            {"strategy": "f_beta", "beta": b},
            partial(fbeta_score, beta=b, zero_division=0),
        )
        for b in (0.3, 1, 4)
    ),
    ({"strategy": "f_beta", "beta": 0}, partial(precision_score, zero_division=0)),
    *(
        ({"strategy": "max_tpr", "min_rate": r}, partial(rate, of=True, at_least=r))
        for r in (0, 0.4, 1)
    ),
    *(
        ({"strategy": "max_tnr", "min_rate": r}, partial(rate, of=False, at_least=r))
        for r in (0, 0.4, 1)
    ),
]


@pytest.mark.parametrize(
    ("goal", "measure"), GOALS, ids=[str(goal) for goal, _ in GOALS]
)
@pytest.mark.parametrize(
    "seed",
    [
        0,
        pytest.param(1, marks=pytest.mark.slow),
        pytest.param(2, marks=pytest.mark.slow),
    ],
)
def test_no_other_threshold_is_better(goal, measure, seed):
    rng = np.random.default_rng(seed)
    scores = rng.integers(-8, 0, size=40) / 4.0  # many are equal
    similar = rng.random(40) < 0.3 + 0.2 * (scores > -1)
    tried = [scores.min() - 1, *np.unique(scores), scores.max() + 1]
    best = max(measure(similar, scores >= threshold) for threshold in tried)
    assert measure(
        similar, scores >= best_threshold(scores, similar, **goal)
    ) == pytest.approx(best)


@pytest.mark.parametrize("similar", [True, False])
def test_pairs_of_one_kind_are_predicted_right(similar):
    scores = np.array([-3.0, -1.0, -2.0])
    assert ((scores >= best_threshold(scores, [similar] * 3)) == similar).all()
