from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from freemetric import DMLFE, LFDA, SCML
from freemetric.plotting import ThermodynamicsDisplay, TraceDisplay


def test_the_trace_of_every_replica_is_drawn(iris):
    model = make_pipeline(MinMaxScaler(), DMLFE(random_state=0)).fit(*iris)
    display = TraceDisplay.from_estimator(model)
    names = ("energy", "temperature", "acceptance")
    for axis, name in zip(display.ax_, names, strict=True):
        shown = np.array([line.get_ydata() for line in axis.lines]).T
        np.testing.assert_array_equal(shown, model[-1].trace_[name])
    assert display.title() == "DMLFE, number of replicas: 1"


@pytest.mark.parametrize(("hottest", "scale"), [(0.5, "linear"), (5.0, "log")])
def test_temperatures_far_apart_have_a_logarithmic_scale(hottest, scale):
    values = np.full((4, 2), 0.5)
    T = np.tile([hottest, 0.1], (4, 1))
    trace = {"energy": values, "temperature": T, "acceptance": values}
    assert TraceDisplay(trace).plot().ax_[1].get_yscale() == scale


@pytest.mark.parametrize("learner", [LFDA(), SCML(random_state=0)])
def test_other_learners_have_no_trace_to_show(learner, iris):
    with pytest.raises(TypeError, match="Monte Carlo learner such as DMLFE"):
        TraceDisplay.from_estimator(learner.fit(*iris))


def test_bands_are_two_standard_errors():
    T = np.array([0.5, 1.0, 2.0])
    names = ("free_energy", "energy", "entropy", "heat_capacity")
    curves = SimpleNamespace(temperature=T, **dict.fromkeys(names, T))
    curves.errors = dict.fromkeys(names, np.full(3, 0.1))
    curves.crossover = SimpleNamespace(value=0.7, error=0.1)
    display = ThermodynamicsDisplay(curves).plot()
    corners = display.ax_[1].collections[0].get_paths()[0].vertices
    assert corners[:, 1].min() == pytest.approx(0.5 - 0.2)
    assert [len(axis.lines) for axis in display.ax_] == [3, 2, 2]
