"""Model files and ONNX graphs.

:func:`save` and :func:`load` keep fitted models in files that run nothing when they are
loaded: a file is plain values and arrays of numbers, and the classes that they belong
to are looked up in the list of ``table``. ``container`` is the file, ``tree`` what
stands in it, ``kept`` and ``checks`` are what must hold before anybody computes with
it. :func:`to_onnx` exports models as graphs that predict without Python.
"""

from ..exceptions import ModelFileError
from .model import load, save

__all__ = ["ModelFileError", "load", "save", "to_onnx"]


def __getattr__(name):
    """Import what needs ONNX when it is asked for."""
    if name != "to_onnx":
        raise AttributeError(name)
    from .onnx import to_onnx

    return to_onnx
