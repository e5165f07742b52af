"""Parts of a model, and the map that it has learned."""

import warnings

import numpy as np

from ...display.learned import part_with


def find(model, *attributes):
    """The part of a model that has one of the attributes, or None."""
    try:
        return part_with(model, attributes, "")[1]
    except TypeError:
        return None


def mapped(learner, inputs):
    """Patterns (n, p) in the learned space, of those (n, d) that have passed what stands in front of the learner."""
    go = learner.embed if hasattr(learner, "embed") else learner.transform
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        return np.asarray(go(inputs), dtype=np.float64)
