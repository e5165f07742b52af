"""Classes of one's own: registered they are saved and loaded, before that one line says what to do."""

from unittest.mock import patch

import numpy as np
import pytest
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.pipeline import make_pipeline
from sklearn.utils.validation import check_is_fitted, validate_data

import freemetric
from freemetric import NCA, MetricKNeighborsClassifier
from freemetric.files import ModelFileError, register, save
from freemetric.files.checks import check_array, require
from freemetric.files.registry import BY_CLASS, BY_TAG
from freemetric.learners.base import MetricLearner

from .tampering import resealed
from .test_damaged import assert_one_line
from .test_round_trip import assert_same, through_file


class Mine(MetricLearner):
    """Weighs features by the inverse of their spread."""

    _parameter_constraints: dict = {"power": [float, int]}

    def __init__(self, power=1.0):
        self.power = power

    def _learn(self, X, y):
        self.spread_ = X.std(axis=0)
        return np.diag(self.spread_**-self.power)


class Doubling(TransformerMixin, BaseEstimator):
    """An estimator that knows nothing of metrics."""

    def __init__(self, factor=2):
        self.factor = factor

    def fit(self, X, y=None):
        self.mean_of_everything_ = float(validate_data(self, X).mean())
        return self

    def transform(self, X):
        check_is_fitted(self)
        return self.factor * validate_data(self, X, reset=False)


class Track:
    """A value: points, and a name."""

    def __init__(self, points, name):
        self.points, self.name = points, name

    def to_state(self):
        return {"points": self.points, "name": self.name}

    @classmethod
    def from_state(cls, state):
        check_array(state["points"], "points of Track", 2)
        require(type(state["name"]) is str, "name of Track", "is no text")
        return cls(state["points"], state["name"])


class Nothing:
    """No estimator, and without the methods."""


@pytest.fixture(autouse=True)
def forgotten_afterwards():
    with patch.dict(BY_TAG), patch.dict(BY_CLASS):
        yield


@pytest.fixture
def mine(few):
    return Mine(0.5).fit(*few)


@pytest.fixture
def saved(mine, tmp_path):
    """A file of a class that is forgotten again."""
    with patch.dict(BY_TAG), patch.dict(BY_CLASS):
        register("example:mine", Mine)
        mine.save(tmp_path / "mine.model")
    return tmp_path / "mine.model"


def refused(path):
    with pytest.raises(ModelFileError) as caught:
        freemetric.load(path)
    assert_one_line(caught.value, path)
    return str(caught.value)


def test_a_learner(mine, few, tmp_path):
    register("example:mine", Mine)
    mine.save(tmp_path / "a.model", about={"who": "me"})
    loaded = freemetric.load(tmp_path / "a.model")
    assert type(loaded) is Mine
    assert_same(loaded, mine)
    assert loaded.transform(few[0]).tobytes() == mine.transform(few[0]).tobytes()


def test_a_learner_within_others(few, tmp_path):
    register("example:mine", Mine)
    model = make_pipeline(MetricKNeighborsClassifier(Mine(), n_neighbors=3)).fit(*few)
    assert_same(through_file(model, tmp_path), model)


def test_an_estimator_that_learns_no_metric(few, tmp_path):
    register("example:doubling", Doubling)
    model = make_pipeline(Doubling(3), NCA()).fit(*few)
    loaded = through_file(model, tmp_path)
    assert_same(loaded, model)
    assert loaded.transform(few[0]).tobytes() == model.transform(few[0]).tobytes()


def test_a_value(tmp_path):
    register("example:track", Track)
    track = Track(np.arange(6.0).reshape(3, 2), "a way")
    assert_same(through_file(track, tmp_path), track)


@pytest.mark.parametrize("model", [Mine(), make_pipeline(NCA(), Mine()), MetricKNeighborsClassifier(Mine(), 1)])
def test_saving_says_how_to_register(model, few, tmp_path):
    model.fit(*few)
    with pytest.raises(
        ModelFileError, match=r"is of the class .*Mine, which .*; freemetric\.files\.register"
    ) as caught:
        save(model, tmp_path / "a.model")
    assert str(caught.value).isprintable()
    assert not list(tmp_path.iterdir())


