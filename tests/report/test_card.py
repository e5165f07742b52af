"""What a notebook shows of a fitted model, below scikit-learn's diagram."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, PolynomialFeatures
from sklearn.utils import estimator_html_repr

from freemetric import DMLFE, LEARNERS, PCA, RCA, FreeEnergyClassifier, Kernelized, MetricKNeighborsClassifier, Recipe
from freemetric.exceptions import DataWarning
from freemetric.mc import Annealing, Geometric, ParallelTempering
from freemetric.report.card import NAME, STYLE, card, drawn_card

HOSTILE = [
    "<img src=x onerror=window.hit=1>",
    "</style><script>window.hit=1</script>",
    """"' onmouseover='window.hit=1' <b>bold</b>""",
    "turned \u202e round \x00 \ud83d and long " + "x" * 600,
]


class Card(HTMLParser):
    """Tags, attributes and texts; every tag must be closed in its turn."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.texts, self.open = [], [], []
        self.feed(html)
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, text):
        if self.open[-1:] != ["style"]:
            self.texts.append(text.strip())

    @property
    def said(self):
        return " ".join(filter(None, self.texts))

    def named(self, tag):
        return [attributes for name, attributes in self.tags if name == tag]


@pytest.fixture(scope="module")
def classifier(wine):
    return FreeEnergyClassifier(n_replicas=16, random_state=0).fit(*wine)


@pytest.fixture(scope="module")
def walker(wine):
    return DMLFE(n_components=2, sampler=Annealing(Geometric(0.1, 0.8), n_steps=10), random_state=0).fit(*wine)


@pytest.fixture(scope="module")
def chooser(wine):
    return MetricKNeighborsClassifier(make_pipeline(MinMaxScaler(), RCA()), random_state=0).fit(*wine)


@pytest.fixture
def hostile(wine):
    model = RCA().fit(wine[0][:, :4], wine[1])
    model.feature_names_in_ = np.array(HOSTILE, dtype=object)
    return model


@pytest.mark.filterwarnings("ignore")  # two iterations converge to nothing
@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_has_one(name, iris):
    learner = LEARNERS[name]()
    if "max_iter" in learner.get_params():
        learner.set_params(max_iter=2)
    shown = Card(drawn_card(learner.fit(*iris)))
    assert f"map 4 features to {len(learner.components_)} dimensions" in shown.said
    assert len(shown.named("rect")) == 4


def test_a_kernel_is_named(iris):
    for model in (
        Kernelized(RCA(2), n_directions=9),
        MetricKNeighborsClassifier(Kernelized(RCA(2), n_directions=9), 3),
    ):
        said = Card(drawn_card(model.fit(*iris))).said
        assert "kernel rbf, gamma " in said
        assert "150 landmarks" in said
        assert "map 9 directions to 2 dimensions" in said


MODELS = {
    "kinds of every view, form and energy": FreeEnergyClassifier(n_replicas=24, random_state=0),
    "plain neighbours": FreeEnergyClassifier(recipe=Recipe(candidates=["quantiles/identity"]), random_state=0),
    "NCA's own energy": FreeEnergyClassifier(
        n_replicas=4, recipe=Recipe(candidates=["scaled/full/nca"]), random_state=0
    ),
    "fewer dimensions": FreeEnergyClassifier(n_replicas=4, recipe=Recipe(n_components=2), random_state=0),
    "tempering": FreeEnergyClassifier(
        n_replicas=4, recipe=Recipe(sampler=ParallelTempering(n_steps=3)), random_state=0
    ),
    "k that was given": MetricKNeighborsClassifier(RCA(), n_neighbors=3),
    "k that was chosen": MetricKNeighborsClassifier(DMLFE(2, random_state=0), n_folds=2, random_state=0),
    "a pipeline inside": MetricKNeighborsClassifier(make_pipeline(MinMaxScaler(), PolynomialFeatures(), PCA(2)), 3),
    "quenches": DMLFE(sampler=Annealing(Geometric(0.1, 0.8), n_steps=5, n_replicas=3), random_state=0),
}


@pytest.mark.parametrize("name", MODELS)
def test_every_kind_of_model_has_one(name, iris):
    model = clone(MODELS[name]).fit(*iris)
    shown = Card(drawn_card(model))
    assert shown.named("rect")
    assert len(shown.named("b")) >= 2
    assert card(model) == drawn_card(model)


def test_weights_and_rows_without_labels(iris):
    X, y = iris
    model = FreeEnergyClassifier(n_replicas=4, random_state=0)
    with pytest.warns(DataWarning, match="unlabelled"):
        model.fit(X, np.where(np.arange(150) % 5, y, -1), sample_weight=1 + np.arange(150) % 3)
    assert "out-of-bag accuracy" in Card(drawn_card(model)).said


def test_kinds_are_named_as_candidates_are(iris):
    kinds = ["scaled/identity", "quantiles/diagonal", "scaled/full/nca"]
    model = FreeEnergyClassifier(n_replicas=8, recipe=Recipe(candidates=kinds), random_state=0).fit(*iris)
    titles = [span["title"] for span in Card(card(model)).named("span") if "title" in span]  # not cut as texts are
    names = {title.partition(",")[0] for title in titles if "/" in title}
    assert names
    assert names <= set(kinds)
    assert len(names) == len({(e.candidate.view, e.candidate.form) for e in model.members_})


def test_a_walk(walker):
    shown = Card(card(walker))
    energy = walker.trace_["energy"]
    for words in (
        "map 13 features to 2 dimensions",
        f"energy {walker.energy_:.4g}",
        "Monte Carlo steps 10",
        f"energy, from {energy[0, 0]:.4g} to {energy[-1, 0]:.4g}",
        "6 of 13: weights of the features in the distances",
    ):
        assert words in shown.said
    (line,) = shown.named("polyline")
    assert len(line["points"].split()) == 10


def test_the_heaviest_features_come_first(walker):
    weights = np.sort((walker.components_**2).sum(axis=0) / (walker.components_**2).sum())[::-1]
    shown = Card(card(walker))
    widths = [float(rect["width"]) for rect in shown.named("rect")]
    np.testing.assert_allclose(widths, 100 * weights[:6] / weights[0], atol=0.06)
    assert f"{100 * weights[0]:.1f} %" in shown.said


def test_importances(classifier):
    shown = Card(card(classifier))
    mean, error = classifier.feature_importances_, classifier.feature_importances_error_
    first = mean.argmax()
    assert "6 of 13: loss of out-of-bag accuracy without a feature" in shown.said
    assert f"x{first}" in shown.texts
    assert f"{100 * mean[first]:.1f} % ± {100 * error[first]:.1f}" in shown.texts


def test_importances_of_large_models_are_shown_once_they_are_known(wine, monkeypatch):
    monkeypatch.setattr("freemetric.report.card.MOST_CELLS", 100)
    model = FreeEnergyClassifier(4, recipe=Recipe(candidates=["scaled/identity"]), random_state=0).fit(*wine)
    assert "accuracy without a feature" not in card(model)
    assert model.feature_importances_.any()
    assert "accuracy without a feature" in card(model)


def test_a_free_energy_classifier(classifier):
    shown = Card(card(classifier))
    member_weights = classifier.ensemble_.member_weights
    tried = len(np.unique(np.flatnonzero(classifier.selection_["n_neighbors"] == 1)))
    n = sum(len(member.maps) for member in classifier.members_)
    for words in (
        f"out-of-bag accuracy {100 * classifier.oob_score_:.1f} %",
        f"ensemble {n} replicas, {len(member_weights)} of {tried} candidates",
        f"k = {classifier.n_neighbors_}",
        f"temperature {classifier.temperature_:.4g}",
        f"{100 * member_weights.max():.1f} %",
        f"{100 * classifier.distance_weights_.max():.1f} % ± ",
        f"median energy of {classifier.trace_['energy'].shape[1]} replicas",
    ):
        assert words in shown.said


def test_plain_neighbours_that_vote(iris):
    model = FreeEnergyClassifier(recipe=Recipe(candidates=["scaled/identity"], n_neighbors=3), random_state=0).fit(
        *iris
    )
    said = Card(card(model)).said
    assert "ensemble plain neighbours, 1 of 1 candidate" in said
    assert "k = 3, as given" in said
    assert "energy" not in said


def test_how_k_was_chosen(chooser, wine):
    shown = Card(card(chooser))
    lowest = chooser.selection_["error"].min()
    assert f"k = {chooser.n_neighbors_}, with the lowest error of inner folds, {100 * lowest:.1f} %" in shown.said
    assert f"error of inner folds for k = 1 to 40; {chooser.n_neighbors_} is marked" in shown.said
    given = MetricKNeighborsClassifier(RCA(), n_neighbors=4).fit(*wine)
    assert "k = 4, as given" in Card(card(given)).said


def test_names_reach_through_a_scaler(wine):
    pd = pytest.importorskip("pandas")
    X = pd.DataFrame(wine[0][:, :3], columns=["colour", "hue", "ash"])
    model = MetricKNeighborsClassifier(make_pipeline(MinMaxScaler(), RCA()), n_neighbors=3).fit(X, wine[1])
    assert {"colour", "hue", "ash"} <= set(Card(card(model)).texts)


def test_below_the_diagram_of_scikit_learn(walker):
    for html in (walker._repr_html_(), walker._repr_mimebundle_()["text/html"]):
        assert html.endswith(card(walker))
        assert "sk-top-container" in html[: -len(card(walker))]
    assert NAME not in estimator_html_repr(walker)


def test_a_pipeline_is_drawn_by_scikit_learn_alone(wine):
    model = make_pipeline(MinMaxScaler(), RCA()).fit(*wine)
    assert NAME not in model._repr_html_()


def test_nothing_before_fit(walker):
    model = clone(walker)
    assert card(model) == ""
    assert "sk-top-container" in model._repr_html_()


def test_texts_where_texts_are_wanted(walker):
    with config_context(display="text"):
        assert not hasattr(walker, "_repr_html_")
        assert list(walker._repr_mimebundle_()) == ["text/plain"]


class Unspeakable:
    def __str__(self):
        raise RuntimeError("no name")


@pytest.mark.parametrize(
    ("attribute", "value"),
    [("components_", None), ("feature_names_in_", [Unspeakable()] * 13), ("energy_", "low"), ("trace_", 7)],
)
def test_an_odd_model_is_drawn_by_scikit_learn_alone(wine, attribute, value, caplog):
    model = RCA().fit(*wine)
    setattr(model, attribute, value)
    with caplog.at_level("DEBUG", "freemetric"):
        assert card(model) == ""
    (record,) = caplog.records
    assert record.exc_info is not None
    with pytest.raises(record.exc_info[0]):
        drawn_card(model)
    if attribute != "feature_names_in_":  # nobody can tell those
        assert "sk-top-container" in model._repr_html_()


def test_no_numbers_no_line(wine):
    model = RCA().fit(*wine)
    model.trace_ = dict.fromkeys(("energy", "temperature", "acceptance"), np.full((5, 1), np.nan))
    model.components_ = np.zeros((2, 13))
    with np.errstate(all="raise"):
        shown = Card(card(model))
    assert shown.named("rect")
    assert not shown.named("polyline")
    assert not any("nan" in str(attributes) for _, attributes in shown.tags)


def test_names_stay_names(hostile):
    html = card(hostile)
    shown = Card(html)
    assert {tag for tag, _ in shown.tags} <= {"style", "div", "span", "b", "svg", "rect", "path", "polyline"}
    assert not any(name.startswith("on") for _, attributes in shown.tags for name in attributes)
    assert {attributes["title"] for attributes in shown.named("span") if "title" in attributes} >= set(HOSTILE[:3])
    assert not re.search("[\x00\u202e\ud83d]", html)
    assert html.encode()


def test_cards_do_not_fight(walker, classifier):
    """No ids that could meet, no script, and rules that reach no farther than their card."""
    for html in (card(walker), card(classifier)):
        assert not any("id" in attributes for _, attributes in Card(html).tags)
        assert not Card(html).named("script")
    rules = re.sub(r"@media[^{]*\{(.*?\})\s*\}", r"\1", STYLE)
    for selectors in re.findall(r"([^{}]+)\{[^}]*\}", rules):
        assert all(selector.strip().startswith(".NAME") for selector in selectors.split(","))
    assert "url(" not in STYLE
    assert "prefers-color-scheme: dark" in STYLE


@pytest.fixture
def notebook(browser, walker, classifier, chooser, hostile, tmp_path):
    """A page with several cards, under a theme of its own."""

    def show(width=900, ink="inherit", ground="Canvas", scheme="light"):
        page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
        page.on("pageerror", lambda error: pytest.fail(str(error)))
        cards = "".join(card(model) for model in (walker, classifier, chooser, hostile))
        body = f'<body style="color: {ink}; background: {ground}">{cards}</body>'
        path = tmp_path / "notebook.html"
        path.write_text(f'<!doctype html><meta charset="utf-8"><style>:root {{color-scheme: {scheme}}}</style>{body}')
        page.goto(path.as_uri())
        return page

    return show


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [900, 380])
def test_in_a_browser(notebook, scheme, width):
    page = notebook(width, scheme=scheme)
    assert page.locator(f".{NAME}").count() == 4
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("window.hit") is None
    boxes = page.evaluate("[...document.querySelectorAll('rect, polyline')].map(e => e.getBoundingClientRect().width)")
    assert max(boxes) > 20
    cut = "[...document.querySelectorAll('.bar span:last-child')].filter(e => e.scrollWidth > e.clientWidth).length"
    assert page.evaluate(cut) == 0


@pytest.mark.slow
def test_the_theme_of_the_notebook_counts(notebook):
    """Dark on a light system, as notebooks can be: letters take the notebook's colour."""
    page = notebook(ink="rgb(230, 230, 230)", ground="rgb(17, 17, 17)", scheme="light")
    ink = "[...document.querySelectorAll('b, .title, .bar span')].map(e => getComputedStyle(e).color)"
    assert set(page.evaluate(ink)) == {"rgb(230, 230, 230)"}


@pytest.mark.slow
def test_light_and_dark_differ(notebook):
    tints = {
        scheme: notebook(scheme=scheme).evaluate("getComputedStyle(document.querySelector('rect')).fill")
        for scheme in ("light", "dark")
    }
    assert tints["light"] != tints["dark"]
