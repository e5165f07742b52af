"""Figures draw what the statistics, the records and the walks hold."""

import re

import matplotlib as mpl
import numpy as np
import pytest

from freemetric.experiments import figures
from freemetric.experiments.demo import draw
from freemetric.experiments.paper import published_errors
from freemetric.experiments.records import Job, Record

mpl.use("Agg")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    figures.plt.close("all")


@pytest.fixture
def few(iris):
    return iris[0][::3], iris[1][::3]


def test_intervals_fill_the_methods_inside():
    figure = figures.interval_figure(published_errors(), "DMLFE")
    figure.canvas.draw()
    points = [line for line in figure.axes[0].lines if line.get_marker() == "o"]
    filled = [p for p in points if p.get_markerfacecolor() != "white"]
    assert (len(points), len(filled)) == (13, 5)  # DMLFE, RF, DMLMJ, LMNN, NCA
    labels = figure.axes[0].get_legend().get_texts()
    assert labels[0].get_text() == "Nemenyi, ±3.04"


def test_error_against_k_is_the_mean_of_the_splits():
    records = [
        Record(Job("a", "nca", 0, f), errors=[4.0 + f, 2.0, 3.0]) for f in (0, 1)
    ]
    records.append(Record(Job("a", "rf", 0, 0), errors=[1.5]))
    axes = figures.neighbors_figure(records, ["a"]).axes[0]
    lines = {line.get_label(): line.get_ydata() for line in axes.lines}
    np.testing.assert_allclose(lines["nca"], [4.5, 2, 3])
    np.testing.assert_allclose(lines["rf"], 1.5)
    with pytest.raises(ValueError, match="There are no records of 'b'"):
        figures.neighbors_figure(records, ["b"])


def test_snapshots_go_from_the_start_to_the_end(few):
    figure = figures.snapshots_figure(*few, n_snapshots=3, n_steps=4)
    titles = [axes.get_title() for axes in figure.axes[:3]]
    np.testing.assert_array_equal(figure.axes[3].images[0].get_array(), np.eye(4))
    assert [title.split(",")[0] for title in titles] == ["step 0", "step 2", "step 4"]


def test_quenches_never_rise_and_annealings_do(few):
    figure = figures.annealing_figure({"iris": few}, n_runs=3, n_steps=8)
    walks = [line.get_ydata() for line in figure.axes[0].lines if len(line.get_ydata())]
    assert len(walks) == 6
    assert all((np.diff(walk) <= 1e-6).all() for walk in walks[:3])
    assert any((np.diff(walk) > 1e-6).any() for walk in walks[3:])
    assert [walk[0] for walk in walks[:3]] == [walk[0] for walk in walks[3:]]


def test_a_learned_map_parts_the_classes():
    before, after = figures.intuition_figure().axes
    energies = [float(axes.get_title().split()[-1]) for axes in (before, after)]
    assert energies[0] > 0.4
    assert energies[1] < 0.2


def test_trials_are_accepted_as_metropolis_says(few):
    figure = figures.trials_figure(*few, n_trials=12, temperature=1e-6)
    outcomes = [axes.get_title().split("\n") for axes in figure.axes]
    for numbers, outcome in outcomes:
        rise = float(re.search(r"= ([+-][\d.]+)", numbers)[1])
        assert outcome == ("rejected" if rise > 0 else "accepted")
    assert len({outcome for _, outcome in outcomes}) == 2


def test_pairs_are_below_where_the_control_is_better():
    published = published_errors()
    figure = figures.pairwise_figure(published)
    assert [axes.get_title() for axes in figure.axes] == list(figures.FAMILIES)
    texts = [t.get_text() for t in figure.axes[3].get_legend().get_texts()]
    below = (published["DMLFE"] < published["NCA"]).sum()
    assert texts[1] == f"NCA: {below} of 36 below"


@pytest.mark.slow
def test_the_picture_of_the_demo(tmp_path):
    path = draw(tmp_path / "out")
    assert path.name == "demo.png"
    assert path.read_bytes().startswith(b"\x89PNG")
