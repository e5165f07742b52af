"""Learners that take weaker knowledge than labels: which, and how it reaches them."""

import inspect
from typing import Any

from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.pipeline import Pipeline

KINDS = ("pairs", "triplets", "quadruplets")


def takes(learner: Any, name: str) -> bool:
    """Whether the ``fit`` of a learner takes something by this name; of a pipeline, that of its last step."""
    if isinstance(learner, Pipeline):
        return takes(learner.steps[-1][1], name)
    parameters = inspect.signature(learner.fit).parameters
    if name in parameters:
        return True
    hands_on = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())
    return hands_on and getattr(learner, "learner", None) is not None and takes(learner.learner, name)


def taught(learner: Any, X: NDArray, knowledge: dict[str, Any], y: ArrayLike | None = None) -> Any:
    """A clone of the learner, fitted on X, with labels or without, and with this knowledge."""
    pupil = clone(learner)
    if isinstance(pupil, Pipeline):
        last = pupil.steps[-1][0]
        return pupil.fit(X, y, **{f"{last}__{name}": value for name, value in knowledge.items()})
    return pupil.fit(X, y, **knowledge)


def check_takes(learner: Any, names: tuple[str, ...]) -> str:
    """The first of the names that the learner's ``fit`` takes; ValueError where it takes none."""
    for name in names:
        if takes(learner, name):
            return name
    known = [name for name in KINDS if takes(learner, name)]
    but = f"it learns from {' or '.join(known)}" if known else "it learns from labels alone"
    raise ValueError(f"{_name_of(learner)} takes no {names[0]}: {but}.")


def _name_of(learner):
    return type(learner.steps[-1][1] if isinstance(learner, Pipeline) else learner).__name__
