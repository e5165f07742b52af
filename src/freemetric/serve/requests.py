"""Requests of the page: choices about a table, and settings of a fit or a comparison."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

READING = ("format", "delimiter", "encoding", "sheet", "decimal", "thousands", "date_order", "missing", "header")
TASKS = ("classify", "regress")
USES = ("drop", "keep", "numeric", "nominal")
METHODS = ("free-energy", "rf", "hist-boosting", "svm", "logistic", "euclidean", "nca", "lmnn", "dmlfe")
FITTED = ("free-energy", "nca", "lmnn", "dmlfe", "lfda", "rca", "euclidean")
REGRESSION_METHODS = ("free-energy", "rf", "hist-boosting", "extra-trees", "euclidean", "mlkr", "dmlfe")
REGRESSION_FITTED = ("free-energy", "mlkr", "dmlfe", "euclidean")
LONGEST = 10_000  # characters of a text that the page sends
MOST_NUMBER = 2**31


class WrongRequestError(ValueError):
    """A request that the page does not send."""


@dataclass(frozen=True)
class Choices:
    """Choices of the user about a table."""

    target: str | None = None  # column to predict
    uses: Mapping[str, str] = field(default_factory=dict)  # one of USES by column
    reading: Mapping[str, str] = field(default_factory=dict)  # options of tabular.read
    task: str | None = None  # None follows from the target

    @classmethod
    def from_json(cls, content: Any) -> "Choices":
        """Checked choices from JSON."""
        content = checked_dict(content)
        target, task = content.get("target"), content.get("task") or None
        uses, reading = checked_texts(content.get("uses")), checked_texts(content.get("reading"))
        if not (target is None or isinstance(target, str)):
            raise WrongRequestError("the target is a text")
        if not (task is None or task in TASKS):
            raise WrongRequestError("there is no such task")
        if not set(uses.values()) <= set(USES) or not set(reading) <= set(READING):
            raise WrongRequestError("there is no such choice")
        return cls(target or None, uses, {name: text for name, text in reading.items() if text}, task)

    def as_json(self) -> dict[str, Any]:
        """The input of ``from_json``."""
        return {"target": self.target, "uses": dict(self.uses), "reading": dict(self.reading), "task": self.task}

    @property
    def kinds(self) -> dict[str, list[str]]:
        """``drop``, ``keep``, ``numeric`` and ``nominal``, as ``tabular`` takes them; the target is no feature."""
        given = {name: use for name, use in self.uses.items() if name != self.target}
        return {use: [name for name, chosen in given.items() if chosen == use] for use in USES}


def checked_dict(content: Any) -> dict[str, Any]:
    """A JSON object."""
    if not isinstance(content, dict):
        raise WrongRequestError("a JSON object is needed")
    return content


def checked_texts(content: Any) -> dict[str, str]:
    """A JSON object of texts that are not too long; nothing is an empty one."""
    texts = checked_dict({} if content is None else content)
    if not all(isinstance(text, str) and len(text) <= LONGEST for text in texts.values()):
        raise WrongRequestError("texts are needed")
    return texts


def checked_number(
    content: dict[str, Any], name: str, default: int | None = None, low: int = 0, high: int = MOST_NUMBER
) -> int | None:
    """A whole number of a JSON object from low to high, or the default where it has none of that name."""
    value = content.get(name)
    if value is None:
        return default
    if type(value) is not int or not low <= value <= high:
        raise WrongRequestError(f"{name}: a whole number from {low} to {high} is needed")
    return value


def fit_settings(content: dict[str, Any]) -> dict[str, Any]:
    """Method, effort and seed of a fit."""
    return {**_common(content), "method": _among({*FITTED, *REGRESSION_FITTED}, content.get("method", "free-energy"))}


def comparison_settings(content: dict[str, Any]) -> dict[str, Any]:
    """Methods and folds of a comparison."""
    known = {*METHODS, *REGRESSION_METHODS}  # The job itself checks the task.
    methods = content.get("methods", ["free-energy", "rf", "hist-boosting"])
    if not isinstance(methods, list) or not 1 <= len(methods) <= len(known):
        raise WrongRequestError("choose one method or more")
    chosen = list(dict.fromkeys(_among(known, method) for method in methods))
    folds, repeats = checked_number(content, "folds", 5, 2, 20), checked_number(content, "repeats", 1, 1, 20)
    return {**_common(content), "methods": chosen, "folds": folds, "repeats": repeats}


def _common(content):
    seed, jobs = checked_number(content, "seed", 0), checked_number(content, "jobs", None, 1, 256)
    return {"quick": content.get("quick") is True, "seed": seed, "jobs": jobs}


def _among(known, value):
    if not isinstance(value, str) or value not in known:
        raise WrongRequestError(f"unknown method; known: {', '.join(sorted(known))}")
    return value
