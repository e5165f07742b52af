"""How much each class counts in decisions: as given, or as it makes a score best out of bag."""

from collections.abc import Callable, Mapping
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

STEPS_OF_TWO = np.linspace(-5, 5, 41)  # of the logarithm of one class's weight against the other's: any threshold
POWERS = np.linspace(-0.5, 1.5, 21)  # of one over the size of a class: 0 as the classes are, 1 balanced
BESIDE = 2  # steps on both sides that are averaged: a peak of one step is luck


def class_weights(
    class_weight: Mapping[Any, float] | str | None, classes: NDArray, sizes: NDArray
) -> NDArray[np.float64]:
    """Weights (C,) of the classes, whose rows have these sizes (C,) together, from scikit-learn's ``class_weight``.

    "balanced" is one over the size, so that all classes count the same; a class without rows keeps weight one. A dict
    gives weights by label, one for those it does not name.
    """
    weights = np.ones(len(classes))
    if class_weight is None:
        return weights
    if isinstance(class_weight, str):  # "balanced"
        there = sizes > 0
        weights[there] = sizes[there].sum() / (there.sum() * sizes[there])
        return weights
    labels = classes.tolist()
    unknown = [label for label in class_weight if label not in labels]
    if unknown and set(labels) - set(class_weight):  # else they are classes of other rows, as in a fold without them
        raise ValueError(f"class_weight has labels that are not among the classes: {unknown!r}.")
    for label, weight in class_weight.items():
        if not isinstance(weight, Real) or isinstance(weight, bool) or not 0 < weight < np.inf:
            raise ValueError(f"class_weight of {label!r} is no positive number: {weight!r}.")
        if label in labels:
            weights[labels.index(label)] = weight
    return weights


def best_weights(score: Callable[[NDArray], float], sizes: NDArray) -> NDArray[np.float64]:
    """The weights (C,) of classes of these sizes whose score is the largest.

    Weights of one number only, so that they mean something with few judges: all thresholds between two classes, and
    size to the power of -g for more of them. Of equals those nearest to no weights are taken.
    """
    if len(sizes) == 2:
        steps, direction = STEPS_OF_TWO, np.array([-0.5, 0.5])
    else:
        steps, direction = POWERS, -np.log(np.where(sizes > 0, sizes / sizes.mean(), 1.0))
    scores = np.array([score(np.exp(step * direction)) for step in steps])
    scores = np.where(np.isfinite(scores), scores, np.min(scores, where=np.isfinite(scores), initial=0.0))
    width = 2 * BESIDE + 1
    smooth = np.convolve(np.pad(scores, BESIDE, mode="edge"), np.full(width, 1 / width), mode="valid")
    best = np.flatnonzero(smooth >= smooth.max() - 1e-9)
    return np.exp(steps[best[np.abs(steps[best]).argmin()]] * direction)
