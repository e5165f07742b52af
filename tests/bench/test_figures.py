import matplotlib as mpl
import numpy as np
import pytest

from freemetric.bench import figures
from freemetric.bench.records import Job, Record
from freemetric.mc import Annealing, Constant

mpl.use("Agg")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    figures.plt.close("all")


def test_error_against_k_shows_the_mean_of_the_splits():
    records = [Record(Job("a", "nca", 0, f), errors=[4.0 + f, 2.0, 3.0]) for f in (0, 1)]
    records.append(Record(Job("a", "rf", 0, 0), errors=[1.5]))
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


def test_annealing_and_every_quench_are_drawn(iris):
    X, y = iris[0][::3], iris[1][::3]
    lines = figures.annealing_figure(X, y, n_quenches=3, n_steps=8).axes[0].lines
    energies = [line.get_ydata() for line in lines if len(line.get_ydata())]
    assert len(energies) == 4
    assert all((np.diff(quench) <= 1e-6).all() for quench in energies[:3])
