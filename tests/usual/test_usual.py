"""Estimators give the same wherever they are fitted, and in all usual wrappers."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import BaggingClassifier, BaggingRegressor
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.feature_selection import SelectFromModel
from sklearn.inspection import permutation_importance
from sklearn.model_selection import (
    HalvingGridSearchCV,
    cross_val_predict,
    cross_val_score,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain, RegressorChain
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import StandardScaler

import freemetric as fm
from freemetric.inspection import counterfactuals, explain

from .ways import MODELS, WAYS, X, y

pytestmark = pytest.mark.filterwarnings("ignore:.* never out of bag")
QUICK = ("workers_of_joblib", "forked_children", "threads_that_predict")


def marked(way):
    marks = [] if way.__name__ in QUICK else [pytest.mark.slow]
    if "fork" in way.__name__ or "children" in way.__name__:
        marks.append(pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork"))
    if way.__name__ == "workers_of_dask":
        no_dask = find_spec("distributed") is None
        marks.append(pytest.mark.skipif(no_dask, reason="needs Dask"))
    return pytest.param(way.__name__, marks=marks)


@pytest.mark.slow
@pytest.mark.parametrize("way", [marked(way) for way in WAYS])
def test_the_same_everywhere(way):
    """Each way in a process of its own: one that hangs is ended."""
    code = f"""
if __name__ == "__main__":
    from tests.usual import ways
    ways.{way}()
"""
    run_code(code)


def run_code(code):
    root = Path(__file__).parents[2]
    paths = os.pathsep.join([str(root), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        capture_output=True,
        text=True,
        timeout=250,
        env=os.environ | {"PYTHONPATH": paths},
    )
    assert done.returncode == 0, done.stderr[-2000:]


SCRIPT = """
import freemetric as fm
from sklearn.datasets import load_iris
from sklearn.model_selection import cross_val_score
X, y = load_iris(return_X_y=True)
model = fm.FreeEnergyClassifier(4, random_state=0)
assert cross_val_score(model, X, y, cv=2, n_jobs=2, error_score="raise").mean() > 0.9
"""


@pytest.mark.slow
def test_workers_of_a_program_without_a_file():
    """No guard and no file, as in ``python -c`` or a notebook."""
    run_code(SCRIPT)


CLASSIFIER = MODELS["classifier"]
REGRESSOR = MODELS["regressor"]
HALVES = [(np.arange(0, 50, 2), np.arange(1, 50, 2))]
GRID = {"random_state": [0, 1]}


@pytest.mark.parametrize(
    "model",
    [
        BaggingClassifier(CLASSIFIER, n_estimators=2, n_jobs=2, random_state=0),
        OneVsRestClassifier(CLASSIFIER, n_jobs=2),
        HalvingGridSearchCV(
            CLASSIFIER, GRID, cv=2, n_jobs=2, factor=2, min_resources=12
        ),
        make_pipeline(FeatureUnion([("a", fm.RCA()), ("b", fm.PCA(2))]), CLASSIFIER),
        make_pipeline(SelectFromModel(CLASSIFIER, max_features=2), CLASSIFIER),
    ],
    ids=lambda model: type(model).__name__,
)
def test_wrapped_classifiers(model):
    assert cross_val_score(model, X, y, cv=HALVES, error_score="raise").min() > 0.8


@pytest.mark.parametrize(
    "model",
    [
        BaggingRegressor(REGRESSOR, n_estimators=2, n_jobs=2, random_state=0),
        TransformedTargetRegressor(REGRESSOR, transformer=StandardScaler()),
    ],
    ids=lambda model: type(model).__name__,
)
def test_wrapped_regressors(model):
    scores = cross_val_score(model, X[:, 1:], X[:, 0], cv=HALVES, error_score="raise")
    assert scores.min() > 0.5


def test_several_outputs_by_chains():
    Y = np.stack([y, 2 - y], axis=1)
    found = ClassifierChain(clone(CLASSIFIER)).fit(X, Y).predict(X)
    assert np.mean(found == Y) > 0.9
    Z = X[:, :2]
    assert RegressorChain(clone(REGRESSOR)).fit(X, Z).score(X, Z) > 0.7


def test_frames_by_configuration():
    """``set_config(transform_output="pandas")`` changes no result, without a word."""
    table = pd.DataFrame(X, columns=["a", "b", "c", "d"]).assign(kind=y > 1)
    model = fm.TableClassifier(clone(CLASSIFIER)).fit(table, y)
    pairs = np.random.default_rng(0).integers(len(X), size=(40, 2))
    alike = np.where(y[pairs[:, 0]] == y[pairs[:, 1]], 1, -1)
    alone = fm.PairClassifier(fm.MMC(), preprocessor=X).fit(pairs, alike)
    inner = clone(CLASSIFIER).fit(X, y)
    found = counterfactuals(inner, X[:2])
    with config_context(transform_output="pandas"):
        again = clone(model).fit(table, y)
        np.testing.assert_array_equal(again.predict(table), model.predict(table))
        assert explain(model, table[:2]).value.tolist()
        classifier = clone(alone).fit(pairs, alike)
        np.testing.assert_array_equal(classifier.predict(pairs), alone.predict(pairs))
        same = counterfactuals(inner, X[:2])
    np.testing.assert_array_equal(same.X, found.X)


def test_predictions_and_importances_in_workers():
    predicted = cross_val_predict(CLASSIFIER, X, y, cv=2, n_jobs=2)
    assert np.mean(predicted == y) > 0.8
    model = clone(CLASSIFIER).fit(X, y)
    found = permutation_importance(model, X, y, n_repeats=2, n_jobs=2, random_state=0)
    assert found.importances_mean[2:].max() > 0.05
