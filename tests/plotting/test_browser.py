"""A real browser draws the page; skipped where playwright or Chromium is missing."""

import shutil

import numpy as np
import pandas as pd
import pytest

from freemetric.plotting import report

from .models import Classifier
from .test_report import HOSTILE

sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright")
GRAPHICS = ["--use-gl=angle", "--use-angle=swiftshader"]
GRAPHICS += ["--enable-unsafe-swiftshader"]  # there may be no graphics card


@pytest.fixture
def page():
    """A page of a browser; ``page.troubles`` lists what goes wrong on it."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_api.sync_playwright() as driver:
        try:
            browser = driver.chromium.launch(executable_path=program, args=GRAPHICS)
        except sync_api.Error as problem:
            pytest.skip(str(problem).splitlines()[0])
        page = browser.new_page()
        page.troubles = []
        for event in ("pageerror", "dialog"):
            page.on(event, lambda trouble: page.troubles.append(str(trouble)))
        yield page
        browser.close()


def test_a_hostile_page_is_drawn_and_runs_nothing(page, tmp_path, rng):
    labels = np.array([HOSTILE, "<a href='javascript:alert(3)'>"])[np.arange(40) % 2]
    X = pd.DataFrame(rng.normal(size=(40, 2)), columns=[HOSTILE, "<b>bold</b>"])
    path = report(Classifier().fit(X, labels), tmp_path / "page.html", X, labels)
    requests = []
    page.on("request", lambda request: requests.append(request.url))
    page.goto(path.as_uri())
    page.wait_for_function("document.querySelectorAll('.main-svg').length > 0")
    assert page.locator(".figure .plot-container").count() == 5
    assert "<b>bold</b>" in page.locator(".ytick").all_text_contents()
    assert page.locator(".figure a, .figure img, section img").count() == 0
    assert page.troubles == []
    assert requests == [path.as_uri()]
