import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from freemetric import DMLFE, FreeEnergyClassifier, Recipe
from freemetric.display import TraceDisplay
from freemetric.display.style import COLORS
from freemetric.mc import Annealing, Constant, ElementMove


@pytest.fixture(scope="module")
def walker(iris):
    quenches = Annealing(Constant(1e-3), ElementMove(0.5), n_steps=8, n_replicas=3)
    return DMLFE(sampler=quenches, init="random", random_state=0).fit(*iris)


def test_the_band_holds_all_replicas_around_their_median(walker):
    energy, temperature, acceptance = TraceDisplay.from_estimator(walker).ax_
    trace = walker.trace_
    np.testing.assert_allclose(energy.lines[0].get_ydata(), np.median(trace["energy"], axis=1))
    np.testing.assert_allclose(temperature.lines[0].get_ydata(), 1e-3)
    np.testing.assert_allclose(acceptance.lines[0].get_ydata(), trace["acceptance"].mean(axis=1))
    corners = energy.collections[0].get_paths()[0].vertices
    for step, row in enumerate(trace["energy"], start=1):
        heights = corners[corners[:, 0] == step, 1]
        assert (heights.min(), heights.max()) == (row.min(), row.max())


def test_lines_are_the_replicas(walker):
    axes = TraceDisplay.from_estimator(walker, lines=True).ax_
    for axis, name in zip(axes, ("energy", "temperature", "acceptance"), strict=True):
        lines = np.column_stack([line.get_ydata() for line in axis.lines])
        np.testing.assert_allclose(lines, walker.trace_[name])
        assert (axis.lines[0].get_xdata() == np.arange(1, 9)).all()


def test_replicas_of_different_temperatures_are_lines():
    trace = {"energy": np.ones((4, 2)), "acceptance": np.full((4, 2), 0.5), "temperature": np.tile([1e-3, 1.0], (4, 1))}
    axes = TraceDisplay(trace).plot().ax_
    assert [len(axis.lines) for axis in axes] == [2, 2, 2]
    assert axes[1].get_yscale() == "log"


def test_many_replicas_have_the_colours_of_their_temperatures(classifier):
    energy, temperature, _ = TraceDisplay.from_estimator(classifier).ax_
    own, number = np.unique(classifier.trace_["temperature"][0], return_inverse=True)
    assert len(energy.lines) == len(number) == 20
    assert [line.get_color() for line in energy.lines] == [COLORS[i] for i in number]
    assert [tick.get_text() for tick in temperature.get_yticklabels()] == [f"{T:.2g}" for T in own]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("lines", [True, False])
def test_replicas_may_end_earlier(lines):
    energy = np.array([[3.0, 2], [1, 1], [0, np.nan]])
    trace = {"energy": energy, "temperature": 0 * energy + 0.1, "acceptance": np.where(energy > 0, 1.0, 0 * energy)}
    axes = TraceDisplay(trace).plot(lines=lines).ax_
    drawn = np.column_stack([line.get_ydata() for line in axes[0].lines])
    np.testing.assert_allclose(drawn, energy if lines else [[2.5], [1], [0]])
    assert axes[2].lines[0].get_ydata()[-1] == 2 / 3  # of three steps


def test_trials_that_are_a_step_each_are_averaged_over_ten():
    accepted = np.array([1, 0, 1, 1, 0, 1, 1, 1, 0, 1, 1, 0, 0, 1.0])
    trace = dict.fromkeys(("energy", "temperature"), np.ones((14, 1))) | {"acceptance": accepted[:, None]}
    drawn = TraceDisplay(trace).plot().ax_[2].lines[0].get_ydata()
    np.testing.assert_allclose(drawn, [accepted[max(0, i - 9) : i + 1].mean() for i in range(14)])


def test_finds_the_walker_in_a_pipeline_and_in_a_classifier(classifier, iris):
    model = make_pipeline(MinMaxScaler(), DMLFE(sampler=Annealing(n_steps=2), random_state=0)).fit(*iris)
    np.testing.assert_allclose(
        TraceDisplay.from_estimator(model).ax_[0].lines[0].get_ydata(), model[1].trace_["energy"][:, 0]
    )
    assert TraceDisplay.from_estimator(classifier).trace is classifier.trace_


def test_one_clear_line(nca, walker, iris):
    plain = FreeEnergyClassifier(recipe=Recipe(candidates=["scaled/identity"])).fit(*iris)
    with pytest.raises(ValueError, match="FreeEnergyClassifier has sampled no metric, so there is no trace to show"):
        TraceDisplay.from_estimator(plain)
    with pytest.raises(TypeError, match="walks by Monte Carlo, such as DMLFE; NCA is none"):
        TraceDisplay.from_estimator(nca)
    with pytest.raises(ValueError, match="is not fitted yet"):
        TraceDisplay.from_estimator(DMLFE())
    with pytest.raises(ValueError, match="needs 3 axes, got 2"):
        TraceDisplay.from_estimator(walker, ax=TraceDisplay.from_estimator(walker).ax_[:2])
