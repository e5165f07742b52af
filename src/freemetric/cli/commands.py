"""The commands. Slow imports are in the functions: help and wrong words come first."""

import sys
from pathlib import Path

import click

from .._version import __version__
from .files import header_of, read_table, suffix_of, write_table
from .names import METHODS, MODEL_LINE, set_names

INPUT = click.Path(exists=True, dir_okay=False, path_type=Path)
MOST_CLASSES = 20
"""The number of different whole numbers up to which they are taken for classes."""


def check_output(context, parameter, path):
    """Refuse a file that cannot be written, before anything is computed."""
    if path is not None and not path.parent.is_dir():
        raise click.BadParameter(f"there is no folder {path.parent}")
    return path


def check_output_table(context, parameter, path):
    """Refuse a file that is no table or cannot be written."""
    if path is not None:
        suffix_of(path)
    return check_output(context, parameter, path)


def check_input_table(context, parameter, path):
    """Refuse a file that is no table."""
    if path is not None:
        suffix_of(path)
    return path


def check_model(context, parameter, path):
    """Refuse a file that is no model."""
    with path.open("rb") as file:
        if file.read(len(MODEL_LINE)) != MODEL_LINE:
            raise click.BadParameter(f"{path} is no freemetric model")
    return path


def names_of(context, parameter, text):
    """Return the names in a text with commas between them, or None."""
    if text is None:
        return None
    return [name.strip() for name in text.split(",") if name.strip()]


FOLDER = click.Path(file_okay=False, writable=True, path_type=Path)
DATA = click.Path(exists=True, file_okay=False, path_type=Path)


def method_names(context, parameter, text):
    """Return the methods in a text with commas between them, or None."""
    return registered_names(names_of(context, parameter, text), METHODS, "method")


def paper_sets(context, parameter, text):
    """Return the paper's data sets in a text with commas between them, or None."""
    return registered_names(names_of(context, parameter, text), set_names(), "data set")


def registered_names(names, registered, what):
    """Return names, or refuse the first that is not registered."""
    for name in names or []:
        if name not in registered:
            listed = ", ".join(registered)
            raise click.BadParameter(f"there is no {what} {name!r}; known: {listed}")
    return names


OUTPUT = click.Path(dir_okay=False, writable=True, path_type=Path)
table_argument = click.argument("table", type=INPUT, callback=check_input_table)
target_option = click.option(
    "--target",
    required=True,
    help="Column to predict; rows without a value in it are left out.",
)
task_option = click.option(
    "--task",
    type=click.Choice(["classify", "regress"]),
    help="Classify or regress; by default numbers with decimals and more than 20 "
    "different numbers are regressed.",
)
drop_option = click.option(
    "--drop", multiple=True, help="Column to leave out; repeatable."
)
seed_option = click.option(
    "--seed",
    type=click.IntRange(0, 2**32 - 1),
    default=0,
    show_default=True,
    help="Random seed.",
)
model_argument = click.argument("model", type=INPUT, callback=check_model)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__)
@click.option("--debug", is_flag=True, expose_value=False, help="Show tracebacks.")
def group():
    """Distance metrics learned by minimising the free energy."""


@group.command()
@table_argument
@target_option
@click.option(
    "-o",
    "--output",
    required=True,
    type=OUTPUT,
    callback=check_output,
    help="Model file to write.",
)
@task_option
@drop_option
@click.option(
    "--keep",
    multiple=True,
    help="Column to use though it looks like a key; repeatable.",
)
@click.option("--weight", help="Column with the weights of the rows.")
@click.option(
    "--replicas",
    type=click.IntRange(2),
    default=36,
    show_default=True,
    help="Number of replicas.",
)
@seed_option
def fit(table, target, output, task, drop, keep, weight, replicas, seed):
    """Fit a classifier or a regressor to TABLE, and write it to a model file."""
    names = [target, *drop, *keep, *([weight] if weight else [])]
    frame = read_with(table, names)
    from .. import FreeEnergyClassifier, FreeEnergyRegressor, save
    from ..tables import TableClassifier, TableRegressor

    frame, y, task = with_target(frame, target, task)
    weights = None if weight is None else numbers_of(frame.pop(weight), weight)
    if task == "classify":
        inner = FreeEnergyClassifier(replicas, random_state=seed)
        model = TableClassifier(inner, keep=keep, drop=drop)
    else:
        inner = FreeEnergyRegressor(replicas, random_state=seed)
        model = TableRegressor(inner, keep=keep, drop=drop)
    model.fit(frame, y, sample_weight=weights)
    save(model, output)
    click.echo(f"{output}: {summary(model, len(frame))}")


