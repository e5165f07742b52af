"""``freemetric bench``: make the records of the paper's comparison, count them, pack them."""

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from .console import Json, console, fail, listed, print_json, progress, tell
from .datasets import DataHome
from .records import Folder, read_records

app = typer.Typer(no_args_is_help=True, help="The paper's comparison: run, resume, tabulate.")


@app.command("run")
def bench_run(
    folder: Folder,
    task: Annotated[
        str, typer.Option(help="classes; numbers, of public tables; or laws, numbers with a noise that is known.")
    ] = "classes",
    datasets: Annotated[str, typer.Option(help="Names separated by commas, or all.")] = "all",
    methods: Annotated[
        str, typer.Option(help="Names separated by commas, paper (those of its comparison), or all.")
    ] = "paper",
    repeats: Annotated[int, typer.Option(min=1, help="Repeats of two-fold cross-validation.")] = 5,
    tuned: Annotated[bool, typer.Option(help="Choose each method's parameters by inner folds.")] = False,
    jobs: Annotated[int, typer.Option(help="Fits at a time.")] = 1,
    rows: Annotated[int, typer.Option(min=10, help="Training rows of a law.")] = 200,
    seconds: Annotated[float | None, typer.Option(help="Most seconds of one fit.")] = None,
    megabytes: Annotated[float | None, typer.Option(help="Most memory of one fit.")] = None,
    device: Annotated[str, typer.Option(help="Where the methods compute that can choose: cpu, cuda, ...")] = "cpu",
    most_patterns: Annotated[
        int | None, typer.Option(min=2, help="Learn metrics on a sample of this size where there are more; all vote.")
    ] = None,
    retry_failed: Annotated[bool, typer.Option(help="Fit again what failed before.")] = False,
    data_home: DataHome = None,
    as_json: Json = False,
) -> None:
    """Make all records that are not there yet. Stop it whenever you like, run it again, run it twice at once."""
    from ..bench.runner import Limits, plan, run
    from ..bench.tasks import TASKS, task_of
    from ..tabular.methods import COMPARED

    task_of(task)
    if tuned and task != "classes":
        fail("--tuned is for classes: methods of numbers choose their parameters by themselves.")
    names = listed(datasets, TASKS[task].sets(), "data set")
    known = list(TASKS[task].methods)
    usual = COMPARED if task == "classes" else known
    chosen = usual if methods == "paper" else listed(methods, known, "method")
    names = [f"{name}-{rows}" for name in names] if task == "laws" else names
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
    console.print(f"{report.fitted} fitted, {report.found} found, {len(report.problems)} problems.")


@app.command("status")
def bench_status(folder: Folder, as_json: Json = False) -> None:
    """How many fits of each method are there, and how many failed."""
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
    folder: Folder, file: Annotated[Path, typer.Argument(help="Compact file, .jsonl.gz.")], as_json: Json = False
) -> None:
    """Put all records of a folder into one compact file; every other command reads it too."""
    from ..bench.results import save_compact

    records = read_records(folder)
    save_compact(records, file)
    if as_json:
        return print_json({"records": len(records), "file": str(file)})
    console.print(f"{len(records)} records in {file}")


@app.command("unpack")
def bench_unpack(
    file: Annotated[Path, typer.Argument(help="Compact file.")], folder: Folder, as_json: Json = False
) -> None:
    """Put the records of a compact file into a folder, to go on with a run; records that are there stay."""
    packed = read_records(file)
    new = [record for record in packed if not record.job.path(folder).exists()]
    for record in new:
        record.write(folder)
    if as_json:
        return print_json({"unpacked": len(new), "found": len(packed) - len(new)})
    console.print(f"{len(new)} records unpacked, {len(packed) - len(new)} were there")
