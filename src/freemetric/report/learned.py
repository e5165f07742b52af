"""Parts of a model, and the space that it has learned."""

import warnings

import numpy as np

from ..display.learned import LearnedSpace, part_with


def find(model, *attributes):
    """The part of a model that has one of the attributes, or None."""
    try:
        return part_with(model, attributes, "")[1]
    except TypeError:
        return None


class Space(LearnedSpace):
    """A learned space, of models that embed by themselves too."""

    def __init__(self, estimator):
        wanted = "a metric learner, or a pipeline or classifier with one"
        self.front, self.learner = part_with(estimator, ("components_", "embed", "replicas_", "transform"), wanted)
        self.estimator = estimator

    @property
    def averaged(self):
        return not hasattr(self.learner, "components_") and (self.embeds or hasattr(self.learner, "replicas_"))

    @property
    def embeds(self):
        return hasattr(self.learner, "embed")

    def map(self, inputs):
        """Patterns (n, p) in the learned space, of those (n, d) that have passed what stands in front."""
        behind = Space.__new__(Space)
        behind.front, behind.learner, behind.estimator = [], self.learner, self.learner
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="X does not have valid feature names")
            return np.asarray(self.learner.embed(inputs) if self.embeds else behind.transform(inputs), dtype=np.float64)
