"""The head of regression, against what it stands for."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from freemetric.ensemble.tasks.regression import BEYOND, Prediction, RegressionHead
from freemetric.ensemble.tasks.scales import Scale
from freemetric.metrics import TargetEncoding
from freemetric.metrics.trends import LinearTrend

LINEAR = Scale("linear", 0.0, 1.0)
TREND = LinearTrend([], np.empty(0), 0.0)  # what it says is given to the head


def test_a_prediction_by_hand():
    encoding = TargetEncoding(np.array([0.0, 0.0, 0.0]), np.array([1.0, 1.0, 1.0]))
    values = np.array([[0.2, 0.6], [0.04, 0.36], [0.1, 0.5]])  # target, square and trend of two neighbours
    shares = encoding.votes(values).mean(axis=0)[None] / 3
    strengths, spread = np.array([0.9, 0.2, 0.5]), np.array([0.3, 1.0, 0.5])
    seen = np.array([[-1.0, 0.4]])
    head = RegressionHead(encoding, 0.1, strengths, spread, np.zeros(1), [TREND], [TREND], seen, LINEAR)
    prediction = head(shares, np.array([[0.7], [0.2]]))
    assert prediction.location == pytest.approx(
        0.1 + 0.9 * (0.4 - 0.1) + 0.2 * (0.7 - 0.4) + 0.5 * (0.7 - 0.3), rel=1e-5
    )
    assert prediction.spread == pytest.approx(np.exp(0.3 + 0.5 * 0.2 / 2) * 0.2, rel=1e-4)
    beyond = head(shares, np.array([[0.7], [1e6]])).spread  # noise is not followed to where no sample was
    assert beyond == pytest.approx(np.exp(0.3 + 0.5 * 0.4 / 2) * 0.2, rel=1e-4)


def test_predictions_do_not_leave_the_range_by_much():
    encoding = TargetEncoding(np.array([0.0, 0.0, -9.0]), np.array([1.0, 1.0, 9.0]))
    strengths, nothing_seen = np.array([1.0, 9.0, 9.0]), np.empty((0, 2))
    head = RegressionHead(encoding, 0.0, strengths, np.zeros(2), np.zeros(1), [TREND], [], nothing_seen, LINEAR)
    shares, trends = np.full((1, 6), 1 / 6), np.array([[1e6]])
    terms, _ = head.terms(shares, trends)
    assert terms.max() <= 1 + BEYOND
    assert head(shares, trends).location == 1 + BEYOND


@pytest.mark.parametrize("name", ["linear", "log", "asinh"])
def test_expected_targets_are_means_over_errors(rng, name):
    """Errors that are skewed: were they taken with the other sign, all means would be others."""
    scale, errors = Scale.of(name, np.exp(rng.standard_normal(50))), np.sort(rng.exponential(size=2000))
    encoding = TargetEncoding(np.zeros(2), np.ones(2))
    head = RegressionHead(encoding, 0.0, np.ones(1), np.zeros(2), errors, [], [], np.empty((0, 2)), scale)
    location, spread = np.array([-1.0, 0.0, 0.5]), np.array([0.1, 0.3, 0.2])
    expected = scale.back(location[:, None] + spread[:, None] * errors).mean(axis=1)
    assert_allclose(head.means(Prediction(location, spread)), expected, rtol=1e-2 if name != "linear" else 1e-12)
