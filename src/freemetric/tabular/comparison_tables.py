"""A comparison as tables: for people, and as columns for a file."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..printable import printable
from .protocol import CONSTANT
from .scores import Score
from .text_table import TextTable

OVER_LIMIT = "over the limit"
MOST_CLASSES = 12  # in a table for people


def scores(rows: list[dict[str, Any]], known: Sequence[Score], caption: str) -> TextTable:
    """All scores but those that something else shows; the best of a file in bold."""
    shown = [score for score in known if not score.aside]
    cells = tuple(
        (row["file"], row["method"], _error(row), *(_score(row, score) for score in shown), f"{row['seconds']:.2f}")
        for row in rows
    )
    lowest = [[row["error"] for row in rows], *([_cost(row, score) for row in rows] for score in shown)]
    bold = {(i, column) for column, costs in enumerate(lowest, 2) for i in _best(rows, costs)}
    columns = ("File", "Method", "Error in %", *map(_title, shown), "Seconds")
    return TextTable(columns, cells, caption, frozenset(bold))


def classes(file: str, method: str, found: list[dict[str, Any]], repeats: int) -> TextTable:
    """Recall and precision by class; of many classes those that are least recognised."""
    worst = sorted(found, key=lambda row: (row["recall"] is None, row["recall"]))[:MOST_CLASSES]
    some = found if len(found) <= MOST_CLASSES else worst
    more = "" if some is found else f", the {MOST_CLASSES} least recognised of {len(found)}"
    times = f"; counts of mistakes are over {repeats} repeats" if repeats > 1 else ""
    cells = tuple(
        (printable(row["class"]), f"{row['rows']}", _percent(row["recall"]), _percent(row["precision"]), _mistake(row))
        for row in some
    )
    columns = ("Class", "Rows", "Recall in %", "Precision in %", "Most often taken for")
    return TextTable(columns, cells, f"Classes of {printable(file)} by {method}{more}{times}.")


def intervals(rows: list[dict[str, Any]], known: Sequence[Score]) -> TextTable:
    """What shares of the rows lie in their intervals, and how wide these are, of methods that predict intervals."""
    shown = [score for score in known if score.name.startswith(("coverage", "width"))]
    cells = ((row["file"], row["method"], *(_score(row, score) for score in shown)) for row in rows)
    lines = tuple(row for row in cells if any(cell is not None for cell in row[2:]))
    caption = "Test rows inside of their intervals, and the mean width of these in the unit of the target."
    return TextTable(("File", "Method", *map(_title, shown)), lines, caption)


def curves(found: list[tuple[str, str, list[dict[str, Any]]]]) -> TextTable:
    """Error against the number of training rows, a line for every file and method."""
    most = max(len(curve) for *_, curve in found)
    cells = tuple(
        (printable(file), method, *[None] * (most - len(curve)), *map(_point, curve)) for file, method, curve in found
    )
    columns = ("File", "Method", *(f"1/{2**k}" for k in range(most - 1, 0, -1)), "All rows")
    return TextTable(columns, cells, "Error in % (training rows) from a part of the training rows; same test rows.")


def columns(
    rows: list[dict[str, Any]],
    n_train: Mapping[tuple[str, str], float],
    curve: Callable[[str, str], list[dict[str, Any]]],
) -> dict[str, list]:
    """Numbers in columns, None for what is not known."""
    lines: list[dict[str, Any]] = []
    for row in rows:
        cell = {"file": row["file"], "method": row["method"]}
        for point in curve(*cell.values())[:-1]:
            lines.append({**cell, "rows": round(point["rows"]), **_pair("error", point["error"], point["uncertainty"])})
        line = {**cell, "rows": round(n_train[row["file"], row["method"]])}
        line |= {"error": row["error"], "error \u00b1": row["uncertainty"]}
        for name, score in row["scores"].items():
            line |= _pair(name, score["mean"], score["uncertainty"])
        lines.append({**line, "seconds": row["seconds"], "failure": row["failure"]})
    names = dict.fromkeys(name for line in sorted(lines, key=len, reverse=True) for name in line)
    return {name: [line.get(name) for line in lines] for name in names}


def _pair(name, mean, error):
    known = {name: mean, f"{name} \u00b1": error}
    return {key: None if value is None or np.isnan(value) else value for key, value in known.items()}


def _title(score):
    return f"{score.title} in %" if score.in_percent else score.title


def _best(rows, costs):
    """Numbers of the rows whose cost is the lowest of their file."""
    known = [
        (i, row["file"], cost)
        for i, (row, cost) in enumerate(zip(rows, costs, strict=True))
        if row["method"] != CONSTANT and cost is not None and not np.isnan(cost)
    ]
    lowest = {name: min(cost for _, file, cost in known if file == name) for _, name, _ in known}
    return [i for i, file, cost in known if cost <= lowest[file] + 1e-9]


def _cost(row, score):
    found = row["scores"].get(score.name)
    return None if found is None else -found["mean"] if score.higher_is_better else found["mean"]


def _error(row):
    if row["error"] is None:
        return OVER_LIMIT if row["over_limit"] else None
    return _with_error(row["error"], row["uncertainty"])


def _score(row, score):
    found = row["scores"].get(score.name)
    if found is None or np.isnan(found["mean"]):
        return None
    if score.in_units:  # numbers of any size, in a unit that only their owner knows
        error = found["uncertainty"]
        return _significant(found["mean"], 4) + ("" if np.isnan(error) else f" \u00b1 {_significant(error, 2)}")
    unit, digits = (100, 2) if score.in_percent else (1, 3)
    return _with_error(unit * found["mean"], unit * found["uncertainty"], digits)


def _with_error(mean, error, digits=2):
    known = error is not None and not np.isnan(error)
    return f"{mean:.{digits}f}" + (f" \u00b1 {error:.{digits}f}" if known else "")


def _significant(number, digits):
    """So many digits, and all of those before the point.

    Examples
    --------
    >>> _significant(123456.7, 4), _significant(1.23456, 4), _significant(0.000123456, 2)
    ('123457', '1.235', '0.00012')
    """
    return f"{number:.0f}" if 10**digits <= abs(number) < 1e15 else f"{number:.{digits}g}"


def _point(point):
    shown = f"{_with_error(point['error'], point['uncertainty'])} ({point['rows']:.0f})"
    return None if np.isnan(point["error"]) else shown


def _percent(share):
    return None if share is None else f"{100 * share:.1f}"


def _mistake(row):
    return f"{printable(row['taken_for'])} ({row['how_often']})" if row["taken_for"] is not None else ""
