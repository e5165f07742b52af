"""The page of an evaluation: scores beside a constant prediction, details of the task, error against rows."""

from collections.abc import Mapping
from math import floor, isfinite, log10, nan
from os import PathLike
from pathlib import Path
from typing import Any

from ..printable import measured
from .document import check_beforehand, clipped, rounded, versions, write_document

BEFORE = ("base", "figure", "metric", "evaluation_scores", "evaluation_curves")
AFTER = ("opening", "evaluation_main")
LONGEST_NAME = 60
NONE = "\N{EN DASH}"
RESIDUALS = {
    "mean": "mean of true \N{MINUS SIGN} predicted",
    "half": "half are off by at most",
    "nine_in_ten": "nine in ten by at most",
    "largest": "all by at most",
}
COVERAGE, WIDTH = "coverage_", "width_"  # The level in % follows in the names of their scores.
DIGITS = 9  # of targets, which may differ only in their last digits
# The ending of the names of template and script, the constant prediction, and the unit of the error.
CLASSIFICATION = ("classification", "always the most frequent class", "%")
REGRESSION = ("regression", "always the mean", "% of the standard deviation")


def write_evaluation(found: Any, path: str | PathLike, *, title: str | None = None) -> Path:
    """Write a page about an evaluation: one HTML file that needs no network.

    Parameters
    ----------
    found : Comparison or dict
        The result of ``freemetric.tabular.evaluate``, or its ``as_json()``.
    path : path-like
        File to write. An existing file is replaced once the new one is complete.
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
    # The JSON of an earlier version has fewer fields of scores.
    known["scores"] = [{"in_units": False, "aside": score["name"] == "accuracy", **score} for score in known["scores"]]
    rows, name = known["results"], _task(known)[0]
    details = [score for score in known["scores"] if score["name"].startswith((COVERAGE, WIDTH))]
    main = _shown_scores(known)
    scores = ((row, [_error(row), *_in_words(row, main), f"{row['seconds']:.2f}"]) for row in rows)
    intervals = ((row, _in_words(row, details)) for row in rows if _intervals(row))
    residuals = ((row, _off(row["residuals"])) for row in rows if row.get("residuals"))
    drawn = [row["predictions"] for row in rows if row.get("predictions")]
    return write_document(
        path,
        f"evaluation_{name}.html",
        (*BEFORE, f"evaluation_{name}", *AFTER),
        contents(known),
        title=clipped(title or ", ".join(dict.fromkeys(str(row["file"]) for row in rows))),
        how=clipped(known["how"], 1000),
        notes=[clipped(note, 400) for note in known["notes"]],
        score_table=_table(known, ["error in %", *map(_score_title, main), "seconds"], scores),
        residual_table=_table(known, RESIDUALS.values(), residuals),
        interval_table=_table(known, map(_score_title, details), intervals),
        facts=_facts(known),
        repeats=known["repeats"],
        # The number of rows that are drawn where not all are.
        most_drawn=max((len(part["truth"]) for part in drawn if len(part["truth"]) < part["rows"]), default=None),
        versions=versions(),
    )


def _task(found):
    return REGRESSION if found.get("task") == "regress" else CLASSIFICATION


def _shown_scores(found):
    """Scores that nothing else on the page shows."""
    return [score for score in found["scores"] if not score["aside"]]


def contents(found: Mapping[str, Any]) -> dict[str, Any]:
    """JSON values for the page's script."""
    rows = found["results"]
    files = list(dict.fromkeys(row["file"] for row in rows))
    methods = [row for row in rows if row["method"] != found["baseline"]]
    return {
        "classes": [],  # of rows, which this page has none of
        "baseline": found["baseline"],
        "scores": _shown_scores(found),
        "files": [clipped(file) for file in files],
        "results": [{"file": files.index(row["file"]), **_result(row)} for row in rows],
        "has_curves": any(row.get("learning_curve") for row in rows),
        "has_roc": any(row.get("roc") for row in rows),
        "has_calibration": any(row.get("calibration") for row in rows),
        "has_predictions": any(row.get("predictions") for row in methods),
        "has_intervals": any(map(_intervals, methods)),
    }


