import numpy as np
import pytest

from freemetric.plotting import ComparisonDisplay, critical_difference

# Areas under curves of four variants of C4.5 on 14 data sets: table 6 of Demsar 2006.
AREAS = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.9751, 0.975],  # he ranks the third before the fourth
        [0.957, 0.978, 0.946, 0.970],
    ]
)
NAMES = ["C4.5", "+m", "+cf", "+m+cf"]


@pytest.mark.parametrize(
    ("n_methods", "q"), [(2, 1.960), (4, 2.569), (7, 2.949), (10, 3.164)]
)
def test_critical_values_are_the_published_ones(n_methods, q):
    n_sets = n_methods * (n_methods + 1) / 6  # the root becomes one
    assert critical_difference(n_methods, n_sets) == pytest.approx(q, abs=1e-3)


def test_ranks_are_the_published_ones():
    display = ComparisonDisplay.from_errors(1 - AREAS, NAMES, alpha=0.1)
    assert display.names == ["+m+cf", "+m", "+cf", "C4.5"]
    np.testing.assert_allclose(display.ranks, [1.964, 2.0, 2.893, 3.143], atol=5e-4)
    assert display.difference == pytest.approx(1.12, abs=5e-3)
    # As he says: C4.5 is worse than +m and +m+cf; +cf may belong to either.
    assert display.groups() == [("+m+cf", "+m", "+cf"), ("+cf", "C4.5")]


def test_sets_with_gaps_do_not_count():
    errors = 1 - AREAS
    errors[3, 1] = np.nan
    display = ComparisonDisplay.from_errors(errors)
    assert display.n_sets == 13
    assert sorted(display.names) == ["0", "1", "2", "3"]
    with pytest.raises(ValueError, match="two methods on one data set"):
        ComparisonDisplay.from_errors([[np.nan, 1.0]])


def test_the_method_of_interest_has_a_colour():
    display = ComparisonDisplay.from_errors(1 - AREAS, NAMES, highlight="+cf")
    colors = {text.get_text().strip(): text.get_color() for text in display.ax_.texts}
    other = colors["+m (2.00)"]
    unlike = [name for name, color in colors.items() if color != other]
    assert "(2.89) +cf" in unlike
