"""What the report asks of models. No module outside this folder knows what models are made of.

``collect.py`` asks for everything in turn; ``rows.py``, ``metric.py``, ``run.py`` and ``verdicts.py`` find the answers,
``importances.py`` asks what features cost; ``parts.py`` finds the part of a model that has an answer, ``kept.py`` the
training rows that a model has kept, and ``user_columns.py`` what the user calls columns and cells.
"""

from .collect import collect
from .user_columns import UserColumns

__all__ = ["UserColumns", "collect"]
