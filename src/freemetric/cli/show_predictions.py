"""How good predictions are, where the truth is known."""

from pathlib import Path
from typing import Any

from ..printable import counted, verb
from ..tabular import Table, TableModel
from ..tabular.predictions import PREDICTION, interval_names, number_errors
from .console import tell

MOSTLY = 0.5  # share of known rows from which on an accuracy is no promise


def how_good(model: TableModel, table: Table, told: dict[str, Any], interval: float | None) -> dict[str, Any]:
    """Accuracy, or errors of numbers, as JSON values; whether most rows are such as the model has learned from."""
    found: dict[str, Any]
    if model.predicts_numbers:
        ends = None if interval is None else tuple(told[name] for name in interval_names(interval))
        found = number_errors(model, table, told[PREDICTION], ends)
        known = bool(found)
    else:
        found = {"accuracy": model.accuracy(table, told[PREDICTION])}
        known = found["accuracy"] is not None
    return {**found, "learned_from": known and model.share_known(table) > MOSTLY}


def say_how_good(data: Path, found: dict[str, Any], interval: float | None) -> None:
    """The same in a line for people."""
    what = "errors say" if "mae" in found else "accuracy says"
    if found["learned_from"]:
        why = f"the model has learned from most of these rows, so the {what} little about new ones"
        tell(f"note: {data}: {why}; `freemetric evaluate` estimates that")
    if found.get("accuracy") is not None:
        tell(f"accuracy {100 * found['accuracy']:.2f} % of the rows that have a class")
    if "mae" in found:
        tell(_errors(found, interval))


def _errors(found, interval):
    share = "" if found["r2"] is None else f"R\u00b2 {found['r2']:.4g}, "
    errors = f"{share}mean absolute error {found['mae']:.4g}, RMSE {found['rmse']:.4g}"
    inside = (
        "" if interval is None else f"; {100 * found['coverage']:.1f} % lie in their {100 * interval:g} % intervals"
    )
    n = found["known_rows"]
    return f"{errors} on the {counted(n, 'row')} that {verb(n, 'has', 'have')} a number{inside}"
