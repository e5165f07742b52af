"""A new view or form is one class and one line: fitted, saved, loaded, exported, drawn and reported like ours."""

import numpy as np
import pytest
from sklearn.base import clone

import freemetric
from freemetric import FreeEnergyClassifier, Recipe
from freemetric.energies import Energy
from freemetric.metrics import FORMS, VIEWS, Form, View, register_form, register_view

matplotlib = pytest.importorskip("matplotlib.pyplot").matplotlib


class Signs(View):
    """Whether features are above their mean, in two columns a feature: a toy view."""

    words = "signs of features"

    def __init__(self, centre):
        self.centre = centre
        self.owner = np.tile(np.arange(len(centre)), 2)

    @classmethod
    def of(cls, X):
        return cls(X.mean(axis=0))

    def __call__(self, X):
        above = (self.centre < X).astype(float)
        return np.hstack([above, np.clip(X - self.centre + 0.5, 0, 1)])

    def to_state(self):
        return {"centre": self.centre}

    @classmethod
    def from_state(cls, state):
        return cls(state["centre"])


class TiedEnergy(Energy):
    """An energy of one number, the scale of the identity."""

    def __init__(self, energy):
        self.energy = energy

    def bind(self, X, y, *, sample_weight=None, device="cpu"):
        inner = self.energy.bind(X, y, sample_weight=sample_weight, device=device)
        d = np.shape(X)[-1]
        return BoundTied(inner, np.eye(d))


class BoundTied:
    def __init__(self, inner, identity):
        self.inner, self.identity = inner, identity

    def __call__(self, scale):
        return self.inner(scale[:, :, :1] * self.identity)

    def value_and_grad(self, scale):
        value, gradient = self.inner.value_and_grad(scale[:, :, :1] * self.identity)
        out = np.zeros(scale.shape)
        out[:, 0, 0] = np.trace(gradient, axis1=1, axis2=2)
        return value, out


class Tied(Form):
    """All features are stretched alike: a toy form. Only the first of the d numbers of A (1, d) counts."""

    def start(self, n_features, n_components=None):
        return np.ones((1, n_features))

    def restrict(self, energy):
        return TiedEnergy(energy)

    def map(self, V, A, ops=np):
        return ops.multiply(V, A[:, :1])

    def components(self, A):
        return A[0, 0] * np.eye(A.shape[1])

    def seen_along(self, axes, A):
        return axes * A[0, 0]


@pytest.fixture(scope="module", autouse=True)
def registered():
    register_view("signs", Signs)  # one line
    register_form("tied", Tied())  # one line
    yield
    del VIEWS["signs"], FORMS["tied"]


@pytest.fixture(scope="module")
def model(wine, registered):
    kinds = ["signs/identity", "signs/full", "scaled/tied", "signs/tied"]
    return FreeEnergyClassifier(16, recipe=Recipe(candidates=kinds, temperature=1e-3), random_state=0).fit(*wine)


def test_they_are_fitted(model, wine):
    assert {e.candidate.view for e in model.members_} | {e.candidate.form for e in model.members_} >= {"signs"}
    assert model.score(*wine) > 0.9
    tried = set(zip(model.selection_["view"], model.selection_["form"], strict=True))
    assert {("scaled", "tied"), ("signs", "tied"), ("signs", "full")} <= tried
    assert model.distance_weights_.shape == (13,)


def test_they_are_cloned_and_searched(model, wine):
    again = clone(model).fit(*wine)
    np.testing.assert_array_equal(again.predict_proba(wine[0]), model.predict_proba(wine[0]))


@pytest.fixture(scope="module")
def voting(wine, registered):
    """Both toys vote for certain."""
    return FreeEnergyClassifier(4, recipe=Recipe(candidates=["signs/tied"], temperature=1e-3), random_state=0).fit(
        *wine
    )


def test_they_are_saved_and_loaded(voting, model, wine, tmp_path):
    for saved in (voting, model):
        saved.save(tmp_path / "model.fm")
        loaded = freemetric.load(tmp_path / "model.fm")
        np.testing.assert_array_equal(loaded.predict_proba(wine[0]), saved.predict_proba(wine[0]))


def test_they_are_exported_or_one_line_says_why_not(voting, wine, tmp_path):
    pytest.importorskip("skl2onnx")
    from freemetric.onnx_export import to_onnx

    with pytest.raises(ValueError, match="the view Signs has no ONNX graph") as caught:
        to_onnx(voting)
    assert "\n" not in str(caught.value)
    form_only = FreeEnergyClassifier(
        4, recipe=Recipe(candidates=["scaled/tied"], temperature=1e-3), random_state=0
    ).fit(*wine)
    runtime = pytest.importorskip("onnxruntime")
    session = runtime.InferenceSession(to_onnx(form_only).SerializeToString(), providers=["CPUExecutionProvider"])
    _, P = session.run(None, {"X": wine[0]})
    np.testing.assert_allclose(P, form_only.predict_proba(wine[0]), atol=1e-6)


def test_they_are_drawn(voting, wine):
    from freemetric.display import EmbeddingDisplay, MetricDisplay, NeighborsCurveDisplay, TraceDisplay

    X, y = wine
    with matplotlib.rc_context({"backend": "Agg"}):
        assert "signs of features" in MetricDisplay.from_estimator(voting).title
        assert EmbeddingDisplay.from_estimator(voting, X, y).embedding.shape == (178, 2)
        assert NeighborsCurveDisplay.from_estimator(voting, X, y).candidates[0].label.startswith("signs/tied")
        TraceDisplay.from_estimator(voting)
        matplotlib.pyplot.close("all")


def test_they_are_reported_and_shown_in_notebooks(voting, wine, tmp_path):
    pytest.importorskip("plotly")
    assert "signs" in voting.report(tmp_path / "page.html", *wine).read_text()
    assert "signs/tied" in voting._repr_html_()
