"""Folders of uploaded data: gone when nobody uses them, also after a server was killed; nobody else's is touched."""

import os
import tempfile

import pytest

from freemetric.files import atomic
from freemetric.serve.folders import LOCK, PREFIX, Folder, PrivateFolder, remove_abandoned

pytest.importorskip("fcntl", reason="without locks nothing is removed at the next start")


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """The folder of temporary files of this test."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def left_behind(temporary, name=f"{PREFIX}dead"):
    """What a killed server leaves."""
    made = temporary / name
    made.mkdir(mode=0o700)
    (made / LOCK).touch()
    (made / "1").mkdir()
    (made / "1" / "table.csv").write_text("secret")
    return made


def test_a_folder_goes_when_the_last_user_has_left(tmp_path):
    folder = Folder(tmp_path / "1")
    user, path = folder, folder.path
    (path / "table.csv").touch()
    del folder
    assert path.exists()
    del user
    assert not path.exists()


def test_a_folder_that_is_removed_is_gone_at_once(tmp_path):
    folder = Folder(tmp_path / "1")
    folder.remove()
    assert not folder.path.exists()


def test_what_a_dead_server_left_is_removed(temporary):
    dead = left_behind(temporary)
    made = PrivateFolder()
    assert not dead.exists()
    made.close()
    assert list(temporary.iterdir()) == []


def test_the_folder_of_a_living_server_stays(temporary):
    made = PrivateFolder()
    inside = made.new()
    remove_abandoned()
    other = PrivateFolder()
    assert inside.path.exists()
    other.close()
    made.close()
    assert list(temporary.iterdir()) == []


def test_what_is_not_ours_stays(temporary, monkeypatch):
    without_lock = temporary / f"{PREFIX}other"
    without_lock.mkdir(mode=0o700)
    (without_lock / "1").mkdir()
    open_to_others = left_behind(temporary, f"{PREFIX}open")
    open_to_others.chmod(0o777)
    elsewhere = left_behind(temporary, "elsewhere")
    (temporary / f"{PREFIX}link").symlink_to(elsewhere)
    false_lock = temporary / f"{PREFIX}false"
    false_lock.mkdir(mode=0o700)
    (false_lock / LOCK).symlink_to(elsewhere / LOCK)
    pipe = temporary / f"{PREFIX}pipe"
    os.mkfifo(pipe)
    (temporary / f"{PREFIX}file").touch()
    before = sorted(temporary.rglob("*"))
    remove_abandoned()
    assert sorted(temporary.rglob("*")) == before
    left_behind(temporary)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    remove_abandoned()
    assert (temporary / f"{PREFIX}dead" / "1" / "table.csv").exists()


def test_links_inside_lead_nowhere(temporary):
    (temporary / "precious").mkdir()
    (temporary / "precious" / "file").touch()
    dead = left_behind(temporary)
    (dead / "2").symlink_to(temporary / "precious")
    (dead / "1" / "link").symlink_to(temporary / "precious")
    remove_abandoned()
    assert not dead.exists()
    assert (temporary / "precious" / "file").exists()


def test_a_server_that_begins_is_not_taken_for_dead(temporary, monkeypatch):
    """Another one starts at every moment between the making of the folder and the lock."""
    real = atomic.fcntl.flock

    def interrupted(*given):
        monkeypatch.setattr(atomic.fcntl, "flock", real)
        remove_abandoned()
        real(*given)
        remove_abandoned()

    monkeypatch.setattr(atomic.fcntl, "flock", interrupted)
    made = PrivateFolder()
    remove_abandoned()
    assert (made.path / LOCK).exists()
    made.close()


def test_without_locks_nothing_is_taken_for_dead(temporary, monkeypatch):
    def refused(*_):
        raise OSError("no locks")

    monkeypatch.setattr(atomic.fcntl, "flock", refused)
    made = PrivateFolder()
    monkeypatch.undo()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    remove_abandoned()
    assert made.path.exists()
    made.close()
    assert list(temporary.iterdir()) == []
