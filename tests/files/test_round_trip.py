"""A loaded model says what the saved one says, to the last digit."""

import io
import os
import stat

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import BaseEstimator
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import GridSearchCV

import freemetric
from freemetric.files.table import EVERY
from freemetric.learners import NCA

from .examples import NAMED, SAMPLER, UNFITTED, X, answers, fitted, y
from .tampering import content_of, loaded, parts_of


@pytest.mark.parametrize("name", UNFITTED)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_predictions(name):
    model, samples = fitted(name)
    other = loaded(content_of(model))
    expected = answers(model, samples)
    assert expected
    for method, values in answers(other, samples).items():
        assert_array_equal(values, expected[method], err_msg=method)


def test_every_kind_has_an_example():
    """Or a class could be in the list, and not be loaded."""
    found = set()
    for name in UNFITTED:
        found |= {type(part) for part in parts_of(fitted(name)[0])}
    without = {kept.cls for kept in EVERY if kept.fields} - found
    assert without == {LinearRegression, Ridge}, "as RidgeCV"


def test_attributes():
    model, _ = fitted("classifier")
    other = loaded(content_of(model))
    assert set(vars(other)) == set(vars(model))
    assert other.feature_names_in_.tolist() == ["a", "b", "c", "d"]
    assert other.class_weight == "balanced"
    assert_array_equal(other.oob_decision_function_, model.oob_decision_function_)
    assert_array_equal(other.selection_["weight"], model.selection_["weight"])
    assert_array_equal(other.kneighbors(NAMED)[1], model.kneighbors(NAMED)[1])
    assert fitted("votes-alone")[0].sampler.n_steps == SAMPLER.n_steps


def test_more_samples_can_be_learned():
    model, samples = fitted("regressor")
    other = loaded(content_of(model)).partial_fit(samples[:9] + 0.1, np.arange(9.0))
    assert len(other.ensemble_.X) == len(samples) + 9


def test_threads_are_for_the_machine_that_loads():
    other = loaded(content_of(fitted("regressor")[0]))
    parts = [p for p in parts_of(other) if isinstance(p, BaseEstimator)]
    assert {part.n_jobs for part in parts if hasattr(part, "n_jobs")} == {None}


def test_the_best_of_a_search():
    neighbors = freemetric.MetricKNeighborsClassifier(NCA())
    search = GridSearchCV(neighbors, {"n_neighbors": [1, 3]})
    best = search.fit(X, y).best_estimator_
    assert_array_equal(loaded(content_of(best)).predict(X), best.predict(X))


def test_orders_of_axes(tmp_path):
    model = NCA().fit(X, y)
    for order in ("C", "F"):
        model.components_ = np.asarray(model.components_, order=order)
        assert loaded(content_of(model)).components_.flags[f"{order}_CONTIGUOUS"]


def test_paths_and_file_objects(tmp_path):
    model = fitted("nca")[0]
    path = tmp_path / "a.model"
    for target in (path, str(path)):
        freemetric.save(model, target)
        assert path.read_bytes() == content_of(model)
        assert freemetric.load(target).max_iter == model.max_iter
    with open(path, "rb") as file:
        freemetric.load(file)
        assert file.read() == b""


@pytest.mark.skipif(os.name != "posix", reason="modes are of Unix")
def test_the_mode_respects_the_umask(tmp_path):
    for umask in (0o022, 0o077):
        before = os.umask(umask)
        try:
            freemetric.save(fitted("nca")[0], tmp_path / "a.model")
        finally:
            os.umask(before)
        mode = stat.S_IMODE((tmp_path / "a.model").stat().st_mode)
        assert mode == 0o666 & ~umask


def test_a_file_says_what_it_is():
    content = content_of(fitted("nca")[0])
    assert content.startswith(b"freemetric model 4\n")
    assert b'"freemetric.NCA"' in content
    assert io.BytesIO(content).readline() == b"freemetric model 4\n"
