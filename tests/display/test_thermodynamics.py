import numpy as np
import pytest

from freemetric import DMLFE
from freemetric.display import ThermodynamicsDisplay
from freemetric.mc import Annealing, Constant, ParallelTempering
from freemetric.thermodynamics import TemperingSettings

pytest.importorskip("pymbar", reason="thermodynamics needs the extra thermo")


def test_curves_and_walks_are_drawn(iris):
    temperatures = (1e-3, 1.5e-3, 2e-3)
    model = DMLFE(2, sampler=ParallelTempering(temperatures, n_steps=60), random_state=0).fit(*iris)
    found = model.thermodynamics()
    display = ThermodynamicsDisplay(found, estimator_name="DMLFE").plot(linewidth=2)
    energies, heat, walks = display.ax_
    F, U = (line.get_ydata() for line in energies.get_lines()[:2])
    np.testing.assert_array_equal(F, found.curves.free_energy)
    np.testing.assert_array_equal(U, found.curves.energy)
    np.testing.assert_array_equal(heat.get_lines()[0].get_ydata(), found.curves.heat_capacity)
    assert len(walks.get_lines()) == 3
    rungs = np.array([line.get_ydata() for line in walks.get_lines()])
    np.testing.assert_array_equal(np.sort(rungs, axis=0), np.repeat([[0], [1], [2]], rungs.shape[1], axis=1))
    assert heat.get_xscale() == "log"


@pytest.mark.slow
def test_overlaps_of_several_ladders_have_a_panel(iris):
    sampler = Annealing(Constant(1e-3), n_steps=5)
    X, y = iris[0][::3], iris[1][::3]
    model = DMLFE(2, sampler=sampler, random_state=0).fit(X, y)
    settings = TemperingSettings(n_steps=20, n_rungs=5, n_rounds=1)
    found = model.thermodynamics(X, y, settings=settings, random_state=0)
    display = ThermodynamicsDisplay(found).plot()
    assert [ax.get_ylabel() for ax in display.ax_] == ["F, U", "C", "q", "rung"]
    whole = found.recording.ladder.coupling == 1
    drawn = display.ax_[2].get_lines()[-1].get_ydata()
    np.testing.assert_allclose(drawn, np.median(found.recording.overlaps[:, 0, whole], axis=0))
