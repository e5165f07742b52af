"""The page of an evaluation of numbers: what is on it, in a real browser too, and that it keeps to itself."""

import json
import re

import numpy as np
import pytest

from freemetric.report import write_evaluation
from freemetric.report.evaluation_page import NONE
from freemetric.tabular import Settings, Table, evaluate
from freemetric.tabular.held_out import MOST_PREDICTIONS, NumberPredictions, beside_the_truth, residuals

pytest.importorskip("plotly", reason="the page needs plotly")
QUICK = {"free-energy": {"n_replicas": 6, "recipe__candidates": ["scaled/diagonal"]}, "euclidean": {"n_neighbors": 3}}
FAILS = {"pca": {"n_components": 99}}
FAR = 1e9  # where numbers differ in their last digits alone


def table(name, n=60, of=lambda y: y):
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((2, n))
    return Table(name, {"a": a, "b": b, "y": of(2 * a - b + rng.normal(0, 0.3, n))})


@pytest.fixture(scope="module")
def one(tmp_path_factory):
    """A comparison with intervals, a curve and a method that fails; and its page."""
    more = {"learning_curve": True, "scoring": ("explained_variance",), "task": "regress"}
    settings = Settings(3, 2, parameters=QUICK | FAILS, **more)
    found = evaluate({"a.csv": table("a.csv")}, "y", ["free-energy", "euclidean", "pca"], settings)
    return found, write_evaluation(found, tmp_path_factory.mktemp("one") / "one.html")


@pytest.fixture(scope="module")
def several(hostile, tmp_path_factory):
    """Files of hostile names; numbers of one are spread over decades, those of the other far from zero."""
    tables = {hostile[1]: table("b", of=lambda y: np.exp(2 * y)), hostile[2]: table("c", of=lambda y: FAR + y)}
    found = evaluate(tables, "y", ["free-energy", "euclidean"], Settings(2, 1, parameters=QUICK, task="regress"))
    return found, write_evaluation(found, tmp_path_factory.mktemp("several") / "several.html", title=hostile[0])


def shown(path):
    return json.loads(re.search(r'id="data">(.*?)</script>', path.read_text(encoding="utf-8"), re.DOTALL)[1])


def lines_of(path, label):
    """Cells of a table, as they stand on the page."""
    region = re.search(rf'aria-label="{label}">(.*?)</table>', path.read_text(encoding="utf-8"), re.DOTALL)[1]
    return [re.findall(r"<td>(.*?)</td>", line) for line in re.findall(r"<tr>(.*?)</tr>", region, re.DOTALL)[1:]]


def answers_of(found, file, method):
    """True and predicted numbers of all splits."""
    predicted = [split.predictions for split in found.cells[file, method]]
    return np.concatenate([part.truth for part in predicted]), np.concatenate([part.predicted for part in predicted])


def test_the_page_says_what_was_found(one):
    found, path = one
    scores = {line[0]: line[1:] for line in lines_of(path, "Scores")}
    for method in ("free-energy", "euclidean", "constant"):
        parts = [split.predictions for split in found.cells["a.csv", method]]
        rmse = [np.sqrt(np.mean((part.predicted - part.truth) ** 2)) for part in parts]
        assert float(scores[method][3].split(" ± ")[0]) == pytest.approx(np.mean(rmse), rel=1e-3)
        r2 = found.score("a.csv", method, "r2")
        assert scores[method][1] == f"{r2.mean:.3f} ± {r2.error:.3f}"
    assert scores["euclidean"][4] == NONE  # no quantiles, no pinball loss
    assert scores["pca"][0] == "failed"
    text = path.read_text(encoding="utf-8")
    assert "<dt>always the mean</dt>" in text
    assert "<dt>rows</dt><dd>60</dd>" in text
    assert "explained_variance" in text
    assert "most frequent class" not in text


