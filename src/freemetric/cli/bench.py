"""``freemetric bench``: records of the paper's comparison, their tables, statistics and figures."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..printable import counted
from .console import Json, argument, known_name, listed, log, option, print_json, print_result, print_table, progress
from .datasets import DataHome
from .options import Device, setting, with_fields

if TYPE_CHECKING:
    from ..bench.records import BenchJob, Record

PACKED = "records.jsonl.gz"

Folder = Annotated[Path, argument("FOLDER", "Folder of records.")]
Records = Annotated[Path, argument("RECORDS", "Folder of records, or one compact file of them.")]

app = typer.Typer(no_args_is_help=True, help="Run the paper's comparison, and show its tables and figures.")


def read_records(folder: Path, methods: str = "all", without: str = "") -> "list[Record]":
    """Records of a folder or of one compact file, of some methods and data sets; a line on stderr for broken ones.

    A compact file in the folder counts as well, except for fits that have a record of their own beside it.
    """
    from ..bench.protocol import TASKS
    from ..bench.records import read_all
    from ..bench.results import load_compact

    if not folder.exists():
        raise ValueError(f"There is no folder {folder}.")
    records, broken = (load_compact(folder), []) if folder.is_file() else read_all(folder)
    packed = folder / PACKED
    if packed.is_file():
        by_job = {record.job: record for record in [*load_compact(packed), *records]}
        records = [by_job[job] for job in sorted(by_job)]
    for line in broken:
        log(line)
    wanted = listed(methods, list(dict.fromkeys(name for task in TASKS.values() for name in task.methods)), "method")
    dropped = listed(without, sorted({record.job.dataset for record in records}), "data set")
    chosen = [record for record in records if record.job.method in wanted and record.job.dataset not in dropped]
    if not chosen:
        raise ValueError(f"There are no such records in {folder}.")
    return chosen


@dataclass(frozen=True)
class BenchPlan:
    """Which fits are made: every field is an option."""

    task: str = setting(
        "TASK",
        "classification. regression: on public tables. synthetic: regression on data whose noise is known.",
        default="classification",
    )
    datasets: str = setting("DATASETS", "Names separated by commas, or all.", default="all")
    methods: str = setting("METHODS", "Names separated by commas, paper (those of the paper), or all.", default="paper")
    repeats: int = setting("N", "Repeats of two-fold cross-validation.", default=5, min=1)
    tuned: bool = setting("", "Choose the parameters of each method by inner folds.", default=False)
    rows: int = setting("N", "For synthetic: number of training rows.", default=200, min=10)

    def jobs(self) -> "list[BenchJob]":
        """The fits."""
        from ..bench.protocol import task_of
        from ..bench.runner import plan
        from ..tabular.methods import COMPARED

        task = task_of(self.task)
        if self.tuned and self.task != "classification":
            raise ValueError(
                "--tuned is for classification: methods of regression choose their parameters by themselves."
            )
        names = listed(self.datasets, task.datasets(), "data set")
        names = [f"{name}-{self.rows}" for name in names] if self.task == "synthetic" else names
        of_paper = COMPARED if self.task == "classification" else task.methods
        chosen = of_paper if self.methods == "paper" else listed(self.methods, list(task.methods), "method")
        return plan(names, chosen, self.repeats, "tuned" if self.tuned else "default", self.task)


@dataclass(frozen=True)
class Execution:
    """How fits are made: every field is an option."""

    seconds: float | None = setting("SECONDS", "Longest time of one fit.")
    megabytes: float | None = setting("MEGABYTES", "Largest memory of one fit.")
    device: Device = "cpu"
    most_samples: int | None = setting(
        "N", "Learn the metric on a sample of this size if there are more rows; k-NN still uses all rows.", min=2
    )
    retry_failed: bool = setting("", "Repeat fits that failed before.", default=False)
    data_home: DataHome = None


@app.command("run")
@with_fields
def bench_run(
    folder: Folder,
    *,
    plan: BenchPlan,
    jobs: Annotated[int, option("N", "Number of fits at a time.")] = 1,
    execution: Execution,
    as_json: Json = False,
) -> None:
    """Make the fits that have no record yet. A run can be stopped and started again; several can share a folder."""
    from ..bench.runner import Limits, RunOptions, run

    todo, given = plan.jobs(), asdict(execution)
    limits = Limits(given.pop("seconds"), given.pop("megabytes"))
    with progress("fits", len(todo), quiet=as_json) as advance:
        report = run(
            todo,
            folder,
            RunOptions(plan.task, limits=limits, **given),
            n_jobs=jobs,
            on_fit=lambda job, done, total: advance(done, total, f"{job.method} on {job.dataset}"),
        )
    for line in () if as_json else report.problems:
        log(line)
    counts = f"{report.fitted} fitted, {report.found} found, {counted(len(report.problems), 'problem')}."
    print_result(as_json, asdict(report), counts)


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
    rows = ((method, row["fits"], row["failed"], round(row["seconds"])) for method, row in counts.items())
    print_table(("method", "fits", "failed", "seconds"), rows)


@app.command("pack")
def bench_pack(
    folder: Records, file: Annotated[Path, argument("FILE", "Compact file to write, .jsonl.gz.")], as_json: Json = False
) -> None:
    """Put all records of a folder into one compact file, which every other command reads as well."""
    from ..bench.results import save_compact

    records = read_records(folder)
    save_compact(records, file)
    found = {"records": len(records), "file": str(file)}
    print_result(as_json, found, f"{counted(len(records), 'record')} in {file}")


@app.command("unpack")
def bench_unpack(
    file: Annotated[Path, argument("FILE", "Compact file to read.")], folder: Folder, as_json: Json = False
) -> None:
    """Put the records of a compact file into a folder, to continue a run. Records in the folder are kept."""
    packed = read_records(file)
    new = [record for record in packed if not record.job.path(folder).exists()]
    for record in new:
        record.write(folder)
    n_found = len(packed) - len(new)
    text = f"{counted(len(new), 'record')} unpacked, {counted(n_found, 'record')} already there"
    print_result(as_json, {"unpacked": len(new), "found": n_found}, text)


@dataclass(frozen=True)
class Selection:
    """Which records are compared, and by which measure: every field is an option."""

    protocol: str = setting(
        "PROTOCOL",
        "How k is chosen. honest: without the test half. paper: the best k on each test half. one-k: the best k "
        "for all test halves of a data set.",
        default="honest",
    )
    measure: str | None = setting(
        "MEASURE",
        "Measure that methods are compared by. Classification: error (default), brier, log_loss. Regression: "
        "unexplained (1 - R2, default), mae, rmse, pinball, excess, width80, off80, ...",
    )
    control: str | None = setting(
        "METHOD", "Method that the others are compared with. Default: dmlfe, or free-energy-regressor in its absence."
    )
    methods: str = setting("METHODS", "Names separated by commas, or all.", default="all")
    without: str = setting("DATASETS", "Data sets to leave out, separated by commas.", default="")

    def means(self, folder: Path) -> "tuple[list[Record], Any, str]":
        """The records, the means of the measure (data sets x methods), and the method others are compared with."""
        from ..bench.results import mean_errors, mean_measure

        records = read_records(folder, self.methods, self.without)
        of_regression = all(record.rmse is not None for record in records if record.failure is None)
        measure = self.measure or ("unexplained" if of_regression else "error")
        table = mean_errors(records, self.protocol) if measure == "error" else mean_measure(records, measure)
        if not table.notna().any(axis=None):
            kind = "regression" if of_regression else "classification"
            raise ValueError(f"No record has the measure {measure!r}; records of {kind} are there.")
        usual = next((name for name in ("dmlfe", "free-energy-regressor") if name in table), table.columns[0])
        control = usual if self.control is None else listed(self.control, list(table.columns), "method")[0]
        return records, table, control


@app.command("table")
@with_fields
def bench_table(
    folder: Records,
    which: Annotated[str, argument("TABLE", "errors, posthoc, neighbors or published.")] = "errors",
    *,
    selection: Selection,
    form: Annotated[str, option("FORMAT", "markdown, latex or csv.", "--format")] = "markdown",
    as_json: Json = False,
) -> None:
    """Print a table of the paper from the records; `published` shows the published numbers beside ours."""
    from ..bench import results, tables

    records, errors, control = selection.means(folder)
    makers = {
        "errors": lambda: tables.error_table(errors),
        "posthoc": lambda: tables.posthoc_table(errors, control),
        "neighbors": lambda: tables.neighbour_table(results.best_neighbors(records)),
        "published": lambda: tables.beside_published(results.as_published(errors)),
    }
    written = known_name(form, ("markdown", "latex", "csv"), "format")
    table = makers[known_name(which, makers, "table")]()
    if as_json:
        return print_json({"caption": table.caption, "columns": table.columns, "rows": table.rows})
    print(getattr(table, written)())


@app.command("stats")
@with_fields
def bench_stats(folder: Records, *, selection: Selection, as_json: Json = False) -> None:
    """Print the tests of Friedman and of Iman and Davenport, and every method against the control."""
    from ..bench import stats, tables

    _, errors, control = selection.means(folder)
    protocol, test = selection.protocol, stats.friedman(errors)
    if as_json:
        table = stats.posthoc(errors, control).table
        rows = [{"method": name, **row} for name, row in table.to_dict("index").items()]
        return print_json({"protocol": protocol, "control": control, "friedman": asdict(test), "posthoc": rows})
    print(f"protocol {protocol}\n{test}\n\n{tables.posthoc_table(errors, control).markdown()}")


@app.command("figure")
@with_fields
def bench_figure(
    folder: Records,
    which: Annotated[str, argument("FIGURE", "ranks, interval, scatter or neighbors.")],
    file: Annotated[Path, argument("FILE", "PNG or SVG file to write.")],
    *,
    selection: Selection,
    dataset: Annotated[str, option("DATASET", "Data set of the figure neighbors.")] = "iris",
    as_json: Json = False,
) -> None:
    """Draw a figure of the paper from the records."""
    from ..bench import figures
    from ..display import ComparisonDisplay

    records, errors, control = selection.means(folder)
    makers = {
        "ranks": lambda: ComparisonDisplay.from_errors(errors, highlight=control).figure_,
        "interval": lambda: figures.interval_figure(errors, control),
        "scatter": lambda: figures.scatter_figure(errors, control),
        "neighbors": lambda: figures.neighbors_figure(records, dataset),
    }
    figures.save(makers[known_name(which, makers, "figure")](), file)
    print_result(as_json, {"figure": which, "file": str(file)}, f"{which} in {file}")


@app.command("draw")
def bench_draw(
    which: Annotated[str, argument("DRAWING", "snapshots, annealing or race.")],
    dataset: Annotated[str, argument("DATASET", "Data set to learn on.")],
    file: Annotated[Path, argument("FILE", "PNG or SVG file to write.")],
    seconds: Annotated[float, option("SECONDS", "For race: time of each optimiser.")] = 10.0,
    data_home: DataHome = None,
    as_json: Json = False,
) -> None:
    """Learn on one data set and draw the space, annealing and quenches, or a race of all optimisers."""
    from sklearn.preprocessing import minmax_scale

    from .. import datasets as data
    from ..bench import figures
    from ..bench.race import race

    makers = {
        "snapshots": lambda X, y, _: figures.snapshots_figure(X, y),
        "annealing": lambda X, y, _: figures.annealing_figure(X, y),
        "race": lambda X, y, advance: figures.race_figure(race(X, y, seconds, on_end=advance), dataset),
    }
    make = makers[known_name(which, makers, "drawing")]
    loaded = data.load(listed(dataset, data.list_datasets(), "data set")[0], data_home)
    with progress(f"{which} of {dataset}", quiet=as_json) as advance:
        drawn = make(minmax_scale(loaded.X), loaded.y, advance)
    figures.save(drawn, file)
    drawing = {"drawing": which, "dataset": dataset, "file": str(file)}
    print_result(as_json, drawing, f"{which} of {dataset} in {file}")