@group.command()
@model_argument
@table_argument
@click.option(
    "-o",
    "--output",
    type=OUTPUT,
    callback=check_output_table,
    help="Table to write; by default CSV is printed.",
)
@click.option(
    "--proba", is_flag=True, help="Write the probabilities of the classes, too."
)
@click.option(
    "--interval",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    help="Write intervals, too, that miss this share of the true numbers.",
)
def predict(model, table, output, proba, interval):
    """Predict the target of the rows of TABLE with a MODEL file."""
    frame = read_table(table)
    from .. import load

    predictions = predictions_of(load(model), frame, proba, interval)
    if output is None:
        click.echo(predictions.to_csv(index=False), nl=False)
    else:
        write_table(predictions, output)


@group.command()
@model_argument
@click.argument("table", type=INPUT, required=False, callback=check_input_table)
@click.option("--target", help="Column of the table with the true values.")
@click.option(
    "-o",
    "--output",
    required=True,
    type=OUTPUT,
    callback=check_output,
    help="HTML page to write.",
)
def report(model, table, target, output):
    """Write an HTML page about a MODEL file, with the rows of TABLE if there is one."""
    if target is not None and table is None:
        raise click.UsageError("--target needs a table")
    names = [] if target is None else [target]
    frame = None if table is None else read_with(table, names)
    from .. import load
    from ..plotting import report as write_report

    y = None
    fitted = load(model)
    if target is not None:
        task = "classify" if hasattr(fitted, "classes_") else "regress"
        frame, y, _ = with_target(frame, target, task)
    write_report(fitted, output, frame, y)
    click.echo(f"{output}")


@group.command()
@table_argument
@target_option
@task_option
@drop_option
@click.option(
    "--methods",
    callback=method_names,
    help="Names with commas between them; by default the ensemble, k-NN with and "
    "without a learned metric, and a forest; a wrong name lists all.",
)
@click.option(
    "--groups",
    help="Column of groups, such as patients: rows of a group are never parted.",
)
@click.option("--jobs", type=int, help="Number of fits at a time.")
@seed_option
def evaluate(table, target, task, drop, methods, groups, jobs, seed):
    """Compare methods on TABLE by cross-validation."""
    frame = read_with(table, [target, *drop, *([groups] if groups else [])])
    from ..exceptions import require
    from ..experiments import evaluate as run

    frame, y, task = with_target(frame.drop(columns=list(drop)), target, task)
    result = run(
        frame.drop(columns=groups) if groups else frame,
        y,
        methods,
        task="classification" if task == "classify" else "regression",
        groups=frame[groups] if groups else None,
        n_jobs=jobs,
        random_state=seed,
    )
    scores = require("pandas", "table").DataFrame(result.scores())
    click.echo(scores.round(3).to_string(index=False))


@group.command()
def datasets():
    """List the data sets that have loaders."""
    from ..experiments import dataset_names

    for kind in ("paper", "regression", "synthetic"):
        click.echo(f"{kind}: {', '.join(dataset_names(kind))}")


@group.command()
@click.argument("folder", default="out/paper", type=FOLDER)
@click.option(
    "--quick/--full",
    help="One pair of halves of the 21 sets with up to 700 samples, about ten minutes "
    "on two cores; or five pairs of all 35, ten hours (default).",
)
@click.option("--sets", callback=paper_sets, help="Names with commas between them.")
@click.option(
    "--methods",
    callback=method_names,
    help="Names with commas between them; by default the 13 of the paper, DMLFE also "
    "with our defaults.",
)
@click.option("--repeats", type=click.IntRange(1), help="Pairs of halves.")
@click.option(
    "--data",
    type=DATA,
    help="Folder of data sets to look in first; others are fetched, and what cannot be "
    "had is said.",
)
@click.option(
    "--jobs",
    default=-1,
    help="Number of fits at a time; by default one on each core.",
)
@click.option(
    "--plan",
    is_flag=True,
    help="Say what would be done and how long it takes, and stop.",
)
@click.option(
    "--no-fits",
    is_flag=True,
    help="Fit nothing: tables, figures and page of the records that are there.",
)
def paper(folder, quick, sets, methods, repeats, data, jobs, plan, no_fits):
    """Do the paper again: its fits, tables and figures, into FOLDER.

    A run that was stopped goes on. Data sets that are not there are fetched.
    """
    from ..experiments import reproduction as again
    from ..experiments.runner import run

    effort = again.EFFORTS["quick" if quick else "full"]
    wanted = again.jobs_of(effort, sets, methods, repeats)
    found, missing = again.available({job.dataset: 0 for job in wanted}, data)
    if not found:
        raise ValueError("; ".join(missing.values()))
    todo = [job for job in wanted if job.dataset in found]
    left = again.jobs_left(todo, folder)
    reasons = (*again.UNOBTAINABLE, *missing.values())
    what, how_long = again.lines_about(todo, left, jobs)
    notes = [*(f"missing: {reason}" for reason in reasons), what]
    for note in (*notes, how_long):
        click.echo(note, err=True)
    if plan:
        return
    if no_fits:
        unfitted, left = set(left), []
        todo = [job for job in todo if job not in unfitted]
        if not todo:
            raise ValueError(f"{folder} has no records of these fits")
    expected = again.expected_seconds(left)
    steps = {job: 1 + round(10 * s) for job, s in zip(left, expected, strict=True)}
    options = {"length": sum(steps.values()), "label": "fits", "file": sys.stderr}
    with click.progressbar(**options) as bar:

        def show(record, number, total):
            bar.update(steps[record.job])

        path = folder / "records.jsonl"
        records = run(todo, path, folder=data, n_jobs=jobs, on_fit=show)
    failed = [record for record in records if record.failure]
    notes += [f"{r.job.dataset}, {r.job.method}: {r.failure}" for r in failed]
    tables = again.write_tables(records, folder)
    click.echo("the figures are drawn", err=True)
    drawn = again.write_figures(records, found, effort, folder)
    click.echo(again.write_page(folder, tables, drawn, notes))


