"""Results: records by data set and method, and measures of them."""

import gzip
import json
import zlib
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..extras import require
from ..files.atomic import replacing
from ..text_files import unpacked
from .records import Record, parse
from .regression import INTERVALS

PROTOCOLS = ("honest", "paper", "one-k")
"""How k is chosen: without the test half; the best on each test half; or the best for the mean over all test halves of
a data set, one k for all of them. The last is what the published numbers look like."""


def mean_errors(records: list[Record], protocol: str) -> Any:
    """Mean error of every method on every data set, a DataFrame (data sets x methods).

    A split without a result leaves the cell empty, so that no method profits from failing where it is hard.
    """
    if protocol not in PROTOCOLS:
        raise ValueError(f"Unknown protocol {protocol!r}; known: {', '.join(map(repr, PROTOCOLS))}.")
    cells = defaultdict(list)
    for record in records:
        cells[record.job.dataset, record.job.method].append(record)
    table = require("pandas").Series({key: _mean(group, protocol) for key, group in cells.items()}, dtype=float)
    table.index.names = ["dataset", "method"]
    return table.unstack("method").reindex(
        index=list(dict.fromkeys(r.job.dataset for r in records)),
        columns=list(dict.fromkeys(r.job.method for r in records)),
    )


def _mean(group, protocol):
    if any(record.failure for record in group):
        return np.nan
    if protocol == "one-k":
        return float(curve(group).min())
    return float(np.mean([r.honest_error if protocol == "honest" else r.paper_error for r in group]))


def curve(group: list[Record]) -> np.ndarray:
    """Mean error for k = 1, 2, ... over the splits of one method on one data set."""
    shortest = min(len(record.errors) for record in group)
    return np.mean([record.errors[:shortest] for record in group], axis=0)


def best_neighbors(records: list[Record]) -> Any:
    """The k of lowest mean error, a DataFrame (data sets x methods); methods without k are left out."""
    cells = defaultdict(list)
    for record in records:
        if len(record.errors) > 1:
            cells[record.job.dataset, record.job.method].append(record)
    table = require("pandas").Series({key: int(curve(group).argmin()) + 1 for key, group in cells.items()})
    return table.unstack()


PUBLISHED_NAMES = {
    "rf": "RF",
    "euclidean": "Euclidean",
    "dml-eig": "DMLeig",
    "dmlfe-paper": "DMLFE",
    **{name.lower(): name for name in ("PCA", "RCA", "DCA", "LFDA", "DMLMJ", "SCML", "LMNN", "ITML", "NCA")},
}


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
    """Its words in tables and figures, and what it is of a record; None where the record has it not."""

    words: str
    of: Callable[[Record], float | None]


def _field(name: str) -> Callable[[Record], float | None]:
    return lambda record: getattr(record, name)


def _share(name: str) -> Callable[[Record], float | None]:
    """A field in % of the standard deviation of the numbers."""

    def of(record):
        value = getattr(record, name)
        return None if value is None or not record.spread else 100 * value / record.spread

    return of


def _unexplained(record: Record) -> float | None:
    return None if record.r2 is None else 100 * (1 - record.r2)


def _excess(record: Record) -> float | None:
    return None if record.excess is None or not record.noise else 100 * record.excess / record.noise


def _width(place: int) -> Callable[[Record], float | None]:
    return lambda record: None if not record.width or not record.spread else 100 * record.width[place] / record.spread


def _off(place: int) -> Callable[[Record], float | None]:
    return lambda record: None if not record.coverage else 100 * abs(record.coverage[place] - INTERVALS[place])


MEASURES: dict[str, Measure] = {
    "error": Measure("error in %", _field("honest_error")),
    "brier": Measure("Brier score", _field("brier")),
    "log_loss": Measure("log loss", _field("log_loss")),
    "unexplained": Measure("unexplained variance, 1 - R2, in %", _unexplained),
    "mae": Measure("mean absolute error in % of the standard deviation", _share("mae")),
    "rmse": Measure("root mean squared error in % of the standard deviation", _share("rmse")),
    "pinball": Measure("pinball loss in % of the standard deviation", _share("pinball")),
    "excess": Measure("excess over the noise in % of its variance", _excess),
    **{
        f"width{100 * share:.0f}": Measure(
            f"width of {100 * share:.0f} % intervals in % of the standard deviation", _width(place)
        )
        for place, share in enumerate(INTERVALS)
    },
    **{
        f"off{100 * share:.0f}": Measure(f"points that {100 * share:.0f} % intervals hold too many or few", _off(place))
        for place, share in enumerate(INTERVALS)
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
        A name in ``MEASURES``.

    Returns
    -------
    DataFrame of shape (n_sets, n_methods)
        For :mod:`freemetric.bench.stats`, :mod:`freemetric.bench.tables` and
        :mod:`freemetric.bench.critical_difference`; its ``attrs["measure"]`` says what it is.

    Examples
    --------
    >>> from freemetric.bench.results import mean_measure
    >>> from freemetric.bench.records import Job, Record
    >>> records = [Record(Job("boston", "knn", 0, fold), rmse=4.0, r2=0.75 + 0.1 * fold) for fold in range(2)]
    >>> round(mean_measure(records, "unexplained").loc["boston", "knn"].item(), 6)
    20.0
    """
    if measure not in MEASURES:
        raise ValueError(f"Unknown measure {measure!r}; known: {', '.join(map(repr, MEASURES))}.")
    of = MEASURES[measure].of
    cells: dict[tuple[str, str], list[float]] = defaultdict(list)
    for record in records:
        value = None if record.failure else of(record)
        cells[record.job.dataset, record.job.method].append(np.nan if value is None else value)
    means = {key: float(np.mean(values)) for key, values in cells.items()}
    table = require("pandas").Series(means, dtype=float).rename_axis(["dataset", "method"]).unstack("method")
    table = table.reindex(
        index=list(dict.fromkeys(r.job.dataset for r in records)),
        columns=list(dict.fromkeys(r.job.method for r in records)),
    )
    table.attrs["measure"] = MEASURES[measure].words
    return table
