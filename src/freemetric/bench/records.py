"""Records: the result of one fit of one method on one split, in a file that is written atomically."""

import json
from collections.abc import Callable, Collection, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ..files.atomic import replacing
from ..files.checks import is_number
from ..printable import printable

INTERVALS = (0.8, 0.9, 0.95)
"""Nominal coverages of prediction intervals; records keep coverages and widths in this order."""

FORBIDDEN = frozenset("/\\:")  # they would make a name a path


@dataclass(frozen=True, order=True)
class BenchJob:
    """One fit of one method on one half of a data set: the key of its record."""

    dataset: str
    method: str
    repeat: int
    fold: int
    setting: str = "default"  # or "tuned"

    def path(self, folder: Path) -> Path:
        """File of the record of this fit."""
        return Path(folder) / self.dataset / f"{self.method}.{self.setting}.{self.repeat}.{self.fold}.json"

    def check(self) -> None:
        """ValueError, in one line, where the job cannot be the name of a file."""
        for what, name in {"data set": self.dataset, "method": self.method, "setting": self.setting}.items():
            is_plain = isinstance(name, str) and name.isprintable() and FORBIDDEN.isdisjoint(name)
            if not is_plain or not name or name.startswith(".") or ".." in name:
                raise ValueError(f"the {what} {name!r} is no plain name")
        for what, number in {"repeat": self.repeat, "fold": self.fold}.items():
            if type(number) is not int or number < 0:
                raise ValueError(f"the {what} {number!r} is no number from 0 on")


@dataclass(frozen=True)
class Record:
    """The result of one fit.

    ``errors`` holds the test error in % for k = 1, 2, ...; a single one for a method without k. ``honest_error`` is
    that of ``honest_k``, chosen without the test half, or of a mixture where ``honest_k`` is None. ``brier`` and
    ``log_loss`` score probabilities where a method has any. A failed fit has a ``failure`` and no errors.

    A record of regression has the scores of :func:`freemetric.bench.regression.prediction_scores` instead of errors,
    and for synthetic problems those of :func:`freemetric.bench.regression.truth_scores`.
    """

    job: BenchJob
    errors: list[float] = field(default_factory=list)
    honest_k: int | None = None
    honest_error: float | None = None
    brier: float | None = None
    log_loss: float | None = None
    seconds: float = 0.0
    parameters: dict = field(default_factory=dict)
    failure: str | None = None
    shape: tuple[int, int, int] = (0, 0, 0)  # training samples, features, classes; 0 classes for regression
    versions: dict = field(default_factory=dict)
    r2: float | None = None
    mae: float | None = None
    rmse: float | None = None
    pinball: float | None = None
    spread: float | None = None
    coverage: list[float] | None = None
    width: list[float] | None = None
    excess: float | None = None
    noise: float | None = None
    coverage_quiet: list[float] | None = None
    coverage_loud: list[float] | None = None

    @property
    def paper_error(self) -> float | None:
        """Error at the k that is best on the test half, as the paper reports it."""
        return min(self.errors) if self.errors else None

    def content(self) -> dict[str, Any]:
        """The fields that are written: all but those of regression that are not set."""
        return {name: value for name, value in asdict(self).items() if value is not None or name not in OF_REGRESSION}

    def write(self, folder: Path) -> None:
        """Write the record atomically."""
        path = self.job.path(folder)
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as file:
            file.write(json.dumps(self.content()).encode())

    def check(self) -> None:
        """ValueError, in one line, where a field holds something else than it should."""
        for name, is_right in FIELDS.items():
            value = getattr(self, name)
            is_absent = value is None and getattr(Record, name, "") is None  # as it is by default
            if not is_absent and not is_right(value):
                raise ValueError(f"{name} is {str(value)[:40]!r}")
        of_classification = self.errors and self.honest_error is not None
        if self.failure is None and not of_classification and self.rmse is None:
            raise ValueError("neither errors nor a failure")


def check_known(name: str, known: Collection[str], what: str) -> None:
    """ValueError, in one line, where a name is not among the known ones."""
    if name not in known:
        raise ValueError(f"Unknown {what} {name!r}; known: {', '.join(map(repr, known))}.")


def _within(low: float, high: float) -> Callable[[Any], bool]:
    return lambda value: is_number(value) and low <= value <= high


def _for_intervals(high: float) -> Callable[[Any], bool]:
    """One number for every interval; a width may be infinite."""
    return lambda value: (
        isinstance(value, list)
        and len(value) == len(INTERVALS)
        and all((type(each) is float or is_number(each)) and 0 <= each <= high for each in value)
    )


_is_error, _is_size = _within(0, 100), _within(0, float("inf"))

OF_REGRESSION: dict[str, Callable[[Any], bool]] = {
    "r2": is_number,
    **dict.fromkeys(("mae", "rmse", "pinball", "spread", "excess", "noise"), _is_size),
    "width": _for_intervals(float("inf")),
    **dict.fromkeys(("coverage", "coverage_quiet", "coverage_loud"), _for_intervals(1)),
}
"""Checks of the fields that only records of regression have."""

FIELDS: dict[str, Callable[[Any], bool]] = {
    "errors": lambda value: isinstance(value, list) and all(map(_is_error, value)),
    "honest_k": lambda value: type(value) is int,
    "honest_error": _is_error,
    **dict.fromkeys(("brier", "log_loss"), lambda value: type(value) is float or is_number(value)),
    "seconds": _is_size,
    "parameters": lambda value: isinstance(value, dict),
    "failure": lambda value: isinstance(value, str),
    "shape": lambda value: len(value) == 3 and all(type(each) is int for each in value),
    "versions": lambda value: isinstance(value, dict),
    **OF_REGRESSION,
}
"""Checks of all fields that are there; a loss may be infinite."""


def read(path: Path) -> Record:
    """Read the record in a file; ValueError, in one line, if the file is not a whole one."""
    try:
        return parse(Path(path).read_text(encoding="utf-8"))
    except ValueError as problem:
        raise ValueError(f"{Path(path).name} is not a whole record ({type(problem).__name__}: {problem}).") from None


def parse(text: str) -> Record:
    """Make a record of its JSON; ValueError, in one line, if it is something else."""
    try:
        content = json.loads(text)
        record = Record(**{**content, "job": BenchJob(**content["job"]), "shape": tuple(content["shape"])})
    except (TypeError, KeyError, RecursionError) as problem:
        raise ValueError(printable(f"{type(problem).__name__}: {problem}")) from None
    record.job.check()
    record.check()
    return record


def read_all(folder: Path) -> tuple[list[Record], list[str]]:
    """All records below a folder, in order, and a line for each file that is none."""
    records, broken = [], []
    for path in record_files(folder):
        try:
            records.append(read(path))
        except ValueError as problem:
            broken.append(f"{path.parent.name}/{problem}")
    return sorted(records, key=lambda record: record.job), broken


def record_files(folder: Path) -> Iterator[Path]:
    """The files of all records below a folder, in order."""
    return (path for path in sorted(Path(folder).glob("*/*.json")) if not path.name.startswith("."))
