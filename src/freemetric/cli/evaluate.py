"""``freemetric evaluate``: methods compared on tables."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..printable import printable
from . import options
from .console import FAILURE, Json, argument, console, listed, log, option, print_json, progress, shown_warnings
from .options import STDOUT, TO_FILE, ColumnOptions, Reading, setting, with_fields

if TYPE_CHECKING:
    from ..tabular import Comparison, Settings


def show_evaluation(found: "Comparison", as_json: bool) -> None:
    """Print scores, classes or intervals, the learning curve; ranks where there are enough files."""
    from ..bench.tables import has_ranks, rank_tables, ranks_as_json  # loads the statistics

    if as_json:
        return print_json({**found.as_json(), **ranks_as_json(found)})
    tables = [found.table()]
    if found.is_of_numbers:
        tables.append(found.interval_table())
    elif len(found.files) == 1 and (best := found.best(found.files[0])) is not None:  # several hide their comparison
        tables.append(found.class_table(found.files[0], best))
    if found.curves:
        tables.append(found.curve_table())
    print("\n".join(table.markdown() for table in tables), end="")
    for file, method in found.curves:
        if answer := found.would_more_help(file, method):
            print(f"\n{printable(file)}, {method}: {answer}.")
    try:
        for table in rank_tables(found) if has_ranks(found) else ():
            print(f"\n{table.markdown()}", end="")
    except ImportError as missing:
        log(f"note: no tests against {found.methods[0]}. {missing}")


USUAL = {"classify": "free-energy,nca,euclidean,rf", "regress": "free-energy,mlkr,euclidean,rf,hist-boosting"}
"""Methods that are compared by default."""


@dataclass(frozen=True)
class Validation:
    """How methods are compared: every field is an option."""

    folds: int = setting("N", "Number of folds.", default=5, min=2)
    repeats: int = setting("N", "Repeats of the cross-validation.", default=2, min=1)
    groups: str | None = setting(
        "COLUMN", "Column of groups, such as patients: rows of one group stay in one fold. It is no feature."
    )
    scoring: list[str] | None = setting("SCORE", "Further score to show, by its name in scikit-learn. Repeatable.")
    learning_curve: bool = setting(
        "", "Fit on parts of the rows, too, to see whether more rows would help.", "--learning-curve", default=False
    )
    limit: float | None = setting("SECONDS", "Longest time of one fit.", min=0)
    megabytes: float | None = setting("MEGABYTES", "Largest memory of one fit.", min=0)

    def settings(self, seed: int, device: str, task: str | None) -> "Settings":
        """The settings of a comparison."""
        from ..tabular import Limits, Settings

        limits, scoring = Limits(self.limit, self.megabytes), tuple(dict.fromkeys(self.scoring or ()))
        given = self.folds, self.repeats, seed, None, device, limits, self.groups, scoring, self.learning_curve, task
        return Settings(*given)


@with_fields
def evaluate(
    data: Annotated[list[Path], argument("DATA", "Tables in any format that `fit` reads; - reads standard input.")],
    *,
    target: options.Target = None,
    task: options.Task = None,
    methods: Annotated[
        str | None,
        option(
            "METHODS",
            f"Names separated by commas, or all. For classification: {', '.join(options.METHODS)}; "
            f"default {USUAL['classify']}. For regression: {', '.join(options.REGRESSION_METHODS)}; "
            f"default {USUAL['regress']}.",
        ),
    ] = None,
    validation: Validation,
    page: Annotated[Path | None, option("FILE", "HTML page with figures to write.", "--report")] = None,
    output: Annotated[
        Path | None,
        option("FILE", f"File for the scores: {options.WRITTEN_AS}; - writes CSV to standard output.", *TO_FILE),
    ] = None,
    parameters: Annotated[
        list[str] | None, option("METHOD.NAME=VALUE", "Parameter of a method. Repeatable.", "--set")
    ] = None,
    columns: ColumnOptions,
    seed: options.Seed = 0,
    device: options.Device = "cpu",
    jobs: Annotated[int | None, option("N", "Number of splits to fit at a time.")] = None,
    reading: Reading,
    as_json: Json = False,
) -> None:
    """Compare methods by cross-validation. Parameters are learned and chosen on the training rows of each split only.

    Classification is scored by error, balanced accuracy, F1 (the mean over classes), AUC (each class against the rest),
    log loss and Brier score; regression by R2, MAE, RMSE, pinball loss, and coverage and width of prediction intervals.
    The last line of each table is a constant prediction. With several files, average ranks and critical differences
    follow, each method against the first. A method that exceeds the limit on one split of a file is not tried on the
    other splits of that file.
    """
    from .. import tabular
    from ..tabular.evaluation import decided
    from ..tabular.tasks import TASKS
    from ..tabular.writing import as_delimited

    _check_outputs(page, output)
    known = dict.fromkeys(name for kind in TASKS.values() for name in kind.methods)
    wanted = listed(methods or "all", known, "method")
    settings = validation.settings(seed, device, task)
    with shown_warnings():
        tables = {name: reading.table(path) for name, path in _named(data).items()}
        settings = decided(settings, tables, target)
        chosen = wanted if methods else USUAL[settings.kind.name].split(",")
        chosen = list(settings.kind.methods) if methods == "all" else chosen
        for name in chosen:
            settings.kind.check_method(name)
        given: dict[str, dict] = {}
        for name, value in options.assignments(parameters).items():
            of_method, _, parameter = name.partition(".")
            if of_method not in chosen or not parameter:
                raise ValueError(f"--set wants method.name=value with one of {', '.join(chosen)}, not {name!r}")
            given.setdefault(of_method, {})[parameter] = value
        settings = replace(settings, parameters=given)
        with progress("fits", len(tables) * settings.folds * settings.repeats * len(chosen), quiet=as_json) as advance:
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
        log(f"note: {note}")
    for line in dict.fromkeys(f"{split.file}, {split.method}: {split.failure}" for split in found.failures):
        log(line, "red")
    if found.failures:
        raise typer.Exit(FAILURE)


def _check_outputs(page, output):
    """An error where something cannot be written; called before hours of work."""
    from ..extras import require
    from ..tabular.writing import check_output, check_writable

    if page is not None:
        check_writable(page)
        if page.suffix.lower() not in (".html", ".htm"):
            raise ValueError(f"{page}: --report writes a page, whose name ends in .html; -o writes tables")
        require("jinja2", "report"), require("plotly.offline", "report")
    if output not in (None, STDOUT):
        check_output(output)


def _write(found, page, output, quiet):
    """Write the files at the end, atomically."""
    from ..tabular.writing import write

    written = []
    if output not in (None, STDOUT):
        write(output, found.columns())
        written.append(f"{output}: scores")
    if page is not None:
        from ..report import write_evaluation

        write_evaluation(found, page)
        written.append(f"{page}: open it in a browser")
    for line in () if quiet else written:
        console.print(line, soft_wrap=True)


def _named(paths):
    """Files by the shortest names that tell them apart."""
    short = [path.name for path in paths]
    if len(set(short)) < len(short):
        short = [str(path) for path in paths]
    if len(set(short)) < len(short):
        raise ValueError("a file is named twice")
    return dict(zip(short, paths, strict=True))
