"""Names of strangers' files: shown, never used."""

from pathlib import PurePosixPath

import pytest

from freemetric.serve.requests import file_stem, shown_name, stored_path

HOSTILE = [
    "../../etc/passwd.csv",
    "..\\..\\windows\\system.csv",
    "/absolute/table.csv",
    "a\0b.csv",
    "x" * 5000 + ".csv",
    "<script>alert(1)</script>.csv",
    "line\nbreak.csv",
    "..",
    "",
    ".",
    "-o",
    "CON.csv",
    "a.csv.gz",
    "a.c/../sv",
    "\u202ecsv.exe",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_a_file_stays_in_its_folder(name, tmp_path):
    path = stored_path(tmp_path, name)
    assert path.parent == tmp_path
    assert path.name.startswith("table")
    assert len(path.name) < 40
    path.write_text("x")


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_shown_is_one_short_line(name):
    shown = shown_name(name)
    assert shown.isprintable()
    assert 0 < len(shown) <= 120
    assert "/" not in shown
    assert "\\" not in shown


@pytest.mark.parametrize("name", HOSTILE)
def test_downloads_have_plain_names(name):
    assert PurePosixPath(f"{file_stem(name)}.fm").name.isascii()
    assert not set(file_stem(name)) & set("./\\ \"'<>;")


@pytest.mark.parametrize(
    ("name", "kept"), [("a.csv", "table.csv"), ("A.B.CSV.GZ", "table.csv.gz"), ("x.weird$", "table")]
)
def test_the_suffix_that_tells_the_format_is_kept(name, kept, tmp_path):
    assert stored_path(tmp_path, name).name == kept
