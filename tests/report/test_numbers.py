"""The page and the card of a model of numbers: what they say is what the model says, and nothing is said of classes."""

import base64
import json
import re

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from freemetric import PCA, FreeEnergyRegressor, MetricKNeighborsRegressor, Recipe
from freemetric.report.card import drawn_card

from .conftest import SECTIONS
from .test_page import Tags

NUMBER_SECTIONS = ["predictions" if name == "confusion" else name for name in SECTIONS]


@pytest.fixture(scope="module")
def diabetes():
    return load_diabetes(return_X_y=True, as_frame=True)


@pytest.fixture(scope="module", params=["linear", "log", "asinh"])
def model(diabetes, request):
    X, y = diabetes
    kinds = ["scaled/full", "steps/diagonal", "scaled/identity"]
    return FreeEnergyRegressor(3, recipe=Recipe(candidates=kinds, n_steps=3), scale=request.param, random_state=0).fit(
        X[::4], y[::4]
    )


@pytest.fixture(scope="module")
def kept(model, tmp_path_factory):
    """The page about the rows that a model has kept: its text, and the data in it."""
    text = model.report(tmp_path_factory.mktemp("kept") / "report.html").read_text(encoding="utf-8")
    return text, json.loads(re.search(r'id="data">(.*?)</script>', text, re.DOTALL)[1])


def unpacked(part):
    return np.frombuffer(base64.b64decode(part["f8"]), dtype="<f8")


def visible(text):
    """What a reader sees or hears, without scripts and styles."""
    text = re.sub(r"<(script|style)\b.*?</\1>", "", text, flags=re.DOTALL)
    tags = Tags(text)
    spoken = [attributes[name] for _, attributes in tags.tags for name in ("aria-label", "title") if name in attributes]
    return " ".join(tags.texts + spoken)


def test_rows_that_it_has_kept_are_predicted_out_of_bag(model, diabetes, kept):
    y = diabetes[1].to_numpy()[::4]
    text, data = kept
    known = {name: unpacked(data["targets"][name]) for name in ("truth", "predicted", "low", "high")}
    np.testing.assert_allclose(known["truth"], y, rtol=1e-6)
    np.testing.assert_allclose(known["predicted"], model.oob_prediction_, rtol=1e-6)
    scored = np.isfinite(known["low"])
    assert scored.mean() > 0.9
    held = (known["low"] <= y) & (y <= known["high"])
    assert held[scored].mean() == pytest.approx(0.9, abs=0.03)
    assert f"out-of-bag R² {model.oob_score_:.3g}" in visible(text)
    assert "the replicas that were not fitted on it" in visible(text)


def test_no_word_of_classes(kept):
    text, data = kept
    assert not re.search(r"\b(class|classes|label|labels|wrong|confus\w*|accuracy|Brier)\b", visible(text))
    assert [section["id"] for section in Tags(text).named("section")] == NUMBER_SECTIONS
    everything = {"classes", "rows", "spaces", "motion", "traces", "metric", "importances", "weights", "curves"}
    assert {name for name, part in data.items() if part} == everything | {"targets", "explanations"}
    assert data["importances"]["score"] == "R²"


def test_rows_that_it_has_not_seen(model, diabetes, page):
    X, y = diabetes
    new, truth = X[1::4], y[1::4]
    text, data = page(model, new, truth)
    np.testing.assert_allclose(unpacked(data["targets"]["predicted"]), model.predict(new), rtol=1e-6)
    ends = np.column_stack([unpacked(data["targets"][name]) for name in ("low", "high")])
    np.testing.assert_allclose(ends, model.predict_interval(new, 0.1), rtol=1e-5)
    assert f"held-out R² {model.score(new, truth):.3g}" in visible(text)


