"""Figures draw what the statistics and the records hold, and no two labels overlap."""

import itertools

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from freemetric.bench import figures
from freemetric.bench.figures import interval_figure, save, scatter_figure
from freemetric.bench.records import BenchJob, Record
from freemetric.bench.tables import published_errors
from freemetric.mc import Annealing, Constant

mpl.use("Agg")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    figures.plt.close("all")


def test_error_against_k_shows_the_mean_of_the_splits():
    records = [Record(BenchJob("a", "nca", 0, f), errors=[4.0 + f, 2.0, 3.0]) for f in (0, 1)]
    records.append(Record(BenchJob("a", "rf", 0, 0), errors=[1.5]))
    axes = figures.neighbors_figure(records, "a").axes[0]
    lines = {line.get_label(): line for line in axes.lines}
    np.testing.assert_allclose(lines["nca"].get_ydata(), [4.5, 2, 3])
    np.testing.assert_allclose(lines["rf"].get_ydata(), 1.5)
    with pytest.raises(ValueError, match="There are no records of 'b'"):
        figures.neighbors_figure(records, "b")


def test_snapshots_go_from_the_start_to_the_learned_map(iris):
    figure = figures.snapshots_figure(*iris, n_snapshots=4, sampler=Annealing(Constant(1e-3), n_steps=6))
    assert [axis.get_title() for axis in figure.axes] == ["step 0", "step 2", "step 5", "step 7"]
    assert "1.00" in figure.axes[0].get_xlabel()  # the identity


def test_the_race_has_a_line_for_every_optimiser():
    curves = {"a": (np.array([0.1, 0.5]), np.array([0.2, 0.1])), "b": (np.array([0.2]), np.array([0.3]))}
    lines = figures.race_figure(curves).axes[0].lines
    assert [line.get_label() for line in lines] == ["a: 0.1000", "b: 0.3000"]


def test_every_annealing_and_quench_is_drawn(iris):
    X, y = iris[0][::3], iris[1][::3]
    axes = figures.annealing_figure(X, y, n_runs=3, n_steps=8).axes[0]
    energies = [line.get_ydata() for line in axes.lines if len(line.get_ydata())]
    assert len(energies) == 6
    assert all((np.diff(quench) <= 1e-6).all() for quench in energies[:3])
    assert any((np.diff(annealing) > 1e-6).any() for annealing in energies[3:])
    words = [text.get_text() for text in axes.get_legend().get_texts()]
    assert words[0] == f"3 quenches, median end {np.median([quench[-1] for quench in energies[:3]]):.4f}"


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
def test_labels_of_the_intervals_stay_apart(table, request):
    errors = request.getfixturevalue(table)
    figure = interval_figure(errors, errors.columns[-1])
    ax = figure.axes[0]
    texts = [*ax.get_yticklabels(), *ax.get_xticklabels(), ax.xaxis.label, *ax.get_legend().get_texts()]
    assert not overlap(labels(figure, texts))


@pytest.mark.slow
@pytest.mark.parametrize("table", [pytest.param("errors", marks=pytest.mark.slow), "close_methods"])
def test_labels_of_the_scatter_plots_stay_apart(table, request):
    errors = request.getfixturevalue(table)
    figure = scatter_figure(errors, errors.columns[-1])
    assert len(figure.axes) == errors.shape[1] - 1
    ticks = [label for ax in figure.axes for label in [*ax.get_xticklabels(), *ax.get_yticklabels()]]
    assert not overlap(labels(figure, [*(ax.title for ax in figure.axes), *figure.texts, *ticks]))


def test_intervals_fill_the_methods_inside(errors):
    lines = [line for line in interval_figure(errors, "DMLFE").axes[0].lines if line.get_marker() == "o"]
    filled = [line for line in lines if line.get_markerfacecolor() != "white"]
    assert (len(lines), len(filled)) == (13, 5)  # DMLFE, RF, DMLMJ, LMNN, NCA


def test_scatter_shows_each_data_set(errors):
    panel = scatter_figure(errors, "DMLFE").axes[0]
    assert np.array_equal(panel.collections[0].get_offsets(), errors[["RF", "DMLFE"]])


@pytest.mark.parametrize(
    ("ending", "start"), [pytest.param("png", b"\x89PNG", marks=pytest.mark.slow), ("svg", b"<?xml")]
)
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
        for figure in (interval_figure(table, control), scatter_figure(table, control)):
            save(figure, tmp_path / "figure.png")


def test_one_clear_line(errors):
    with pytest.raises(ValueError, match="no other method"):
        scatter_figure(errors[["NCA"]], "NCA")
    with pytest.raises(ValueError, match="two methods"):
        interval_figure(errors[["NCA"]], "NCA")
    for draw in (interval_figure, scatter_figure):
        with pytest.raises(ValueError, match="The control 'kNN' is not a method"):
            draw(errors, "kNN")
