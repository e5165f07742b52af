"""What a display asks of an estimator: the part of it that has the answer, and the space that it learned."""

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted, validate_data


def part_with(estimator, attributes, wanted):
    """Find the part of a fitted estimator that has one of the attributes.

    Looks into pipelines, from their last step, into searches over parameters and into classifiers around a learner.

    Parameters
    ----------
    estimator : estimator
        Fitted.
    attributes : tuple of str
        Any of these will do.
    wanted : str
        What is looked for, in words for the message.

    Returns
    -------
    front : list of transformers
        What patterns pass before they reach the part.
    part : estimator
        The part itself.
    """
    for front, part in _parts(estimator):
        if any(hasattr(part, name) for name in attributes):
            return front, part
    raise TypeError(f"This display needs {wanted}; {type(estimator).__name__} is none.")


def _parts(estimator):
    """Every part with what stands in front of it, the outermost first."""
    check_is_fitted(estimator)
    if isinstance(estimator, Pipeline):
        steps = [step for _, step in estimator.steps if step is not None and step != "passthrough"]
        inner = [(steps[:i], step) for i, step in reversed(list(enumerate(steps)))]
    else:
        yield [], estimator
        inner = [([], getattr(estimator, name)) for name in ("best_estimator_", "learner_") if hasattr(estimator, name)]
    for before, step in inner:
        for front, part in _parts(step):
            yield before + front, part


def passed(front, X):
    """Patterns as they leave the transformers in front."""
    for step in front:
        X = step.transform(X)
    return X


class LearnedSpace:
    """The space of a metric learner, or of the averaged metric where many replicas vote."""

    def __init__(self, estimator):
        wanted = "a metric learner, or a pipeline or classifier with one"
        self.front, self.learner = part_with(estimator, ("components_", "replicas_", "transform"), wanted)
        self.estimator = estimator

    @property
    def averaged(self):
        """Whether the metric is a mean over replicas."""
        return not hasattr(self.learner, "components_") and hasattr(self.learner, "replicas_")

    def transform(self, X):
        """Patterns (N, p) in the learned space."""
        X = passed(self.front, X)
        if not self.averaged:
            return np.asarray(self.learner.transform(X), dtype=np.float64)
        X = validate_data(self.learner, X, dtype=np.float64, reset=False)
        values, vectors = np.linalg.eigh(self.matrix())
        return X @ vectors * np.sqrt(np.maximum(values, 0))

    def before(self, X):
        """Patterns (N, d) as the learner gets them, in the scale that it begins with."""
        X = np.asarray(passed(self.front, X), dtype=np.float64)
        if not self.averaged:
            return X
        # the classifier scales features to [0, 1] by itself; in their own units one of them could hide all others
        span = np.ptp(X, axis=0)
        return X / np.where(span > 0, span, 1)

    def matrix(self):
        """M = A^T A (d, d); the mean over replicas where many vote."""
        if self.averaged:
            return np.mean([A.T @ A for A in self.learner.replicas_], axis=0)
        if hasattr(self.learner, "get_mahalanobis_matrix"):
            return self.learner.get_mahalanobis_matrix()
        if not hasattr(self.learner, "components_"):
            raise TypeError(f"{type(self.learner).__name__} has no components_, so there is no matrix to show.")
        return self.learner.components_.T @ self.learner.components_

    def replica_weights(self):
        """Diagonals of A^T A of every replica (R, d), or None where there is but one."""
        replicas = getattr(self.learner, "replicas_", ())
        return np.array([(A**2).sum(axis=0) for A in replicas]) if len(replicas) > 1 else None

    def feature_names(self):
        """Names of the features that the map sees, or None where nobody knows them."""
        names = getattr(self.learner, "feature_names_in_", None)
        if names is not None:
            return names
        names = getattr(self.estimator, "feature_names_in_", None)
        try:
            for step in self.front if names is not None else ():
                names = step.get_feature_names_out(names)
        except (AttributeError, ValueError):  # a step that makes features it cannot name
            return None
        return names
