"""A loaded model is the saved one, to the last bit."""

import warnings
from collections import UserList

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

import freemetric
from freemetric import DMLFE, LEARNERS, NCA, FreeEnergyClassifier, MetricKNeighborsClassifier, Recipe, files
from freemetric.energies import Confinement, NCAEnergy
from freemetric.mc import Annealing, Geometric, HamiltonianMove, ParallelTempering

from .conftest import QUICK

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::freemetric.exceptions.DataWarning"),
]


def assert_same(a, b):
    """Equal to the last bit, all the way down."""
    if isinstance(b, UserList):  # scikit-learn 1.6 has one that warns whoever looks into it
        with warnings.catch_warnings(action="ignore"):
            b = list(b)
    assert type(a) is type(b)
    if hasattr(a, "to_state"):
        assert_same(a.to_state(), b.to_state())
    elif isinstance(a, BaseEstimator):
        assert_same(vars(a), vars(b))
    elif isinstance(a, dict):
        assert list(a) == list(b)
        assert_same(list(a.values()), list(b.values()))
    elif isinstance(a, list | tuple):
        assert len(a) == len(b)
        for x, y in zip(a, b, strict=True):
            assert_same(x, y)
    elif isinstance(a, np.ndarray):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        assert_same(a.tolist(), b.tolist()) if a.dtype == object else _assert_same_bytes(a, b)
    elif isinstance(a, np.random.RandomState):
        assert_same(a.get_state(), b.get_state())
    elif isinstance(a, float | np.floating) and np.isnan(a):
        assert np.isnan(b)
    elif hasattr(a, "__dict__") and not isinstance(a, type):
        assert_same(vars(a), vars(b))
    else:
        assert a == b


def _assert_same_bytes(a, b):
    assert a.tobytes() == b.tobytes()
    assert [stride < 0 for stride in a.strides] == [stride < 0 for stride in b.strides]


def through_file(model, folder):
    files.save(model, folder / "a.model")
    return freemetric.load(folder / "a.model")


@pytest.mark.parametrize("name", LEARNERS)
def test_learners(name, few, tmp_path):
    X, y = few
    model = LEARNERS[name]()
    if "random_state" in model.get_params():
        model.set_params(random_state=0)
    model.fit(X, y)
    model.save(tmp_path / "a.model")
    loaded = freemetric.load(tmp_path / "a.model")
    assert_same(loaded, model)
    assert loaded.transform(X).tobytes() == model.transform(X).tobytes()
    assert_same(clone(loaded).fit(X, y).components_, model.components_)


@pytest.mark.parametrize(
    "model",
    [
        FreeEnergyClassifier(n_replicas=8, random_state=0),
        FreeEnergyClassifier(n_replicas=8, recipe=Recipe(n_neighbors=3), random_state=np.random.RandomState(1)),
        MetricKNeighborsClassifier(NCA(n_components=2), n_folds=2),
        MetricKNeighborsClassifier(make_pipeline(MinMaxScaler(), NCA(init=np.eye(4)[:2])), n_neighbors=1),
    ],
)
def test_classifiers(model, few, tmp_path):
    X, y = few
    model = clone(model).fit(X, y)
    model.save(tmp_path / "a.model")
    loaded = freemetric.load(tmp_path / "a.model")
    assert_same(loaded, model)
    assert loaded.predict_proba(X).tobytes() == model.predict_proba(X).tobytes()
    assert_same(loaded.predict(X), model.predict(X))


@pytest.mark.parametrize(
    "parameters",
    [
        {"energy": NCAEnergy() + 1e-4 * Confinement(), "confinement": 0.0},
        {"energy": "nca", "sampler": ParallelTempering((0.0, 1e-3), "element", n_steps=3), "init": "uniform"},
        {"sampler": Annealing(Geometric(0.1, 0.9), HamiltonianMove(), n_steps=3, tol=np.float32(0.1))},
    ],
)
def test_parameter_objects(parameters, few, tmp_path):
    model = DMLFE(**parameters, random_state=0).fit(*few)
    assert_same(through_file(model, tmp_path), model)


def test_a_pipeline_of_everything(pipeline, table, tmp_path):
    X, _ = table
    loaded = through_file(pipeline, tmp_path)
    assert_same(loaded, pipeline)
    assert loaded.predict_proba(X).tobytes() == pipeline.predict_proba(X).tobytes()
    assert loaded[0].get_feature_names_out().tolist() == pipeline[0].get_feature_names_out().tolist()
    strange = X.assign(colour="violet", shape="star")
    assert_same(loaded.predict(strange), pipeline.predict(strange))


def test_output_as_tables(few, tmp_path):
    X, y = pd.DataFrame(few[0], columns=list("abcd")), few[1]
    model = NCA(n_components=2).set_output(transform="pandas").fit(X, y)
    pd.testing.assert_frame_equal(through_file(model, tmp_path).transform(X), model.transform(X), check_exact=True)


@pytest.mark.parametrize("labels", [["x", "y", "z"], [1, 5, 9], [1.0, 2.0, 4.0], [b"x", b"y", b"z"]])
def test_labels_of_any_type(labels, few, tmp_path):
    X, y = few
    y = np.array(labels)[np.unique(y, return_inverse=True)[1]]
    model = MetricKNeighborsClassifier(freemetric.RCA(), n_neighbors=1).fit(X, y)
    if isinstance(labels[0], bytes):
        with pytest.raises(files.ModelFileError, match="attribute `classes_` is the dtype"):
            model.save(tmp_path / "a.model")
    else:
        assert_same(through_file(model, tmp_path).predict(X), model.predict(X))


def test_arrays_keep_their_layout(few, tmp_path):
    model = DMLFE(sampler=QUICK, random_state=0).fit(*few)
    big = np.arange(48.0).reshape(6, 8)
    for array in (big, big.T, big[::-1], big[::2, ::-2], np.asfortranarray(big), np.zeros((0, 3)), np.array(1.5)):
        model.snapshots_ = array, array
        a, b = through_file(model, tmp_path).snapshots_
        assert a is b or a.base is b.base
        assert_same(a, array)


def test_the_same_model_makes_the_same_file(learner, tmp_path):
    for name in "ab":
        learner.save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_about(learner, tmp_path):
    notes = {"features": ["a", "b"], "error": 0.125, "text": "ä\n", "nothing": None, "1": {"deep": [1, [2]]}}
    learner.save(tmp_path / "a.model", about=notes)
    assert files.about(tmp_path / "a.model") == notes
    model, kept = freemetric.load(tmp_path / "a.model", with_about=True)
    assert (type(model), kept) == (DMLFE, notes)
    learner.save(tmp_path / "a.model")
    assert files.about(tmp_path / "a.model") == {}
