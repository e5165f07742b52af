"""Code in the pages of the documentation."""

import re
import sys
from pathlib import Path
from textwrap import dedent
from types import ModuleType

ROOT = Path(__file__).parents[1]
GENERATED = {"_build", "auto_examples", "generated"}


def pages():
    """The README and every page of docs/, as paths."""
    docs = ROOT / "docs"
    found = [*docs.rglob("*.md"), *docs.rglob("*.rst")]
    written = [path for path in found if not GENERATED & set(path.parts)]
    return [ROOT / "README.md", *sorted(written)]


def blocks(path, language):
    """Blocks of a language in a page, top to bottom, each with the line before it."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".rst":
        start = rf"^\.\. code-block:: {language}\n\n"
        found = re.finditer(start + r"((?:   .*\n|\n)+)", text, re.MULTILINE)
    else:
        pattern = re.compile(rf"^```{language}\n(.*?)^```", re.DOTALL | re.MULTILINE)
        found = pattern.finditer(text)
    return [(text.count("\n", 0, block.start(1)), dedent(block[1])) for block in found]


def run(path):
    """Run the Python blocks of a page in one namespace, and return it.

    Errors name the page and its line.
    """
    page = ModuleType("page")
    sys.modules["page"] = page  # what a page defines can be pickled while it runs
    try:
        for line, block in blocks(path, "python"):
            exec(compile("\n" * line + block, str(path), "exec"), vars(page))
    finally:
        del sys.modules["page"]
    return vars(page)
