"""Records: the result of one fit of one method on one split, a line of JSON each.

A record says which commit, versions and machine made it. A file of records grows line
by line; a line that a killed process has not finished is left out when it is read.
"""

import gzip
import json
import os
import platform
import subprocess
import zlib
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib.metadata import version
from pathlib import Path

from .._version import __version__

LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba")


@dataclass(frozen=True, order=True)
class Job:
    """One fit of one method on one split of a data set.

    Attributes
    ----------
    dataset, method : str
        Names.
    repeat, fold : int
        Which split it is.
    setting : str
        A further name, for variants of a comparison.
    """

    dataset: str
    method: str
    repeat: int = 0
    fold: int = 0
    setting: str = "default"


@dataclass(frozen=True)
class Record:
    """The result of one fit; a score that does not apply is None.

    Attributes
    ----------
    job : Job
        What was fitted.
    errors : list of float
        Test errors in % for k = 1, 2, ...; a single one of a method without k.
    honest_k, honest_error : int or None, float or None
        The k chosen without the test samples, and the error of the predictions.
    brier, log_loss : float or None
        Scores of class probabilities.
    r2, mae, rmse, spread, pinball, coverage, width
        Scores of :func:`~freemetric.experiments.scores.prediction_scores`.
    excess, noise, coverage_quiet, coverage_loud
        Scores of :func:`~freemetric.experiments.scores.truth_scores`.
    seconds : float
        Process time of the fit and of the predictions.
    parameters : dict
        Parameters that the fit has chosen.
    failure : str or None
        Why there are no scores.
    shape : list of int
        Training samples, features and classes; 0 classes for a regression.
    versions : dict
        Commit, versions and machine that made it.
    """

    job: Job
    errors: list[float] = field(default_factory=list)
    honest_k: int | None = None
    honest_error: float | None = None
    brier: float | None = None
    log_loss: float | None = None
    r2: float | None = None
    mae: float | None = None
    rmse: float | None = None
    spread: float | None = None
    pinball: float | None = None
    coverage: list[float] | None = None
    width: list[float] | None = None
    excess: float | None = None
    noise: float | None = None
    coverage_quiet: list[float] | None = None
    coverage_loud: list[float] | None = None
    seconds: float = 0.0
    parameters: dict = field(default_factory=dict)
    failure: str | None = None
    shape: list[int] = field(default_factory=list)
    versions: dict = field(default_factory=dict)

    @property
    def paper_error(self):
        """Error of the k that is best on the test samples."""
        return min(self.errors) if self.errors else None


def as_line(record):
    """Return a record as a line of JSON, without what is None."""
    content = {
        name: value for name, value in asdict(record).items() if value is not None
    }
    return json.dumps(content, separators=(",", ":")) + "\n"


def parse(line):
    """Return the record of a line of JSON; ValueError where it holds something else."""
    try:
        content = json.loads(line)
        return Record(**{**content, "job": Job(**content["job"])})
    except (TypeError, KeyError) as problem:
        raise ValueError(f"no record: {problem}") from None


def read_records(path):
    """Read a file of records, compressed (`.gz`) or not.

    Parameters
    ----------
    path : path-like
        A file of :func:`append_record` or :func:`write_records`.

    Returns
    -------
    records : list of Record
        In their order; of two records of one job the later. A last line without an
        end, of a process that was killed, is left out.

    Examples
    --------
    >>> from freemetric.experiments.records import read_records
    >>> records = read_records("benchmarks/paper/records.jsonl.gz")  # doctest: +SKIP
    """
    path = Path(path)
    try:
        content = path.read_bytes()
        content = gzip.decompress(content) if path.suffix == ".gz" else content
        complete = content[: content.rfind(b"\n") + 1]
        records = [parse(line) for line in complete.decode().splitlines()]
    except (EOFError, zlib.error, gzip.BadGzipFile, ValueError) as problem:
        raise ValueError(f"{path.name} is no file of records ({problem}).") from None
    return list({record.job: record for record in records}.values())


def append_record(path, record):
    """Add a record to a file that is not compressed; it is made if need be."""
    with Path(path).open("a", encoding="utf-8") as file:
        file.write(as_line(record))
        file.flush()
        os.fsync(file.fileno())


def write_records(path, records):
    """Write a file of records, compressed if its name ends in `.gz`, whole or not.

    Parameters
    ----------
    path : path-like
        The file. The same records make the same file.
    records : list of Record
        The records.
    """
    path = Path(path)
    content = "".join(as_line(record) for record in records).encode()
    if path.suffix == ".gz":
        content = gzip.compress(content, mtime=0)
    replace_file(path, content)


def replace_file(path, content):
    """Write bytes to a file, which is replaced once the new ones are complete."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.part")
    try:
        draft.write_bytes(content)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


@cache
def provenance():
    """Return the commit, versions and machine that make the records of this process.

    Returns
    -------
    versions : dict of str
        "commit", where the package lies in its repository ("-dirty": with changes),
        "freemetric", "python", libraries, "machine".
    """
    found = {"freemetric": __version__, "python": platform.python_version()}
    found.update({library: version(library) for library in LIBRARIES})
    found["machine"] = platform.machine()
    commit = _commit()
    return {"commit": commit, **found} if commit else found


def _commit():
    """The commit of the repository that this file is tracked in, or ""."""
    here = Path(__file__)
    describe = ["describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
    tracked = _git(["ls-files", "--error-unmatch", here.name], here.parent)
    return _git(describe, here.parent) if tracked else ""


def _git(words, folder):
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *words], capture_output=True, text=True
        )
    except OSError:  # no git here
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
