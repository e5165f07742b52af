"""Records: one fit of one method on one split, written as lines that survive a crash."""

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ..files.atomic import replacing
from ..files.checks import is_number
from ..printable import printable

FORBIDDEN = frozenset("/\\:")  # they would make a name a path


def check_job(job: Any) -> None:
    """ValueError, in one line, where a Job cannot be the name of a file."""
    for what, name in {"data set": job.dataset, "method": job.method, "setting": job.setting}.items():
        if not is_plain_name(name):
            raise ValueError(f"the {what} {name!r} is no plain name")
    for what, number in {"repeat": job.repeat, "fold": job.fold}.items():
        if not _is_whole(number) or number < 0:
            raise ValueError(f"the {what} {number!r} is no number from 0 on")


def check_result(record: Any) -> None:
    """ValueError, in one line, where a field of a Record holds something else than it should."""
    for name, is_right in FIELDS.items():
        if not is_right(getattr(record, name)):
            raise ValueError(f"{name} is {str(getattr(record, name))[:40]!r}")
    of_classes = record.errors and record.honest_error is not None
    if record.failure is None and not of_classes and record.rmse is None:
        raise ValueError("neither errors nor a failure")


def is_plain_name(name: object) -> bool:
    """Whether a name is one part of a path that stays below its folder.

    Examples
    --------
    >>> [is_plain_name(name) for name in ("breast-w", "../iris", "a/b", "C:iris", "")]
    [True, False, False, False, False]
    """
    if not isinstance(name, str) or not name or not name.isprintable():
        return False
    return not name.startswith(".") and ".." not in name and FORBIDDEN.isdisjoint(name)


def _is_whole(value: Any) -> bool:
    return type(value) is int


def _is_number(value: Any) -> bool:
    return type(value) is float or is_number(value)  # a loss may be infinite


def _is_error(value: Any) -> bool:
    return is_number(value) and 0 <= value <= 100


def _or_none(is_right: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: value is None or is_right(value)


def _is(kind: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, kind)


def _are_sizes(value: Any) -> bool:
    """Of the three intervals; an interval may reach to infinity."""
    return isinstance(value, list) and len(value) == 3 and all(_is_number(each) and each >= 0 for each in value)


def _are_shares(value: Any) -> bool:
    return _are_sizes(value) and all(each <= 1 for each in value)


def _is_size(value: Any) -> bool:
    return is_number(value) and value >= 0


OF_NUMBERS: dict[str, Callable[[Any], bool]] = {
    "r2": is_number,
    **dict.fromkeys(("mae", "rmse", "pinball", "spread", "excess", "noise"), _is_size),
    "width": _are_sizes,
    **dict.fromkeys(("coverage", "coverage_quiet", "coverage_loud"), _are_shares),
}
"""Fields that only records of numbers have."""

FIELDS: dict[str, Callable[[Any], bool]] = {
    "errors": lambda value: isinstance(value, list) and all(map(_is_error, value)),
    "honest_k": _or_none(_is_whole),
    "honest_error": _or_none(_is_error),
    "brier": _or_none(_is_number),
    "log_loss": _or_none(_is_number),
    "seconds": lambda value: is_number(value) and value >= 0,
    "parameters": _is(dict),
    "failure": _or_none(_is(str)),
    "shape": lambda value: len(value) == 3 and all(map(_is_whole, value)),
    "versions": _is(dict),
    **{name: _or_none(is_right) for name, is_right in OF_NUMBERS.items()},
}
"""What each field of a record must hold."""


@dataclass(frozen=True, order=True)
class Job:
    """One fit of one method on one half of a data set."""

    dataset: str
    method: str
    repeat: int
    fold: int
    setting: str = "default"  # or "tuned"

    def path(self, folder: Path) -> Path:
        """Where the record of this fit is kept."""
        name = f"{self.method}.{self.setting}.{self.repeat}.{self.fold}.json"
        return Path(folder) / self.dataset / name


@dataclass(frozen=True)
class Record:
    """What one fit gave.

    ``errors`` holds the test error in % for k = 1, 2, ...; a single number for a method without k. ``honest_error`` is
    that of ``honest_k``, chosen without the test half; of a mixture where ``honest_k`` is None. ``brier`` and
    ``log_loss`` judge the probabilities of a method that has any. A failed fit has a ``failure`` and no errors.

    Where numbers are predicted there are no errors but ``r2``, ``mae``, ``rmse``, ``pinball`` and ``spread``, the
    standard deviation of the numbers, and ``coverage`` and ``width`` of the 80, 90 and 95 % intervals, all in units of
    the numbers. Where these come from a law, ``excess`` is the mean squared distance to its means and ``noise`` its
    variance around them, ``coverage`` is the chance itself, and that of the quietest and the loudest quarter of the
    patterns is kept, too, where the noise varies.
    """

    job: Job
    errors: list[float] = field(default_factory=list)
    honest_k: int | None = None
    honest_error: float | None = None
    brier: float | None = None
    log_loss: float | None = None
    seconds: float = 0.0
    parameters: dict = field(default_factory=dict)
    failure: str | None = None
    shape: tuple[int, int, int] = (0, 0, 0)  # training patterns, features, classes; none of numbers
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
        """What is written: all fields but those of numbers that it has not."""
        return {name: value for name, value in asdict(self).items() if value is not None or name not in OF_NUMBERS}

    def write(self, folder: Path) -> None:
        """Put the whole record in its place at once."""
        path = self.job.path(folder)
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as file:
            file.write(json.dumps(self.content()).encode())


def read(path: Path) -> Record:
    """The record in a file; ValueError, in one line, if the file is not a whole one."""
    try:
        return parse(Path(path).read_text(encoding="utf-8"))
    except ValueError as problem:
        raise ValueError(f"{Path(path).name} is not a whole record ({type(problem).__name__}: {problem}).") from None


def parse(text: str) -> Record:
    """A record from its JSON; ValueError, in one line, if it is something else."""
    try:
        content = json.loads(text)
        record = Record(**{**content, "job": Job(**content["job"]), "shape": tuple(content["shape"])})
    except (TypeError, KeyError, RecursionError) as problem:
        raise ValueError(printable(f"{type(problem).__name__}: {problem}")) from None
    check_job(record.job)
    check_result(record)
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
