"""Figures draw what the statistics say, and no two labels overlap."""

import itertools

import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from freemetric.bench.critical_difference import interval_figure, rank_diagram, save, scatter_figure
from freemetric.bench.tables import published_errors


@pytest.fixture(scope="module")
def errors():
    return published_errors()


@pytest.fixture(scope="module")
def close_methods():
    values = np.random.default_rng(0).normal(20, 1, (35, 15))
    return pd.DataFrame(values, columns=[f"method-number-{i}" for i in range(15)])


def labels(figure, texts):
    renderer = FigureCanvasAgg(figure).get_renderer()
    figure.draw(renderer)
    return [text.get_window_extent(renderer) for text in texts if text.get_text() and text.get_visible()]


def overlap(boxes):
    return [(a, b) for a, b in itertools.combinations(boxes, 2) if a.overlaps(b)]


@pytest.mark.parametrize("table", ["errors", "close_methods"])
def test_labels_of_the_diagram_stay_apart(table, request):
    errors = request.getfixturevalue(table)
    figure = rank_diagram(errors)
    ax = figure.axes[0]
    assert len(ax.texts) == errors.shape[1] + 1
    assert not overlap(labels(figure, [*ax.texts, *ax.get_xticklabels()]))


@pytest.mark.parametrize("table", ["errors", "close_methods"])
def test_labels_of_the_intervals_stay_apart(table, request):
    errors = request.getfixturevalue(table)
    figure = interval_figure(errors, errors.columns[-1])
    ax = figure.axes[0]
    texts = [*ax.get_yticklabels(), *ax.get_xticklabels(), ax.xaxis.label, *ax.get_legend().get_texts()]
    assert not overlap(labels(figure, texts))


@pytest.mark.parametrize("table", ["errors", "close_methods"])
def test_labels_of_the_scatter_plots_stay_apart(table, request):
    errors = request.getfixturevalue(table)
    figure = scatter_figure(errors, errors.columns[-1])
    assert len(figure.axes) == errors.shape[1] - 1
    ticks = [label for ax in figure.axes for label in [*ax.get_xticklabels(), *ax.get_yticklabels()]]
    assert not overlap(labels(figure, [*(ax.title for ax in figure.axes), *figure.texts, *ticks]))


def test_diagram_joins_what_nemenyi_cannot_part(errors):
    bars = [line.get_xdata() for line in rank_diagram(errors).axes[0].lines if line.get_linewidth() == 4]
    spans = sorted((round(min(bar), 2), round(max(bar), 2)) for bar in bars)
    assert spans[0] == (3.38, 5.99)  # DMLFE to NCA
    assert all(high - low < 3.0409 for low, high in spans)


def test_intervals_fill_the_methods_inside(errors):
    lines = [line for line in interval_figure(errors, "DMLFE").axes[0].lines if line.get_marker() == "o"]
    filled = [line for line in lines if line.get_markerfacecolor() != "white"]
    assert (len(lines), len(filled)) == (13, 5)  # DMLFE, RF, DMLMJ, LMNN, NCA


def test_scatter_shows_each_data_set(errors):
    panel = scatter_figure(errors, "DMLFE").axes[0]
    assert np.array_equal(panel.collections[0].get_offsets(), errors[["RF", "DMLFE"]])


@pytest.mark.parametrize(("ending", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml")])
def test_saved_twice_is_the_same_file(errors, tmp_path, ending, start):
    for name in "ab":
        save(interval_figure(errors, "DMLFE"), tmp_path / f"{name}.{ending}")
    first = (tmp_path / f"a.{ending}").read_bytes()
    assert first.startswith(start)
    assert first == (tmp_path / f"b.{ending}").read_bytes()


def test_two_methods_ties_and_holes(errors, tmp_path):
    pair = errors[["NCA", "DMLFE"]].copy()
    pair.iloc[0, 0] = np.nan
    tied = pd.DataFrame(0.0, index=range(4), columns=list("abc"))
    for table, control in [(pair, "DMLFE"), (tied, "a")]:
        for figure in (rank_diagram(table), interval_figure(table, control), scatter_figure(table, control)):
            save(figure, tmp_path / "figure.png")


def test_one_clear_line(errors):
    with pytest.raises(ValueError, match="no other method"):
        scatter_figure(errors[["NCA"]], "NCA")
    with pytest.raises(ValueError, match="two methods"):
        rank_diagram(errors[["NCA"]])
    for draw in (interval_figure, scatter_figure):
        with pytest.raises(ValueError, match="The control 'kNN' is not a method"):
            draw(errors, "kNN")
