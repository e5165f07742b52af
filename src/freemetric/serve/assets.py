"""Files of the page, and example tables."""

import re
from functools import cache
from importlib.resources import files
from pathlib import Path

from ..extras import require

REPORT_SCRIPTS = ("base", "figure", "numbers", "number_rows")
SCRIPTS = ("asking", "methods", "columns", "live", "model", "rows", "compare", "main")
BEGINNING = 20_000  # letters in which a report says its policy
POLICY = re.compile(r'http-equiv="Content-Security-Policy" content="([^"]*)"')


def page() -> str:
    """The page without data."""
    return _text("serve", "page.html")


@cache
def script() -> str:
    """The scripts as one: what draws figures is the report's."""
    parts = [
        *(_text("report", f"{name}.js") for name in REPORT_SCRIPTS),
        *(_text("serve", f"{name}.js") for name in SCRIPTS),
    ]
    return "\n".join(parts)


@cache
def style() -> str:
    return _text("report", "page.css") + _text("serve", "page.css")


@cache
def plotly() -> str:
    return require("plotly.offline", "report").get_plotlyjs()


def framed_policy(path: Path) -> str:
    """The policy that a report has for itself, as a header, for who shows it in a frame."""
    with path.open(encoding="utf-8") as file:
        own = POLICY.search(file.read(BEGINNING))
    strict = "default-src 'none'" if own is None else own[1].replace("&#39;", "'")
    return f"{strict}; frame-ancestors 'self'"


def _text(package: str, name: str) -> str:
    return (files(__package__.partition(".")[0]) / package / "static" / name).read_text(encoding="utf-8")


CLASSES = ("iris", "wine", "breast_cancer")
TARGETS = {"diabetes": "progression"}  # of regressions
EXAMPLES = (*CLASSES, *TARGETS)


def write_example(name: str, path: Path) -> None:
    """Write a table as CSV, its target last."""
    from sklearn import datasets  # slow to import

    bunch = getattr(datasets, f"load_{name}")(as_frame=True, **({"scaled": False} if name in TARGETS else {}))
    target = bunch.target if name in TARGETS else bunch.target_names[bunch.target]
    bunch.data.assign(**{TARGETS.get(name, "class"): target}).to_csv(path, index=False)
