import numpy as np
import pandas as pd
import pytest

from freemetric.plotting import report

from ..chromium import chromium, note_troubles
from .models import Classifier

pytest.importorskip("plotly")

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"


def test_a_hostile_page_is_drawn_and_runs_nothing(tmp_path, rng):
    labels = np.array([HOSTILE, "<a href='javascript:alert(3)'>"])[np.arange(40) % 2]
    X = pd.DataFrame(rng.normal(size=(40, 2)), columns=[HOSTILE, "<b>bold</b>"])
    path = report(Classifier().fit(X, labels), tmp_path / "page.html", X, labels)
    troubles = []
    requests = []
    with chromium() as browser:
        page = browser.new_page()
        note_troubles(page, troubles)
        page.on("request", lambda request: requests.append(request.url))
        page.goto(path.as_uri())
        page.wait_for_function("document.querySelectorAll('.main-svg').length > 0")
        drawn = page.locator(".figure .plot-container").count()
        ticks = page.locator(".ytick").all_text_contents()
        assert page.locator(".figure a, .figure img, section img").count() == 0
    assert drawn == 5
    assert "<b>bold</b>" in ticks
    assert troubles == []
    assert requests == [path.as_uri()]
