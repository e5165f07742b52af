"""The page about thermodynamics: what is on it, in a real browser too."""

import json
import re

import numpy as np
import pytest

from freemetric.report import write_thermodynamics
from freemetric.thermodynamics import TemperingSettings, described, temper

from ..mc.test_physics import Well

pytest.importorskip("plotly", reason="the page needs plotly")
pytest.importorskip("pymbar", reason="thermodynamics needs the extra thermo")


@pytest.fixture(scope="module")
def found():
    """Of a harmonic well: U = T and C = 1 for its two elements."""
    settings = TemperingSettings(n_steps=300, n_rungs=6)
    return described(temper(Well(), np.zeros((1, 2)), 0.5, (0.1, 1.0), settings, random_state=0), 0.2)


def shown(path):
    return json.loads(re.search(r'id="data">(.*?)</script>', path.read_text(encoding="utf-8"), re.DOTALL)[1])


def test_the_page_holds_what_was_found(found, tmp_path):
    path = write_thermodynamics(found, tmp_path / "a.html", title="a <b>well</b>")
    data, text = shown(path), path.read_text(encoding="utf-8")
    assert "a &lt;b&gt;well&lt;/b&gt;" in text
    np.testing.assert_allclose(data["curves"]["energy"], data["temperature"], rtol=0.3)
    for name in ("free_energy", "heat_capacity"):
        np.testing.assert_allclose(data["curves"][name], getattr(found.curves, name), rtol=1e-4)
        np.testing.assert_allclose(data["errors"][name], found.curves.errors[name], rtol=1e-4)
    assert data["search"] == 0.2
    recording = found.recording
    whole = recording.ladder.coupling == 1
    q = recording.overlaps[:, 0, whole][:, ::-1]
    np.testing.assert_allclose(np.sum(data["overlaps"]["shares"], axis=1), 1, atol=0.01)
    np.testing.assert_allclose(data["overlaps"]["shares"][0][-1], (q[:, 0] >= 0.96).mean(), atol=0.001)
    np.testing.assert_allclose(data["overlaps"]["quantiles"][1], np.median(q, axis=0), rtol=1e-4)
    rungs = np.array(data["walks"]["rungs"])
    np.testing.assert_array_equal(np.sort(rungs, axis=0), np.repeat(np.arange(6)[:, None], rungs.shape[1], axis=1))
    np.testing.assert_array_equal(5 - recording.places()[0, 0], rungs[:, 0])


def test_one_chain_has_neither_overlaps_nor_walks(found, tmp_path):
    run = found.recording._replace(overlaps=np.empty((0, 0, 0)))
    run = run._replace(
        ladder=type(run.ladder)(*(part[-1:] for part in run.ladder)),
        energy=run.energy[:, :, -1:],
        confinement=run.confinement[:, :, -1:],
        swaps=run.swaps[:, :, :0],
    )
    path = write_thermodynamics(described(run, 0.1), tmp_path / "b.html")
    assert shown(path)["overlaps"] is None
    assert shown(path)["walks"] is None
    assert 'id="overlaps-plot"' not in path.read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("width", [400, 1280])
def test_every_figure_is_drawn(visit, found, tmp_path, width):
    page = visit(write_thermodynamics(found, tmp_path / "a.html"), {"width": width, "height": 900})
    for plot in ("energies-plot", "heat-plot", "entropy-plot", "histogram-plot", "overlaps-plot", "walks-plot"):
        assert page.evaluate("id => document.getElementById(id).querySelectorAll('.main-svg').length", plot) > 0, plot
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    heights = "Array.from(document.getElementById('histogram-plot').data[0].y)"
    coldest = page.evaluate(heights)
    page.locator("#rung").fill("2")
    assert page.evaluate(heights) == shown(tmp_path / "a.html")["overlaps"]["shares"][2] != coldest
    assert page.inner_text("#at").startswith("T = ")