@group.command()
@click.option("--out", default="out", show_default=True, help="Folder of the picture.")
def demo(out):
    """Compare methods on wine and iris, and draw digits before and after learning."""
    Path(out).mkdir(parents=True, exist_ok=True)
    from ..experiments.demo import main

    main(out)


def read_with(path, names):
    """Read a table that must have columns; of text, the heading is read first."""
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"More than one option names the column {name!r}.")
    heading = header_of(path)
    if heading is not None:
        check_columns(heading, names)
    frame = read_table(path)
    check_columns(frame.columns, names)
    return frame


def check_columns(columns, names):
    """Raise an error unless some names are those of columns."""
    missing = [name for name in names if name not in columns]
    if missing:
        listed = ", ".join(map(str, columns))
        raise ValueError(f"The table has no column {missing[0]!r}; it has {listed}.")


def with_target(frame, target, task):
    """Part the target from a table.

    Parameters
    ----------
    frame : DataFrame
        The table.
    target : str
        The name of the target.
    task : {"classify", "regress"} or None
        What to do; None lets the values decide.

    Returns
    -------
    frame : DataFrame
        The other columns of the rows that have a target.
    y : ndarray of shape (n_rows,)
        The target: numbers, or labels as texts.
    task : {"classify", "regress"}
        What to do.
    """
    import numpy as np

    from ..tables.cells import read_numbers, text_of

    texts = [text_of(cell) for cell in frame[target].tolist()]
    has_target = np.array([text is not None for text in texts])
    if not has_target.all():
        n_gaps = np.sum(~has_target)
        click.echo(f"note: {n_gaps} rows without a target are left out.", err=True)
    labels = [text for text in texts if text is not None]
    numbers = read_numbers(labels)
    if task is None:
        is_number = not numbers.unread and is_quantity(numbers.values)
        task = "regress" if is_number else "classify"
    if task == "regress" and numbers.unread:
        word = labels[numbers.unread[0]]
        raise ValueError(f"Column {target!r}: {word!r} is no number.")
    y = numbers.values if task == "regress" else np.array(labels)
    return frame[has_target].drop(columns=target), y, task


def is_quantity(numbers):
    """Return whether numbers have decimals, or are too many for classes."""
    return bool((numbers % 1 != 0).any()) or len(set(numbers)) > MOST_CLASSES


def numbers_of(column, name):
    """Return a column of numbers, such as weights, as an array."""
    from ..tables.frames import as_numbers

    return as_numbers(column.to_numpy(), f"Column {name!r}")


def predictions_of(model, frame, proba, interval):
    """Return a DataFrame of predictions, probabilities and ends of intervals."""
    from ..exceptions import require

    kind = type(model).__name__
    if proba and not hasattr(model, "predict_proba"):
        raise ValueError(f"{kind} predicts no probabilities.")
    if interval is not None and not hasattr(model, "predict_interval"):
        raise ValueError(f"{kind} predicts no intervals.")
    columns = {"prediction": model.predict(frame)}
    if proba:
        probabilities = model.predict_proba(frame)
        for label, column in zip(model.classes_, probabilities.T, strict=True):
            columns[f"probability of {label}"] = column
    if interval is not None:
        columns["lower"], columns["upper"] = model.predict_interval(frame, interval).T
    return require("pandas", "table").DataFrame(columns)


def summary(model, n_rows):
    """Return what was fitted, to how many rows and columns, and its score."""
    score = getattr(model.pipeline_[-1], "oob_score_", None)
    end = "" if score is None else f", out-of-bag score {score:.3f}"
    return f"{type(model).__name__} of {n_rows} rows, {len(model.kinds_)} columns{end}"
