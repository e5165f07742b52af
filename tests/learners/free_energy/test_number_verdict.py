"""How votes for numbers are read: strengths in closed form, laws of errors as quantiles of copies."""

import numpy as np
import pytest

from freemetric.learners.free_energy import number_verdict
from freemetric.learners.free_energy.number_verdict import Judged, _law, _strengths, read
from freemetric.metrics import Told

TOLD = Told(np.zeros(3), np.array([4.0, 16.0, 4.0]))  # a target, its square, and a trend


@pytest.mark.parametrize("prior", [0.05, 2.0])
def test_strengths_of_terms_that_are_orthogonal(prior):
    """Each is shrunk by the prior as if so many rows had said one of the votes, and nothing of trends."""
    terms, w = np.array([[2, 1, 3], [2, 1, -1], [2, -1, 3], [2, -1, -1.0]]), np.array([1, 3, 1, 3.0])
    y = terms @ [0.5, 0.8, -0.2]  # what is negative is left out
    expected = [(0.5 + prior) / (1 + prior), 0.8 / (1 + prior), 0.0]
    np.testing.assert_allclose(_strengths(terms, y, w, prior), expected, atol=1e-12)


@pytest.mark.parametrize(("y", "centre"), [([], 0.0), ([3.0], 3.0)], ids=["nobody", "one"])
def test_votes_are_read_as_they_are_where_hardly_anybody_judges(y, centre):
    judged = Judged(np.full((len(y), 6), 1 / 6), np.full((1, len(y)), 1.0), np.array(y))
    found = read(TOLD, judged)
    assert found.centre == centre
    assert found.strengths.tolist() == [1, 0, 0]
    assert found.errors.tolist() == [-1, 0, 1]


def test_the_centre_is_the_weighted_mean():
    judged = Judged(np.full((3, 6), 1 / 6), np.ones((1, 3)), np.array([1.0, 2.0, 6.0]), np.array([1.0, 1.0, 2.0]))
    assert read(TOLD, judged).centre == pytest.approx((1 + 2 + 12) / 4)


@pytest.mark.parametrize("most", [3, 4000])
@pytest.mark.parametrize("weights", [[1, 1, 1, 1, 1], [1, 1, 7, 1, 1], [9, 1, 3, 1, 2]])
def test_errors_count_as_often_as_they_weigh(weights, most, monkeypatch):
    """As many as there are rows: quantiles of a sample that has so many copies of each."""
    monkeypatch.setattr(number_verdict, "MOST_ERRORS", most)
    errors, n = np.array([0.9, -0.5, 0.1, 0.4, -0.2]), min(5, most)
    copies = np.repeat(errors, weights)
    expected = np.quantile(copies, (np.arange(n) + 0.5) / n, method="inverted_cdf")
    np.testing.assert_array_equal(_law(errors, np.array(weights, dtype=float)), expected)
