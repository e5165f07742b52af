"""Results: compact files of records, and tables (data sets x methods) of their errors and other measures."""

import gzip
import json
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..extras import require
from ..files.atomic import replacing
from ..text_files import unpacked
from .records import INTERVALS, Record, check_known, parse

PROTOCOLS = ("honest", "paper", "one-k")
"""How k is chosen: without the test half; the best on each test half; or the best for the mean over all test halves of
a data set, one k for all of them. The last agrees best with the published errors."""

PUBLISHED_NAMES = {
    "rf": "RF",
    "euclidean": "Euclidean",
    "dml-eig": "DMLeig",
    "dmlfe-paper": "DMLFE",
    **{name.lower(): name for name in ("PCA", "RCA", "DCA", "LFDA", "DMLMJ", "SCML", "LMNN", "ITML", "NCA")},
}


def mean_errors(records: list[Record], protocol: str) -> Any:
    """Mean error of every method on every data set, a DataFrame (data sets x methods).

    A split without a result leaves the cell empty, so that no method profits from failing where it is hard.
    """
    check_known(protocol, PROTOCOLS, "protocol")

    def mean(group):
        if any(record.failure for record in group):
            return np.nan
        if protocol == "one-k":
            return curve(group).min()
        return np.mean([r.honest_error if protocol == "honest" else r.paper_error for r in group])

    return _by_cell(records, mean)


def _by_cell(records: Iterable[Record], value: Callable[[list[Record]], Any]) -> Any:
    """A value of the records of every data set and method, a DataFrame in the order of the records."""
    cells = defaultdict(list)
    for record in records:
        cells[record.job.dataset, record.job.method].append(record)
    table = require("pandas").Series({key: float(value(group)) for key, group in cells.items()}, dtype=float)
    names = [list(dict.fromkeys(key[axis] for key in cells)) for axis in range(2)]
    return table.rename_axis(["dataset", "method"]).unstack("method").reindex(index=names[0], columns=names[1])


def curve(group: list[Record]) -> np.ndarray:
    """Mean error for k = 1, 2, ... over the splits of one method on one data set."""
    shortest = min(len(record.errors) for record in group)
    return np.mean([record.errors[:shortest] for record in group], axis=0)


def best_neighbors(records: list[Record]) -> Any:
    """The k of lowest mean error, a DataFrame (data sets x methods); methods without k are left out."""
    with_k = [record for record in records if len(record.errors) > 1]
    return _by_cell(with_k, lambda group: curve(group).argmin() + 1)


def as_published(errors: Any) -> Any:
    """The methods that the paper has, under the names it gives them; DMLFE is its own configuration there."""
    return errors[[name for name in errors if name in PUBLISHED_NAMES]].rename(columns=PUBLISHED_NAMES)


def save_compact(records: list[Record], path: Path) -> None:
    """All records in one compressed file, a line each."""
    text = "".join(json.dumps(record.content(), separators=(",", ":")) + "\n" for record in records)
    with replacing(Path(path)) as file:
        file.write(gzip.compress(text.encode(), mtime=0))  # no time stamp: the same records give the same file


def load_compact(path: Path) -> list[Record]:
    """The records of a file that :func:`save_compact` wrote; ValueError, in one line, if it is another or broken."""
    try:
        return [parse(line) for line in unpacked(Path(path)).decode().splitlines()]
    except (OSError, EOFError, zlib.error, ValueError) as problem:
        reason = str(problem) if type(problem) is ValueError else type(problem).__name__
        raise ValueError(f"{Path(path).name} is not a whole file of records ({reason}).") from None


class Measure(NamedTuple):
    """Its name in tables and figures, and its value for a record; None where the record does not have it."""

    title: str
    of: Callable[[Record], float | None]


def _relative(name: str, unit: str, place: int | None = None) -> Callable[[Record], float | None]:
    """A field, or one number of it, in % of another field."""

    def of(record):
        value, size = getattr(record, name), getattr(record, unit)
        if value is None or not size:
            return None
        return 100 * (value if place is None else value[place]) / size

    return of


def _off(place: int) -> Callable[[Record], float | None]:
    return lambda record: None if not record.coverage else 100 * abs(record.coverage[place] - INTERVALS[place])


OF_SPREAD = "in % of the standard deviation"
PERCENTS = [100 * share for share in INTERVALS]

MEASURES: dict[str, Measure] = {
    "error": Measure("error in %", attrgetter("honest_error")),
    "brier": Measure("Brier score", attrgetter("brier")),
    "log_loss": Measure("log loss", attrgetter("log_loss")),
    "unexplained": Measure("unexplained variance, 1 - R2, in %", lambda r: None if r.r2 is None else 100 * (1 - r.r2)),
    "mae": Measure(f"mean absolute error {OF_SPREAD}", _relative("mae", "spread")),
    "rmse": Measure(f"root mean squared error {OF_SPREAD}", _relative("rmse", "spread")),
    "pinball": Measure(f"pinball loss {OF_SPREAD}", _relative("pinball", "spread")),
    "excess": Measure("excess over the noise in % of its variance", _relative("excess", "noise")),
    **{
        f"width{percent:.0f}": Measure(
            f"width of {percent:.0f} % intervals {OF_SPREAD}", _relative("width", "spread", place)
        )
        for place, percent in enumerate(PERCENTS)
    },
    **{
        f"off{percent:.0f}": Measure(f"points that {percent:.0f} % intervals hold too many or few", _off(place))
        for place, percent in enumerate(PERCENTS)
    },
}
"""By name. Statistics, tables and figures take any of them, as the table that :func:`mean_measure` makes."""


def mean_measure(records: list[Record], measure: str) -> Any:
    """Mean of a measure for every method on every data set, a DataFrame (data sets x methods).

    A split without a result leaves the cell empty, as in :func:`freemetric.bench.results.mean_errors`.

    Parameters
    ----------
    records : list of Record
        Those of one comparison.
    measure : str
        A name in ``MEASURES``. It becomes ``attrs["measure"]`` of the DataFrame.

    Examples
    --------
    >>> from freemetric.bench.results import mean_measure
    >>> from freemetric.bench.records import BenchJob, Record
    >>> records = [Record(BenchJob("boston", "knn", 0, fold), rmse=4.0, r2=0.75 + 0.1 * fold) for fold in range(2)]
    >>> round(mean_measure(records, "unexplained").loc["boston", "knn"].item(), 6)
    20.0
    """
    check_known(measure, MEASURES, "measure")
    title, of = MEASURES[measure]
    table = _by_cell(records, lambda group: np.array([None if r.failure else of(r) for r in group], float).mean())
    table.attrs["measure"] = title
    return table
