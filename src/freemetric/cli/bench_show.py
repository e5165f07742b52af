"""``freemetric bench``: tables, statistics and figures of the records."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from .bench import Records, app, read_records
from .console import Json, argument, console, fail, listed, option, print_json, progress
from .datasets import DataHome
from .options import with_fields

if TYPE_CHECKING:
    from ..bench.records import Record


@dataclass(frozen=True)
class Selection:
    """Which records are compared, and by what: every field is an option."""

    protocol: Annotated[
        str,
        option(
            "PROTOCOL",
            "How k is chosen. honest: without the test half. paper: the best k on each test half. one-k: the best k "
            "for all test halves of a data set.",
        ),
    ] = "honest"
    measure: Annotated[
        str | None,
        option(
            "MEASURE",
            "Measure that methods are compared by. Classification: error (default), brier, log_loss. Regression: "
            "unexplained (1 - R2, default), mae, rmse, pinball, excess, width80, off80, ...",
        ),
    ] = None
    control: Annotated[
        str | None,
        option(
            "METHOD",
            "Method that the others are compared with. Default: dmlfe, or free-energy-regressor in its absence.",
        ),
    ] = None
    methods: Annotated[str, option("METHODS", "Names separated by commas, or all.")] = "all"
    without: Annotated[str, option("DATASETS", "Data sets to leave out, separated by commas.")] = ""

    def means(self, folder: Path) -> "tuple[list[Record], Any, str]":
        """The records, the means of the measure (data sets x methods), and the method others are compared with."""
        from ..bench.results import mean_errors, mean_measure

        records = read_records(folder, self.methods, self.without)
        of_regression = all(record.rmse is not None for record in records if record.failure is None)
        measure = self.measure or ("unexplained" if of_regression else "error")
        table = mean_errors(records, self.protocol) if measure == "error" else mean_measure(records, measure)
        if not table.notna().any(axis=None):
            kind = "regression" if of_regression else "classification"
            fail(f"No record has the measure {measure!r}; records of {kind} are there.")
        usual = next((name for name in ("dmlfe", "free-energy-regressor") if name in table), table.columns[0])
        control = usual if self.control is None else listed(self.control, list(table.columns), "method")[0]
        return records, table, control


ALL = Selection()


def chosen(which: str, known: Mapping[str, Callable], what: str) -> Callable:
    """The function of that name among the known ones."""
    if which not in known:
        fail(f"Unknown {what} {which!r}; known: {', '.join(known)}.")
    return known[which]


@app.command("table")
@with_fields
def bench_table(
    folder: Records,
    which: Annotated[str, argument("TABLE", "errors, posthoc, neighbors or published.")] = "errors",
    selection: Selection = ALL,
    form: Annotated[str, option("FORMAT", "markdown, latex or csv.", "--format")] = "markdown",
    as_json: Json = False,
) -> None:
    """Print a table of the paper from the records; `published` shows the published numbers beside ours."""
    from ..bench import results, tables

    records, errors, control = selection.means(folder)
    if form not in ("markdown", "latex", "csv"):
        fail(f"Unknown format {form!r}; known: markdown, latex, csv.")
    makers = {
        "errors": lambda: tables.error_table(errors),
        "posthoc": lambda: tables.posthoc_table(errors, control),
        "neighbors": lambda: tables.neighbour_table(results.best_neighbors(records)),
        "published": lambda: tables.beside_published(results.as_published(errors)),
    }
    table = chosen(which, makers, "table")()
    if as_json:
        return print_json({"caption": table.caption, "columns": table.columns, "rows": table.rows})
    print(getattr(table, form)())


@app.command("stats")
@with_fields
def bench_stats(folder: Records, selection: Selection = ALL, as_json: Json = False) -> None:
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
    selection: Selection = ALL,
    dataset: Annotated[str, option("DATASET", "Data set of the figure neighbors.")] = "iris",
    as_json: Json = False,
) -> None:
    """Draw a figure of the paper from the records."""
    from ..bench import critical_difference, figures

    records, errors, control = selection.means(folder)
    makers = {
        "ranks": lambda: critical_difference.rank_diagram(errors, highlight=control),
        "interval": lambda: critical_difference.interval_figure(errors, control),
        "scatter": lambda: critical_difference.scatter_figure(errors, control),
        "neighbors": lambda: figures.neighbors_figure(records, dataset),
    }
    critical_difference.save(chosen(which, makers, "figure")(), file)
    if as_json:
        return print_json({"figure": which, "file": str(file)})
    console.print(f"{which} in {file}")


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
    from ..bench import critical_difference, figures
    from ..bench.race import race

    makers = {
        "snapshots": lambda X, y, _: figures.snapshots_figure(X, y),
        "annealing": lambda X, y, _: figures.annealing_figure(X, y),
        "race": lambda X, y, advance: figures.race_figure(race(X, y, seconds, on_end=advance), dataset),
    }
    make = chosen(which, makers, "drawing")
    loaded = data.load(listed(dataset, data.list_datasets(), "data set")[0], data_home)
    with progress(f"{which} of {dataset}", quiet=as_json) as advance:
        drawn = make(minmax_scale(loaded.X), loaded.y, advance)
    critical_difference.save(drawn, file)
    if as_json:
        return print_json({"drawing": which, "dataset": dataset, "file": str(file)})
    console.print(f"{which} of {dataset} in {file}")
