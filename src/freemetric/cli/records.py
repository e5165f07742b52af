"""Records that the commands of ``freemetric bench`` start from."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .console import fail, listed, tell

if TYPE_CHECKING:
    from ..bench.records import Record

PACKED = "records.jsonl.gz"

Folder = Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder of records.")]
Records = Annotated[Path, typer.Argument(metavar="RECORDS", help="Folder of records, or one compact file of them.")]
Methods = Annotated[str, typer.Option("--methods", metavar="METHODS", help="Names separated by commas, or all.")]
Protocol = Annotated[
    str,
    typer.Option(
        "--protocol",
        metavar="PROTOCOL",
        help="How k is chosen. honest: without the test half. paper: the best k on each test half. one-k: the best k "
        "for all test halves of a data set.",
    ),
]
Without = Annotated[str, typer.Option(metavar="DATASETS", help="Data sets to leave out, separated by commas.")]
Measure = Annotated[
    str | None,
    typer.Option(
        "--measure",
        metavar="MEASURE",
        help="Measure that methods are compared by. Classification: error (default), brier, log_loss. Regression: "
        "unexplained (1 - R2, default), mae, rmse, pinball, excess, width80, off80, ...",
    ),
]
Control = Annotated[
    str | None,
    typer.Option(
        metavar="METHOD",
        help="Method that the others are compared with. Default: dmlfe, or free-energy-regressor in its absence.",
    ),
]


def read_records(folder: Path, methods: str = "all", without: str = "") -> "list[Record]":
    """Records of a folder or of one compact file, of some methods and data sets, with a word about broken ones.

    A compact file in the folder counts as well, except for fits that have a record of their own beside it.
    """
    from ..bench.protocol import TASKS
    from ..bench.records import read_all
    from ..bench.results import load_compact

    if not folder.exists():
        fail(f"There is no folder {folder}.")
    records, broken = (load_compact(folder), []) if folder.is_file() else read_all(folder)
    packed = folder / PACKED
    if packed.is_file():
        by_job = {record.job: record for record in [*load_compact(packed), *records]}
        records = [by_job[job] for job in sorted(by_job)]
    for line in broken:
        tell(line)
    wanted = listed(methods, list(dict.fromkeys(name for task in TASKS.values() for name in task.methods)), "method")
    dropped = listed(without, sorted({record.job.dataset for record in records}), "data set")
    chosen = [record for record in records if record.job.method in wanted and record.job.dataset not in dropped]
    if not chosen:
        fail(f"There are no such records in {folder}.")
    return chosen


def measured(records: "list[Record]", protocol: str, measure: str | None) -> Any:
    """Means (data sets x methods) of a measure; without one, of what the records are about."""
    from ..bench.results import mean_errors, mean_measure

    of_regression = all(record.rmse is not None for record in records if record.failure is None)
    measure = measure or ("unexplained" if of_regression else "error")
    table = mean_errors(records, protocol) if measure == "error" else mean_measure(records, measure)
    if not table.notna().any(axis=None):
        task = "regression" if of_regression else "classification"
        fail(f"No record has the measure {measure!r}; these are records of {task}.")
    return table


def control_among(table: Any, control: str | None) -> str:
    """The method that others are compared with, by name or the usual one."""
    usual = next((name for name in ("dmlfe", "free-energy-regressor") if name in table), table.columns[0])
    return usual if control is None else listed(control, list(table.columns), "method")[0]
