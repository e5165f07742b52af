"""What the report asks of models. No module outside this folder knows what models are made of.

``collect.py`` asks for everything in turn; ``rows.py``, ``metric.py``, ``run.py`` and ``verdicts.py`` find the answers,
``parts.py`` the part of a model that has one, and ``kept.py`` the training rows that a model has kept.
"""

from .collect import collect

__all__ = ["collect"]
