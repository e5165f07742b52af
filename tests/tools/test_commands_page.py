"""The page of the command line is what the commands say today."""

import re

import pytest
from typer.main import get_command

from freemetric import __version__
from freemetric.cli import app

commands_page = pytest.importorskip(
    "commands_page", reason="tools are not part of an installed package"
)


@pytest.fixture(scope="module")
def text():
    return commands_page.page()


def test_it_is_current(text):
    assert commands_page.PAGE.read_text() == text, "run `make pages`"


def test_every_command_has_its_section(text):
    said = {
        line.split()[2] for line in re.findall(r"^## freemetric .*", text, re.MULTILINE)
    }
    assert said == set(get_command(app).commands)
    assert "## freemetric bench run" in text
    assert "## freemetric datasets list" in text


def test_a_section_says_what_the_command_takes(freemetric, text):
    section = text.split("## freemetric fit\n")[1].split("\n## ")[0]
    assert "freemetric fit DATA --output MODEL [OPTIONS]" in section
    for line in (
        "| `--seed N` | Seed of all random numbers. Default: `0`. |",
        "| `--output MODEL`, `-o MODEL` |",
    ):
        assert line in section


@pytest.fixture(scope="module")
def freemetric():
    from typer.testing import CliRunner

    return lambda *words: CliRunner().invoke(
        app, words, env={"COLUMNS": "300", "NO_COLOR": "1"}
    )


def test_every_option_of_the_real_help_is_on_the_page(freemetric, text):
    shown = freemetric("evaluate", "--help").stdout
    options = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", shown)) - {"--help"}
    section = text.split("## freemetric evaluate\n")[1].split("\n## ")[0]
    assert len(options) > 10
    assert not {option for option in options if f"`{option}" not in section}


def test_help_names_what_follows_an_option_in_words(freemetric):
    """A reader sees COLUMN, not a type of Python. Options of typer are left out."""
    for name, command in commands_page.leaves(get_command(app), "freemetric"):
        for param in command.params:
            is_flag = getattr(param, "is_flag", False)
            assert param.metavar is not None, f"{name}: {param.name}"
            assert (param.metavar == "") == bool(is_flag), f"{name}: {param.name}"
            assert re.fullmatch(r"[A-Z.=]*", param.metavar), f"{name}: {param.name}"
    assert not re.search(r"<list|<str>|<int|<float", freemetric("fit", "--help").stdout)


def test_the_version_is_shown_and_said_so(freemetric):
    assert re.search(
        r"--version +Show the version and exit\.", freemetric("--help").stdout
    )
    assert freemetric("--version").stdout.strip() == __version__
