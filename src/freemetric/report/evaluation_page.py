"""The page of an evaluation: scores beside a constant prediction, details of the task, error against rows."""

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from .document import check_beforehand, clipped, rounded, versions, write_document
from .evaluation_tasks import Classification, Regression, score_title, score_words, table_of, with_error

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
    known = dict(found.as_json() if hasattr(found, "as_json") else found)
    # What an earlier version kept as JSON says less of scores.
    known["scores"] = [{"in_units": False, "aside": score["name"] == "accuracy", **score} for score in known["scores"]]
    task = _task(known)
    captions, (header, cells) = task.captions(known), _score_table(known)
    files = ", ".join(dict.fromkeys(str(row["file"]) for row in known["results"]))
    return write_document(
        path,
        f"evaluation_{task.name}.html",
        (*BEFORE, f"evaluation_{task.name}", *AFTER),
        contents(known),
        title=clipped(title or files),
        how=clipped(known["how"], 1000),
        notes=[clipped(note, 400) for note in known["notes"]],
        header=header,
        cells=cells,
        facts=_facts(known, task),
        captions={**captions, "scores": f"{MEANS} {captions['scores']}"},
        versions=versions(),
        **task.tables(known),
    )


def _task(found):
    return Regression() if found.get("task") == "regress" else Classification()


def contents(found: Mapping[str, Any]) -> dict[str, Any]:
    """What the page's script reads."""
    files, task = list(dict.fromkeys(row["file"] for row in found["results"])), _task(found)
    return {
        "classes": [],  # of rows, which this page has none of
        "baseline": found["baseline"],
        "scores": _shown_scores(found),
        "files": [clipped(file) for file in files],
        "results": [{**_result(row, files), **task.details(row)} for row in found["results"]],
        "has_curves": any(row.get("learning_curve") for row in found["results"]),
        **task.shown(found),
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


def _facts(found, task):
    """Names and values for the head of the page: of the best method of a single file, or how many files there are."""
    files = {row["file"] for row in found["results"]}
    known = [row for row in found["results"] if row["method"] != found["baseline"] and row["error"] is not None]
    best = min(known, key=lambda row: row["error"], default=None) if len(files) == 1 else None
    facts = [("files", f"{len(files):,}")]
    if best is not None:
        constant = [row["error"] for row in found["results"] if row["method"] == found["baseline"]][:1]
        errors = [(task.constant, f"{error:.2f} %") for error in constant if error is not None]
        lowest = f"{best['error']:.2f} {task.unit} ({best['method']})"
        facts = [("lowest error", lowest), *errors, *task.facts(found, best)]
    return [*facts, ("cross-validation", f"{found['repeats']} x {found['folds']} folds")]


def _score_table(found):
    """Means with their standard errors."""
    scores = _shown_scores(found)
    titles = ["error in %", *map(score_title, scores), "seconds"]
    words = ([_error(row), *(score_words(row, score) for score in scores)] for row in found["results"])
    lines = ((row, [*cells, f"{row['seconds']:.2f}"]) for row, cells in zip(found["results"], words, strict=True))
    return table_of(found, titles, lines)


def _error(row):
    if row["error"] is None:
        return "over the limit" if row["over_limit"] else "failed"
    return with_error(row["error"], row["uncertainty"], 2)


def _shown_scores(found):
    """Those that nothing else on the page shows."""
    return [score for score in found["scores"] if not score["aside"]]
