"""Fitted models of every kind, and what a page says."""

import json
import re

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from freemetric import DMLFE, NCA, FreeEnergyClassifier, MetricKNeighborsClassifier
from freemetric.mc import Annealing, Geometric
from freemetric.report import write

from ..chromium import chromium, note_troubles

DESKTOP = {"width": 1280, "height": 900}
SECTIONS = ("space", "run", "traces", "features", "metric", "neighbors", "confusion", "rows", "about")


@pytest.fixture(scope="session")
def walker(iris):
    sampler = Annealing(Geometric(0.1, 0.8), n_steps=20, n_replicas=3)
    return DMLFE(sampler=sampler, random_state=0).fit(*iris)


@pytest.fixture(scope="session")
def classifier(iris):
    X, y = iris
    return FreeEnergyClassifier(n_replicas=12, random_state=0).fit(X[::2], y[::2])


@pytest.fixture(scope="session")
def models(iris, walker, classifier):
    X, y = iris
    nca = NCA().fit(X, y)
    return {
        "DMLFE": (walker, X, y),
        "DMLFE without rows": (walker, None, None),
        "NCA": (nca, X, y),
        "unlabelled rows": (nca, X, None),
        "FreeEnergyClassifier": (classifier, None, None),
        "FreeEnergyClassifier on other rows": (classifier, X[1::2], y[1::2]),
        "MetricKNeighborsClassifier": (MetricKNeighborsClassifier(NCA(), random_state=0).fit(X, y), None, None),
        "its rows": (MetricKNeighborsClassifier(DMLFE(random_state=0), n_neighbors=3).fit(X, y), X, y),
        "pipeline": (make_pipeline(MinMaxScaler(), NCA(), KNeighborsClassifier(3)).fit(X, y), X[:100], y[:100]),
    }


@pytest.fixture
def page(tmp_path):
    """Write a report and read it back: the text, and the data in it."""

    def make(model, X=None, y=None, **options):
        text = write(model, tmp_path / "report.html", X, y, **options).read_text(encoding="utf-8")
        return text, json.loads(re.search(r'id="data">(.*?)</script>', text, re.DOTALL)[1])

    return make


@pytest.fixture(scope="session")
def hostile():
    """Names that want to be more than names."""
    return [
        "<img src=x onerror=window.hit=1>",
        "</script><script>window.hit=1</script>",
        """"'`${window.hit=1}{{7*7}}%{x}%s<b>bold</b>""",
        "<a href='javascript:window.hit=1'>&lt;i&gt;</a>\u2028\u2029\u202eñ日本",
    ]


@pytest.fixture(scope="session")
def hostile_model(hostile):
    """A model whose columns and classes have those names."""
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.standard_normal((60, 4)), columns=hostile)
    y = np.array(hostile)[np.arange(60) % 3]
    X.iloc[:, 0] += np.arange(60) % 3
    return FreeEnergyClassifier(n_replicas=24, random_state=0).fit(X, y)


@pytest.fixture(scope="module")
def browser():
    with chromium() as browser:
        yield browser


@pytest.fixture
def visit(browser):
    """Open a file; afterwards nothing may have gone wrong, and nothing may have been asked of the network."""
    contexts, troubles = [], []

    def go(path, viewport=DESKTOP, **options):
        contexts.append(browser.new_context(viewport=viewport, **options))
        page = contexts[-1].new_page()
        note_troubles(page, troubles)
        page.on("request", lambda r: r.url.startswith(("file:", "data:", "blob:")) or troubles.append(r.url))
        page.goto(path.as_uri())
        page.wait_for_selector("html[data-ready]", state="attached", timeout=120_000)
        return page

    yield go
    for context in contexts:
        context.close()
    assert troubles == []