def _result(row):
    """One method on one file: a score is its mean and its standard error; figures of classes, or of targets."""
    roc, calibration, predictions = row.get("roc"), row.get("calibration"), row.get("predictions")
    curve = row.get("learning_curve", [])
    shown = {
        "method": row["method"],
        "scores": {"error": rounded([row["error"], row["uncertainty"]])}
        | {name: rounded(_pair(row, name)) for name in row["scores"]},
        "curve": [rounded([point["rows"], point["error"], point["uncertainty"]]) for point in curve],
        "more_rows": row.get("more_rows"),
        "classes": [_class(line) for line in row.get("classes", [])],
        "confusion": row.get("confusion"),
        "calibration": calibration,
        "roc": roc and {name: rounded(rates) for name, rates in roc.items()},
        "predictions": predictions,
        "intervals": _intervals(row),
    }
    if calibration:
        bins = [[part[name] for name in ("chance", "share", "low", "high", "rows")] for part in calibration["bins"]]
        of = calibration["of"]
        shown["calibration"] = {"of": None if of is None else clipped(of, 60), "bins": rounded(bins)}
    if predictions:  # with residuals of their own, which rounded predictions would blur
        truth = predictions["truth"]
        predicted = predictions["predicted" if "predicted" in predictions else "told"]  # of an earlier version
        left = [None if None in pair else pair[0] - pair[1] for pair in zip(truth, predicted, strict=True)]
        targets = {"truth": rounded(truth, DIGITS), "predicted": rounded(predicted, DIGITS)}
        shown["predictions"] = {**targets, "left": rounded(left)}
    return shown


def _class(line):
    shares = rounded((line["recall"], line["precision"], line["f1"]))
    taken_for = "" if line["taken_for"] is None else f"{clipped(line['taken_for'], 60)} ({line['how_often']})"
    return [clipped(line["class"]), line["rows"], *shares, taken_for]


def _facts(found):
    """Names and values for the head of the page: of the best method of a single file, or the number of files."""
    files = {row["file"] for row in found["results"]}
    known = [row for row in found["results"] if row["error"] is not None]
    methods = [row for row in known if row["method"] != found["baseline"]]
    facts = [("files", f"{len(files):,}")]
    if methods and len(files) == 1:
        best, (name, constant, unit) = min(methods, key=lambda row: row["error"]), _task(found)
        facts = [("lowest error", f"{best['error']:.2f} {unit} ({best['method']})")]
        facts += [(constant, f"{row['error']:.2f} %") for row in known if row["method"] == found["baseline"]][:1]
        if name == "classification":
            classes = best.get("classes", [])
            facts += [("rows", f"{sum(line['rows'] for line in classes):,}"), ("classes", f"{len(classes):,}")]
        else:
            by_name = {score["name"]: score for score in found["scores"]}
            r2, mae = _in_words(best, [by_name["r2"], by_name["mae"]])
            facts += [("its R²", r2), ("its mean absolute error", mae)]
            facts += [("rows", f"{best['predictions']['rows']:,}")] if best.get("predictions") else []
    return [*facts, ("cross-validation", f"{found['repeats']} x {found['folds']} folds")]


def _error(row):
    if row["error"] is None:
        return "over the limit" if row["over_limit"] else "failed"
    return measured(row["error"], row["uncertainty"], 2) or NONE


def _intervals(row):
    """Level in %, coverage in % and width, these with their standard errors; empty where a method has none."""
    levels = [name.removeprefix(COVERAGE) for name in row["scores"] if name.startswith(COVERAGE)]
    known = [(float(level), _pair(row, COVERAGE + level), _pair(row, WIDTH + level)) for level in levels]
    return [
        rounded([level, 100 * share, 100 * error, *width]) for level, (share, error), width in known if isfinite(share)
    ]


def _pair(row, name):
    """Mean and standard error of a score; NaN where one is unknown."""
    return [nan if row["scores"][name][part] is None else row["scores"][name][part] for part in ("mean", "uncertainty")]


def _off(residuals):
    """In the order of RESIDUALS; a mean of no more decimals than the distances have, or it would be dust."""
    mean, *distances = (residuals[name] for name in RESIDUALS)
    half = rounded(residuals["half"])
    mean = round(mean, 3 - floor(log10(half))) + 0.0 if half else mean
    return [measured(value) or NONE for value in (mean, *distances)]


def _table(found, titles, lines):
    """Header and lines of a table, from results and their cells."""
    several = len({row["file"] for row in found["results"]}) > 1
    header = [*(["file"] if several else []), "method", *titles]
    names = ((row, [clipped(row["file"], LONGEST_NAME)] if several else [], cells) for row, cells in lines)
    return header, [[*file, row["method"], *cells] for row, file, cells in names]


def _score_title(score):
    return clipped(f"{score['title']} in %" if score["in_percent"] else score["title"])


def _in_words(row, scores):
    """Means and standard errors of scores."""
    words = []
    for score in scores:
        mean, error = _pair(row, score["name"]) if score["name"] in row["scores"] else (None, nan)
        unit, decimals = (1, None) if score["in_units"] else (100, 2) if score["in_percent"] else (1, 3)
        words.append(NONE if mean is None else measured(unit * mean, unit * error, decimals) or NONE)
    return words