def test_loading_says_that_nobody_has_registered_it(saved):
    said = refused(saved)
    assert "holds an object of the kind 'example:mine', which nobody has registered" in said
    assert "freemetric.files.register" in said
    assert "damaged" not in said
    register("example:mine", Mine)
    assert freemetric.load(saved).power == 0.5


def test_a_file_of_another_release_too(saved):
    resealed(saved, saved, lambda header, tree, arrays: header.update(freemetric="99.0"))
    assert "nobody has registered" in refused(saved)


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ({"name": "a"}, "Track without its attribute 'points'"),
        ({"points": {"array": [0, []]}}, "Track without its attribute 'name'"),
        ({"points": {"array": [0, []]}, "name": "a", "more": 1}, "Track with other attributes than its own"),
        ({"points": {"array": [0, []]}, "name": 5}, "name of Track is no text"),
        ({"points": None, "name": "a"}, "points of Track"),
    ],
)
def test_values_that_are_none(state, said, tmp_path):
    def edit(header, tree, arrays):
        tree["object"][1] = state

    register("example:track", Track)
    save(Track(np.zeros((3, 2)), ""), tmp_path / "a.model")
    assert said in refused(resealed(tmp_path / "a.model", tmp_path / "a.model", edit))


def test_values_are_checked_before_they_are_saved(tmp_path):
    register("example:track", Track)
    for track, said in ((Track(np.zeros(3), ""), "points of Track"), (Track(np.zeros((3, 2)), None), "name of Track")):
        with pytest.raises(ModelFileError, match=f"Track cannot be saved: {said}"):
            save(track, tmp_path / "a.model")


def test_a_check_of_ones_own(mine, saved):
    def check(learner):
        require(learner.power > 1, "power of Mine", "is too small")

    register("example:mine", Mine, check)
    assert "power of Mine is too small" in refused(saved)
    with pytest.raises(ModelFileError, match="Mine cannot be saved: power of Mine is too small"):
        mine.save(saved)


def test_attributes_of_ones_own(mine, saved):
    """Any public name of a fitted attribute; where they are listed, only those."""
    register("example:mine", Mine)
    mine.more_ = 1
    mine.save(saved)
    assert freemetric.load(saved).more_ == 1
    for name in ("_more", "more", "transform"):
        spoiled = resealed(
            saved, saved.with_name(name), lambda header, tree, arrays, n=name: tree["object"][1].update({n: 1})
        )
        assert f"Mine with an attribute {name!r}" in refused(spoiled)
    register("example:mine", Mine, attributes=["components_", "spread_"])
    assert "attribute 'more_', which its fit is not known to set" in refused(saved)


class Scalar(BaseEstimator):
    """Its attributes have names that scikit-learn gives to arrays."""

    def fit(self, X, y=None):
        self.mean_, self.weights_, self.components_, self.n_features_in_ = 0.5, {"a": 1}, [1, 2], len(X[0])
        return self


def test_names_that_mean_something_else_elsewhere(few, tmp_path):
    register("example:scalar", Scalar)
    model = Scalar().fit(few[0])
    assert_same(through_file(model, tmp_path), model)


def test_a_tag_of_another_class():
    register("example:mine", Mine)
    register("example:mine", Mine)
    with pytest.raises(ValueError, match="The tag 'example:mine' belongs to Mine already"):
        register("example:mine", Doubling)
    with pytest.raises(ValueError, match="belongs to NCA already"):
        register("freemetric:nca", Mine)


def test_a_class_that_was_defined_again(mine, saved):
    """As in a notebook, whose cells run more than once."""
    register("example:mine", Mine)
    again = type("Mine", (Mine,), {"__module__": Mine.__module__, "__qualname__": Mine.__qualname__})
    register("example:mine", again)
    assert type(freemetric.load(saved)) is again


@pytest.mark.parametrize("tag", ["", " mine", "a\nb", "ä", "a" * 81, None, 5, "example:{}"])
def test_tags_that_are_none(tag):
    with pytest.raises(ValueError, match="A tag is a short plain text"):
        register(tag, Mine)


@pytest.mark.parametrize("cls", [Nothing, int, np.ndarray, Mine(), np.sum])
def test_classes_that_cannot_be_registered(cls):
    with pytest.raises(TypeError, match=r"no estimator and has no methods to_state|Only classes"):
        register("example:nothing", cls)
    assert "example:nothing" not in BY_TAG
