"""A comparison as tables: for people, and as columns for a file."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..printable import printable
from .protocol import CONSTANT, Split
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
    bold = {(i, 2) for i in _best(rows, lambda row: row["error"])}
    for column, score in enumerate(shown, 3):
        sign = -1 if score.higher_is_better else 1
        bold |= {(i, column) for i in _best(rows, lambda row, s=score, sign=sign: _signed(row, s.name, sign))}
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


def intervals(rows: list[dict[str, Any]], known: Sequence[Score], caption: str) -> TextTable:
    """What shares of the rows lie in their intervals, and how wide these are, of methods that predict intervals."""
    shown = [score for score in known if score.name.startswith(("coverage", "width"))]
    cells = tuple((row["file"], row["method"], *(_score(row, score) for score in shown)) for row in rows)
    lines = tuple(row for row in cells if any(cell is not None for cell in row[2:]))
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
    cells: Mapping[tuple[str, str], list[Split]],
    curve: Callable[[str, str], list[dict[str, Any]]],
) -> dict[str, list]:
    """Numbers in columns, None for what is not known."""
    lines = []
    for row in rows:
        file, method = row["file"], row["method"]
        for point in curve(file, method)[:-1]:
            lines.append({**_identity(file, method, point["rows"]), **_numbers("error", point)})
        n_train = np.mean([split.n_train for split in cells[file, method]])
        scores = {"error": row["error"], "error \u00b1": row["uncertainty"]}
        for name, score in row["scores"].items():
            scores |= _numbers(name, {"error": score["mean"], "uncertainty": score["uncertainty"]})
        lines.append(
            {**_identity(file, method, n_train), **scores, "seconds": row["seconds"], "failure": row["failure"]}
        )
    names = dict.fromkeys(name for line in sorted(lines, key=len, reverse=True) for name in line)
    return {name: [line.get(name) for line in lines] for name in names}


def _identity(file, method, rows):
    return {"file": file, "method": method, "rows": round(rows)}


def _numbers(name, point):
    known = {name: point["error"], f"{name} \u00b1": point["uncertainty"]}
    return {key: None if value is None or np.isnan(value) else value for key, value in known.items()}


def _title(score):
    return f"{score.title} in %" if score.in_percent else score.title


def _best(rows, value):
    """Numbers of the rows whose value is the lowest of their file."""
    lowest: dict[str, float] = {}
    known = [(i, row["file"], value(row)) for i, row in enumerate(rows) if row["method"] != CONSTANT]
    known = [(i, file, x) for i, file, x in known if x is not None and not np.isnan(x)]
    for _, file, x in known:
        lowest[file] = min(lowest.get(file, np.inf), x)
    return [i for i, file, x in known if x <= lowest[file] + 1e-9]


def _signed(row, name, sign):
    return sign * row["scores"][name]["mean"] if name in row["scores"] else None


def _error(row):
    if row["error"] is None:
        return OVER_LIMIT if row["over_limit"] else None
    return _with_error(row["error"], row["uncertainty"], 2)


def _score(row, score):
    found = row["scores"].get(score.name)
    if found is None or np.isnan(found["mean"]):
        return None
    if score.in_units:
        return _in_units(found["mean"], found["uncertainty"])
    unit, digits = (100, 2) if score.in_percent else (1, 3)
    return _with_error(unit * found["mean"], unit * found["uncertainty"], digits)


def _with_error(mean, error, digits):
    known = error is not None and not np.isnan(error)
    return f"{mean:.{digits}f}" + (f" \u00b1 {error:.{digits}f}" if known else "")


def _in_units(mean, error):
    """Numbers of any size, in a unit that only their owner knows."""
    known = error is not None and not np.isnan(error)
    return _significant(mean, 4) + (f" \u00b1 {_significant(error, 2)}" if known else "")


def _significant(number, digits):
    """So many digits, and all of those before the point.

    Examples
    --------
    >>> _significant(123456.7, 4), _significant(1.23456, 4), _significant(0.000123456, 2)
    ('123457', '1.235', '0.00012')
    """
    return f"{number:.0f}" if 10**digits <= abs(number) < 1e15 else f"{number:.{digits}g}"


def _point(point):
    if np.isnan(point["error"]):
        return None
    return f"{_with_error(point['error'], point['uncertainty'], 2)} ({point['rows']:.0f})"


def _percent(share):
    return None if share is None else f"{100 * share:.1f}"


def _mistake(row):
    return f"{printable(row['taken_for'])} ({row['how_often']})" if row["taken_for"] is not None else ""
