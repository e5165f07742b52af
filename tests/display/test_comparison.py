import itertools

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from scipy.stats import rankdata

from freemetric.bench.tables import published_errors
from freemetric.display import ComparisonDisplay


@pytest.fixture(scope="module")
def errors():
    return published_errors()


@pytest.fixture(scope="module")
def close_methods():
    values = np.random.default_rng(0).normal(20, 1, (35, 15))
    return pd.DataFrame(values, columns=[f"method-number-{i}" for i in range(15)])


def bars(axis):
    spans = [line.get_xdata() for line in axis.lines if line.get_linewidth() == 4]
    return sorted((round(min(span), 6), round(max(span), 6)) for span in spans)


@pytest.mark.parametrize("table", ["errors", "close_methods"])
def test_joins_what_scikit_posthocs_joins(table, request):
    sp = pytest.importorskip("scikit_posthocs")
    errors = request.getfixturevalue(table)
    display = ComparisonDisplay.from_errors(errors)
    reference = plt.figure().subplots()
    sp.critical_difference_diagram(
        display.ranks, sp.posthoc_nemenyi_friedman(errors), ax=reference, crossbar_props={"linewidth": 4}
    )
    assert bars(display.ax_) == bars(reference)


def test_ranks_of_any_table(errors):
    truth = rankdata(errors, axis=1).mean(axis=0)
    for table in (errors, {name: errors[name].tolist() for name in errors}, errors.to_numpy()):
        display = ComparisonDisplay.from_errors(table)
        np.testing.assert_allclose(display.ranks.sort_values(), np.sort(truth))
        assert display.n_sets == 36
    assert display.critical_difference == pytest.approx(3.0409, abs=1e-4)


def test_groups_by_hand():
    display = ComparisonDisplay(pd.Series({"c": 3.0, "a": 1.0, "b": 2.0, "d": 9.0}), 1.5, n_sets=4)
    assert display.groups() == [("a", "b"), ("b", "c")]
    assert ComparisonDisplay(pd.Series({"a": 1.0, "b": 2.0}), 1.0, n_sets=4).groups() == []


def test_a_hole_leaves_its_data_set_out(errors):
    holed = errors.copy()
    holed.iloc[3, 2] = np.nan
    display = ComparisonDisplay.from_errors(holed)
    assert display.n_sets == 35
    assert display.left_out == (errors.index[3],)


@pytest.mark.parametrize("table", ["errors", "close_methods"])
def test_labels_stay_apart_and_inside(table, request):
    display = ComparisonDisplay.from_errors(request.getfixturevalue(table))
    display.figure_.canvas.draw()
    texts = [*display.ax_.texts, *display.ax_.get_xticklabels()]
    boxes = [text.get_window_extent() for text in texts if text.get_text()]
    assert not any(a.overlaps(b) for a, b in itertools.combinations(boxes, 2))
    assert all(display.figure_.bbox.contains(*box.min) and display.figure_.bbox.contains(*box.max) for box in boxes)


def test_follows_the_colours_of_the_style(errors):
    with plt.style.context("dark_background"):
        display = ComparisonDisplay.from_errors(errors, highlight="DMLFE")
    colors = {text.get_text().split()[0]: text.get_color() for text in display.ax_.texts}
    assert colors["RF"] == "white"
    assert colors["DMLFE"] != "white"


def test_one_clear_line(errors):
    with pytest.raises(ValueError, match="two methods"):
        ComparisonDisplay.from_errors(errors[["NCA"]])
    with pytest.raises(ValueError, match="'kNN' is not a method"):
        ComparisonDisplay.from_errors(errors, highlight="kNN")
    with pytest.raises(ValueError, match="Errors must be numbers"):
        ComparisonDisplay.from_errors({"a": ["x", "y"], "b": [1, 2]})
