"""Pages run and are complete: Python blocks, examples of the gallery, commands, pictures, links, names, the house."""

import ast
import re
import shlex
import warnings
from pydoc import locate

import pytest

import freemetric
from freemetric.files.registry import BY_CLASS, BY_TAG
from freemetric.metrics import FORMS, VIEWS

from .conftest import SLOW_EXAMPLES
from .pages import ROOT, blocks, pages, run
from .test_imports import MAY_IMPORT, nodes_of

matplotlib = pytest.importorskip("matplotlib")
DOCS = [path for path in pages() if path.name != "README.md"]
PAGES = sorted(page for page in (ROOT / "docs").rglob("*.md") if page in DOCS and page.stem != "index")
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


@pytest.fixture(autouse=True)
def what_was_registered_before():
    """Pages register views, forms and classes of their own; later tests must not meet them."""
    registries = [VIEWS, FORMS, BY_TAG, BY_CLASS]
    before = [dict(registry) for registry in registries]
    yield
    for registry, entries in zip(registries, before, strict=True):
        registry.clear()
        registry.update(entries)


def name(path):
    return str(path.relative_to(ROOT))


LONG = {
    *("choose.md", "classify.md", "ensemble.md", "extend.md", "learners.md", "probabilities.md", "scale.md"),
    *("deploy.md", "metric.md", "regression.md", "tables.md", "thermodynamics.md", "weak_labels.md"),
}


def runs(page):
    return pytest.param(page, id=name(page), marks=[pytest.mark.slow] if page.name in LONG else [])


@pytest.mark.parametrize("page", [runs(page) for page in DOCS if blocks(page, "python")])
def test_page_runs(page):
    run(page)
    for _, block in blocks(page, "console"):  # on files that the page itself has written
        for command in block.splitlines():
            run_command(command)


@pytest.mark.parametrize("page", [page for page in DOCS if page.name in LONG], ids=name)
def test_a_long_page_imports_what_there_is(page):
    """Names that a page imports are there, and its blocks are Python, even where the page itself is slow to run."""
    for _, block in blocks(page, "python"):
        imports = [node for node in ast.parse(block).body if isinstance(node, ast.Import | ast.ImportFrom)]
        exec(compile(ast.Module(imports, []), name(page), "exec"), {})


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
        names = {"__name__": "__main__"}  # kept until all is drawn: an animation warns if it never was
        exec(compile(path.read_text(), str(path), "exec"), names)
    assert plt.get_fignums()
    for number in plt.get_fignums():
        plt.figure(number).canvas.draw()


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
        drawn = re.search(r"auto_examples/images/sphx_glr_(plot_\w+)_\d{3}\.(?:png|gif)$", target)
        assert (ROOT / "examples" / f"{drawn[1]}.py" if drawn else page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_page_is_in_the_contents_of_its_part(page):
    contents = (page.parent / "index.md").read_text().split("```{toctree}")[1]
    assert page.stem in contents.split()


@pytest.mark.parametrize("page", [page for page in PAGES if page.parent != ROOT / "docs"], ids=name)
def test_page_begins_with_its_purpose(page):
    title, purpose = page.read_text().split("\n\n")[:2]
    assert re.match(r"# \w", title)
    assert re.match(r"(This (page|tutorial)|After reading this page)\b", purpose)


@pytest.mark.parametrize("example", sorted(SLOW_EXAMPLES))
def test_slow_examples_have_not_moved(example):
    assert ">>>" in (locate(f"freemetric.{example}").__doc__ or "")


def test_the_documentation_is_short():
    assert len([page for page in PAGES if page.name != "commands.md"]) <= 22  # the commands are a generated page
    assert sum(len(page.read_text().split()) for page in pages()) <= 41_000


SOURCES = ROOT / "src" / "freemetric"
OLD_WORDS = re.compile(
    r"\b(told|asked|heard|hearing|judge[sd]?|jury|verdicts?|ballots?|voters|precincts?|laws|haste|somebody|whoever)\b"
    r"|\bpatterns?\b(?! of (?:names|files))|what is known of|[Nn]umbers as target|predicts? numbers|\bOf numbers\b"
)


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=name)
def test_page_uses_the_terms_of_the_field(page):
    assert not [found[0] for found in OLD_WORDS.finditer(without_code(page.read_text()))]


@pytest.mark.parametrize("package", sorted(path.name for path in SOURCES.iterdir() if (path / "__init__.py").exists()))
def test_the_code_uses_the_terms_of_the_field(package):
    """Docstrings, messages and comments."""
    for path in (SOURCES / package).rglob("*.py"):
        text = path.read_text()
        words = [node.value for node in nodes_of(path) if isinstance(node, ast.Constant)]
        words = [without_code(value) for value in words if isinstance(value, str) and " " in value]
        words += [line.partition("#")[2] for line in text.splitlines()]
        assert not [found[0] for part in words for found in OLD_WORDS.finditer(part)], path.name


