"""What cannot be saved, what is no model file, and what an interrupted save leaves behind."""

import os
import pickle
import zipfile
from errno import EACCES, EISDIR, ENOENT

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler

import freemetric
from freemetric import DMLFE, NCA, RCA
from freemetric.energies import NCAEnergy
from freemetric.files import ModelFileError, about, container, save

from .conftest import QUICK
from .tampering import resealed


def norm(A):
    return (A**2).sum(axis=(1, 2))


class MyEnergy(NCAEnergy):
    pass


@pytest.mark.parametrize(
    ("energy", "said"),
    [
        (norm, "DMLFE cannot be saved: its parameter `energy` is a function, 'norm'"),
        (NCAEnergy() + 0.1 * MyEnergy(), "its parameter `energy.second.energy` is of the class .*MyEnergy.*register"),
    ],
)
def test_energies_of_ones_own(energy, said, few, tmp_path):
    model = DMLFE(energy=energy, sampler=QUICK, random_state=0).fit(*few)
    with pytest.raises(ModelFileError, match=said):
        model.save(tmp_path / "a.model")
    assert not list(tmp_path.iterdir())
    model.set_params(energy="nca").save(tmp_path / "a.model")
    assert np.array_equal(freemetric.load(tmp_path / "a.model").components_, model.components_)


def contains_itself(model):
    model.snapshots_ = [model]


def has_a_module(model):
    model.snapshots_ = np


def has_a_long_double(model):
    model.snapshots_ = {"a": np.longdouble(1)}


def has_an_attribute_of_the_users(model):
    model.extra_ = 1


def hides_a_method(model):
    model.transform = 1


def is_broken(model):
    model.components_ = model.components_[:, :2]


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (contains_itself, "nested too deeply"),
        (has_a_module, "attribute `snapshots_` is of the class builtins.module$"),
        (has_a_long_double, r"attribute `snapshots_\['a'\]` is the dtype"),
        (has_an_attribute_of_the_users, "attribute 'extra_', which its fit is not known to set"),
        (hides_a_method, "attribute 'transform' that hides what the class provides"),
        (is_broken, "components_ of DMLFE has shape"),
    ],
)
def test_what_no_file_can_hold(spoil, said, few, tmp_path):
    model = DMLFE(sampler=QUICK, random_state=0).fit(*few)
    spoil(model)
    with pytest.raises(ModelFileError, match=said) as caught:
        model.save(tmp_path / "a.model")
    assert str(caught.value).isprintable()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        (
            [RCA(), KNeighborsClassifier()],
            r"parameter `steps\[1\]\[1\]` is of the class sklearn.*KNeighborsClassifier,",
        ),
        ([FunctionTransformer(np.sqrt), RCA()], "FunctionTransformer with a function"),
    ],
)
def test_pipelines_of_other_parts(steps, said, few, tmp_path):
    with pytest.raises(ModelFileError, match=said):
        save(make_pipeline(*steps).fit(*few), tmp_path / "a.model")


def test_pipelines_with_a_cache(few, tmp_path):
    model = make_pipeline(MinMaxScaler(), RCA(), memory=str(tmp_path / "cache")).fit(*few)
    with pytest.raises(ModelFileError, match="memory"):
        save(model, tmp_path / "a.model")


def test_unfitted_models(tmp_path):
    with pytest.raises(NotFittedError):
        NCA().save(tmp_path / "a.model")


def test_notes_are_json(learner, tmp_path):
    for notes in ({"a": float("nan")}, {"a": norm}, {"a": np.zeros(2)}, {("a",): 1}):
        with pytest.raises(ModelFileError, match="about must hold JSON values only"):
            learner.save(tmp_path / "a.model", notes)
    with pytest.raises(TypeError, match="about must be a dict"):
        learner.save(tmp_path / "a.model", ["a"])
    with pytest.raises(ModelFileError, match="more than 16 MB"):
        learner.save(tmp_path / "a.model", {"a": "b" * (16 << 20)})
    assert not list(tmp_path.iterdir())


