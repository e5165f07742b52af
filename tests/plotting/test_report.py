import base64
import hashlib
import json
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from freemetric import DMLFE, GMML, LFDA, MetricKNeighborsClassifier, PairClassifier
from freemetric.plotting import report, sections as page_sections

from .models import Classifier, Regressor, Table

graph_objects = pytest.importorskip("plotly.graph_objects")
pytest.importorskip("jinja2")

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
FETCHES = {"src", "href", "action", "data", "srcset", "poster"}


class Page(HTMLParser):
    """The tags, texts, scripts and figures of a page."""

    def __init__(self, path):
        super().__init__()
        self.tags = []
        self.scripts = []
        self.texts = []
        self.feed(path.read_text(encoding="utf-8"))
        self.text = " ".join(" ".join(self.texts).split())
        figures = next(text for tags, text in self.scripts if tags.get("id"))
        self.figures = json.loads(figures)["figures"]
        self.headings = re.findall(r"## (.*?) ##", self.text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag == "h2":
            self.texts.append("##")

    def handle_endtag(self, tag):
        if tag == "h2":
            self.texts.append("##")

    def handle_data(self, data):
        tag, attributes = self.tags[-1] if self.tags else ("", {})
        if tag == "script" and data.strip():
            self.scripts.append((attributes, data))
        elif tag != "style":
            self.texts.append(data)


def written(model, folder, *samples, **options):
    return Page(report(model, folder / "page.html", *samples, **options))


@pytest.fixture
def flowers(iris):
    X = pd.DataFrame(iris[0], columns=["sepal", "width", "petal", "depth"])
    return X, np.array(["setosa", "versicolor", "virginica"])[iris[1]]


ALL = ["Votes", "Features", "Learned space", "Predictions", "Neighbours"]


@pytest.mark.parametrize(
    ("model", "has_X", "has_y", "headings"),
    [
        (Classifier(), True, True, ALL),
        (Classifier(), False, False, ALL[:4]),
        (Classifier(), True, False, ALL[:3] + ALL[4:]),
        (LFDA(), True, True, ["Features", "Learned space", "Neighbours"]),
        (LFDA(), False, False, ["Features"]),
        (make_pipeline(MinMaxScaler(), Classifier()), True, True, ALL),
        (MetricKNeighborsClassifier(LFDA(), random_state=0), True, True, ALL),
        (DMLFE(random_state=0), False, False, ["Features", "Monte Carlo run"]),
    ],
)
def test_the_page_shows_what_there_is(model, has_X, has_y, headings, flowers, tmp_path):
    X, y = flowers
    model.fit(X, y)
    page = written(model, tmp_path, X if has_X else None, y if has_y else None)
    assert page.headings == headings
    for figure in page.figures:
        graph_objects.Figure(figure)  # plotly knows all of its names
    places = [tag for tag in page.tags if tag[1].get("class") == "figure"]
    assert len(places) == len(page.figures)
    assert type(model).__name__ in page.text


def test_nothing_is_fetched_and_no_other_script_runs(flowers, tmp_path):
    page = written(Classifier().fit(*flowers), tmp_path, *flowers)
    assert not [tag for tag in page.tags if FETCHES & set(tag[1])]
    policy = next(
        tag["content"] for name, tag in page.tags if name == "meta" and "content" in tag
    )
    assert policy.startswith("default-src 'none'")
    run = [text for tag, text in page.scripts if not tag]
    allowed = set(re.findall(r"'sha256-(.*?)'", policy))
    digests = [hashlib.sha256(text.encode()).digest() for text in run]
    assert {base64.b64encode(digest).decode() for digest in digests} == allowed
    assert "script-src 'unsafe-inline'" not in policy


def test_hostile_names_stay_texts(tmp_path, rng):
    labels = np.array([HOSTILE, "<b>bold</b>"])[np.arange(40) % 2]
    X = pd.DataFrame(rng.normal(size=(40, 2)), columns=[HOSTILE, "%{x} <i>"])
    model = Classifier().fit(X, labels)
    model.selection_["view"][:3] = "<u>x"
    page = written(model, tmp_path, X, labels, title=HOSTILE)
    names = {name for name, _ in page.tags}
    assert not names & {"img", "b", "i", "u"}
    assert len(page.scripts) == 3  # plotly, the figures, and what draws them
    assert HOSTILE in page.text
    plain = json.dumps(page.figures, ensure_ascii=False)
    assert "<script" not in plain
    assert "<b>" not in plain
    assert "&lt;b&gt;bold&lt;/b&gt;" in plain
    lines = [line for figure in page.figures for line in figure["data"]]
    assert not any("%{x}" in str(line.get("texttemplate")) for line in lines)


def test_the_figures_show_what_the_displays_show(flowers, tmp_path):
    X, y = flowers
    model = Classifier().fit(X, y)
    page = written(model, tmp_path, X, y)
    votes, importances, space, confusion, _ = page.figures
    names = [line["name"] for line in votes["data"]]
    assert names == ["quantiles/identity: 90%", "scaled/full: 10%"]
    ticks = importances["layout"]["yaxis"]["ticktext"]
    assert ticks == ["sepal", "width", "petal", "depth"]  # the largest on top
    assert [line["name"] for line in space["data"]] == sorted(set(y))
    assert space["data"][1]["text"][0] == "row 50: versicolor"
    wrong = 1 - model.oob_score_
    assert confusion["layout"]["title"]["text"] == f"{wrong:.1%} of 150 samples wrong"
    assert f"{model.oob_score_:.4f}" in page.text
    assert "quantiles/identity 90.0% 2" in page.text
    assert "density 'a density' 0.25 trees 'some trees' 1.5" in page.text


def test_a_regression_has_intervals_for_new_samples(rng, tmp_path):
    X = rng.normal(size=(90, 2))
    y = 9 * X[:, 0]
    model = Regressor().fit(X[:50], y[:50])
    page = written(model, tmp_path, X[50:], y[50:])
    inside = page.figures[-1]["data"][1]
    assert_allclose(inside["error_y"]["array"], 9)
    assert "none of them is a training sample" in page.text
    assert "density 'a density' 4 trees 'some trees' 6" in page.text
    assert "out of bag" in written(model, tmp_path, X[:50], y[:50]).text


def test_a_table_shows_the_names_of_its_columns(rng, tmp_path):
    n = 60
    frame = pd.DataFrame({"size": rng.normal(size=n), "colour": ["red", "blue"] * 30})
    y = np.where(frame["size"] > 0, "large", "small")
    page = written(Table().fit(frame, y), tmp_path, frame, y)
    ticks = page.figures[1]["layout"]["yaxis"]["ticktext"]
    assert ticks == ["colour_blue", "colour_red", "size"]
    assert page.headings == ALL


def test_neighbours_of_the_most_surprising_rows(flowers, tmp_path):
    X, y = flowers
    model = Classifier().fit(X, y)
    page = written(model, tmp_path, X, y)
    P = model.oob[np.arange(150), np.unique(y, return_inverse=True)[1]]
    expected = np.argsort(P, kind="stable")[:4]
    shown = [int(row) for row in re.findall(r"Row (\d+) row distance", page.text)]
    assert shown == expected.tolist()


def test_a_classifier_of_pairs_shows_its_space(flowers, tmp_path):
    X, y = flowers
    pairs = np.stack([X.to_numpy()[:-1], X.to_numpy()[1:]], axis=1)
    alike = np.where(y[:-1] == y[1:], 1, -1)
    model = PairClassifier(GMML()).fit(pairs, alike)
    page = written(model, tmp_path, X.to_numpy(), y)
    assert page.headings == ["Features", "Learned space", "Neighbours"]


def test_large_tables_are_sampled(monkeypatch, flowers, tmp_path):
    monkeypatch.setattr(page_sections, "MOST_SAMPLES", 40)
    X, y = flowers
    page = written(LFDA().fit(X, y), tmp_path, X, y)
    assert "A random sample of 40 of 150 rows" in page.text
    assert sum(len(group["x"]) for group in page.figures[1]["data"]) == 40


def test_an_interrupted_write_leaves_the_old_file(monkeypatch, flowers, tmp_path):
    model = LFDA().fit(*flowers)
    path = report(model, tmp_path / "page.html")
    before = path.read_bytes()

    def full(*_):
        raise OSError("No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(OSError, match="No space"):
        report(model, path, *flowers)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_mistakes_are_named_before_any_work(flowers, tmp_path):
    model = LFDA().fit(*flowers)
    with pytest.raises(FileNotFoundError, match=r"no folder .*nowhere"):
        report(model, tmp_path / "nowhere" / "page.html")
    with pytest.raises(ValueError, match="y needs X"):
        report(model, tmp_path / "page.html", y=flowers[1])
