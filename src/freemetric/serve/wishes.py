"""What the page asks for: columns, reading, settings."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

READING = ("format", "delimiter", "encoding", "sheet", "decimal", "thousands", "date_order", "missing")
TASKS = ("classify", "regress")
USES = ("drop", "keep", "numeric", "nominal")
LONGEST = 10_000  # letters of a text that the page sends


class WrongRequestError(ValueError):
    """Something that the page does not send."""


@dataclass(frozen=True)
class Wishes:
    """What was chosen; nothing is chosen by default.

    Attributes
    ----------
    target : str or None
        Column to predict.
    uses : dict of str
        One of ``USES`` by column.
    reading : dict of str
        Options of ``tabular.read``, named in ``READING``; ``missing`` are words for gaps, parted by commas.
    task : {"classify", "regress"} or None
        Whether classes or numbers are predicted; None is what the target speaks for.
    """

    target: str | None = None
    uses: Mapping[str, str] = field(default_factory=dict)
    reading: Mapping[str, str] = field(default_factory=dict)
    task: str | None = None

    @classmethod
    def from_json(cls, content: Any) -> "Wishes":
        """From what the page sends."""
        content = checked_dict(content)
        target, task = content.get("target"), content.get("task") or None
        uses, reading = checked_texts(content.get("uses")), checked_texts(content.get("reading"))
        if not (target is None or isinstance(target, str)):
            raise WrongRequestError("what is predicted is named by a text")
        if not (task is None or task in TASKS):
            raise WrongRequestError("there is no such task")
        if not set(uses.values()) <= set(USES) or not set(reading) <= set(READING):
            raise WrongRequestError("there is no such choice")
        return cls(target or None, uses, {name: text for name, text in reading.items() if text}, task)

    def as_json(self) -> dict[str, Any]:
        """What ``from_json`` takes."""
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


def checked_number(content: dict[str, Any], name: str) -> int | None:
    """A whole number of a JSON object, or None where it has none of that name."""
    number = content.get(name)
    if number is not None and type(number) is not int:
        raise WrongRequestError(f"{name} is a whole number")
    return number


METHODS = ("free-energy", "rf", "hist-boosting", "svm", "logistic", "euclidean", "nca", "lmnn", "dmlfe")
FITTED = ("free-energy", "nca", "lmnn", "dmlfe", "lfda", "rca", "euclidean")
NUMBER_METHODS = ("free-energy", "rf", "hist-boosting", "extra-trees", "euclidean", "mlkr", "dmlfe")
FITTED_TO_NUMBERS = ("free-energy", "mlkr", "dmlfe", "euclidean")
ALL_METHODS, ALL_FITTED = {*METHODS, *NUMBER_METHODS}, {*FITTED, *FITTED_TO_NUMBERS}  # the work says which can do what
MOST_SEED = 2**31


def fit_settings(content: dict[str, Any]) -> dict[str, Any]:
    """Method, effort and seed of a fit."""
    return {**_common(content), "method": _among(ALL_FITTED, content.get("method", "free-energy"))}


def comparison_settings(content: dict[str, Any]) -> dict[str, Any]:
    """Methods and folds of a comparison."""
    methods = content.get("methods", ["free-energy", "rf", "hist-boosting"])
    if not isinstance(methods, list) or not 1 <= len(methods) <= len(ALL_METHODS):
        raise WrongRequestError("choose one method or more")
    chosen = list(dict.fromkeys(_among(ALL_METHODS, method) for method in methods))
    folds, repeats = _number(content.get("folds", 5), 2, 20), _number(content.get("repeats", 1), 1, 20)
    return {**_common(content), "methods": chosen, "folds": folds, "repeats": repeats}


def _common(content):
    jobs = content.get("jobs")
    return {
        "quick": content.get("quick") is True,
        "seed": _number(content.get("seed", 0), 0, MOST_SEED),
        "jobs": None if jobs is None else _number(jobs, 1, 256),
    }


def _among(known, value):
    if not isinstance(value, str) or value not in known:
        raise WrongRequestError(f"unknown method; known: {', '.join(sorted(known))}")
    return value


def _number(value, low, high):
    if type(value) is not int or not low <= value <= high:
        raise WrongRequestError(f"a whole number from {low} to {high} is needed")
    return value