def test_how_far_predictions_are_off(one):
    found, path = one
    lines = {line[0]: list(map(float, line[1:])) for line in lines_of(path, "How far predictions are off")}
    assert list(lines) == ["free-energy", "euclidean", "constant"]
    for method, (mean, half, most, largest) in lines.items():
        truth, predicted = answers_of(found, "a.csv", method)
        left = np.abs(truth - predicted)
        assert mean == pytest.approx(np.mean(truth - predicted), abs=1e-3 * half)
        assert (half, largest) == pytest.approx((np.median(left), left.max()), rel=1e-3)
        assert np.mean(left <= most) == pytest.approx(0.9, abs=0.02)


def test_what_intervals_are_worth(one):
    found, path = one
    lines = {line[0]: line[1:] for line in lines_of(path, "Coverage and width of intervals")}
    assert list(lines) == ["free-energy", "constant"]
    data = {result["method"]: result["intervals"] for result in shown(path)["results"]}
    assert data["euclidean"] == data["pca"] == []
    for method, words in lines.items():
        for place, (level, held, _, width, _) in enumerate(data[method]):
            ends = [split.predictions.intervals[:, place] for split in found.cells["a.csv", method]]
            truths = [split.predictions.truth for split in found.cells["a.csv", method]]
            inside = [np.mean((e[:, 0] <= y) & (y <= e[:, 1])) for e, y in zip(ends, truths, strict=True)]
            assert level == (80, 90, 95)[place]
            assert held == pytest.approx(100 * np.mean(inside), rel=1e-4)
            assert width == pytest.approx(np.mean([np.ptp(e, axis=1).mean() for e in ends]), rel=1e-4)
            assert words[2 * place].startswith(f"{held:.2f} ± ")


def test_a_page_of_what_json_kept(one, tmp_path):
    found, path = one
    kept = json.loads(re.sub(r"\bNaN\b", "null", json.dumps(found.as_json())))
    assert shown(write_evaluation(kept, tmp_path / "again.html")) == shown(path)


def test_nothing_is_fetched_and_names_stay_text(several):
    text = several[1].read_text(encoding="utf-8")
    assert "default-src &#39;none&#39;" in text
    head = re.sub(r"<(script|style).*?</\1>", "", text, flags=re.DOTALL)
    assert not re.search(r"<(img|link|iframe|script|b>)|https?://|src=['\"]", head)
    assert text.count("<script") == text.count("</script>") == 3


def test_residuals_of_numbers_far_from_zero(several, hostile):
    found, path = several
    predicted = shown(path)["results"][3]["predictions"]
    truth, said = answers_of(found, hostile[2], "free-energy")
    order = np.argsort(truth, kind="stable")
    np.testing.assert_allclose(predicted["left"], (truth - said)[order], rtol=1e-4, atol=1e-6)


def test_of_a_method_without_intervals(tmp_path):
    settings = Settings(2, 1, parameters=QUICK, task="regress")
    found = evaluate({"a": table("a")}, "y", ["euclidean"], settings)
    text = write_evaluation(found, tmp_path / "a.html").read_text(encoding="utf-8")
    assert 'id="predicted-plot"' in text
    assert 'id="coverage-plot"' not in text


@pytest.mark.slow
def test_a_comparison_in_which_all_fails(visit, tmp_path):
    settings = Settings(2, 1, parameters=FAILS, task="regress")
    page = visit(write_evaluation(evaluate({"a": table("a")}, "y", ["pca"], settings), tmp_path / "a.html"))
    assert page.locator("#predicted-plot, #coverage-plot").count() == 0
    assert page.inner_text("#scores tbody tr >> nth=0").split()[:2] == ["pca", "failed"]


