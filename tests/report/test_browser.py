"""The page in a real browser: figures, motion, keyboard, colours, silence. Skipped where there is no browser."""

import numpy as np
import pytest

from freemetric import DMLFE, Euclidean, MetricKNeighborsClassifier
from freemetric.metrics import ClassEncoding, TrainingSet
from freemetric.report import write

PHONE = {"width": 390, "height": 844}
PLOTS = ["space-0", "space-1", "motion", "clock", "traces-plot", "metric-plot", "weights-plot", "curves-plot"]
PLOTS += ["importances-plot", "confusion-plot"]
FOCUS = "(e => [e.id || e.name || '', getComputedStyle(e).outlineStyle])(document.activeElement)"


@pytest.fixture(scope="module")
def report(classifier, tmp_path_factory):
    return write(classifier, tmp_path_factory.mktemp("page") / "report.html", title="Iris")


def points(page, plot="motion"):
    return page.evaluate(
        "id => document.getElementById(id).data.map(t => [t.type, ...Array.from(t.x).slice(0, 5)])", plot
    )


@pytest.mark.slow
def test_every_figure_is_drawn(visit, report):
    page = visit(report)
    for plot in PLOTS:
        assert page.evaluate("id => document.getElementById(id).querySelectorAll('.main-svg').length", plot) > 0, plot
    assert page.title() == "Iris · freemetric"
    assert not page.is_visible("#trouble")
    assert page.evaluate("document.getElementById('space-1').data[0].text[0]").startswith("<b>row 0</b>, class 0<br>")


@pytest.mark.slow
def test_three_dimensions(visit, report):
    page = visit(report)
    page.check("#space-axes input[value='3']")
    page.check("#run-axes input[value='3']")
    for plot in ("space-0", "space-1", "motion"):
        page.wait_for_selector(f"#{plot} canvas", state="attached")
        assert points(page, plot)[0][0] == "scatter3d"
    assert "WebGL is not supported" not in page.inner_text("body")
    page.check("#space-axes input[value='2']")
    assert points(page, "space-0")[0][0] == "scatter"


@pytest.mark.slow
def test_the_slider_moves_the_points(visit, report, classifier):
    page = visit(report)
    end, said = points(page), page.inner_text("#moment")
    page.focus("#step")
    page.keyboard.press("Home")
    start = points(page)
    assert start != end
    assert page.inner_text("#moment") == "step 0"
    page.keyboard.press("ArrowRight")
    assert points(page) != end
    assert "step 1, temperature" in page.get_attribute("#step", "aria-valuetext")
    page.keyboard.press("End")
    assert points(page) == end
    assert page.inner_text("#moment") == said
    assert said.startswith(f"step {classifier.snapshots_['step'][-1]} · temperature")


@pytest.mark.slow
def test_play_and_pause(visit, report, classifier):
    page = visit(report)
    page.focus("#play")
    page.keyboard.press("Enter")
    assert page.get_attribute("#play", "aria-pressed") == "true"
    seen = [points(page)]
    for _ in range(100):  # the page forbids eval, with which playwright would wait
        page.wait_for_timeout(50)
        if points(page) != seen[-1]:
            seen.append(points(page))
        if len(seen) == 4:
            break
    assert len(seen) == 4
    page.keyboard.press("Space")
    assert page.inner_text("#play") == "Play"
    assert 0 <= int(page.input_value("#step")) < len(classifier.snapshots_["step"]) - 1
    page.wait_for_timeout(300)
    rest = points(page)
    page.wait_for_timeout(300)
    assert points(page) == rest


@pytest.mark.slow
def test_classes_can_be_hidden(visit, report):
    page = visit(report)
    page.focus("#legend button")
    page.keyboard.press("Enter")
    for plot in ("space-0", "motion"):
        assert page.evaluate("id => document.getElementById(id).data.map(t => t.visible)", plot) == [False, True, True]
    assert page.get_attribute("#legend button", "aria-pressed") == "false"


@pytest.mark.slow
def test_rows_by_keyboard(visit, report):
    page = visit(report)
    page.focus("#search")
    page.keyboard.type("12")
    assert page.inner_text("#answer h3 >> nth=0").startswith("row 12:")
    page.fill("#search", "nothing like this")
    assert "No such row" in page.inner_text("#answer")
    page.fill("#search", "")
    page.keyboard.press("ArrowDown")
    first = page.inner_text("#answer h3 >> nth=0")
    page.keyboard.press("ArrowDown")
    assert page.inner_text("#answer h3 >> nth=0") != first
    assert page.locator("#answer table").count() == 3


@pytest.mark.slow
def test_a_click_on_a_point_explains_it(visit, report):
    page = visit(report)
    page.evaluate(
        "document.getElementById('space-1').emit('plotly_click', {points: [{curveNumber: 1, pointNumber: 3}]})"
    )
    assert page.inner_text("#answer h3 >> nth=0") == "row 28: 1"


@pytest.mark.slow
def test_every_control_is_reached_and_seen(visit, report):
    page = visit(report)
    reached = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        seen = page.evaluate(FOCUS)
        reached.add(seen[0])
        if seen[0] in ("theme", "play", "step", "zoom", "search", "row"):
            assert seen[1] != "none", seen
    assert page.locator(".modebar-btn").count() == 3 * 4  # none of them sends anything away
    assert {"theme", "space-axes", "play", "step", "run-axes", "zoom", "search", "row"} <= reached


def background(page):
    return page.evaluate("getComputedStyle(document.body).backgroundColor")


def ink(page):
    return page.evaluate("document.getElementById('traces-plot').layout.font.color")


