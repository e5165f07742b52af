"""Parts of a model, and the map that it has learned."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...learners.learned_space import parts_of


def find(model: Any, *attributes: str) -> Any:
    """The part of a model that has one of the attributes, or None."""
    return next((part for _, part in parts_of(model) if any(hasattr(part, name) for name in attributes)), None)


def mapped(learner: Any, inputs: Any) -> NDArray:
    """Patterns (n, p) in the learned space, of those (n, d) that have passed what stands in front of the learner."""
    go = learner.embed if hasattr(learner, "embed") else learner.transform
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        return np.asarray(go(inputs), dtype=np.float64)
