"""Files that met an accident: one clear line, or the same model; nothing else."""

import random
import zipfile

import pytest

import freemetric
from freemetric.files import ModelFileError, save

from .tampering import parts
from .test_round_trip import assert_same


def flip_bits(rng, content):
    content = bytearray(content)
    for _ in range(rng.choice([1, 1, 1, 2, 30])):
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


def repeat(rng, content):
    start = rng.randrange(len(content))
    return content + content[start:]


def overwrite(rng, content):
    start = rng.randrange(len(content))
    return (content[:start] + bytes(rng.randint(1, 400)) + content[start:])[: len(content)]


@pytest.fixture(scope="module")
def saved(classifier, tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / "a.model"
    save(classifier, path, about={"why": "test"})
    return path


@pytest.mark.parametrize("damage", [flip_bits, cut, lose_a_piece, insert, repeat, overwrite])
def test_damage(damage, saved, classifier, tmp_path):
    rng = random.Random(damage.__name__)
    content = saved.read_bytes()
    path = tmp_path / "a.model"
    for _ in range(50):
        path.write_bytes(damage(rng, content))
        try:
            model = freemetric.load(path)
        except ModelFileError as problem:
            assert_one_line(problem, path)
        else:
            assert_same(model, classifier)
    assert list(tmp_path.iterdir()) == [path]


def assert_one_line(problem, path):
    text = str(problem)
    assert text.startswith(f"{path}: ")
    assert text.isprintable()
    assert len(text) < 400 + len(str(path))


@pytest.mark.parametrize("seed", range(5))
def test_members_swapped_renamed_or_lost(seed, saved, tmp_path):
    rng = random.Random(seed)
    with zipfile.ZipFile(saved) as archive:
        names = archive.namelist()
        contents = [archive.read(name) for name in names]
    a, b = rng.sample(range(1, len(names)), 2)
    swapped, lost, renamed = names.copy(), names.copy(), names.copy()
    swapped[a], swapped[b], renamed[a], lost[a] = names[b], names[a], "../other", None
    for number, new_names in enumerate((swapped, lost, renamed)):
        path = tmp_path / f"{number}.model"
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in zip(new_names, contents, strict=True):
                if name:
                    archive.writestr(name, content)
        with pytest.raises(
            ModelFileError, match=r"damaged, incomplete or altered \((its checksum|other parts|a wrong)"
        ):
            freemetric.load(path)


def test_compressed_parts_are_not_unpacked(saved, tmp_path):
    path = tmp_path / "a.model"
    with zipfile.ZipFile(saved) as archive, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as other:
        for name in archive.namelist():
            other.writestr(name, archive.read(name))
    with pytest.raises(ModelFileError, match="compressed parts"):
        freemetric.load(path)


def test_parts_that_share_their_bytes_are_not_read(saved, tmp_path):
    """A thousand entries that point to one array would unpack to a thousand times its size."""
    path = tmp_path / "a.model"
    path.write_bytes(saved.read_bytes())
    with zipfile.ZipFile(path, "a") as archive:
        archive.filelist += [archive.getinfo("arrays/0.npy")] * 1000
        archive.writestr("more", b"")
    with pytest.raises(ModelFileError, match="parts larger than the whole"):
        freemetric.load(path)


def test_parts_are_what_the_documentation_says(saved):
    header, tree, arrays = parts(saved)
    assert header["format"] == "freemetric model"
    assert header["class"] == "freemetric:free-energy-classifier" == tree["object"][0]
    assert len(arrays) == header["arrays"]