FOREIGN = {
    "empty": b"",
    "text": b"hello\n" * 100,
    "picture": b"\x89PNG\r\n\x1a\n" + bytes(200),
    "pickle": pickle.dumps({"a": 1}),
    "npy": b"\x93NUMPY" + bytes(100),
}


@pytest.mark.parametrize("read", [freemetric.load, about])
@pytest.mark.parametrize("kind", [*FOREIGN, "zip", "folder", "missing"])
def test_foreign_files(kind, read, tmp_path):
    path = tmp_path / "a.model"
    if kind in FOREIGN:
        path.write_bytes(FOREIGN[kind])
    elif kind == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("letter.txt", "hello")
    elif kind == "folder":
        path.mkdir()
    said = {"folder": r"cannot be read \(Is a dir", "missing": r"cannot be read \(No such file"}
    with pytest.raises(ModelFileError, match=f"a.model: {said.get(kind, 'not a freemetric model')}"):
        read(path)


@pytest.mark.parametrize("read", [freemetric.load, about])
def test_a_file_that_cannot_be_opened_is_an_error_of_the_operating_system(read, tmp_path):
    (tmp_path / "folder").mkdir()
    for name, kind, number in (("nothing.fm", FileNotFoundError, ENOENT), ("folder", IsADirectoryError, EISDIR)):
        with pytest.raises(kind) as caught:
            read(tmp_path / name)
        error = pickle.loads(pickle.dumps(caught.value))  # as joblib sends it from a worker
        assert isinstance(error, ModelFileError)
        assert (error.errno, error.filename) == (number, str(tmp_path / name))
        assert str(error) == f"{tmp_path / name}: cannot be read ({os.strerror(number)})"


def test_a_file_that_must_not_be_opened(learner, tmp_path, monkeypatch):
    def refuse(path, *_):
        raise PermissionError(EACCES, os.strerror(EACCES), str(path))

    learner.save(tmp_path / "a.model")
    monkeypatch.setattr(container, "open", refuse, raising=False)  # root may read everything
    with pytest.raises(PermissionError, match=r"a.model: cannot be read \(Permission denied\)$") as caught:
        freemetric.load(tmp_path / "a.model")
    assert isinstance(caught.value, ModelFileError)


def test_a_file_that_cannot_be_written_is_an_error_of_the_operating_system(learner, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"a.model: cannot be written \(No such file or directory\)$") as caught:
        learner.save(tmp_path / "nowhere" / "a.model")
    assert isinstance(caught.value, ModelFileError)
    assert pickle.loads(pickle.dumps(caught.value)).access == "written"


def test_parameters_that_came_later_have_their_default(learner, tmp_path):
    def edit(header, tree, arrays):
        del tree["object"][1]["warm_start"]

    learner.save(tmp_path / "a.model")
    assert freemetric.load(resealed(tmp_path / "a.model", tmp_path / "a.model", edit)).warm_start is False


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, OSError(28, "No space left on device")])
@pytest.mark.parametrize("when", ["writestr", "fsync", "replace"])
def test_an_interrupted_save_leaves_the_old_file(error, when, learner, tmp_path, monkeypatch):
    def fail(*args, **kwargs):
        raise error

    path = tmp_path / "a.model"
    learner.save(path)
    before = path.read_bytes()
    owner = zipfile.ZipFile if when == "writestr" else container.os
    monkeypatch.setattr(owner, when, fail)
    said = ModelFileError if isinstance(error, OSError) else error
    with pytest.raises(said):
        learner.save(path, {"new": True})
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_places_that_cannot_be_written(learner, tmp_path):
    (tmp_path / "folder").mkdir()
    for path in (tmp_path / "folder", tmp_path / "no folder" / "a.model", "/"):
        with pytest.raises(ModelFileError, match="cannot be written"):
            learner.save(path)
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]
