"""Scores against scikit-learn and against drawn targets."""

import numpy as np
import pytest
from sklearn.metrics import (
    brier_score_loss,
    log_loss,
    mean_absolute_error,
    mean_pinball_loss,
    r2_score,
    root_mean_squared_error,
)

from freemetric.experiments.scores import (
    LEVELS,
    percent_wrong,
    prediction_scores,
    probability_scores,
    truth_scores,
)


@pytest.fixture
def predicted(rng):
    y = rng.normal(size=500)
    quantiles = np.sort(rng.normal(size=(500, len(LEVELS))), axis=1)
    ends = [np.c_[np.full(500, -width), np.full(500, width)] for width in (1, 2, 3)]
    return y, y + rng.normal(size=500), quantiles, np.array(ends, dtype=float)


def test_numbers(predicted):
    y, mean, quantiles, intervals = predicted
    scores = prediction_scores(y, mean, quantiles, intervals)
    assert scores["r2"] == pytest.approx(r2_score(y, mean), rel=1e-5)
    assert scores["mae"] == pytest.approx(mean_absolute_error(y, mean), rel=1e-5)
    assert scores["rmse"] == pytest.approx(root_mean_squared_error(y, mean), rel=1e-5)
    losses = [
        mean_pinball_loss(y, column, alpha=q)
        for column, q in zip(quantiles.T, LEVELS, strict=True)
    ]
    assert scores["pinball"] == pytest.approx(np.mean(losses), rel=1e-5)
    assert scores["width"] == [2.0, 4.0, 6.0]
    assert scores["coverage"] == [np.mean(abs(y) <= width) for width in (1, 2, 3)]


def test_the_truth_is_the_mean_of_drawn_targets(predicted, rng):
    _, mean, _, intervals = predicted
    f, s = rng.normal(size=500), np.linspace(0.2, 2, 500)
    scores = truth_scores(f, s, mean, intervals)
    Y = f + s * rng.standard_normal((4000, 500))
    inside = (intervals[:, None, :, 0] <= Y) & (intervals[:, None, :, 1] >= Y)
    for name, part in (
        ("", slice(None)),
        ("_quiet", slice(125)),
        ("_loud", slice(375, 500)),
    ):
        found = inside[:, :, part].mean(axis=(1, 2))
        np.testing.assert_allclose(scores[f"coverage{name}"], found, atol=5e-3)
    squares = np.mean((Y - mean) ** 2)
    assert scores["excess"] + scores["noise"] == pytest.approx(squares, rel=0.01)
    assert "coverage_loud" not in truth_scores(f, np.ones(500), mean, intervals)


def test_probabilities(rng):
    P = rng.dirichlet(np.ones(2), 50)
    y = rng.integers(0, 2, 50)
    scores = probability_scores(P, y)
    assert scores["log_loss"] == pytest.approx(log_loss(y, P), abs=1e-6)
    assert scores["brier"] == pytest.approx(brier_score_loss(y, P[:, 1]), abs=1e-6)


def test_errors_in_percent():
    y = np.array([0, 1, 1])
    assert percent_wrong(np.array([0, 0, 1]), y) == 33.333333
    both = np.array([[0, 1], [1, 0], [1, 1]])
    assert percent_wrong(both, y) == [0.0, 66.666667]
