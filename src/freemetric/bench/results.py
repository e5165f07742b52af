"""From records to tables of errors: the only place that knows both protocols."""

import gzip
import json
import zlib
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

from ..extras import require
from ..files.atomic import replacing
from ..text_files import unpacked
from .records import Record, parse

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
