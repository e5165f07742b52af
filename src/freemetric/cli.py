"""The command line: parse, one library call, print."""

import json
from pathlib import Path
from typing import Annotated

try:
    import typer
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
    from rich.table import Table
except ImportError as missing:
    raise SystemExit(f"The command line needs {missing.name}: pip install 'freemetric[bench]'.") from None

from . import datasets as data
from .bench import records
from .bench.methods import METHODS

app = typer.Typer(no_args_is_help=True, help="Distance metrics learned by minimising the free energy.")
bench = typer.Typer(no_args_is_help=True, help="The paper's comparison: run, resume, tabulate.")
sets = typer.Typer(no_args_is_help=True, help="The paper's data sets.")
app.add_typer(bench, name="bench")
app.add_typer(sets, name="datasets")
console, errors = Console(), Console(stderr=True)

Folder = Annotated[Path, typer.Argument(help="Folder of records.")]
DataHome = Annotated[Path | None, typer.Option(help="Folder of data files; else FREEMETRIC_DATA, else the cache.")]
Names = Annotated[str, typer.Argument(help="Names separated by commas, or all.")]
Protocol = Annotated[
    str, typer.Option(help="honest: k chosen without the test half. paper: best k on it. one-k: best k of all halves.")
]
Methods = Annotated[str, typer.Option(help="Names separated by commas, or all.")]
Without = Annotated[str, typer.Option(help="Data sets to leave out, separated by commas.")]
Format = Annotated[str, typer.Option("--format", help="markdown, latex or csv.")]


def fail(problem):
    errors.print(f"[red]{problem}[/red]", markup=True, highlight=False)
    raise typer.Exit(1)


def listed(text, known, what):
    """Names separated by commas, or all."""
    names = list(known) if text == "all" else [name.strip() for name in text.split(",") if name.strip()]
    unknown = [name for name in names if name not in known]
    if unknown:
        fail(f"Unknown {what} {unknown[0]!r}; known: {', '.join(known)}.")
    return names


def read_records(folder, methods="all", without=""):
    """Records of a folder or of one compact file, of some methods and data sets, with a word about broken ones."""
    from .bench.results import load_compact

    if not folder.exists():
        fail(f"There is no folder {folder}.")
    try:
        found, broken = (load_compact(folder), []) if folder.is_file() else records.read_all(folder)
    except ValueError as problem:
        fail(problem)
    for line in broken:
        errors.print(line, markup=False)
    wanted = listed(methods, METHODS, "method")
    dropped = listed(without, data.list_datasets(), "data set")
    found = [record for record in found if record.job.method in wanted and record.job.dataset not in dropped]
    if not found:
        fail(f"There are no such records in {folder}.")
    return found


@bench.command("run")
def bench_run(
    folder: Folder,
    datasets: Annotated[str, typer.Option(help="Names separated by commas, or all.")] = "all",
    methods: Methods = "all",
    repeats: Annotated[int, typer.Option(min=1, help="Repeats of two-fold cross-validation.")] = 5,
    tuned: Annotated[bool, typer.Option(help="Choose each method's parameters by inner folds.")] = False,
    jobs: Annotated[int, typer.Option(help="Fits at a time.")] = 1,
    seconds: Annotated[float | None, typer.Option(help="Most seconds of one fit.")] = None,
    megabytes: Annotated[float | None, typer.Option(help="Most memory of one fit.")] = None,
    device: Annotated[str, typer.Option(help="Where the methods compute that can choose: cpu, cuda, ...")] = "cpu",
    retry_failed: Annotated[bool, typer.Option(help="Fit again what failed before.")] = False,
    data_home: DataHome = None,
):
    """Make all records that are not there yet. Stop it whenever you like, run it again, run it twice at once."""
    from .bench.runner import Limits, plan, run

    names = listed(datasets, data.list_datasets(), "data set")
    todo = plan(names, listed(methods, METHODS, "method"), repeats, "tuned" if tuned else "default")
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=errors) as progress:
        task = progress.add_task("fits", total=len(todo))

        def on_fit(job, done, total):
            progress.update(task, description=f"{job.method} on {job.dataset}", completed=done, total=total)

        limits = Limits(seconds, megabytes)
        report = run(
            todo,
            folder,
            data_home=data_home,
            limits=limits,
            device=device,
            n_jobs=jobs,
            retry_failed=retry_failed,
            on_fit=on_fit,
        )
    for line in report.problems:
        errors.print(line, markup=False)
    console.print(f"{report.fitted} fitted, {report.found} found, {len(report.problems)} problems.")


@bench.command("status")
def bench_status(folder: Folder, as_json: Annotated[bool, typer.Option("--json")] = False):
    """How many fits of each method are there, and how many failed."""
    counts: dict[str, dict[str, float]] = {}
    for record in read_records(folder):
        row = counts.setdefault(record.job.method, {"fits": 0, "failed": 0, "seconds": 0.0})
        row["fits"] += 1
        row["failed"] += record.failure is not None
        row["seconds"] += record.seconds
    if as_json:
        return console.print_json(json.dumps(counts))
    table = Table("method", "fits", "failed", "seconds")
    for method, row in counts.items():
        table.add_row(method, str(row["fits"]), str(row["failed"]), f"{row['seconds']:.0f}")
    console.print(table)


