"""The page: complete for every model, small, harmless, and written whole or not at all."""

import base64
import hashlib
import importlib
import re
import sys
from html.parser import HTMLParser

import numpy as np
import pytest

from freemetric import NCA
from freemetric.exceptions import DataWarning
from freemetric.report import document, write
from freemetric.report import page as page_module

from .conftest import SECTIONS

KINDS = ["DMLFE", "DMLFE without rows", "NCA", "unlabelled rows", "FreeEnergyClassifier"]
KINDS += ["FreeEnergyClassifier on other rows", "MetricKNeighborsClassifier", "its rows", "pipeline"]


class Tags(HTMLParser):
    """What a browser would find: tags with attributes, and texts."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.texts, self.open = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_data(self, text):
        self.texts.append(text)

    def named(self, tag):
        return [attributes for name, attributes in self.tags if name == tag]


@pytest.mark.parametrize("kind", KINDS)
def test_every_section_is_there(models, page, kind):
    text, _ = page(*models[kind])
    tags = Tags(text)
    assert [section["id"] for section in tags.named("section")] == list(SECTIONS)
    ids = [attributes["id"] for _, attributes in tags.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    for figure in (attributes for _, attributes in tags.tags if "plot" in attributes.get("class", "")):
        assert len(figure["aria-label"]) > 20


@pytest.mark.slow
def test_what_is_shown_of_whom(models, page):
    shown = {kind: {name for name, part in page(*models[kind])[1].items() if part} for kind in KINDS}
    everything = {"classes", "rows", "spaces", "motion", "traces", "metric", "weights", "curves", "confusion"}
    everything |= {"explanations"}
    assert shown["FreeEnergyClassifier"] == everything | {"importances"}
    assert shown["DMLFE"] == everything - {"curves"}
    assert shown["DMLFE without rows"] == {"classes", "traces", "metric", "weights"}
    assert shown["NCA"] == everything - {"curves", "motion", "traces"}
    assert shown["unlabelled rows"] == everything - {"curves", "motion", "traces", "confusion"}
    assert shown["MetricKNeighborsClassifier"] == everything - {"motion", "traces"}
    assert shown["its rows"] == everything - {"curves"}
    assert shown["pipeline"] == everything - {"curves", "motion", "traces"}


@pytest.mark.slow
def test_ten_thousand_rows_stay_below_eight_megabytes(tmp_path, rng):
    X, y = rng.standard_normal((10_001, 20)), rng.integers(4, size=10_001)
    model = NCA().fit(X[:200, :], y[:200])
    model.snapshots_ = {"step": np.arange(60), "map": np.linspace(0.1, 1, 60)[:, None, None] * model.components_}
    path = write(model, tmp_path / "large.html", X, y)
    assert path.stat().st_size < 8e6
    assert "random sample: 10,000 of 10,001 rows" in path.read_text(encoding="utf-8")


@pytest.mark.slow
def test_wide_data_stays_small(tmp_path, rng):
    X = rng.standard_normal((500, 1500))
    with pytest.warns(DataWarning, match="Fewer samples"):
        model = NCA(n_components=2).fit(X[:30], np.arange(30) % 2)
    model.snapshots_ = {"step": np.arange(60), "map": np.linspace(0.1, 1, 60)[:, None, None] * model.components_}
    assert write(model, tmp_path / "wide.html", X, np.arange(500) % 2).stat().st_size < 8e6


def test_no_note_where_all_rows_are_shown(models, page):
    assert "random sample" not in page(*models["NCA"])[0]


def test_names_stay_names(hostile, hostile_model, page):
    text, data = page(hostile_model, title=hostile[0])
    assert [c["name"] for c in data["classes"]] == sorted(hostile[:3])
    assert data["explanations"]["features"][:3] == hostile[:3]
    assert data["explanations"]["features"][3].endswith("&lt;i&gt;</a>   ñ日本")  # without what turns a line round
    tags = Tags(text)
    assert not tags.named("img")
    assert not tags.named("b")
    assert len(tags.named("script")) == 3
    assert all("javascript:" not in attributes.get("href", "") for attributes in tags.named("a"))
    assert any(hostile[0] in text for text in tags.texts)
    block = re.search(r'id="data">(.*?)</script>', text, re.DOTALL)[1]
    assert not set("<>&\u2028\u2029") & set(block)


def test_the_policy_allows_our_scripts_alone(models, page):
    text, _ = page(*models["NCA"])
    policy = next(m for m in Tags(text).named("meta") if m.get("http-equiv") == "Content-Security-Policy")["content"]
    script = re.search(r'<script type="module">(.*?)</script>', text, re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert f"'sha256-{digest}'" in rules["script-src"]
    assert "unsafe" not in rules["script-src"]
    assert rules["default-src"] == "'none'"
    assert not re.search(r"(src|href)=[\"']?(https?:)?//", text)


def test_the_same_model_gives_the_same_page(models, page):
    assert page(*models["FreeEnergyClassifier"])[0] == page(*models["FreeEnergyClassifier"])[0]


def test_an_old_report_survives_a_failure(models, tmp_path, monkeypatch):
    path = tmp_path / "report.html"
    path.write_text("old")
    monkeypatch.setattr(document, "_digest", lambda script: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        write(*models["NCA"][:1], path, *models["NCA"][1:])
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_place_that_takes_no_file_is_said_before_the_work(models, tmp_path, monkeypatch):
    monkeypatch.setattr(page_module, "collect", None)
    with pytest.raises(FileNotFoundError, match=r"No such file or directory: '.*nowhere.a\.html'$"):
        write(models["NCA"][0], tmp_path / "nowhere" / "a.html")
    with pytest.raises(OSError, match=r"Is a folder or a device, and no file: "):
        write(models["NCA"][0], tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_names_of_ones_own(models, page):
    model, X, y = models["NCA"]
    _, data = page(model, X, y, feature_names=list("abcd"), class_names=["x", "y", "z"])
    assert sorted(data["weights"]["names"]) == list("abcd")
    assert [c["name"] for c in data["classes"]] == ["x", "y", "z"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"feature_names": ["a"]}, "must name 4 features, got 1"),
        ({"class_names": ["a"]}, "must name 3 classes, got 1"),
    ],
)
def test_wrong_names(models, page, options, message):
    with pytest.raises(ValueError, match=message):
        page(*models["NCA"], **options)


def test_labels_need_rows(models, page):
    with pytest.raises(ValueError, match="give both"):
        page(models["NCA"][0], None, models["NCA"][2])


@pytest.mark.parametrize("missing", ["plotly", "jinja2"])
def test_one_line_where_an_extra_is_missing(models, tmp_path, monkeypatch, missing):
    def find(name):
        if name.startswith(missing):
            raise ModuleNotFoundError(name=missing)
        return importlib.import_module(name)

    monkeypatch.setattr(sys.modules["freemetric.extras"], "import_module", find)
    with pytest.raises(ImportError, match=rf"^This needs {missing}: pip install 'freemetric\[report\]'\.$"):
        write(models["NCA"][0], tmp_path / "report.html")


def test_a_name_that_is_no_text(models, page):
    model, X, y = models["NCA"]
    text, _ = page(model, X, y, title="half a pair \ud83d", feature_names=["\x00", "a" * 500, "\u202e", 4])
    assert "<h1>half a pair  </h1>" in text
