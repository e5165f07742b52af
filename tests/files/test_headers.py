"""What a file says of itself: its format, its releases, its notes."""

import json
import zipfile

import pytest
import sklearn
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

import freemetric
from freemetric import RCA
from freemetric.exceptions import VersionWarning
from freemetric.files import ModelFileError, about, container, save

from .tampering import packed, parts, resealed
from .test_damaged import assert_one_line
from .test_hostile import VALUES

HEADER = ["format", "version", "freemetric", "scikit-learn", "about", "class"]


@pytest.mark.parametrize("version", [4, 99])
def test_later_formats(version, learner, tmp_path):
    learner.save(tmp_path / "a.model")

    def edit(header, tree, arrays):
        header.update(version=version, freemetric="99.0")

    path = resealed(tmp_path / "a.model", tmp_path / "later.model", edit)
    said = (
        f"later.model: format {version}, written by freemetric 99.0; this freemetric reads format 3: update freemetric$"
    )
    for read in (freemetric.load, about):
        with pytest.raises(ModelFileError, match=said):
            read(path)


@pytest.mark.parametrize("read", [freemetric.load, about])
def test_the_format_of_freemetric_0_2(read, tmp_path):
    """Its files name modules, which have moved."""
    header = {"format": "freemetric model", "version": 1, "arrays": 0, "freemetric": "0.2.0", "scikit-learn": "1.7.0"}
    tree = {"object": ["freemetric.NCA", {}]}
    with zipfile.ZipFile(tmp_path / "old.model", "w") as archive:
        archive.writestr("freemetric.json", json.dumps(header | {"about": {}, "class": "freemetric.NCA"}))
        archive.writestr("tree.json", json.dumps(tree))
    said = (
        "old.model: format 1, written by freemetric 0.2.0; this freemetric reads format 3: fit the model again, or load"
    )
    with pytest.raises(ModelFileError, match=said):
        read(tmp_path / "old.model")


@pytest.mark.parametrize("version", [0, -1, 1.0, 3.0, True, None, "3", [3]])
def test_versions_that_are_none(version, learner, tmp_path):
    learner.save(tmp_path / "a.model")
    path = resealed(tmp_path / "a.model", tmp_path / "a.model", lambda header, *_: header.update(version=version))
    for read in (freemetric.load, about):
        with pytest.raises(ModelFileError, match="no format version"):
            read(path)


@pytest.mark.parametrize("version", ["0.1", "x", None, 5])
def test_other_releases_of_scikit_learn(version, learner, few, tmp_path):
    def edit(header, tree, arrays):
        header["scikit-learn"] = version

    learner.save(tmp_path / "a.model")
    save(make_pipeline(MinMaxScaler(), RCA()).fit(*few), tmp_path / "b.model")
    for name in "ab":
        resealed(tmp_path / f"{name}.model", tmp_path / f"{name}.model", edit)
    if isinstance(version, str):
        freemetric.load(tmp_path / "a.model")
        with pytest.warns(VersionWarning, match=f"b.model: .* of {version}, this is {sklearn.__version__}"):
            freemetric.load(tmp_path / "b.model")
    else:
        with pytest.raises(ModelFileError):
            freemetric.load(tmp_path / "a.model")


def test_what_another_release_cannot_rebuild(learner, tmp_path):
    def edit(header, tree, arrays):
        header["freemetric"] = "0.0.1"
        del tree["object"][1]["components_"]

    learner.save(tmp_path / "a.model")
    path = resealed(tmp_path / "a.model", tmp_path / "a.model", edit)
    with pytest.raises(ModelFileError, match=r"saved with freemetric 0\.0\.1 and .*, cannot be loaded with freemetric"):
        freemetric.load(path)


@pytest.mark.filterwarnings("ignore::freemetric.exceptions.VersionWarning")
@pytest.mark.parametrize("key", HEADER)
def test_altered_headers_are_reported_in_one_line(key, learner, tmp_path):
    learner.save(tmp_path / "a.model", about={"a": 1})
    for i, value in enumerate([*VALUES, "x" * 10**6, "deleted"]):

        def edit(header, tree, arrays, value=value):
            header[key] = value
            if value == "deleted":
                del header[key]

        path = resealed(tmp_path / "a.model", tmp_path / f"{i}.model", edit)
        for read in (freemetric.load, about):
            try:
                read(path)
            except ModelFileError as problem:
                assert_one_line(problem, path)


@pytest.mark.parametrize("key", ["arrays", "sha256"])
@pytest.mark.parametrize("value", VALUES, ids=str)
def test_wrong_sums(key, value, learner, tmp_path):
    learner.save(tmp_path / "a.model")
    header, tree, arrays = parts(tmp_path / "a.model")
    contents = [container.as_json(tree), *arrays]
    freemetric.load(packed(tmp_path / "a.model", header, contents))
    path = packed(tmp_path / "b.model", header | {key: value}, contents)
    with pytest.raises(ModelFileError, match=r"\(its checksum is wrong|other parts|a wrong number of arrays") as caught:
        freemetric.load(path)
    assert_one_line(caught.value, path)


@pytest.mark.parametrize("header", [None, [], 1, "text", {}, [["format", "freemetric model"]]])
def test_headers_that_are_none(header, tmp_path):
    with zipfile.ZipFile(tmp_path / "a.model", "w") as archive:
        archive.writestr("freemetric.json", json.dumps(header))
        archive.writestr("tree.json", "{}")
    for read in (freemetric.load, about):
        with pytest.raises(ModelFileError, match="another format"):
            read(tmp_path / "a.model")
