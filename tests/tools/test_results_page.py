"""Tables of the pages are those of benchmarks/tables, which commands print."""

import re
from dataclasses import replace

import pytest

from ..pages import ROOT

results_page = pytest.importorskip(
    "results_page", reason="tools are not part of an installed package"
)
import sentences  # noqa: E402

pytestmark = pytest.mark.skipif(
    not results_page.TABLES.exists(),
    reason="benchmarks are not part of an installed package",
)


@pytest.mark.parametrize("page", results_page.PAGES, ids=lambda page: page.name)
def test_pages_are_current(page):
    text = page.read_text(encoding="utf-8")
    assert results_page.current(page) == text, "run `make results`"


@pytest.mark.parametrize("sentence", sentences.SENTENCES, ids=lambda s: s.text[:30])
def test_another_figure_in_a_sentence_is_noticed(sentence):
    page = (ROOT / sentence.page).read_text(encoding="utf-8")
    figure = sentence.figures[0]()
    wrong = replace(sentence, figures=(lambda: "77.77", *sentence.figures[1:]))
    other = wrong.filled(page)
    assert other != page
    assert sentence.filled(other) == page
    assert figure in page


def test_methods_that_are_ahead_in_the_readme_are_those_of_the_table():
    columns = {"SVM": "svm", "forest": "rf", "boosting": "hist-boosting"}
    columns["logistic regression"] = "logistic"
    text = sentences.content("accuracy")
    head, *body = sentences.printed_table(text, "error in % | training")
    best = {
        row[0]: {head[n] for n, value in enumerate(row) if value.startswith("**")}
        for row in body
    }
    ahead = {name for name, methods in best.items() if "free-energy" not in methods}
    assert ahead == set(sentences.BEHIND)
    for name, method in sentences.BEHIND.items():
        assert columns[method] in best[name], name


def test_a_sentence_that_is_not_there_is_named():
    lost = sentences.Sentence("README.md", "We have {} fits.", (lambda: "3",))
    with pytest.raises(ValueError, match=r"README.md has 0 times: We have"):
        lost.filled("We have none.")


FIGURE_WITH_POINT = re.compile(r"(?<![\w.])\d+\.\d+(?![\w.]|\d)")


def test_every_figure_of_the_readme_and_the_summary_is_made():
    """Figures with a decimal point outside of code stand in a known sentence."""
    pages = {"README.md": "## Results", sentences.RESULTS: "## In short"}
    pages["CHANGELOG.md"] = "# "
    for name, heading in pages.items():
        page = (ROOT / name).read_text(encoding="utf-8")
        if heading not in page:
            continue
        part = page[page.index(heading) :]
        part = part.split("\n## ")[0] if heading.startswith("##") else part
        masked = part
        for sentence in sentences.SENTENCES:
            if sentence.page == name:
                figures = tuple(lambda: "" for _ in sentence.figures)
                blank = replace(sentence, figures=figures)
                masked = blank.filled(masked) if blank_fits(blank, masked) else masked
        masked = re.sub(r"`[^`]*`|version \d\.\d\.\d", "", masked)
        assert not FIGURE_WITH_POINT.findall(masked), name


def blank_fits(sentence, text):
    try:
        return bool(sentence.filled(text))
    except ValueError:
        return False


def test_every_excerpt_is_on_a_page():
    pages = [page.read_text(encoding="utf-8") for page in results_page.PAGES]
    shown = results_page.MARKERS.findall("\n".join(pages))
    assert {name for _, name, _ in shown} == set(results_page.EXCERPTS)


def test_every_file_has_its_command():
    files = {path.stem for path in results_page.TABLES.iterdir()}
    assert files == set(results_page.COMMANDS)
    for name, command in results_page.COMMANDS.items():
        text = (results_page.TABLES / f"{name}.md").read_text(encoding="utf-8")
        assert text.startswith(f"Printed by `python benchmarks/{command}`\n")


def test_pages_are_short():
    for page in results_page.PAGES:
        assert len(page.read_text(encoding="utf-8").split()) <= 4500


@pytest.mark.parametrize("page", results_page.PAGES, ids=lambda page: page.name)
def test_commands_that_the_pages_name_are_there(page):
    """Those of a commit that is named beside them are in its history."""
    path = r"\b((?:benchmarks|tools)/[\w/]+\.(?:py|md|jsonl(?:\.gz)?))\b"
    named = re.findall(path + "(?!` of commit)", page.read_text())
    assert named or page.name == "README.md"
    assert not [path for path in named if not (ROOT / path).exists()]


def test_an_excerpt_chooses_columns_and_rows(tmp_path, monkeypatch):
    monkeypatch.setattr(results_page, "TABLES", tmp_path)
    other = "words\n\n| other | a |\n|---|---|\n| x | 0 |\n\n"
    table = "| set | a | b |\n|---|---|---|\n| x | 1 |  |\n| y | 3 | 4 |"
    (tmp_path / "some.md").write_text(f"{other}{table}\n")
    assert results_page.Excerpt("some", "set").lines() == table
    part = results_page.Excerpt("some", "set", (0, 2), "y", {2: "last"})
    assert part.lines() == "| set | last |\n|---|---|\n| y | 4 |"
    page = "before\n\n<!-- table t -->\nold\n<!-- end -->\n"
    expected = f"before\n\n<!-- table t -->\n\n{part.lines()}\n\n<!-- end -->\n"
    assert results_page.filled(page, {"t": part}) == expected
    with pytest.raises(ValueError, match="No table begins with 'b'"):
        results_page.Excerpt("some", "b").lines()


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("name", results_page.COMMANDS)
def test_commands_print_the_tables(name):
    path = results_page.TABLES / f"{name}.md"
    assert results_page.printed(name) == path.read_text(encoding="utf-8")
