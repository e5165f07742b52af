"""The page of an evaluation: scores beside a constant answer, confusion, calibration, ROC, error against rows."""

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from . import about
from .document import check_beforehand, write_document
from .encode import clipped, rounded
from .evaluation_words import captions, cells, facts, header

SCRIPTS = ("base", "figure", "metric", "evaluation_scores", "evaluation_curves", "opening", "evaluation_main")


def write_evaluation(found: Any, path: str | PathLike, *, title: str | None = None) -> Path:
    """Write a page about an evaluation: one HTML file that needs no network.

    Parameters
    ----------
    found : Comparison or dict
        What ``freemetric.tabular.evaluate`` gave, or its ``as_json()``.
    path : path-like
        File to write. One that is there already is replaced, once the new one is complete.
    title : str or None, default=None
        Title of the page; None names the files.

    Returns
    -------
    path : Path
        The file.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from freemetric.report import write_evaluation
    >>> from freemetric.tabular import Settings, Table, evaluate
    >>> x = np.linspace(0, 1, 40)
    >>> table = Table("halves", {"x": x, "upper": (x > 0.6).astype(float)})
    >>> found = evaluate(table, "upper", ["euclidean"], Settings(folds=4, repeats=1))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_evaluation(found, Path(folder) / "halves.html").name
    'halves.html'
    """
    check_beforehand(path)
    known = found.as_json() if hasattr(found, "as_json") else found
    if known.get("task") == "regress":
        raise ValueError(
            "the page of an evaluation is for classes; of numbers table(), interval_table() and rows() tell"
        )
    return write_document(
        path,
        "evaluation.html",
        SCRIPTS,
        contents(known),
        title=clipped(title or _files(known)),
        how=clipped(known["how"], 1000),
        notes=[clipped(note, 400) for note in known["notes"]],
        header=header(known),
        cells=cells(known),
        facts=facts(known),
        captions=captions(known),
        versions=about.versions(),
    )


def contents(found: Mapping[str, Any]) -> dict[str, Any]:
    """What the page's script reads."""
    files = list(dict.fromkeys(row["file"] for row in found["results"]))
    return {
        "classes": [],  # of rows, which this page has none of
        "baseline": found["baseline"],
        "scores": found["scores"],
        "files": [clipped(file) for file in files],
        "results": [_result(row, files) for row in found["results"]],
        "has_curves": any(row.get("learning_curve") for row in found["results"]),
        "has_roc": any(row.get("roc") for row in found["results"]),
        "has_calibration": any(row.get("calibration") for row in found["results"]),
    }


def _result(row, files):
    """One method on one file; a score is its mean and its standard error."""
    scores = {name: [score["mean"], score["uncertainty"]] for name, score in row["scores"].items()}
    return {
        "file": files.index(row["file"]),
        "method": row["method"],
        "scores": {"error": rounded([row["error"], row["uncertainty"]]), **{k: rounded(v) for k, v in scores.items()}},
        "classes": [_class(line) for line in row.get("classes", [])],
        "confusion": row.get("confusion"),
        "calibration": _calibration(row.get("calibration")),
        "roc": row["roc"] and {name: rounded(rates) for name, rates in row["roc"].items()} if "roc" in row else None,
        "curve": [
            rounded([point["rows"], point["error"], point["uncertainty"]]) for point in row.get("learning_curve", [])
        ],
        "more_rows": row.get("more_rows"),
    }


def _class(line):
    name, rows, shares = clipped(line["class"]), line["rows"], (line["recall"], line["precision"], line["f1"])
    taken_for = "" if line["taken_for"] is None else f"{clipped(line['taken_for'], 60)} ({line['how_often']})"
    return [name, rows, *rounded(shares), taken_for]


def _calibration(found):
    if found is None:
        return None
    bins = [rounded([part[name] for name in ("chance", "share", "low", "high", "rows")]) for part in found["bins"]]
    return {"of": None if found["of"] is None else clipped(found["of"], 60), "bins": bins}


def _files(found):
    return ", ".join(dict.fromkeys(str(row["file"]) for row in found["results"]))
