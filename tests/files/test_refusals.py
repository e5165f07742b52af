"""What cannot be saved, what is no model file, and what an interrupted save leaves."""

import errno
import io
import os
import pickle

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import freemetric
from freemetric.energies import NCAEnergy
from freemetric.files import ModelFileError, container, load, save
from freemetric.learners import DMLFE, NCA, RCA

from .examples import SAMPLER, X, classifier, fitted, y
from .tampering import content_of, loaded


def norm(A):
    return (A**2).sum(axis=(1, 2))


class OwnEnergy(NCAEnergy):
    pass


class OwnLearner(NCA):
    pass


def with_attribute(name, value):
    model = NCA(max_iter=1000).fit(X, y)
    setattr(model, name, value)
    return model


def holding_itself():
    model = with_attribute("trace_", [])
    model.trace_.append(model)
    return model


FOREST = ("forest", RandomForestClassifier(3))
UNSAVABLE = {
    "`energy` is a function, 'norm'": lambda: DMLFE(energy=norm, sampler=SAMPLER),
    "`energy.second.energy` is of the class .*OwnEnergy": lambda: DMLFE(
        energy=NCAEnergy() + 0.1 * OwnEnergy(), sampler=SAMPLER
    ),
    r"`random_state` is a RandomState; give an integer": lambda: NCA(
        random_state=np.random.RandomState(0)
    ),
    r"`estimators\[0\]\[1\]` is .*RandomForestClassifier, which model files": (
        lambda: classifier(estimators=[FOREST])
    ),
    r"`steps\[0\]\[1\].func` is a function, 'sqrt'": lambda: make_pipeline(
        FunctionTransformer(np.sqrt), RCA()
    ),
    "OwnLearner cannot be saved: it is of the class": OwnLearner,
}
BROKEN = {
    "attribute 'extra_' is none that a fit sets": lambda: with_attribute("extra_", 1),
    "components_ of NCA is no array": lambda: with_attribute("components_", None),
    "components_ of NCA has shape": lambda: with_attribute("components_", X[:2, :3]),
    "not finite": lambda: with_attribute("components_", np.full((4, 4), np.nan)),
    "`trace_` is of the class builtins.module": lambda: with_attribute("trace_", np),
    r"`trace_\['a'\]` is an array of (float128|longdouble)": lambda: with_attribute(
        "trace_", {"a": np.zeros(2, np.longdouble)}
    ),
    "it contains itself": holding_itself,
}


@pytest.mark.parametrize("said", [*UNSAVABLE, *BROKEN])
def test_what_cannot_be_saved(said, tmp_path):
    model = UNSAVABLE[said]().fit(X, y) if said in UNSAVABLE else BROKEN[said]()
    with pytest.raises(ModelFileError, match=said) as caught:
        save(model, tmp_path / "a.model")
    assert str(caught.value).isprintable()
    assert not list(tmp_path.iterdir())


def test_a_model_with_an_energy_of_ones_own_predicts_without_it():
    model = DMLFE(energy=norm, sampler=SAMPLER, random_state=0).fit(X, y)
    other = loaded(content_of(model.set_params(energy="nca")))
    np.testing.assert_array_equal(other.transform(X), model.transform(X))


def test_what_is_no_fitted_model(tmp_path):
    with pytest.raises(NotFittedError):
        save(NCA(), tmp_path / "a.model")
    with pytest.raises(ModelFileError, match="it is no estimator"):
        save({"a": 1}, tmp_path / "a.model")


FOREIGN = {
    "empty": b"",
    "text": b"hello\n" * 100,
    "archive": b"PK\x03\x04" + bytes(200),
    "pickle": pickle.dumps({"a": 1}),
    "npy": b"\x93NUMPY" + bytes(100),
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_foreign_files(kind, tmp_path):
    (tmp_path / "a.model").write_bytes(FOREIGN[kind])
    with pytest.raises(ModelFileError, match=r"a\.model: it is no freemetric model$"):
        load(tmp_path / "a.model")


def test_pipes_do_not_block(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ModelFileError, match="pipe: it is no ordinary file"):
        load(tmp_path / "pipe")


def test_errors_of_the_operating_system(tmp_path):
    kinds = {"missing": FileNotFoundError, "folder": IsADirectoryError}
    (tmp_path / "folder").mkdir()
    for name, kind in kinds.items():
        with pytest.raises(kind) as caught:
            load(tmp_path / name)
        error = pickle.loads(pickle.dumps(caught.value))  # as joblib sends it
        assert isinstance(error, ModelFileError)
        assert error.filename == str(tmp_path / name)
        assert str(error).startswith(f"{tmp_path / name}: cannot be read (")
    with pytest.raises(FileNotFoundError, match=r"be written \(No such") as caught:
        save(fitted("nca")[0], tmp_path / "nowhere" / "a")
    assert isinstance(caught.value, ModelFileError)
    with pytest.raises(ModelFileError, match="folder: cannot be written"):
        save(fitted("nca")[0], tmp_path / "folder")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_a_file_that_must_not_be_opened(tmp_path, monkeypatch):
    def refuse(path, *_):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    save(fitted("nca")[0], tmp_path / "a.model")
    monkeypatch.setattr(container, "open", refuse, raising=False)  # root may read all
    with pytest.raises(PermissionError, match=r"cannot be read \(Permission") as caught:
        load(tmp_path / "a.model")
    assert isinstance(caught.value, ModelFileError)


def test_files_in_text_mode(tmp_path):
    with pytest.raises(ModelFileError, match="text mode; open it with 'wb'"):
        save(fitted("nca")[0], io.StringIO())
    with pytest.raises(ModelFileError, match="text mode; open it with 'rb'"):
        load(io.StringIO("freemetric model 4\n"))
    with open(tmp_path / "a.model", "wb") as file:
        freemetric.save(fitted("nca")[0], file)
    with pytest.raises(ModelFileError, match=r"a.model: cannot be read"):
        load(file)


@pytest.mark.parametrize("when", ["fsync", "replace"])
@pytest.mark.parametrize(
    "error", [KeyboardInterrupt, MemoryError, OSError(28, "No space left on device")]
)
def test_an_interrupted_save_leaves_the_old_file(error, when, tmp_path, monkeypatch):
    def fail(*_):
        raise error

    path = tmp_path / "a.model"
    path.write_bytes(b"before")
    monkeypatch.setattr(container.os, when, fail)
    with pytest.raises(ModelFileError if isinstance(error, OSError) else error):
        save(fitted("nca")[0], path)
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]