@bench.command("table")
def bench_table(
    folder: Folder,
    which: Annotated[str, typer.Argument(help="errors, posthoc, neighbors or published.")] = "errors",
    protocol: Protocol = "honest",
    control: Annotated[str, typer.Option(help="Method that posthoc compares the others with.")] = "dmlfe",
    methods: Methods = "all",
    without: Without = "",
    form: Format = "markdown",
):
    """A table of the paper from the records, the published numbers beside ours with `published`."""
    from .bench import results, tables

    found = read_records(folder, methods, without)
    if form not in ("markdown", "latex", "csv"):
        fail(f"Unknown format {form!r}; known: markdown, latex, csv.")
    try:
        errors_ = results.mean_errors(found, protocol)
        table = {
            "errors": lambda: tables.error_table(errors_),
            "posthoc": lambda: tables.posthoc_table(errors_, control),
            "neighbors": lambda: tables.neighbour_table(results.best_neighbors(found)),
            "published": lambda: tables.beside_published(results.as_published(errors_)),
        }[which]()
    except KeyError:
        fail(f"Unknown table {which!r}; known: errors, posthoc, neighbors, published.")
    except ValueError as problem:
        fail(problem)
    print(getattr(table, form)())


@bench.command("stats")
def bench_stats(
    folder: Folder,
    protocol: Protocol = "honest",
    control: str = "dmlfe",
    methods: Methods = "all",
    without: Without = "",
):
    """Friedman, Iman-Davenport, and every method against the control."""
    from .bench import results, stats, tables

    try:
        errors_ = results.mean_errors(read_records(folder, methods, without), protocol)
        test = stats.friedman(errors_)
        print(f"protocol {protocol}\n{test}\n\n{tables.posthoc_table(errors_, control).markdown()}")
    except ValueError as problem:
        fail(problem)


@bench.command("figure")
def bench_figure(
    folder: Folder,
    which: Annotated[str, typer.Argument(help="ranks, interval, scatter or neighbors.")],
    file: Annotated[Path, typer.Argument(help="PNG or SVG to write.")],
    protocol: Protocol = "honest",
    control: str = "dmlfe",
    methods: Methods = "all",
    dataset: Annotated[str, typer.Option(help="For neighbors.")] = "iris",
):
    """A figure of the paper from the records."""
    from .bench import critical_difference, figures, results

    found = read_records(folder, methods)
    try:
        errors_ = results.mean_errors(found, protocol)
        figure = {
            "ranks": lambda: critical_difference.rank_diagram(errors_, highlight=control),
            "interval": lambda: critical_difference.interval_figure(errors_, control),
            "scatter": lambda: critical_difference.scatter_figure(errors_, control),
            "neighbors": lambda: figures.neighbors_figure(found, dataset),
        }[which]()
    except KeyError:
        fail(f"Unknown figure {which!r}; known: ranks, interval, scatter, neighbors.")
    except ValueError as problem:
        fail(problem)
    critical_difference.save(figure, file)
    console.print(f"{which} in {file}")


@bench.command("draw")
def bench_draw(
    which: Annotated[str, typer.Argument(help="snapshots, annealing or race.")],
    dataset: Annotated[str, typer.Argument(help="Data set to learn on.")],
    file: Annotated[Path, typer.Argument(help="PNG or SVG to write.")],
    seconds: Annotated[float, typer.Option(help="For race: time of each optimiser.")] = 10.0,
    data_home: DataHome = None,
):
    """Learn on one data set and draw how: the space, annealing and quenches, or all optimisers against the clock."""
    from sklearn.preprocessing import minmax_scale

    from .bench import critical_difference, figures
    from .bench.race import race

    try:
        loaded = data.load(listed(dataset, data.list_datasets(), "data set")[0], data_home)
        X, y = minmax_scale(loaded.X), loaded.y
        figure = {
            "snapshots": lambda: figures.snapshots_figure(X, y),
            "annealing": lambda: figures.annealing_figure(X, y),
            "race": lambda: figures.race_figure(race(X, y, seconds), dataset),
        }[which]()
    except KeyError:
        fail(f"Unknown drawing {which!r}; known: snapshots, annealing, race.")
    except ValueError as problem:
        fail(problem)
    critical_difference.save(figure, file)
    console.print(f"{which} of {dataset} in {file}")


@bench.command("pack")
def bench_pack(folder: Folder, file: Annotated[Path, typer.Argument(help="Compact file, .jsonl.gz.")]):
    """Put all records of a folder into one compact file; every other command reads it too."""
    from .bench.results import save_compact

    found = read_records(folder)
    save_compact(found, file)
    console.print(f"{len(found)} records in {file}")


@bench.command("unpack")
def bench_unpack(file: Annotated[Path, typer.Argument(help="Compact file.")], folder: Folder):
    """Put the records of a compact file into a folder, to go on with a run; records that are there stay."""
    found = read_records(file)
    new = [record for record in found if not record.job.path(folder).exists()]
    for record in new:
        record.write(folder)
    console.print(f"{len(new)} records unpacked, {len(found) - len(new)} were there")


@sets.command("list")
def sets_list():
    """Names, sizes and notes."""
    table = Table("#", "name", "patterns", "features", "classes")
    for name in data.list_datasets():
        entry = data.info(name)
        counts = [str(entry.paper[what]) for what in ("rows", "features", "classes")]
        table.add_row(str(entry.number), name, *counts)
    console.print(table)


@sets.command("fetch")
def sets_fetch(names: Names = "all", data_home: DataHome = None):
    """Get what is missing."""
    _show(data.fetch(listed(names, data.list_datasets(), "data set"), data_home))


@sets.command("check")
def sets_check(names: Names = "all", data_home: DataHome = None):
    """Check files against the registry."""
    _show(data.check(listed(names, data.list_datasets(), "data set"), data_home))


def _show(results):
    """A line a set; exit code 1 if one is not usable."""
    for result in results:
        console.print(f"{result.name:14} {result.status:10} {result.detail}", markup=False, highlight=False)
    if any(result.status in ("failed", "missing", "problem") for result in results):
        raise typer.Exit(1)


@app.command()
def demo():
    """Learn metrics on wine and iris, and draw the space before and after."""
    from .demo import main

    main([])


def main():
    app()
