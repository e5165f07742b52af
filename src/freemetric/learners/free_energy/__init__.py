"""Many sampled metrics that vote: recipe in, committee out.

``recipe`` says what is tried; ``candidates`` and ``kinds`` what that means for a problem. ``sample`` draws replicas on
``bags`` and ``judge`` lets the others vote, both pure functions of a task; ``search`` says which candidates get
replicas and keeps them in a ``population``; ``trust`` and ``verdict`` say what their votes are worth. ``classifier``
is the estimator, ``description`` its fitted attributes.
"""

from .classifier import FreeEnergyClassifier
from .recipe import Recipe

__all__ = ["FreeEnergyClassifier", "Recipe"]
