"""Requests of the page: an uploaded file, choices about its table, and settings of a fit or a comparison."""

import re
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any

from ..printable import printable
from ..tabular.reading import read
from ..tabular.table import MISSING, InputError, Table
from .folders import RefusedError

READING = ("format", "delimiter", "encoding", "sheet", "decimal", "thousands", "date_order", "missing", "header")
TASKS = ("classify", "regress")
USES = ("drop", "keep", "numeric", "nominal")
METHODS = ("free-energy", "rf", "hist-boosting", "svm", "logistic", "euclidean", "nca", "lmnn", "dmlfe")
FITTED = ("free-energy", "nca", "lmnn", "dmlfe", "lfda", "rca", "euclidean")
REGRESSION_METHODS = ("free-energy", "rf", "hist-boosting", "extra-trees", "euclidean", "mlkr", "dmlfe")
REGRESSION_FITTED = ("free-energy", "mlkr", "dmlfe", "euclidean")
LONGEST = 10_000  # characters of a text that the page sends
MOST_NUMBER = 2**31


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
            raise RefusedError("the target is a text")
        if not (task is None or task in TASKS):
            raise RefusedError("there is no such task")
        if not set(uses.values()) <= set(USES) or not set(reading) <= set(READING):
            raise RefusedError("there is no such choice")
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
        raise RefusedError("a JSON object is needed")
    return content


def checked_texts(content: Any) -> dict[str, str]:
    """A JSON object of texts that are not too long; nothing is an empty one."""
    texts = checked_dict({} if content is None else content)
    if not all(isinstance(text, str) and len(text) <= LONGEST for text in texts.values()):
        raise RefusedError("texts are needed")
    return texts


def checked_number(
    content: dict[str, Any], name: str, default: int | None = None, low: int = 0, high: int = MOST_NUMBER
) -> int | None:
    """A whole number of a JSON object from low to high, or the default where it has none of that name."""
    value = content.get(name)
    if value is None:
        return default
    if type(value) is not int or not low <= value <= high:
        raise RefusedError(f"{name}: a whole number from {low} to {high} is needed")
    return value


def fit_settings(content: dict[str, Any]) -> dict[str, Any]:
    """Method, effort and seed of a fit."""
    return {**_common(content), "method": _among({*FITTED, *REGRESSION_FITTED}, content.get("method", "free-energy"))}


def comparison_settings(content: dict[str, Any]) -> dict[str, Any]:
    """Methods and folds of a comparison."""
    known = {*METHODS, *REGRESSION_METHODS}  # The job itself checks the task.
    methods = content.get("methods", ["free-energy", "rf", "hist-boosting"])
    if not isinstance(methods, list) or not 1 <= len(methods) <= len(known):
        raise RefusedError("choose one method or more")
    chosen = list(dict.fromkeys(_among(known, method) for method in methods))
    folds, repeats = checked_number(content, "folds", 5, 2, 20), checked_number(content, "repeats", 1, 1, 20)
    return {**_common(content), "methods": chosen, "folds": folds, "repeats": repeats}


def _common(content):
    seed, jobs = checked_number(content, "seed", 0), checked_number(content, "jobs", None, 1, 256)
    return {"quick": content.get("quick") is True, "seed": seed, "jobs": jobs}


def _among(known, value):
    if not isinstance(value, str) or value not in known:
        raise RefusedError(f"unknown method; known: {', '.join(sorted(known))}")
    return value


LONGEST_NAME = 120
SUFFIX = re.compile(r"\.[A-Za-z0-9]{1,10}")


def shown_name(name: str) -> str:
    """A name from the browser as the page shows it: the last part of a path, printable, not too long."""
    last = printable(name.replace("\\", "/").rstrip("/").rpartition("/")[2]).strip()
    return last[-LONGEST_NAME:] if last.strip(". ") else "table"


def stored_path(folder: Path, name: str) -> Path:
    """The path of an uploaded file, which keeps only the suffixes of its name."""
    suffixes = PurePosixPath(shown_name(name)).suffixes[-2:]
    return folder / f"table{''.join(suffix for suffix in suffixes if SUFFIX.fullmatch(suffix)).lower()}"


def file_stem(name: str) -> str:
    """The name of downloads, in characters that every system and header can take."""
    return re.sub(r"[^A-Za-z0-9_-]+", "-", shown_name(name).partition(".")[0]).strip("-")[:40] or "table"


OPTION = re.compile(r"--([a-z][a-z-]*)( COLUMN| NAME)?")
LABELS = {
    "target": "Predict",
    "missing": "Words for gaps",
    "keep": "keep it",
    "numeric": "as numbers",
    "nominal": "as names",
    "decimal": "Decimal mark",
    "date-order": "Order of dates",
    "no-header": "First row: data",
}
"""Names on the page of options of the command line; others begin with a capital there."""
TASK_WORDS = {"--task regress": "“a number”", "--task classify": "“classes”"}


@dataclass(frozen=True)
class Upload:
    """The path of an uploaded file, and its name."""

    path: str
    name: str

    def table(self, reading: Mapping[str, str]) -> Table:
        """Its table, which bears the user's name for it."""
        gaps = MISSING | {word.strip() for word in reading.get("missing", "").split(",")}  # the usual and the user's
        options: dict[str, Any] = {**reading, "missing": gaps}
        if "header" in reading:
            options["header"] = reading["header"] != "no"
        return replace(read(self.path, **options), source=self.name)

    def in_words(self, text: str) -> str:
        """A message of the library, which knows of files and options, for the user of the page."""
        text = printable(text.replace(self.path, self.name))
        for option, words in TASK_WORDS.items():
            text = text.replace(option, words)
        return OPTION.sub(lambda found: f"“{LABELS.get(found[1], found[1].capitalize())}”", text)

    @contextmanager
    def noted(self) -> Iterator[list[str]]:
        """A list that gets the warnings of what is done inside, each once; errors, too, have the words of the page."""
        notes: list[str] = []
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            warnings.simplefilter("ignore", DeprecationWarning)
            try:
                yield notes
            except (InputError, ImportError) as problem:
                raise InputError(self.in_words(str(problem))) from None
            finally:
                notes += dict.fromkeys(self.in_words(str(warning.message)) for warning in caught)
