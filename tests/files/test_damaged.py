"""Files that met an accident, or another release: one clear line, or the same model."""

import os
import random

import numpy as np
import pytest

import freemetric
from freemetric.exceptions import VersionWarning
from freemetric.files import ModelFileError
from freemetric.files.container import LENGTH_AT, packed, unpacked

from .examples import X, fitted
from .tampering import content_of, loaded, sealed


def flip_bits(rng, content):
    content = bytearray(content)
    for _ in range(rng.choice([1, 1, 2, 30])):
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    return bytes(content)


def cut(rng, content):
    return content[: rng.randrange(len(content))]


def lose_a_piece(rng, content):
    start = rng.randrange(len(content))
    return content[:start] + content[start + rng.randint(1, 2000) :]


def insert(rng, content):
    place = rng.randrange(len(content) + 1)
    return content[:place] + rng.randbytes(rng.randint(1, 40)) + content[place:]


def overwrite(rng, content):
    start = rng.randrange(len(content))
    return (content[:start] + bytes(40) + content[start:])[: len(content)]


@pytest.mark.parametrize("damage", [flip_bits, cut, lose_a_piece, insert, overwrite])
def test_damage(damage):
    rng = random.Random(damage.__name__)
    model, _ = fitted("regressor")
    content = content_of(model)
    for _ in range(40):
        broken = damage(rng, content)
        try:
            other = loaded(broken)
        except ModelFileError as problem:
            assert_one_line(problem)
        else:
            np.testing.assert_array_equal(other.predict(X), model.predict(X))


def assert_one_line(problem):
    text = str(problem)
    assert text.startswith("a BytesIO: ")
    assert text.isprintable()
    assert len(text) < 400


@pytest.mark.parametrize("length", [0, 2**20, 2**63, 2**64 - 1])
def test_wrong_lengths_of_the_header(length):
    header, numbers = unpacked(content_of(fitted("nca")[0]))
    content = bytearray(packed(header, [numbers]))
    content[LENGTH_AT : LENGTH_AT + 8] = length.to_bytes(8, "little")
    with pytest.raises(ModelFileError, match="its checksum is wrong"):
        loaded(bytes(content))


@pytest.mark.parametrize("version", ["5", "99", "-1", "4.0", ""])
def test_other_formats(version):
    content = content_of(fitted("nca")[0])
    other = content.replace(b"model 4\n", f"model {version}\n".encode(), 1)
    with pytest.raises(ModelFileError, match="its format is not 4"):
        loaded(other)


def resealed(name, **header):
    found, numbers = unpacked(content_of(fitted(name)[0]))
    return packed(found | header, [numbers])


def test_another_release_of_scikit_learn():
    other = {"freemetric": "0.1", "scikit-learn": "0.1"}
    loaded(resealed("nca", releases=other))
    with pytest.warns(
        VersionWarning, match="saved by .*'scikit-learn': '0.1'.* this is"
    ):
        loaded(resealed("ridge", releases=other))
    broken = resealed("nca", releases=other, model={"object": ["freemetric.Old", {}]})
    with pytest.raises(
        ModelFileError, match=r"unknown class, 'freemetric.Old'; saved by"
    ):
        loaded(broken)


@pytest.mark.parametrize("key", ["releases", "model"])
@pytest.mark.parametrize(
    "value",
    [None, 1, "x", [], {}, {"scikit-learn": 5}, ["\x1b[2J\n" * 99], {"a\n": "b\u2028"}],
)
def test_headers_that_are_none(key, value):
    with pytest.raises(ModelFileError) as caught:
        loaded(resealed("nca", **{key: value}))
    assert_one_line(caught.value)


@pytest.mark.parametrize(
    "text", ["", "NaN", "[", "[1", '"\\ud800', "1e999", "9" * 5000]
)
def test_models_that_are_no_json(text):
    with pytest.raises(ModelFileError) as caught:
        loaded(sealed(text))
    assert_one_line(caught.value)


def test_old_drafts_of_killed_processes_are_removed(tmp_path):
    path = tmp_path / "model[1].fm"
    old, new, other = (
        tmp_path / f".{name}.{number:032x}.tmp"
        for name, number in ((path.name, 1), (path.name, 2), ("other.fm", 3))
    )
    for draft in (old, new, other):
        draft.write_bytes(b"half")
    os.utime(old, (0, 0))
    os.utime(other, (0, 0))
    model = freemetric.PCA().fit(X)
    freemetric.save(model, path)
    assert not old.exists()
    assert new.exists()
    assert other.exists()
    np.testing.assert_array_equal(freemetric.load(path).components_, model.components_)
