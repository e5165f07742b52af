"""Files are whole or not there, and what cannot be exported is one line."""

import importlib
import sys

import numpy as np
import onnx
import pytest
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

import freemetric
from freemetric import Euclidean, FreeEnergyClassifier, MetricKNeighborsClassifier
from freemetric.onnx_export import to_onnx


def test_file(iris, tmp_path):
    path = tmp_path / "iris.onnx"
    path.write_text("what was there before")
    made = to_onnx(MetricKNeighborsClassifier(Euclidean(), 3).fit(*iris), str(path))
    assert onnx.load(path) == made
    assert [file.name for file in tmp_path.iterdir()] == ["iris.onnx"]
    assert path.read_bytes() == to_onnx(MetricKNeighborsClassifier(Euclidean(), 3).fit(*iris)).SerializeToString()


def test_a_failure_leaves_what_was_there(iris, tmp_path, monkeypatch):
    path = tmp_path / "iris.onnx"
    path.write_text("what was there before")
    monkeypatch.setattr("os.fsync", lambda file: (_ for _ in ()).throw(OSError("the disk is full")))
    with pytest.raises(OSError, match="the disk is full"):
        to_onnx(Euclidean().fit(*iris), path)
    assert path.read_text() == "what was there before"
    assert [file.name for file in tmp_path.iterdir()] == ["iris.onnx"]


@pytest.mark.parametrize(
    "model", [Euclidean(), FreeEnergyClassifier(), make_pipeline(MinMaxScaler(), Euclidean())], ids=str
)
def test_unfitted(model):
    with pytest.raises(NotFittedError, match=r"^This \w+ instance is not fitted yet\.[^\n]*$"):
        to_onnx(model)


class Unknown(TransformerMixin, BaseEstimator):
    def fit(self, X, y=None):
        self.n_features_in_ = X.shape[1]
        return self

    def transform(self, X):
        return X


def test_unknown_steps(iris):
    for model in (make_pipeline(Unknown(), Euclidean()), MetricKNeighborsClassifier(Unknown(), 3)):
        with pytest.raises(ValueError, match=r"^\w+ cannot be exported: [^\n]*Unknown[^\n]*$"):
            to_onnx(model.fit(*iris))


def test_labels_that_are_neither_numbers_nor_texts(iris):
    X, y = iris
    model = MetricKNeighborsClassifier(Euclidean(), 3).fit(X, np.array([b"a", b"b", b"c"])[y])
    with pytest.raises(ValueError, match=r"cannot be exported: labels must be integers or texts, not bytes"):
        to_onnx(model)


class Missing:
    """Finds neither library, as where the extra is not installed."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name in ("onnx", "skl2onnx"):
            raise ModuleNotFoundError(name=name)


def test_one_line_without_the_extra(monkeypatch):
    monkeypatch.setattr(freemetric, "onnx_export", freemetric.onnx_export)  # and back to this one afterwards
    for name in list(sys.modules):
        if name.partition(".")[0] in ("onnx", "skl2onnx") or name.startswith("freemetric.onnx_export"):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [Missing, *sys.meta_path])
    with pytest.raises(ImportError, match=r"^This needs onnx: pip install 'freemetric\[onnx\]'\.$"):
        importlib.import_module("freemetric.onnx_export")
