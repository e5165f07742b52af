"""The page of an evaluation: scores beside a constant answer, classes or numbers in detail, error against rows."""

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from types import ModuleType
from typing import Any

from . import document as about
from . import evaluation_classes, evaluation_numbers
from .document import check_beforehand, write_document
from .encode import clipped, rounded
from .evaluation_words import cells, facts, header, shown_scores

BEFORE = ("base", "figure", "metric", "evaluation_scores", "evaluation_curves")
AFTER = ("opening", "evaluation_main")
MEANS = "Points are means over splits, lines their standard errors, which count that splits share training rows."


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
    known = _with_scores_described(found.as_json() if hasattr(found, "as_json") else found)
    kind, captions = _kind(known), _kind(known).captions(known)
    return write_document(
        path,
        kind.TEMPLATE,
        (*BEFORE, kind.SCRIPT, *AFTER),
        contents(known),
        title=clipped(title or _files(known)),
        how=clipped(known["how"], 1000),
        notes=[clipped(note, 400) for note in known["notes"]],
        header=header(known),
        cells=cells(known),
        facts=facts(known, kind.facts(known)),
        captions={**captions, "scores": f"{MEANS} {captions['scores']}"},
        versions=about.versions(),
        **kind.tables(known),
    )


def _kind(found) -> ModuleType:
    """Where classes and numbers part: modules of the same names."""
    return evaluation_numbers if found.get("task") == "regress" else evaluation_classes


def contents(found: Mapping[str, Any]) -> dict[str, Any]:
    """What the page's script reads."""
    files, kind = list(dict.fromkeys(row["file"] for row in found["results"])), _kind(found)
    return {
        "classes": [],  # of rows, which this page has none of
        "baseline": found["baseline"],
        "scores": shown_scores(found),
        "files": [clipped(file) for file in files],
        "results": [{**_result(row, files), **kind.details(row)} for row in found["results"]],
        "has_curves": any(row.get("learning_curve") for row in found["results"]),
        **kind.shown(found),
    }


def _result(row, files):
    """One method on one file; a score is its mean and its standard error."""
    scores = {name: [score["mean"], score["uncertainty"]] for name, score in row["scores"].items()}
    return {
        "file": files.index(row["file"]),
        "method": row["method"],
        "scores": {"error": rounded([row["error"], row["uncertainty"]]), **{k: rounded(v) for k, v in scores.items()}},
        "curve": [
            rounded([point["rows"], point["error"], point["uncertainty"]]) for point in row.get("learning_curve", [])
        ],
        "more_rows": row.get("more_rows"),
    }


def _with_scores_described(found):
    """What an earlier version kept as JSON says less of scores."""
    scores = [{"in_units": False, "aside": score["name"] == "accuracy", **score} for score in found["scores"]]
    return {**found, "scores": scores}


def _files(found):
    return ", ".join(dict.fromkeys(str(row["file"]) for row in found["results"]))