@pytest.mark.slow
def test_dark_and_light(visit, report):
    page = visit(report, color_scheme="dark")
    dark, dark_ink = background(page), ink(page)
    page.click("#theme")
    assert background(page) != dark
    assert ink(page) != dark_ink
    assert visit(report, color_scheme="light").evaluate(
        "getComputedStyle(document.body).backgroundColor"
    ) == background(page)
    page.click("#theme")
    assert (background(page), ink(page)) == (dark, dark_ink)


@pytest.mark.slow
def test_a_phone(visit, report):
    page = visit(report, PHONE, has_touch=True, is_mobile=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    widths = page.evaluate("[...document.querySelectorAll('.plot')].map(p => p.getBoundingClientRect().width)")
    assert all(250 < width <= 390 for width in widths)
    assert page.evaluate("document.getElementById('play').getBoundingClientRect().height") >= 40


@pytest.mark.slow
def test_hostile_names_do_nothing(visit, hostile, hostile_model, tmp_path):
    page = visit(write(hostile_model, tmp_path / "hostile.html", title=hostile[1]))
    for plot in ("metric-plot", "importances-plot", "weights-plot", "confusion-plot", "space-1"):
        page.locator(f"#{plot}").scroll_into_view_if_needed()
        box = page.locator(f"#{plot} .nsewdrag").bounding_box()
        for share in (0.2, 0.35, 0.5):
            page.mouse.move(box["x"] + share * box["width"], box["y"] + share * box["height"])
            page.wait_for_timeout(120)
    for word in hostile[:2]:
        page.fill("#search", word[:8])
    assert page.evaluate("window.hit") is None
    assert page.locator("img, .plot a, .plot b, #answer script").count() == 0
    ticks = page.evaluate("[...document.querySelectorAll('#weights-plot .ytick text')].map(t => t.textContent)")
    assert any(tick.startswith("<img src=x oner") for tick in ticks)
    assert any(tick.startswith("</script><scrip") for tick in ticks)
    assert page.inner_text("h1") == hostile[1]


@pytest.fixture(scope="module")
def crowd(tmp_path_factory):
    """Many rows, many classes, and names that begin alike."""
    rng = np.random.default_rng(0)
    y = np.arange(1300) % 26
    X = rng.standard_normal((1300, 5)) + 3 * rng.standard_normal((26, 5))[y]
    model = MetricKNeighborsClassifier(Euclidean(), n_neighbors=3).fit(X, [chr(65 + c) for c in y])
    model.training_set_ = TrainingSet(
        model.training_set_.X, model.training_set_.y, ClassEncoding(26), np.where(y == 0, 2.0, 0.9)
    )
    names = [f"answer to the question that has the number {i}: how often, and why" for i in range(5)]
    path = tmp_path_factory.mktemp("crowd") / "crowd.html"
    return write(model, path, X, [chr(65 + c) for c in y], feature_names=names)


@pytest.mark.slow
def test_no_class_hides_the_others(visit, crowd):
    """Classes take turns, in several traces each; what is clicked or hidden is found all the same."""
    page = visit(crowd)
    names = page.evaluate("document.getElementById('space-1').data.map(t => t.name)")
    assert names[:26] == names[26:52] == [chr(65 + c) for c in range(26)]
    page.click("#legend button >> nth=2")
    shown = page.evaluate("document.getElementById('space-1').data.filter(t => t.visible).map(t => t.name)")
    assert set(names) - set(shown) == {"C"}
    hover = page.evaluate("document.getElementById('space-1').data[28].text[1]")
    page.fill("#search", "")
    page.evaluate(
        "document.getElementById('space-1').emit('plotly_click', {points: [{curveNumber: 0, pointNumber: 0}]})"
    )
    assert page.inner_text("#answer h3 >> nth=0").startswith("row 0: A")
    assert ", class C<br>" in hover


@pytest.mark.slow
def test_names_that_begin_alike(visit, crowd):
    page = visit(crowd)
    names = page.evaluate("document.getElementById('space-1').layout.annotations.map(a => a.text)")
    assert names == [chr(65 + c) for c in range(26)]  # many classes are named where they are
    ticks = page.evaluate("[...document.querySelectorAll('#weights-plot .ytick text')].map(t => t.textContent)")
    assert sorted(tick[:3] for tick in ticks) == [f"…{i}:" for i in range(5)]
    cells = page.locator("#answer table >> nth=1").locator("td:first-child").all_inner_texts()
    assert len(set(cells)) == 5


@pytest.mark.slow
def test_every_class_of_many_is_named_and_counted(visit, crowd):
    page = visit(crowd)
    ticks = page.evaluate("[...document.querySelectorAll('#confusion-plot .ytick text')].map(t => t.textContent)")
    assert sorted(ticks) == [chr(65 + c) for c in range(26)]
    assert page.evaluate("document.getElementById('confusion-plot').data.length") == 2
    assert visit(crowd, PHONE).evaluate("document.getElementById('confusion-plot').data.length") == 1


@pytest.mark.slow
def test_weights_of_votes(visit, crowd):
    page = visit(crowd)
    assert "weight of its vote" in page.inner_text("#answer table >> nth=0")


@pytest.mark.slow
def test_one_dimension(visit, iris, tmp_path):
    page = visit(write(DMLFE(1, random_state=0).fit(*iris), tmp_path / "line.html", *iris))
    assert page.locator("#run-axes").count() == 0
    assert page.locator("#space-axes").count() == 1  # the space before has more
    end = points(page)
    page.focus("#step")
    page.keyboard.press("Home")
    assert points(page) != end
