"""One Record a fit, one file a Record: written whole or not at all, so that a killed run loses and doubles nothing."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ..files.atomic import replacing
from ..printable import printable
from .record_checks import OF_NUMBERS, check_job, check_result


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
