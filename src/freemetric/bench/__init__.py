"""Comparing metrics honestly: nothing is ever chosen by looking at the test patterns."""

from .honest import HonestKNN

__all__ = ["HonestKNN"]
