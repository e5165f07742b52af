"""The HTML document: compact and harmless values, frame, scripts, versions and parameters."""

import base64
import gzip
import hashlib
from collections.abc import Mapping, Sequence
from errno import EINVAL
from functools import cache
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..ensemble import Recipe
from ..extras import library_versions, require
from ..extras import versions as own_versions
from ..files.atomic import check_can_be_written, replacing
from ..printable import printable

LONGEST_TEXT = 120
LARGEST_WHOLE = 1e15  # that is written out


def evenly(n: int, most: int) -> NDArray[np.intp]:
    """Numbers below n, at most so many of them, from the first to the last."""
    return np.unique(np.linspace(0, n - 1, min(n, most)).round().astype(np.intp))


def packed(values: ArrayLike, kind: str = "f4") -> dict[str, str]:
    """Numbers as base64, little-endian; the page knows the kinds f4, f8 and i4."""
    return {kind: base64.b64encode(np.ascontiguousarray(values, dtype=f"<{kind}").tobytes()).decode()}


def column(name: object, values: Any) -> dict[str, Any]:
    """One column of the user's table: numbers, or texts by their number among those that occur."""
    try:
        return {"name": clipped(name), "numbers": packed(np.asarray(values, dtype=np.float64))}
    except (TypeError, ValueError):
        levels, codes = np.unique([cell(value) for value in values], return_inverse=True)
        return {"name": clipped(name), "levels": levels.tolist(), "codes": packed(codes, "i4")}


def cell(value: Any) -> str:
    """A cell of the user's table as a text: numbers as one would write them, a gap in words.

    Examples
    --------
    >>> cell(1250.0), cell(0.1 + 0.2), cell(None), cell("red")
    ('1250', '0.3', 'missing', 'red')
    """
    if value is None or (isinstance(value, float | np.floating) and np.isnan(value)):
        return "missing"
    if not isinstance(value, float | np.floating):
        return clipped(value)
    number = float(value)
    return str(int(number)) if number == round(number, 0) and abs(number) < LARGEST_WHOLE else f"{number:.7g}"


def clipped(text: object, most: int = LONGEST_TEXT) -> str:
    """A printable text, shortened in the middle: names that begin alike often differ at the end."""
    shown, tail = printable(text), most // 3
    return shown if len(shown) <= most else f"{shown[: most - tail - 1]}…{shown[-tail:]}"


def rounded(values: Any, digits: int = 5) -> Any:
    """Nested lists of numbers with so many significant digits, None for what is no number."""
    if isinstance(values, np.ndarray):
        values = values.tolist()
    if isinstance(values, list | tuple):
        return [rounded(value, digits) for value in values]
    if values is None or not np.isfinite(values):
        return None
    return values if isinstance(values, int) else float(f"{values:.{digits}g}")


def parameters(model: Any) -> list[tuple[str, str]]:
    """Names and values, nested ones too; of a recipe only what differs from the default, as one value."""
    pairs = []
    for name, value in model.get_params().items():
        if "recipe__" in name or name.rpartition("__")[2] in ("steps", "memory"):
            continue
        is_named = callable(value) or (hasattr(value, "get_params") and not isinstance(value, Recipe))
        words = getattr(value, "__qualname__", type(value).__name__) if is_named else repr(value)
        pairs.append((name, clipped(words, 160)))
    return pairs


def versions() -> list[tuple[str, str]]:
    """Versions of the libraries that write the report."""
    return list((own_versions() | library_versions("numba", "plotly")).items())


def check_beforehand(path: str | PathLike) -> None:
    """ImportError or OSError before the work, where a library is missing or the file cannot be written."""
    require("jinja2", "report")
    require("plotly.offline", "report")
    path = Path(path)
    if path.exists() and not path.is_file():
        raise OSError(EINVAL, "Is a folder or a device, and no file", str(path))
    check_can_be_written(path)


def write_document(
    path: str | PathLike, template: str, scripts: Sequence[str], shown: Mapping[str, Any], **words: Any
) -> Path:
    """Write a page that ``scripts`` draw from ``shown``; the template has both ``shown`` and ``words``."""
    path, jinja2, (plotly, digest) = Path(path), require("jinja2", "report"), _plotly()
    script = "\n".join(static(f"{name}.js") for name in scripts)
    # Scripts of these digests run, no others, and nothing is fetched.
    allowed = f"script-src 'sha256-{_digest(script)}' 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data: blob:"
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(static), autoescape=True, undefined=jinja2.StrictUndefined
    )
    html = environment.get_template(template).render(
        **words,
        shown=shown,
        policy=f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'",
        style=static("page.css"),
        script=script,
        # Nothing in it can close its script element or open another.
        data=jinja2.utils.htmlsafe_json_dumps(shown, allow_nan=False, separators=(",", ":")),
        plotly=plotly,
    )
    with replacing(path) as file:
        file.write(html.encode())
    return path


@cache
def _plotly() -> tuple[str, str]:
    """Plotly compressed, and the digest of what the browser makes of it; many pages hold the same."""
    script = require("plotly.offline", "report").get_plotlyjs()
    return base64.b64encode(gzip.compress(script.encode(), mtime=0)).decode(), _digest(script)


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def static(name: str) -> str:
    """The text of a file that stands beside this one."""
    return (files(__package__) / "static" / name).read_text(encoding="utf-8")
