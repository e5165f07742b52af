"""Models in files that are open already."""

import gzip
import io
import tempfile
import zipfile

import numpy as np
import pytest

import freemetric
from freemetric.files import ModelFileError, about, load, save


@pytest.fixture(scope="module")
def model():
    X = np.random.default_rng(0).random((30, 3))
    return freemetric.LFDA().fit(X, X[:, 0] > 0.5)


def test_the_same_bytes_as_in_a_file_with_a_name(model, tmp_path):
    model.save(tmp_path / "a.fm", {"why": 1})
    held = io.BytesIO()
    freemetric.save(model, held, {"why": 1})
    assert held.getvalue() == (tmp_path / "a.fm").read_bytes()
    held.seek(0)
    assert about(held) == {"why": 1}
    held.seek(0)
    loaded, notes = load(held, with_about=True)
    np.testing.assert_array_equal(loaded.components_, model.components_)
    assert notes == {"why": 1}


def test_files_of_all_kinds(model, tmp_path):
    with open(tmp_path / "a.fm", "wb") as file:
        save(model, file)
    with open(tmp_path / "a.fm", "rb") as file:
        assert isinstance(freemetric.load(file), freemetric.LFDA)
    with gzip.open(tmp_path / "a.gz", "wb") as file:
        save(model, file)
    with gzip.open(tmp_path / "a.gz") as file:
        assert isinstance(load(file), freemetric.LFDA)
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive, archive.open("a.fm", "w") as file:
        save(model, file)
    with zipfile.ZipFile(tmp_path / "a.zip") as archive, archive.open("a.fm") as file:
        assert isinstance(load(file), freemetric.LFDA)
    with tempfile.NamedTemporaryFile() as file:
        save(model, file)
        file.seek(0)
        assert isinstance(load(file), freemetric.LFDA)


@pytest.mark.parametrize(
    ("mode", "work", "message"),
    [
        ("w", "save", "a file in text mode; open it with 'wb'"),
        ("r", "load", "a file in text mode; open it with 'rb'"),
        ("rb", "save", "a file that cannot be written to; open it with 'wb'"),
        ("ab", "load", "a file that cannot be read from; open it with 'rb'"),
    ],
)
def test_a_wrong_mode_is_one_line(model, mode, work, message, tmp_path):
    path = tmp_path / "a.fm"
    model.save(path)
    with open(path, mode) as file, pytest.raises(ModelFileError) as problem:
        save(model, file) if work == "save" else load(file)
    assert str(problem.value) == f"{path}: {message}"
    with pytest.raises(ModelFileError, match=r"a.fm: a closed file; open it with"):
        save(model, file) if work == "save" else load(file)


def test_what_is_no_model(model):
    for held in (io.BytesIO(), io.BytesIO(b"PK" + bytes(99))):
        with pytest.raises(ModelFileError, match=r"^a BytesIO: not a freemetric model$"):
            load(held)
    with pytest.raises(ModelFileError, match=r"^a StringIO: a file in text mode"):
        save(model, io.StringIO())
    held = io.BytesIO()
    save(model, held)
    with pytest.raises(ModelFileError, match=r"^a BytesIO: damaged, incomplete or altered"):
        load(io.BytesIO(held.getvalue()[:-30]))
