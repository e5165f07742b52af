"""``freemetric bench``: make the records of the paper's comparison, read, count and pack them."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from ..printable import counted
from .console import Json, argument, console, fail, flag, listed, option, print_json, progress, tell
from .datasets import DataHome
from .options import Device

if TYPE_CHECKING:
    from ..bench.records import Record

PACKED = "records.jsonl.gz"

Folder = Annotated[Path, argument("FOLDER", "Folder of records.")]
Records = Annotated[Path, argument("RECORDS", "Folder of records, or one compact file of them.")]

app = typer.Typer(no_args_is_help=True, help="Run the paper's comparison, and show its tables and figures.")


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


@app.command("run")
def bench_run(
    folder: Folder,
    task: Annotated[
        str,
        option(
            "TASK",
            "classification. regression: on public tables. synthetic: regression on data whose noise is known.",
        ),
    ] = "classification",
    datasets: Annotated[str, option("DATASETS", "Names separated by commas, or all.")] = "all",
    methods: Annotated[
        str, option("METHODS", "Names separated by commas, paper (those of the paper), or all.")
    ] = "paper",
    repeats: Annotated[int, option("N", "Repeats of two-fold cross-validation.", min=1)] = 5,
    tuned: Annotated[bool, flag("Choose the parameters of each method by inner folds.")] = False,
    jobs: Annotated[int, option("N", "Number of fits at a time.")] = 1,
    rows: Annotated[int, option("N", "For synthetic: number of training rows.", min=10)] = 200,
    seconds: Annotated[float | None, option("SECONDS", "Longest time of one fit.")] = None,
    megabytes: Annotated[float | None, option("MEGABYTES", "Largest memory of one fit.")] = None,
    device: Device = "cpu",
    most_patterns: Annotated[
        int | None,
        option(
            "N", "Learn the metric on a sample of this size if there are more rows; k-NN still uses all rows.", min=2
        ),
    ] = None,
    retry_failed: Annotated[bool, flag("Repeat fits that failed before.")] = False,
    data_home: DataHome = None,
    as_json: Json = False,
) -> None:
    """Fit whatever has no record yet. It can be stopped and started again at any time, and several can run at once."""
    from ..bench.protocol import TASKS, task_of
    from ..bench.runner import Limits, plan, run
    from ..tabular.methods import COMPARED

    task_of(task)
    if tuned and task != "classification":
        fail("--tuned is for classification: methods of regression choose their parameters by themselves.")
    names = listed(datasets, TASKS[task].datasets(), "data set")
    known = list(TASKS[task].methods)
    usual = COMPARED if task == "classification" else known
    chosen = usual if methods == "paper" else listed(methods, known, "method")
    names = [f"{name}-{rows}" for name in names] if task == "synthetic" else names
    todo = plan(names, chosen, repeats, "tuned" if tuned else "default", task)
    with progress("fits", len(todo), quiet=as_json) as advance:
        report = run(
            todo,
            folder,
            data_home=data_home,
            limits=Limits(seconds, megabytes),
            device=device,
            most_patterns=most_patterns,
            n_jobs=jobs,
            retry_failed=retry_failed,
            task=task,
            on_fit=lambda job, done, total: advance(done, total, f"{job.method} on {job.dataset}"),
        )
    if as_json:
        return print_json({"fitted": report.fitted, "found": report.found, "problems": report.problems})
    for line in report.problems:
        tell(line)
    console.print(f"{report.fitted} fitted, {report.found} found, {counted(len(report.problems), 'problem')}.")


@app.command("status")
def bench_status(folder: Records, as_json: Json = False) -> None:
    """Count the fits and the failures of each method."""
    counts: dict[str, dict[str, float]] = {}
    for record in read_records(folder):
        row = counts.setdefault(record.job.method, {"fits": 0, "failed": 0, "seconds": 0.0})
        row["fits"] += 1
        row["failed"] += record.failure is not None
        row["seconds"] += record.seconds
    if as_json:
        return print_json(counts)
    table = Table("method", "fits", "failed", "seconds")
    for method, row in counts.items():
        table.add_row(method, str(row["fits"]), str(row["failed"]), f"{row['seconds']:.0f}")
    console.print(table)


@app.command("pack")
def bench_pack(
    folder: Records, file: Annotated[Path, argument("FILE", "Compact file to write, .jsonl.gz.")], as_json: Json = False
) -> None:
    """Put all records of a folder into one compact file, which every other command reads as well."""
    from ..bench.results import save_compact

    records = read_records(folder)
    save_compact(records, file)
    if as_json:
        return print_json({"records": len(records), "file": str(file)})
    console.print(f"{counted(len(records), 'record')} in {file}")


@app.command("unpack")
def bench_unpack(
    file: Annotated[Path, argument("FILE", "Compact file to read.")], folder: Folder, as_json: Json = False
) -> None:
    """Put the records of a compact file into a folder, to continue a run. Records in the folder are kept."""
    packed = read_records(file)
    new = [record for record in packed if not record.job.path(folder).exists()]
    for record in new:
        record.write(folder)
    n_there = len(packed) - len(new)
    if as_json:
        return print_json({"unpacked": len(new), "found": n_there})
    console.print(f"{counted(len(new), 'record')} unpacked, {counted(n_there, 'record')} already there")
