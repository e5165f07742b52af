"""Parameters and versions."""

import platform
from importlib.metadata import version

from .._version import __version__


def parameters(model):
    """Names and values, nested ones too."""
    told = model.get_params().items()
    return [(name, _told(value)) for name, value in told if name.rpartition("__")[2] not in ("steps", "memory")]


def _told(value, most=160):
    if hasattr(value, "get_params"):
        text = type(value).__name__
    elif callable(value):
        text = getattr(value, "__qualname__", type(value).__name__)
    else:
        text = repr(value)
    return text if len(text) <= most else text[: most - 3] + "..."


def versions():
    """Of what writes the report."""
    libraries = ("scikit-learn", "numpy", "scipy", "numba", "plotly")
    return [("freemetric", __version__), ("Python", platform.python_version())] + [(n, version(n)) for n in libraries]
