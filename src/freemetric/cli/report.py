"""``freemetric report``: a model as a page to look at."""

from pathlib import Path
from typing import Annotated

import typer

from .console import Json, console, print_json, progress, warnings_told
from .options import AS_FOUND, Model, Reading, with_fields


@with_fields
def report(
    model: Model,
    data: Annotated[
        Path | None,
        typer.Argument(metavar="DATA", help="Table of rows to show. Default: the rows that the model has kept."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="HTML file to write. Default: beside the model."),
    ] = None,
    title: Annotated[str | None, typer.Option("--title", metavar="TITLE", help="Title of the page.")] = None,
    rows: Annotated[
        int, typer.Option(metavar="N", min=10, help="Show at most so many rows; a sample if there are more.")
    ] = 10_000,
    reading: Reading = AS_FOUND,
    as_json: Json = False,
) -> None:
    """Write one HTML page about a model: the learned space, the Monte Carlo run, feature weights, single decisions."""
    from ..report import write
    from ..tabular import TableModel
    from ..tabular.writing import check_writable

    output = output or model.with_suffix(".html")
    check_writable(output)
    with warnings_told():
        loaded = TableModel.load(model)
        X = y = None
        if data is not None:
            X, y = loaded.rows(reading.table(data))
        with progress("writing the report", quiet=as_json):
            names = loaded.feature_names()
            write(
                loaded.pipeline,
                output,
                X,
                y,
                title=title or model.stem,
                feature_names=names,
                most_rows=rows,
                columns=loaded.originals(),
            )
    if as_json:
        return print_json({"report": str(output), "bytes": output.stat().st_size})
    console.print(f"{output}: open it in a browser", soft_wrap=True)
