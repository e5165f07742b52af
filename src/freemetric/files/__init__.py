"""Model files: arrays and JSON in one checked file, which can be loaded from anywhere without running anything.

A file is an uncompressed zip archive of

- ``freemetric.json``: format, versions, class, the user's notes, and a sha256 over everything;
- ``tree.json``: the estimator as a tree of plain values (``codec.py``);
- ``arrays/0.npy``, ``arrays/1.npy``, ...: its arrays of numbers.

The checksum finds damage by accident. Against files that are made to harm, the reader makes objects of registered
classes only, gives them data only, calls no function that a file names, and refuses sizes that the file is too small
for.
"""

from ..exceptions import ModelFileError
from . import sklearn_parts  # noqa: F401 - registers classes of scikit-learn
from .estimators import documented
from .model import Savable, about, load, save
from .registry import register

__all__ = ["ModelFileError", "Savable", "about", "documented", "load", "register", "save"]
