"""``freemetric fit``, ``predict``, ``transform`` and ``inspect``: models of people's own tables."""

import math
from pathlib import Path
from typing import Annotated

import typer

from ..printable import printable
from .console import Json, console, print_json, progress, tell, warnings_told
from .names import FITTED
from .options import (
    STDOUT,
    Data,
    DateOrder,
    Decimal,
    Delimiter,
    Device,
    Drop,
    Encoding,
    Escape,
    Format,
    Keep,
    KeepFeature,
    Missing,
    Model,
    Nominal,
    Numeric,
    Output,
    Seed,
    Sheet,
    Target,
    Thousands,
    assignments,
    kinds_of,
    read_data,
)

MOSTLY = 0.5  # share of known rows from which on an accuracy is no promise


def fit(
    data: Data,
    output: Annotated[Path, typer.Option("--output", "-o", help="Model file to write.")],
    target: Target = None,
    method: Annotated[str, typer.Option(help=f"One of {', '.join(FITTED)}; k-NN follows a metric.")] = "free-energy",
    parameters: Annotated[list[str] | None, typer.Option("--set", help="Parameter, name=value; repeatable.")] = None,
    weight: Annotated[str | None, typer.Option(help="Column with the weights of the rows, for free-energy.")] = None,
    drop: Drop = None,
    keep: KeepFeature = None,
    numeric: Numeric = None,
    nominal: Nominal = None,
    seed: Seed = 0,
    device: Device = "cpu",
    jobs: Annotated[int | None, typer.Option(help="Threads.")] = None,
    form: Format = None,
    missing: Missing = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    sheet: Sheet = None,
    decimal: Decimal = None,
    thousands: Thousands = None,
    date_order: DateOrder = None,
    as_json: Json = False,
) -> None:
    """Learn a metric and classifier from a table with names and gaps, and save both in one safe file."""
    from ..tabular import TableModel
    from ..tabular.writing import check_writable
    from .show import described

    check_writable(output)
    given, kinds = assignments(parameters), kinds_of(drop, keep, numeric, nominal)
    with warnings_told():
        table = read_data(data, form, missing, delimiter, decimal, thousands, date_order, encoding, sheet)
        with progress(f"{method} on {table.n_rows} rows", quiet=as_json) as advance:
            model = TableModel.fit(
                table,
                target,
                method,
                weight=weight,
                seed=seed,
                parameters=given,
                device=device,
                n_jobs=jobs,
                on_step=advance,
                **kinds,
            )
        reading = {"format": form, "missing": missing, "delimiter": delimiter}
        reading |= {"decimal": decimal, "thousands": thousands, "date_order": date_order}
        reading |= {"encoding": encoding, "sheet": sheet}
        model.save(output, {**kinds, **reading, "n_jobs": jobs})
    if as_json:
        return print_json({"model": str(output), **described(model)})
    expected = _expected(model.pipeline[-1])
    used = len([column for column in model.schema.columns if column.name not in model.left_out])
    console.print(f"{output}: {method} on {model.notes['rows']} rows, {used} columns{expected}", soft_wrap=True)


def _expected(classifier):
    """How good its predictions should be, where it says so."""
    from ..learners.free_energy.scoring import score_name

    score = getattr(classifier, "oob_score_", None)
    if score is None:
        return ""
    if math.isnan(score):
        return f", out-of-bag {score_name(classifier.scoring)} unknown"
    value = f"{100 * score:.1f} %" if classifier.scoring is None else f"{score:.4g}"
    return f", out-of-bag {score_name(classifier.scoring)} {value}"


def predict(
    model: Model,
    data: Data,
    output: Output = STDOUT,
    proba: Annotated[bool, typer.Option(help="Add the probability of every class.")] = False,
    keep: Keep = None,
    escape: Escape = True,
    form: Format = None,
    missing: Missing = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    sheet: Sheet = None,
    decimal: Decimal = None,
    thousands: Thousands = None,
    date_order: DateOrder = None,
    as_json: Json = False,
) -> None:
    """Predict the class of every row; columns are matched by name. Where the rows have a class, say the accuracy."""
    from ..tabular import TableModel

    with warnings_told():
        _check(output)
        loaded = TableModel.load(model)
        table = read_data(data, form, missing, delimiter, decimal, thousands, date_order, encoding, sheet)
        kept = {name: table.texts(name) for name in keep or ()}
        with progress("rows", table.n_rows, quiet=as_json) as advance:
            labels, shares = loaded.predict(table, proba=proba, on_rows=advance)
        accuracy = loaded.accuracy(table, labels)
        known = accuracy is not None and loaded.share_known(table) > MOSTLY
    columns = {**kept, "prediction": labels.tolist()}
    if shares is not None:
        columns |= {f"probability of {c}": s.tolist() for c, s in zip(loaded.pipeline.classes_, shares.T, strict=True)}
    _hand_over(columns, output, escape, as_json, {"rows": len(labels), "accuracy": accuracy, "learned_from": known})
    if known and not as_json:
        why = "the model has learned from most of these rows, so the accuracy says little about new ones"
        tell(f"note: {data}: {why}; `freemetric evaluate` estimates that")
    if accuracy is not None and not as_json:
        tell(f"accuracy {100 * accuracy:.2f} % of the rows that have a class")


def transform(
    model: Model,
    data: Data,
    output: Output = STDOUT,
    keep: Keep = None,
    escape: Escape = True,
    form: Format = None,
    missing: Missing = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    sheet: Sheet = None,
    decimal: Decimal = None,
    thousands: Thousands = None,
    date_order: DateOrder = None,
    as_json: Json = False,
) -> None:
    """Map every row to the space where the learned distance is Euclidean."""
    from ..tabular import TableModel

    with warnings_told():
        _check(output)
        loaded = TableModel.load(model)
        table = read_data(data, form, missing, delimiter, decimal, thousands, date_order, encoding, sheet)
        kept = {name: table.texts(name) for name in keep or ()}
        with progress("rows", table.n_rows, quiet=as_json) as advance:
            Z = loaded.transform(table, advance)
    columns = {**kept, **{f"z{i}": z.tolist() for i, z in enumerate(Z.T, 1)}}
    _hand_over(columns, output, escape, as_json, {"rows": len(Z), "components": Z.shape[1]})


def inspect(
    model: Model,
    top: Annotated[int, typer.Option(min=1, help="Features to show.")] = 20,
    as_json: Json = False,
) -> None:
    """Say what a model is: what its metric weighs, its preprocessing, parameters, versions and seed. Runs nothing."""
    from ..tabular import TableModel
    from .show import described, show

    with warnings_told():
        loaded = TableModel.load(model)
        with progress("asking what it owes to every column", quiet=as_json):
            about = described(loaded, with_importances=True)
    if as_json:
        return print_json({"model": str(model), **about})
    show(printable(model), about, top)


def _check(output):
    """Whether a table can be written, before any work."""
    from ..tabular.writing import check_output

    if output != STDOUT:
        check_output(output)


def _hand_over(columns, output, escape, as_json, summary):
    """The columns to a file or to stdout; in JSON, a summary, with the columns where there is no file."""
    from ..tabular.writing import as_delimited, write

    if output != STDOUT:
        write(output, columns, escape)
        summary = {"output": str(output), **summary}
    elif as_json:
        summary = {**summary, "columns": {name: list(cells) for name, cells in columns.items()}}
    if as_json:
        print_json(summary)
    elif output == STDOUT:
        print(as_delimited(columns, escape=escape), end="")
    else:
        console.print(f"{output}: {summary['rows']} rows", soft_wrap=True)