def test_the_parts_of_a_number_make_it_up(model, kept):
    """Neighbours, what trends add to them, and the rest; the rest is the mean of the errors, the same on the scale."""
    entries = [entry["story"] for entry in kept[1]["explanations"]["rows"]]
    entries = [story for story in entries if story["neighbors"] is not None]
    log = model.scale_name_ == "log"
    for story in entries:
        added = [story["pull"], story["rest"], *(trend["adds"] for trend in story["trends"])]
        whole = story["neighbors"] * np.prod(added) if log else story["neighbors"] + np.sum(added)
        assert whole == pytest.approx(story["predicted"], rel=1e-5)
    rests, around = (np.array([story[part] for story in entries]) for part in ("rest", "predicted"))
    in_units = {"linear": rests / 77, "log": np.log(rests), "asinh": rests / around}  # 77: the standard deviation
    assert np.abs(in_units[model.scale_name_]).max() < 0.3


def test_neighbours_are_those_of_the_averaged_metric(model, diabetes, kept):
    X = diabetes[0][::4]
    entries = kept[1]["explanations"]["rows"]
    for entry in entries[:5]:
        nearest = model.kneighbors(X.iloc[[entry["row"]]], 4, return_distance=False)[0]
        assert entry["neighbors"][:3] == [row for row in nearest if row != entry["row"]][:3]
        assert entry["own"]["row"] == entry["neighbors"][0]


def test_without_numbers_and_without_rows(model, diabetes, page):
    text, data = page(model, diabetes[0][:20])
    assert data["targets"] is None
    assert "No rows with targets to compare predictions with. Give X and y to the report." in visible(text)
    assert not re.search(r"\bclass(es)?\b", visible(text))


def test_rows_of_no_weight_have_no_prediction(diabetes, page):
    X, y = diabetes
    model = FreeEnergyRegressor(4, recipe=Recipe(candidates=["scaled/full"]), random_state=0)
    model.fit(X[:120], y[:120], sample_weight=np.arange(120) % 4)
    text, data = page(model, X[:120], y[:120])
    assert np.isnan(unpacked(data["targets"]["predicted"]))[::4].all()
    assert "Rows without a weight do not vote." in visible(text)


def test_other_regressors_around_a_metric(diabetes, page):
    X, y = diabetes
    pipeline = make_pipeline(StandardScaler(), PCA(2), KNeighborsRegressor()).fit(X[::4], y[::4])
    text, data = page(pipeline, X[1::4], y[1::4])
    np.testing.assert_allclose(unpacked(data["targets"]["predicted"]), pipeline.predict(X[1::4]), rtol=1e-6)
    assert not data["targets"]["has_intervals"]
    assert "gives no intervals" in visible(text)


def test_means_in_one_space(diabetes, page):
    """The rows that it has kept are predicted by their neighbours, and the page says so."""
    X, y = diabetes[0].to_numpy()[:80], diabetes[1].to_numpy()[:80]
    model = MetricKNeighborsRegressor(PCA(2), 5).fit(X, y)
    text, data = page(model)
    around = model.embedding_[:, None] - model.embedding_[None]
    nearest = np.argsort((around**2).sum(axis=2), axis=1)[:, 1:6]
    np.testing.assert_allclose(unpacked(data["targets"]["predicted"]), y[nearest].mean(axis=1), rtol=1e-6)
    assert "so this is optimistic" in visible(text)
    assert not re.search(r"\bclass(es)?\b", visible(text))


def test_the_card(model):
    card = drawn_card(model)
    said = " ".join(filter(None, (text.strip() for text in Tags(card).texts)))
    assert f"out-of-bag R² {model.oob_score_:.3g}" in said
    assert ("as logarithms" in said) == (model.scale_name_ != "linear")
    assert "trends" in said
    assert "true targets from left to right" in said
    assert not re.search(r"\b(class|classes|accuracy)\b", said.partition("}")[2] if "}" in said else said)
    assert card.count("h0") == len(np.flatnonzero(np.isfinite(model.oob_prediction_))[:200])
