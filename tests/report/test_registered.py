"""Views and forms of users' own are reported unasked: on the page and on the card."""

import base64

import numpy as np
import pytest

from freemetric.report import panels
from freemetric.report.card import drawn_card
from freemetric.report.collect import collect

from ..display.toys import toy_model


@pytest.fixture(scope="module")
def model(iris):
    with toy_model(*iris) as model:
        yield model


def test_the_page_is_whole(model, page, iris):
    for rows in ((), (iris[0][:90] + 0.01, iris[1][:90])):
        text, data = page(model, *rows)
        assert all(part for name, part in data.items() if name != "targets")
        assert "(toy, twice)" in text
        assert data["curves"]["curves"]


def test_frames_are_seen_through_the_form(model, iris):
    findings = collect(model)
    shown = panels.motion(findings)
    seen = np.frombuffer(base64.b64decode(shown["maps"]["f4"]), "<f4").reshape(-1, 3, 8)
    V = model.views_["toy"](iris[0])
    last = (V - V.mean(axis=0)) @ seen[-1].T
    space = V @ (2 * model.snapshots_["map"][-1]).T
    variances = np.sort(np.linalg.eigvalsh(np.cov(space.T, bias=True)))[-3:]
    np.testing.assert_allclose(np.sort(last.var(axis=0)), variances, rtol=1e-3)


def test_the_card_names_the_kind(model):
    assert f"toy/twice, T = {model.temperature_:.2g}" in drawn_card(model)
