"""What lower parts of the house need from upper ones; ``freemetric/__init__.py`` provides it, no import runs up."""

from collections.abc import Callable
from typing import Any

PROVIDED: dict[str, Callable[..., Any]] = {}
"""``card(model)``, a few lines of HTML; ``report(model, path, X, y, **options)``; ``saved()``, after which model files
know our classes."""