def test_of_very_many_rows_some_are_drawn():
    rng = np.random.default_rng(0)
    truth = rng.standard_normal(2 * 5000)
    answers = NumberPredictions(np.arange(10_000), truth, truth + 1, 1.0)
    some = beside_the_truth(answers, repeats=2)
    assert (some["rows"], len(some["truth"])) == (5000, MOST_PREDICTIONS)
    assert (some["truth"][0], some["truth"][-1]) == (truth[:5000].min(), truth[:5000].max())
    np.testing.assert_allclose(np.subtract(some["predicted"], some["truth"]), 1)
    assert residuals(answers) == pytest.approx({"mean": -1, "half": 1, "nine_in_ten": 1, "largest": 1})


def drawn(page, plot, part="x"):
    return page.evaluate(f"id => document.getElementById(id).data.map(t => Array.from(t.{part}))", plot)


@pytest.mark.slow
def test_every_figure_is_drawn(visit, one):
    found, path = one
    page = visit(path)
    for plot in ("scores-plot", "predicted-plot", "residuals-plot", "coverage-plot", "width-plot", "curve-plot"):
        assert page.evaluate("id => document.getElementById(id).querySelectorAll('.main-svg').length", plot) > 0, plot
    titles = page.locator("#score option").all_inner_texts()  # without coverage: more of it is not always better
    assert titles == ["Error", "R²", "MAE", "RMSE", "Pinball", "explained_variance"]
    page.select_option("#score", "mae")
    best = min(found.score("a.csv", method, "mae").mean for method in ("free-energy", "euclidean"))
    assert drawn(page, "scores-plot")[0][0] == pytest.approx(best, rel=1e-4)
    for method in ("euclidean", "free-energy"):
        page.select_option("#method", method)
        truth, predicted = (values[:60] for values in answers_of(found, "a.csv", method))  # of the first repeat
        order = np.argsort(truth)
        np.testing.assert_allclose(drawn(page, "predicted-plot")[1], truth[order], rtol=1e-6)
        np.testing.assert_allclose(drawn(page, "predicted-plot", "y")[1], predicted[order], rtol=1e-6)
        np.testing.assert_allclose(drawn(page, "residuals-plot", "y")[1], (truth - predicted)[order], rtol=1e-4)
    assert len(drawn(page, "coverage-plot")) == 3  # what is promised, what is kept, and the constant answer
    curve = found.learning_curve("a.csv", "euclidean")
    assert drawn(page, "curve-plot", "y")[1] == pytest.approx([point["error"] for point in curve], rel=1e-4)
    assert len(page.locator("#more-rows li").all()) == 2
    assert page.locator("#logarithmic-part").is_hidden()  # numbers below zero
    before = page.evaluate("document.getElementById('width-plot').layout.font.color")
    page.click("#theme")
    assert page.evaluate("document.getElementById('width-plot').layout.font.color") != before


@pytest.mark.slow
def test_numbers_of_many_sizes(visit, several):
    page = visit(several[1])
    kind = "document.getElementById('predicted-plot').layout.xaxis.type"
    assert page.evaluate(kind) != "log"
    page.check("#logarithmic")
    assert page.evaluate(kind) == "log"
    page.select_option("#file", "1")  # whose numbers are all about the same
    assert page.evaluate(kind) != "log"
    assert page.locator("#logarithmic-part").is_hidden()


@pytest.mark.slow
@pytest.mark.parametrize("width", [400, pytest.param(1400, marks=pytest.mark.slow)])
def test_names_do_nothing(visit, several, hostile, width):
    page = visit(several[1], {"width": width, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.inner_text("h1") == hostile[0]
    assert page.locator("#file option").all_inner_texts() == [hostile[1], hostile[2]]
    for plot in ("scores-plot", "predicted-plot", "coverage-plot"):
        page.locator(f"#{plot}").scroll_into_view_if_needed()
        box = page.locator(f"#{plot} .nsewdrag").first.bounding_box()
        page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"])
        page.wait_for_timeout(100)
    assert page.evaluate("window.hit") is None
    assert page.locator("img, .plot a, .plot b, td b").count() == 0
