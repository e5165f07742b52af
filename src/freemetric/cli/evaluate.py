"""``freemetric evaluate``: methods compared on tables."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..printable import printable
from . import names
from .console import FAILURE, Json, console, listed, print_json, progress, tell, warnings_told
from .options import (
    ALL_COLUMNS,
    AS_FOUND,
    STDOUT,
    WRITTEN,
    Columns,
    Device,
    Reading,
    Seed,
    Target,
    Task,
    assignments,
    with_fields,
)

if TYPE_CHECKING:
    from ..tabular import Comparison


def show_evaluation(found: "Comparison", as_json: bool) -> None:
    """Scores, classes or intervals, the learning curve; ranks where there are files enough."""
    from ..bench.tables import ranks_as_json  # loads the statistics

    if as_json:
        return print_json({**found.as_json(), **ranks_as_json(found)})
    print(found.table().markdown(), end="")
    (_show_intervals if found.is_of_numbers else _show_classes)(found)
    _show_curve(found)
    _show_ranks(found)


def _show_classes(found):
    """Of one file; several would hide their comparison."""
    best = found.best(found.files[0])
    if len(found.files) == 1 and best is not None:
        print(f"\n{found.class_table(found.files[0], best).markdown()}", end="")


def _show_intervals(found):
    print(f"\n{found.interval_table().markdown()}", end="")


def _show_curve(found):
    if not found.curves:
        return
    print(f"\n{found.curve_table().markdown()}", end="")
    for file, method in found.curves:
        answer = found.would_more_help(file, method)
        if answer:
            print(f"\n{printable(file)}, {method}: {answer}.")


def _show_ranks(found):
    """As far as the installed libraries can tell them."""
    from ..bench.tables import has_ranks, rank_tables

    try:
        for table in rank_tables(found) if has_ranks(found) else ():
            print(f"\n{table.markdown()}", end="")
    except ImportError as missing:
        tell(f"note: no tests against {found.methods[0]}. {missing}")


USUAL = {"classify": "free-energy,nca,euclidean,rf", "regress": "free-energy,mlkr,euclidean,rf,hist-boosting"}
"""Methods that are compared where none is named."""


@with_fields
def evaluate(
    data: Annotated[
        list[Path],
        typer.Argument(metavar="DATA", help="Tables in any format that `fit` reads; - reads standard input."),
    ],
    target: Target = None,
    task: Task = None,
    methods: Annotated[
        str | None,
        typer.Option(
            "--methods",
            metavar="METHODS",
            help=f"Names separated by commas, or all. For classification: {', '.join(names.METHODS)}; default "
            f"{USUAL['classify']}. For regression: {', '.join(names.NUMBER_METHODS)}; default {USUAL['regress']}.",
        ),
    ] = None,
    folds: Annotated[int, typer.Option(metavar="N", min=2, help="Number of folds.")] = 5,
    repeats: Annotated[int, typer.Option(metavar="N", min=1, help="Repeats of the cross-validation.")] = 2,
    groups: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Column of groups, such as patients: rows of one group stay in one fold. It is no feature.",
        ),
    ] = None,
    scoring: Annotated[
        list[str] | None,
        typer.Option(metavar="SCORE", help="Further score to show, by its name in scikit-learn. Repeatable."),
    ] = None,
    learning_curve: Annotated[
        bool,
        typer.Option(
            "--learning-curve", metavar="", help="Fit on parts of the rows, too, to see whether more rows would help."
        ),
    ] = False,
    page: Annotated[
        Path | None, typer.Option("--report", metavar="FILE", help="HTML page with figures to write.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help=f"File for the scores: {WRITTEN}; - writes CSV to standard output.",
        ),
    ] = None,
    parameters: Annotated[
        list[str] | None, typer.Option("--set", metavar="METHOD.NAME=VALUE", help="Parameter of a method. Repeatable.")
    ] = None,
    columns: Columns = ALL_COLUMNS,
    seed: Seed = 0,
    device: Device = "cpu",
    jobs: Annotated[int | None, typer.Option(metavar="N", help="Number of splits to fit at a time.")] = None,
    limit: Annotated[float | None, typer.Option(metavar="SECONDS", min=0, help="Longest time of one fit.")] = None,
    megabytes: Annotated[
        float | None, typer.Option("--megabytes", metavar="MEGABYTES", min=0, help="Largest memory of one fit.")
    ] = None,
    reading: Reading = AS_FOUND,
    as_json: Json = False,
) -> None:
    """Compare methods by cross-validation. Whatever is learned or chosen uses the training rows of each split only.

    Classification is scored by error, balanced accuracy, F1 (the mean over classes), AUC (each class against the rest),
    log loss and Brier score; regression by R2, MAE, RMSE, pinball loss, and coverage and width of prediction intervals.
    The last line of each table is a constant prediction. With several files, average ranks and critical differences
    follow, each method against the first. A method that exceeds the limit on one split of a file is not tried on the
    other splits of that file.
    """
    from .. import tabular
    from ..tabular.evaluation import decided
    from ..tabular.tasks import all_methods
    from ..tabular.writing import as_delimited

    _check_outputs(page, output)
    listed(methods or "all", all_methods(), "method")
    limits, more_scores = tabular.Limits(limit, megabytes), tuple(dict.fromkeys(scoring or ()))
    settings = tabular.Settings(folds, repeats, seed, None, device, limits, groups, more_scores, learning_curve, task)
    with warnings_told():
        tables = {name: reading.table(path) for name, path in _named(data).items()}
        settings = decided(settings, tables, target)
        chosen = _chosen(methods, settings)
        settings = replace(settings, parameters=_by_method(assignments(parameters), chosen))
        with progress("fits", len(tables) * folds * repeats * len(chosen), quiet=as_json) as advance:
            found = tabular.evaluate(
                tables,
                target,
                chosen,
                settings,
                n_jobs=jobs,
                on_fit=lambda split, done, total: advance(done, total, f"{split.method} on {split.file}"),
                **columns.kinds(),
            )
    if output == STDOUT and not as_json:
        print(as_delimited(found.columns()), end="")
    else:
        show_evaluation(found, as_json)
    _write(found, page, output, as_json or output == STDOUT)
    for note in () if as_json else found.notes():
        tell(f"note: {note}")
    for line in dict.fromkeys(f"{split.file}, {split.method}: {split.failure}" for split in found.failures):
        tell(line, "red")
    if found.failures:
        raise typer.Exit(FAILURE)


def _chosen(methods, settings):
    """Methods that can do the task."""
    from ..tabular import InputError
    from ..tabular.tasks import all_methods

    kind = settings.kind
    wanted = methods or USUAL[kind.name]
    chosen = list(kind.methods) if wanted == "all" else listed(wanted, all_methods(), "method")
    others = [name for name in chosen if name not in kind.methods]
    if others:
        can = f"known: {', '.join(kind.methods)}"
        raise InputError(f"method {others[0]!r} cannot predict a {kind.word}; {can}")
    return chosen


def _check_outputs(page, output):
    """Say before hours of work what cannot be written."""
    from ..tabular import InputError
    from ..tabular.writing import check_output, check_writable

    if page is not None:
        check_writable(page)
        if page.suffix.lower() not in (".html", ".htm"):
            raise InputError(f"{page}: --report writes a page, whose name ends in .html; -o writes tables")
        import_page()
    if output not in (None, STDOUT):
        check_output(output)


def import_page() -> Callable[..., Path]:
    """What writes the page, or in one line what it needs."""
    from ..extras import require
    from ..report import write_evaluation

    require("jinja2", "report"), require("plotly.offline", "report")
    return write_evaluation


def _write(found, page, output, quiet):
    """What was asked for as files; nothing is written before all is done, and then as a whole."""
    from ..tabular.writing import write

    def say(line):
        if not quiet:
            console.print(line, soft_wrap=True)

    if output not in (None, STDOUT):
        write(output, found.columns())
        say(f"{output}: scores")
    if page is not None:
        import_page()(found, page)
        say(f"{page}: open it in a browser")


def _named(paths):
    """Files by the shortest names that tell them apart."""
    from ..tabular import InputError

    short = [path.name for path in paths]
    if len(set(short)) < len(short):
        short = [str(path) for path in paths]
    if len(set(short)) < len(short):
        raise InputError("a file is named twice")
    return dict(zip(short, paths, strict=True))


def _by_method(given, methods):
    from ..tabular import InputError

    parameters: dict[str, dict] = {}
    for name, value in given.items():
        method, _, parameter = name.partition(".")
        if method not in methods or not parameter:
            raise InputError(f"--set wants method.name=value with one of {', '.join(methods)}, not {name!r}")
        parameters.setdefault(method, {})[parameter] = value
    return parameters
