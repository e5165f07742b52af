"""Every Python block of the pages and every example of the gallery runs; commands and pictures of pages exist."""

import re
import shlex
import warnings

import pytest

from .pages import ROOT, blocks, pages, run

matplotlib = pytest.importorskip("matplotlib")
DOCS = [path for path in pages() if path.name != "README.md"]
EXAMPLES = sorted((ROOT / "examples").glob("plot_*.py"))
FAST = {"plot_energy", "plot_snapshots"}
pytestmark = pytest.mark.skipif(not EXAMPLES, reason="the pages are not part of an installed package")


@pytest.fixture(autouse=True)
def a_place_to_draw(tmp_path, monkeypatch):
    """Pages write files where they stand, and draw."""
    import matplotlib.pyplot as plt

    monkeypatch.chdir(tmp_path)
    with matplotlib.rc_context({"backend": "Agg"}):
        plt.switch_backend("Agg")
        yield
        plt.close("all")


def name(path):
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("page", [page for page in DOCS if blocks(page, "python")], ids=name)
def test_page_runs(page):
    run(page)
    for _, block in blocks(page, "console"):  # on files that the page itself has written
        for command in block.splitlines():
            run_command(command)


def run_command(command):
    from typer.testing import CliRunner

    from freemetric.cli import app

    program, *arguments = shlex.split(command)
    assert program == "freemetric", command
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, f"{command}: {result.output}"


def examples():
    return [pytest.param(path, id=path.stem, marks=() if path.stem in FAST else pytest.mark.slow) for path in EXAMPLES]


@pytest.mark.parametrize("path", examples())
def test_example_runs(path):
    import matplotlib.pyplot as plt

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="FigureCanvasAgg is non-interactive")
        exec(compile(path.read_text(), str(path), "exec"), {"__name__": "__main__"})
    assert plt.get_fignums()


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_is_a_page_of_the_gallery(path):
    title, line = re.match(r'r?"""\n(.+)\n(=+)\n\n', path.read_text()).groups()
    assert len(title) == len(line)
    assert f'"{path.name}"' in (ROOT / "docs" / "conf.py").read_text()


@pytest.mark.parametrize("page", DOCS, ids=name)
def test_pictures_come_from_the_gallery_or_the_repository(page):
    text = page.read_text()
    for picture in re.findall(r"^```\{figure\} (\S+)|!\[.*?\]\((\S+)\)", text, re.MULTILINE):
        target = next(filter(None, picture))
        drawn = re.search(r"auto_examples/images/sphx_glr_(plot_\w+)_\d{3}\.png$", target)
        assert (ROOT / "examples" / f"{drawn[1]}.py" if drawn else page.parent / target).exists(), target
