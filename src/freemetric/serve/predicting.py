"""Predictions for a new table: what was understood of it, and a file with all of its columns."""

from pathlib import Path
from typing import Any

from ..report.document import cell
from ..tabular.model import TableModel
from ..tabular.predictions import beside, predictions, scores_of
from ..tabular.table import Table
from ..tabular.writing import write
from .describing import MOST_COLUMNS, described_column
from .upload import Upload

PREDICTIONS = "predictions.csv"
INTERVAL = 0.9
MOST_SHOWN = 20  # rows and columns of predictions on the page


def predict(upload: Upload, model_file: Path, folder: Path) -> dict[str, Any]:
    """Write predictions beside the columns of a new table; return what was understood of it as JSON values."""
    with upload.noted() as notes:
        model = TableModel.load(model_file)
        table = model.aligned(upload.table(_reading(model)))
        interval = INTERVAL if hasattr(model.pipeline[-1], "predict_interval") else None
        proba = not model.predicts_numbers and hasattr(model.pipeline[-1], "predict_proba")
        made = predictions(model, table, proba=proba, interval=interval)
        written = beside(table, {name: cells.tolist() for name, cells in made.items()}, table.columns)
        write(folder / PREDICTIONS, written)
        scores = scores_of(model, table, made, interval)
    shown = list(written)[-len(made) :][:MOST_SHOWN]
    rows = [[cell(written[name][i]) for name in shown] for i in range(min(table.n_rows, MOST_SHOWN))]
    return {
        "name": upload.name,
        "target": model.schema.target,
        "n_rows": table.n_rows,
        "n_columns": len(table.columns),
        "columns": [_column(model, table, name) for name in list(table.columns)[:MOST_COLUMNS]],
        "scores": {name: value for name, value in scores.items() if value is not None},
        "predictions": {"names": shown, "rows": rows},
        "notes": notes,
    }


def _reading(model: TableModel) -> dict[str, str]:
    """The words for gaps and the header as in the training table; all else is recognised in the file."""
    words = model.notes.get("options", {}).get("missing")
    return {"missing": words if isinstance(words, str) else "", **({} if model.header else {"header": "no"})}


def _column(model: TableModel, table: Table, name: str) -> dict[str, Any]:
    known = {column.name: column for column in model.schema.columns}
    if name == model.schema.target:
        use = "the target: predictions are scored by it"
    elif name in model.left_out or name not in known:
        use = f"ignored: {model.left_out.get(name, 'no column of the training table')}"
    else:
        use = "used"
    return {**described_column(table, name, known.get(name)), "use": use}
