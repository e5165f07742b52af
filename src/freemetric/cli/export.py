"""``freemetric export``: a model for places without Python."""

from pathlib import Path
from typing import Annotated

import typer

from .console import Json, console, print_json, progress, tell, warnings_told
from .options import Model


def export(
    model: Model,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="ONNX file to write. Default: beside the model."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Write a model as an ONNX graph, which predicts without Python. Every column of the table is an input."""
    from ..files import load
    from ..onnx_export import to_onnx  # an extra
    from ..tabular.table import few
    from ..tabular.writing import check_writable

    output = output or model.with_suffix(".onnx")
    check_writable(output)
    with warnings_told(), progress("exporting", quiet=as_json):
        graph = to_onnx(load(model), output).graph
    dates = _dates(model)
    if dates:
        tell(f"note: the graph takes the parts of dates as numbers; days are counted from 1970: {few(dates)}")
    inputs, outputs = ([value.name for value in values] for values in (graph.input, graph.output))
    if as_json:
        return print_json({"output": str(output), "bytes": output.stat().st_size, "inputs": inputs, "outputs": outputs})
    console.print(f"{output}: from {', '.join(inputs)} to {', '.join(outputs)}", soft_wrap=True)


def _dates(model):
    """Columns of dates, if it is a model of a table."""
    from ..files import about
    from ..tabular import Schema

    table = about(model).get("table")
    try:
        columns = Schema.from_json(table).columns if table else ()
    except (KeyError, TypeError, ValueError):  # something else under that name
        return []
    return [column.name for column in columns if column.kind == "date"]
