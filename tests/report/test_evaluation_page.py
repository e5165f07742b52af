"""The page of an evaluation: what is on it, in a real browser too, and that it keeps to itself."""

import json
import re

import numpy as np
import pytest

from freemetric.report import write_evaluation
from freemetric.tabular import Settings, Table, evaluate

pytest.importorskip("plotly", reason="the page needs plotly")
QUICK = {"rf": {"n_estimators": 10}, "euclidean": {"n_neighbors": 3}, "pca": {"n_components": 99}}


def table(name, classes, n):
    rng = np.random.default_rng(0)
    y = np.arange(n) % len(classes)
    X = rng.standard_normal((n, 2)) + 1.5 * rng.standard_normal((len(classes), 2))[y]
    names = np.array([classes[c] for c in y], dtype=object)
    return Table(name, {"a": X[:, 0], "b": X[:, 1], "class": names})


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    """A comparison with two classes, a curve and a method that fails; and its page."""
    settings = Settings(3, 2, parameters=QUICK, learning_curve=True, scoring=("average_precision",))
    found = evaluate({"two.csv": table("two.csv", ["no", "yes"], 90)}, "class", ["euclidean", "rf", "pca"], settings)
    return found, write_evaluation(found, tmp_path_factory.mktemp("two") / "two.html")


@pytest.fixture(scope="module")
def several(hostile, tmp_path_factory):
    """Several files, one with hostile classes, one with 26."""
    tables = {
        hostile[1]: table("a", hostile[:3], 90),
        "letters.csv": table("b", [chr(65 + c) for c in range(26)], 260),
    }
    found = evaluate(tables, "class", ["euclidean", "rf"], Settings(2, 1, parameters=QUICK))
    return write_evaluation(found, tmp_path_factory.mktemp("several") / "several.html", title=hostile[0])


def shown(path):
    return json.loads(re.search(r'id="data">(.*?)</script>', path.read_text(encoding="utf-8"), re.DOTALL)[1])


def test_the_page_says_what_was_found(two):
    found, path = two
    text, data = path.read_text(encoding="utf-8"), shown(path)
    row = found.rows()[1]
    assert f"<td>{row['error']:.2f} ± {row['uncertainty']:.2f}</td>" in text
    assert re.search(r"<td>constant</td>\s*<td>50\.00 ± 0\.00</td>", text)
    assert "<td>pca</td><td>failed</td>" in text
    rf, details = data["results"][1], found.details("two.csv", "rf")
    assert rf["scores"]["error"] == pytest.approx([row["error"], row["uncertainty"]], rel=1e-4)
    assert rf["confusion"] == details["confusion"]
    assert [n for n, *_ in rf["curve"]] == [point["rows"] for point in details["learning_curve"]]
    assert rf["more_rows"] == found.would_more_help("two.csv", "rf")
    assert data["results"][3]["method"] == data["baseline"] == "constant"
    assert "average_precision" in text


def test_a_page_of_what_json_kept(two, tmp_path):
    """``freemetric evaluate --json`` says all that a page needs; what was no number is null there."""
    found, path = two
    kept = json.loads(re.sub(r"\bNaN\b", "null", json.dumps(found.as_json())))
    again = write_evaluation(kept, tmp_path / "again.html")
    assert shown(again) == shown(path)
    for score in kept["scores"]:
        del score["in_units"], score["aside"]  # which 0.2 did not say
    assert shown(write_evaluation(kept, tmp_path / "older.html")) == shown(path)


def test_nothing_is_fetched_and_names_stay_text(several, hostile):
    text = several.read_text(encoding="utf-8")
    assert "default-src &#39;none&#39;" in text
    head = re.sub(r"<(script|style).*?</\1>", "", text, flags=re.DOTALL)
    assert not re.search(r"<(img|link|iframe|script|b>)|https?://|src=['\"]", head)
    assert "&lt;img src=x onerror" in head
    assert text.count("<script") == text.count("</script>") == 3


def test_a_comparison_in_which_all_fails(tmp_path):
    found = evaluate({"a": table("a", "xy", 40)}, "class", ["pca"], Settings(2, 1, parameters=QUICK))
    assert shown(write_evaluation(found, tmp_path / "a.html"))["results"][0]["scores"]["error"] == [None, None]


def drawn(page, plot, part="x"):
    return page.evaluate(f"id => document.getElementById(id).data.map(t => Array.from(t.{part}))", plot)


@pytest.mark.slow
def test_every_figure_is_drawn(visit, two):
    found, path = two
    page = visit(path)
    for plot in ("scores-plot", "confusion-plot", "calibration-plot", "roc-plot", "curve-plot"):
        assert page.evaluate("id => document.getElementById(id).querySelectorAll('.main-svg').length", plot) > 0, plot
    best = found.best("two.csv")
    assert drawn(page, "scores-plot")[0][0] == pytest.approx(found.error("two.csv", best).mean, rel=1e-4)
    assert drawn(page, "scores-plot")[1] == [50]  # where the constant answer is
    page.select_option("#score", "roc_auc")
    highest = max(found.score("two.csv", method, "roc_auc").mean for method in ("rf", "euclidean"))
    assert drawn(page, "scores-plot")[0][0] == pytest.approx(highest, rel=1e-4)
    for method in ("rf", "euclidean"):
        page.select_option("#method", method)
        recall = found.details("two.csv", method)["classes"][0]["recall"]
        assert page.inner_text("#by-class tbody td >> nth=2") == f"{round(100 * recall, 1):g} %"
    assert page.locator("#method option").all_inner_texts() == sorted(
        ["rf", "euclidean"], key=lambda method: found.error("two.csv", method).mean
    )
    assert len(page.locator("#more-rows li").all()) == 2
    before = page.evaluate("document.getElementById('curve-plot').layout.font.color")
    page.click("#theme")
    assert page.evaluate("document.getElementById('curve-plot').layout.font.color") != before


@pytest.mark.slow
@pytest.mark.parametrize("width", [400, pytest.param(1400, marks=pytest.mark.slow)])
def test_names_do_nothing(visit, several, hostile, width):
    page = visit(several, {"width": width, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.inner_text("h1") == hostile[0]
    for plot in ("confusion-plot", "calibration-plot"):
        page.locator(f"#{plot}").scroll_into_view_if_needed()
        box = page.locator(f"#{plot} .nsewdrag").first.bounding_box()
        page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"])
        page.wait_for_timeout(100)
    assert page.evaluate("window.hit") is None
    assert page.locator("img, .plot a, .plot b, td b").count() == 0
    page.select_option("#file", "1")
    assert page.locator("#by-class tbody tr").count() == 26
    assert page.evaluate("document.getElementById('confusion-plot').data[0].z.length") == 26
