"""Drafts of writers that were killed go with the next file; those of writers at work, and what is not ours, stay."""

import subprocess
import sys

import pytest

from freemetric.files import atomic
from freemetric.files.atomic import check_can_be_written, remove_with_drafts, replacing

pytest.importorskip("fcntl")
WRITER = """
import runpy, sys, pathlib
with runpy.run_path(sys.argv[1])["replacing"](pathlib.Path(sys.argv[2])) as file:
    file.write(b"of the child")
    file.flush()
    print("writing", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def writer(tmp_path):
    """Another process in the middle of writing a file."""
    words = [sys.executable, "-c", WRITER, atomic.__file__, tmp_path / "a.model"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"writing\n"
        yield process
        process.kill()


def write(path, content=b"of the parent"):
    with replacing(path) as file:
        file.write(content)


def drafts_in(folder):
    return sorted(path.name for path in folder.glob(".*"))


def test_a_killed_writer_leaves_nothing_for_ever(writer, tmp_path):
    writer.kill()
    writer.wait()
    assert len(drafts_in(tmp_path)) == 1
    write(tmp_path / "another.model")
    assert len(drafts_in(tmp_path)) == 1  # a name of its own
    write(tmp_path / "a.model")
    assert drafts_in(tmp_path) == []
    assert (tmp_path / "a.model").read_bytes() == b"of the parent"


@pytest.mark.parametrize("act", [write, remove_with_drafts])
def test_drafts_that_nobody_writes_go(act, tmp_path):
    for digit in "0f":
        (tmp_path / f".a.model.{32 * digit}.tmp").touch()
    act(tmp_path / "a.model")
    assert drafts_in(tmp_path) == []


def test_a_writer_at_work_is_not_disturbed(writer, tmp_path):
    write(tmp_path / "a.model")
    remove_with_drafts(tmp_path / "a.model")
    assert len(drafts_in(tmp_path)) == 1
    writer.communicate(timeout=60)
    assert writer.returncode == 0
    assert (tmp_path / "a.model").read_bytes() == b"of the child"
    assert drafts_in(tmp_path) == []


def test_two_at_once_in_one_process(tmp_path):
    with replacing(tmp_path / "a") as first, replacing(tmp_path / "a") as second:
        first.write(b"first")
        second.write(b"second")
    assert (tmp_path / "a").read_bytes() == b"first"
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_what_is_not_ours_stays(tmp_path):
    names = [".a.model.tmp", ".a.model.0123.tmp", f".b.model.{'0' * 32}.tmp", f"a.model.{'0' * 32}.tmp"]
    names += [f".a.model.{'0' * 32}.tmp.bak", f".aXmodel.{'0' * 32}.tmp", f".a.model.{'G' * 32}.tmp"]
    for name in names:
        (tmp_path / name).touch()
    (tmp_path / f".a.model.{'1' * 32}.tmp").mkdir()
    (tmp_path / f".a.model.{'2' * 32}.tmp").symlink_to(tmp_path / names[0])
    before = sorted(tmp_path.iterdir())
    write(tmp_path / "a.model")
    assert sorted([*before, tmp_path / "a.model"]) == sorted(tmp_path.iterdir())


def test_a_draft_that_is_taken_for_abandoned_is_begun_again(tmp_path, monkeypatch):
    """Between its making and its lock, another writer may come along."""
    real, taken = atomic.fcntl.flock, []

    def late(file, flags):
        if not taken:
            taken.append(file.name)
            atomic.remove_abandoned_drafts(tmp_path / "a")
        return real(file, flags)

    monkeypatch.setattr(atomic.fcntl, "flock", late)
    write(tmp_path / "a")
    assert len(taken) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_whether_a_file_can_be_written_leaves_no_trace(tmp_path):
    (tmp_path / "a").write_text("old")
    check_can_be_written(tmp_path / "a")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("a", "old")]
    with pytest.raises(OSError, match="No such file"):
        check_can_be_written(tmp_path / "no" / "a")


@pytest.mark.parametrize("write", [check_can_be_written, lambda path: replacing(path).__enter__()])
def test_a_folder_that_is_not_there_is_named_with_the_file(tmp_path, write):
    with pytest.raises(FileNotFoundError) as caught:
        write(tmp_path / "none" / "a.model")
    assert caught.value.filename == str(tmp_path / "none" / "a.model")