def without_code(text):
    return re.sub(r"^```.*?^```|`[^`]+`|^> .*$", "", text, flags=re.DOTALL | re.MULTILINE)


TEN_QUESTIONS = {
    "Does it handle missing values?": ("howto/tables.md", "Missing values"),
    "How are categories encoded?": ("howto/tables.md", "Categories"),
    "Which estimator do I need?": ("howto/choose.md", "Which estimator"),
    "Does it give probabilities?": ("howto/probabilities.md", "Class probabilities"),
    "Does it give prediction intervals?": ("howto/probabilities.md", "Prediction intervals"),
    "How long does a fit of 100,000 rows take?": ("howto/scale.md", "How long a fit takes"),
    "Can it use a GPU?": ("howto/scale.md", "Use a GPU"),
    "How do I save a model?": ("howto/deploy.md", "Save and load a model"),
    "How do I deploy it?": ("howto/deploy.md", "A Dockerfile"),
    "How do I move from metric-learn?": ("tutorials/metric_learn.md", "From metric-learn"),
}


@pytest.mark.parametrize("question", TEN_QUESTIONS)
def test_ten_questions(question):
    """A section answers the question, and two clicks lead from the README to its page."""
    page, heading = TEN_QUESTIONS[question]
    there = (ROOT / "docs" / page).resolve()
    section = re.search(rf"^#+ {re.escape(heading)}\n(.*?)(?=^## |\Z)", there.read_text(), re.DOTALL | re.MULTILINE)
    assert len(section[1].split()) > 20
    once = linked(ROOT / "README.md")
    twice = set().union(*map(linked, once))
    assert there in once | twice


def linked(page):
    """The pages of docs/ that a page links to."""
    targets = re.findall(r"\]\(([\w./-]+\.md)(?:#[\w-]+)?\)", page.read_text())
    return {(page.parent / target).resolve() for target in targets} & {there.resolve() for there in DOCS}


def test_public_names_are_in_the_reference():
    listed = names_of("index")
    assert set(freemetric.__all__) - freemetric._MODULES <= listed
    assert listed >= freemetric._MODULES


@pytest.mark.parametrize("part", sorted(freemetric._MODULES - {"exceptions"}))
def test_public_names_of_a_part_are_in_the_reference(part):
    for part_of_it, needed in (("onnx_export", "skl2onnx"), ("serve", "starlette"), ("dask", "dask")):
        if part == part_of_it:
            pytest.importorskip(needed)
    exported_from_elsewhere = {"files": {"ModelFileError"}, "learners": set(freemetric.__all__)}
    exported_from_elsewhere["ensemble"] = exported_from_elsewhere["learners"]  # on the pages of the top level
    public = set(getattr(freemetric, part).__all__) - exported_from_elsewhere.get(part, set())
    listed = names_of(part)
    assert public <= listed | {name.partition(".")[0] for name in listed}


def names_of(part):
    return set(re.sub(":doc:`(.+)`", r"\1", (ROOT / "docs" / "api" / f"{part}.rst").read_text()).split())


def test_links_between_pages_lead_somewhere():
    for page in [*DOCS, ROOT / "README.md", ROOT / "CONTRIBUTING.md"]:
        for target, anchor in re.findall(r"\]\(([\w./-]+\.md)(?:#([\w-]+))?\)", page.read_text()):
            there = page.parent / target
            assert there.exists(), f"{page.name}: {target}"
            headings = re.findall(r"^#+ (.+)$", there.read_text(), re.MULTILINE)
            anchors = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
            assert not anchor or anchor in anchors, f"{page.name}: {target}#{anchor}"


def test_the_house_is_as_contributing_says():
    """The table of folders is that of the import rule."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    said = {}
    for folder, imports in re.findall(r"^\| `(\w+)/` \|.*\| ([^|]+) \|$", text, re.MULTILINE):
        said[folder] = set(re.findall(r"`(\w+)`", imports))
    assert said == MAY_IMPORT


def test_paths_that_contributing_names_are_there():
    text = (ROOT / "CONTRIBUTING.md").read_text()
    named = set(re.findall(r"`([\w./]+(?:\.(?:py|toml|md|csv)|/))`", text))
    assert len(named) > 30
    folders = [ROOT, ROOT / "src" / "freemetric", ROOT / "src" / "freemetric" / "learners"]
    assert not [path for path in named if not any((folder / path).exists() for folder in folders)]
    assert len(text.split()) < 1050  # one page


def test_the_ensemble_says_what_its_files_hold():
    folder = ROOT / "src" / "freemetric" / "ensemble"
    said = set(re.findall(r"``(\w+)``", ast.get_docstring(ast.parse((folder / "__init__.py").read_text()))))
    assert said == {path.stem for path in folder.iterdir() if path.stem.strip("_") not in ("init", "pycache")}
