"""``freemetric bench``: make the records of the paper's comparison, count them, pack them."""

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from ..printable import counted
from .console import Json, console, fail, listed, print_json, progress, tell
from .datasets import DataHome
from .options import Device
from .records import Folder, Records, read_records

app = typer.Typer(no_args_is_help=True, help="Run the paper's comparison, and show its tables and figures.")


@app.command("run")
def bench_run(
    folder: Folder,
    task: Annotated[
        str,
        typer.Option(
            "--task",
            metavar="TASK",
            help="classification. regression: on public tables. synthetic: regression on generated data whose noise "
            "is known.",
        ),
    ] = "classification",
    datasets: Annotated[
        str, typer.Option("--datasets", metavar="DATASETS", help="Names separated by commas, or all.")
    ] = "all",
    methods: Annotated[
        str,
        typer.Option(
            "--methods", metavar="METHODS", help="Names separated by commas, paper (those of the paper), or all."
        ),
    ] = "paper",
    repeats: Annotated[int, typer.Option(metavar="N", min=1, help="Repeats of two-fold cross-validation.")] = 5,
    tuned: Annotated[
        bool, typer.Option(metavar="", help="Choose the parameters of each method by inner folds.")
    ] = False,
    jobs: Annotated[int, typer.Option(metavar="N", help="Number of fits at a time.")] = 1,
    rows: Annotated[int, typer.Option(metavar="N", min=10, help="For synthetic: number of training rows.")] = 200,
    seconds: Annotated[
        float | None, typer.Option("--seconds", metavar="SECONDS", help="Longest time of one fit.")
    ] = None,
    megabytes: Annotated[
        float | None, typer.Option("--megabytes", metavar="MEGABYTES", help="Largest memory of one fit.")
    ] = None,
    device: Device = "cpu",
    most_patterns: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=2,
            help="Learn the metric on a sample of this size if there are more rows; k-NN still uses all rows.",
        ),
    ] = None,
    retry_failed: Annotated[bool, typer.Option(metavar="", help="Repeat fits that failed before.")] = False,
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
    folder: Records,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Compact file to write, .jsonl.gz.")],
    as_json: Json = False,
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
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Compact file to read.")],
    folder: Folder,
    as_json: Json = False,
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
