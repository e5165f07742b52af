"""Parameters and versions."""

from typing import Any

from ..versions import library_versions
from ..versions import versions as own_versions


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
