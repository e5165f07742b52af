"""Tutorials as notebooks: python tools/notebooks.py docs/tutorials
docs/_build/notebooks

Each page becomes one notebook with its outputs. An error in a cell ends the program
with status 1. Part of `make docs`.
"""

import argparse
import os
import re
import sys
import tempfile
from pathlib import Path

# Jupyter sets FORCE_COLOR; without it there are no progress bars.
SHELL = "```bash\nset -e\nunset FORCE_COLOR\n"
KERNEL = {"name": "python3", "display_name": "Python 3", "language": "python"}


def plain(page: Path) -> str:
    """The text of a page without the markup that only Sphinx understands."""
    text = re.sub(
        r"^```\{figure\}.*?^```\n",
        "",
        page.read_text(encoding="utf-8"),
        flags=re.DOTALL | re.MULTILINE,
    )
    text = re.sub(r"^```console\n", SHELL, text, flags=re.MULTILINE)
    text = re.sub(
        r"\[([^]\n]*)\]\(([\w./-]+\.md)(?:#[\w-]+)?\)",
        lambda link: link[1] or title(page, link[2]),
        text,
    )
    return re.sub(r"\{\w+\}(`[^`]+`)", r"\1", text)


def title(page: Path, link: str) -> str:
    """The title of the page that a link without text leads to, in italics."""
    first, _, _ = (page.parent / link).read_text(encoding="utf-8").partition("\n")
    return f"*{first.removeprefix('# ')}*"


def write(page: Path, path: Path) -> None:
    """Write a page as a notebook with outputs. Files that its cells write are
    discarded.
    """
    import jupytext  # part of the extra "docs"
    from nbclient import NotebookClient

    notebook = jupytext.reads(plain(page), fmt="md")
    notebook.metadata = {"kernelspec": KERNEL}
    with tempfile.TemporaryDirectory() as folder:
        NotebookClient(
            notebook, timeout=600, resources={"metadata": {"path": folder}}
        ).execute()
    jupytext.write(notebook, path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pages", type=Path, help="folder of the tutorials")
    parser.add_argument("notebooks", type=Path, help="folder for the notebooks")
    arguments = parser.parse_args()
    # Shell cells find the command line of this environment.
    os.environ["PATH"] = os.pathsep.join(
        [str(Path(sys.executable).parent), os.environ["PATH"]]
    )
    arguments.notebooks.mkdir(parents=True, exist_ok=True)
    for page in sorted(arguments.pages.glob("*.md")):
        if page.stem != "index":
            write(page, arguments.notebooks / f"{page.stem}.ipynb")


if __name__ == "__main__":
    main()
