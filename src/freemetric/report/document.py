"""The HTML document: frame, scripts, versions and parameters."""

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

from ..extras import require
from ..files.atomic import check_can_be_written, replacing
from ..versions import library_versions
from ..versions import versions as own_versions
from .encode import for_script


def parameters(model: Any) -> list[tuple[str, str]]:
    """Names and values, nested ones too."""
    every = model.get_params().items()
    return [(name, _in_words(value)) for name, value in every if name.rpartition("__")[2] not in ("steps", "memory")]


def _in_words(value, most=160):
    if hasattr(value, "get_params"):
        text = type(value).__name__
    elif callable(value):
        text = getattr(value, "__qualname__", type(value).__name__)
    else:
        text = repr(value)
    return text if len(text) <= most else text[: most - 3] + "..."


def versions() -> list[tuple[str, str]]:
    """Of what writes the report."""
    return list((own_versions() | library_versions("numba", "plotly")).items())


def check_beforehand(path: str | PathLike) -> None:
    """Say before the work what is not installed, and that a place takes no file."""
    require("jinja2", "report")
    require("plotly.offline", "report")
    path = Path(path)
    if path.exists() and not path.is_file():
        raise OSError(EINVAL, "Is a folder or a device, and no file", str(path))
    try:
        check_can_be_written(path)
    except OSError as problem:  # which speaks of a draft beside it
        raise type(problem)(problem.errno, problem.strerror, str(path)) from None


def write_document(
    path: str | PathLike, template: str, scripts: Sequence[str], shown: Mapping[str, Any], **words: Any
) -> Path:
    """Write a page that ``scripts`` draw from ``shown``; the template has both ``shown`` and ``words``."""
    path = Path(path)
    html = _html(template, "\n".join(_static(f"{name}.js") for name in scripts), shown, words)
    with replacing(path) as file:
        file.write(html.encode())
    return path


def _html(template: str, script: str, shown: Mapping[str, Any], words: Mapping[str, Any]) -> str:
    jinja2, (plotly, digest) = require("jinja2", "report"), _plotly()
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_static), autoescape=True, undefined=jinja2.StrictUndefined
    )
    return environment.get_template(template).render(
        **words,
        shown=shown,
        policy=_policy(_digest(script), digest),
        style=_static("page.css"),
        script=script,
        data=for_script(shown),
        plotly=plotly,
    )


@cache
def _plotly() -> tuple[str, str]:
    """Plotly compressed, and the digest of what the browser makes of it; many pages hold the same."""
    script = require("plotly.offline", "report").get_plotlyjs()
    return base64.b64encode(gzip.compress(script.encode(), mtime=0)).decode(), _digest(script)


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _policy(*digests: str) -> str:
    """A content security policy under which scripts of these digests run, no others, and nothing is fetched."""
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests)
    styles = "style-src 'unsafe-inline'; img-src data: blob:"
    return f"default-src 'none'; script-src {allowed}; {styles}; base-uri 'none'; form-action 'none'"


def _static(name: str) -> str:
    """The text of a file that stands beside this one."""
    return (files(__package__) / "static" / name).read_text(encoding="utf-8")
