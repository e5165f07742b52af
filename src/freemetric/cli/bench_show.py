"""``freemetric bench``: tables, statistics and figures of the records."""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from .bench import Control, Measure, Methods, Protocol, Records, Without, app, control_among, measured, read_records
from .console import Json, argument, console, fail, listed, option, print_json, progress
from .datasets import DataHome

Format = Annotated[str, option("FORMAT", "markdown, latex or csv.", "--format")]


def chosen(which: str, known: Mapping[str, Callable], what: str) -> Callable:
    """The function of that name among the known ones."""
    if which not in known:
        fail(f"Unknown {what} {which!r}; known: {', '.join(known)}.")
    return known[which]


@app.command("table")
def bench_table(
    folder: Records,
    which: Annotated[str, argument("TABLE", "errors, posthoc, neighbors or published.")] = "errors",
    protocol: Protocol = "honest",
    measure: Measure = None,
    control: Control = None,
    methods: Methods = "all",
    without: Without = "",
    form: Format = "markdown",
    as_json: Json = False,
) -> None:
    """Print a table of the paper from the records; `published` shows the published numbers beside ours."""
    from ..bench import results, tables

    records = read_records(folder, methods, without)
    if form not in ("markdown", "latex", "csv"):
        fail(f"Unknown format {form!r}; known: markdown, latex, csv.")
    errors = measured(records, protocol, measure)
    makers = {
        "errors": lambda: tables.error_table(errors),
        "posthoc": lambda: tables.posthoc_table(errors, control_among(errors, control)),
        "neighbors": lambda: tables.neighbour_table(results.best_neighbors(records)),
        "published": lambda: tables.beside_published(results.as_published(errors)),
    }
    table = chosen(which, makers, "table")()
    if as_json:
        return print_json({"caption": table.caption, "columns": table.columns, "rows": table.rows})
    print(getattr(table, form)())


@app.command("stats")
def bench_stats(
    folder: Records,
    protocol: Protocol = "honest",
    measure: Measure = None,
    control: Control = None,
    methods: Methods = "all",
    without: Without = "",
    as_json: Json = False,
) -> None:
    """Print the tests of Friedman and of Iman and Davenport, and every method against the control."""
    from ..bench import stats, tables

    errors = measured(read_records(folder, methods, without), protocol, measure)
    control, test = control_among(errors, control), stats.friedman(errors)
    if as_json:
        table = stats.posthoc(errors, control).table
        rows = [{"method": name, **row} for name, row in table.to_dict("index").items()]
        return print_json({"protocol": protocol, "control": control, "friedman": asdict(test), "posthoc": rows})
    print(f"protocol {protocol}\n{test}\n\n{tables.posthoc_table(errors, control).markdown()}")


@app.command("figure")
def bench_figure(
    folder: Records,
    which: Annotated[str, argument("FIGURE", "ranks, interval, scatter or neighbors.")],
    file: Annotated[Path, argument("FILE", "PNG or SVG file to write.")],
    protocol: Protocol = "honest",
    measure: Measure = None,
    control: Control = None,
    methods: Methods = "all",
    dataset: Annotated[str, option("DATASET", "Data set of the figure neighbors.")] = "iris",
    as_json: Json = False,
) -> None:
    """Draw a figure of the paper from the records."""
    from ..bench import critical_difference, figures

    records = read_records(folder, methods)
    errors = measured(records, protocol, measure)
    control = control_among(errors, control)
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
