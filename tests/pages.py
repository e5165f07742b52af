"""Code in the pages of the documentation."""

import re
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[1]
GENERATED = {"_build", "auto_examples", "generated"}


def pages():
    """The README and every page of docs/, as paths."""
    found = [path for pattern in ("*.md", "*.rst") for path in (ROOT / "docs").rglob(pattern)]
    return [ROOT / "README.md", *sorted(path for path in found if not GENERATED & set(path.parts))]


def blocks(path, language):
    """Blocks of a language in a page, top to bottom, each with the line above its first."""
    text = path.read_text()
    if path.suffix == ".rst":
        pattern = rf"^\.\. code-block:: {language}\n\n((?:   .*\n|\n)+)"
        return [(text.count("\n", 0, m.start(1)), _dedented(m[1])) for m in re.finditer(pattern, text, re.MULTILINE)]
    pattern = rf"^```{language}\n(.*?)^```"
    return [(text.count("\n", 0, m.start(1)), m[1]) for m in re.finditer(pattern, text, re.DOTALL | re.MULTILINE)]


def run(path):
    """Run the Python blocks of a page in one namespace, which is returned; errors name the page and its line."""
    page = ModuleType("page")
    sys.modules["page"] = page  # what a page defines can be pickled while it runs
    try:
        for line, block in blocks(path, "python"):
            exec(compile("\n" * line + block, str(path), "exec"), vars(page))
    finally:
        del sys.modules["page"]
    return vars(page)


def _dedented(block):
    return "\n".join(line[3:] for line in block.splitlines())
