"""What the page shows of the space, the metric, the choice of k and the predictions, as JSON values."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..display.embedding import main_axes
from ..display.style import class_color, class_marker
from .document import clipped, column, packed, rounded
from .findings import Findings, TargetFindings

MOST_COLUMNS = 20  # of the user's table, shown of a row
MOST_FEATURES, MOST_BARS, MOST_CURVES, MOST_TRIED = 40, 20, 8, 200
ERRORS = ("oob_error", "error", "oob_brier", "oob_squared")  # columns that choices are made by, the first there is
RESULTS = {*ERRORS, "oob_absolute", "weight", "n_replicas", "n_neighbors"}  # columns that do not name a candidate
DIGITS = 10  # of targets, which may differ only in their last digits
RARE = 0.01  # share of the targets, at each end, that have the same colour


def rows(findings: Findings) -> dict[str, Any] | None:
    """The rows shown: numbers, classes, and what the user's table says of them."""
    if findings.Z is None or findings.rows is None:
        return None
    chosen = np.arange(len(findings.columns))
    if len(chosen) > MOST_COLUMNS:
        chosen = heaviest(findings)[:MOST_COLUMNS] if findings.owner is not None else chosen[:MOST_COLUMNS]
    return {
        "index": packed(findings.rows, "i4"),
        "class": packed(np.zeros(len(findings.rows)) if findings.y is None else findings.y, "i4"),
        "columns": [column(*findings.columns[j]) for j in chosen],
        "n_columns": len(findings.columns),
    }


def heaviest(findings: Findings) -> NDArray[np.intp]:
    """Numbers of the names, the most important first; else those that distances weigh most, else in their order."""
    by = findings.weights if findings.importances is None else findings.importances
    return np.arange(len(findings.names)) if by is None else np.argsort(-by, kind="stable")


def classes(names: Sequence[str]) -> list[dict[str, Any]]:
    """Names of classes with their colours and markers, as in displays."""
    return [{"name": name, "color": class_color(c), "marker": class_marker(c)} for c, name in enumerate(names)]


def spaces(findings: Findings) -> list[dict[str, Any]]:
    """Both spaces, (n, 3) at most, with the share of the variance on each axis."""
    pair = (("before learning", findings.before), (f"learned by {findings.learner}", findings.Z))
    return [_space(name, points) for name, points in pair if points is not None]


def _space(name, points):
    on_axes, share = main_axes(points, 3)
    return {"name": name, "points": [packed(axis) for axis in on_axes.T], "share": rounded(share, 3)}


def metric(findings: Findings) -> dict[str, Any] | None:
    """M among the heaviest features, in their own order."""
    M = findings.scaled_matrix
    if M is None:
        return None
    shown = np.sort(np.argsort(-np.diag(M), kind="stable")[:MOST_FEATURES])
    names = [findings.feature_names[i] for i in shown]
    return {"names": names, "matrix": rounded(M[np.ix_(shown, shown)]), "n_features": len(M)}


def weights(findings: Findings) -> dict[str, Any] | None:
    """What distances weigh, with its range over replicas; in the order of the importances beside it."""
    if findings.weights is None:
        return None
    return _bars(findings, findings.weights, findings.weight_range)


def importances(findings: Findings) -> dict[str, Any] | None:
    """What the score loses without a column or feature, and one standard error to both sides; the largest first."""
    if findings.importances is None:
        return None
    mean, error = findings.importances, findings.importance_errors
    return _bars(findings, mean, (mean - error, mean + error)) | {"score": findings.importance_score}


def _bars(findings, values, ends):
    order = heaviest(findings)[:MOST_BARS]
    names = [clipped(findings.names[i]) for i in order]
    bars = {"names": names, "value": rounded(values[order]), "n": len(findings.names)}
    if ends is not None:
        bars |= {"low": rounded(ends[0][order]), "high": rounded(ends[1][order])}
    return bars


def error_curves(findings: Findings) -> dict[str, Any] | None:
    """Error against k, one curve for each candidate; the best of them where there are many."""
    selection = findings.selection or {}
    judge = judged_by(selection)
    if judge is None or "n_neighbors" not in selection or len(np.unique(selection["n_neighbors"])) < 2:
        return None
    names = np.array(candidates(selection))
    curves = [_curve(name, np.flatnonzero(names == name), selection, judge) for name in dict.fromkeys(names.tolist())]
    curves.sort(key=lambda curve: min((e for e in curve["error"] if e is not None), default=np.inf))
    unit = "squared error, of the variance" if findings.is_regression else "error"
    best = {"curves": curves[:MOST_CURVES], "n_curves": len(curves)}
    return {**best, "chosen": findings.n_neighbors, "judge": judge, "unit": unit}


def candidates(selection: Mapping[str, NDArray]) -> list[str]:
    """For every row of the table the words that tell its candidate from the others."""
    names = [""] * len(next(iter(selection.values())))
    for title, values in selection.items():
        if title in RESULTS:
            continue
        words = [_cell(value) if values.dtype.kind in "OUS" else f"{title} {_cell(value)}" for value in values]
        finer = [f"{name}, {more}" if name else more for name, more in zip(names, words, strict=True)]
        if len(set(finer)) > len(set(names)):
            names = finer
    return names


def _curve(name, rows, selection, judge):
    rows = rows[np.argsort(selection["n_neighbors"][rows], kind="stable")]
    k, error = selection["n_neighbors"][rows], selection[judge][rows]
    return {"name": clipped(name), "k": k.tolist(), "error": rounded(error)}


def judged_by(selection: Mapping[str, NDArray]) -> str | None:
    """The column that choices are judged by, or None."""
    return next((name for name in ERRORS if name in selection), None)


def tried(findings: Findings) -> dict[str, Any] | None:
    """What was tried as a table: header, rows of texts from the best, how many there are, which is the best."""
    selection = findings.selection or {}
    if not selection or len({len(values) for values in selection.values()}) != 1:
        return None
    judge = judged_by(selection)
    n = len(next(iter(selection.values())))
    order = np.arange(n) if judge is None else np.argsort(selection[judge], kind="stable")
    rows = [[_cell(values[i]) for values in selection.values()] for i in order[:MOST_TRIED]]
    return {"header": [clipped(name) for name in selection], "rows": rows, "n": n, "judge": judge}


def _cell(value):
    if isinstance(value, float | np.floating):
        return f"{value:.3g}"
    return clipped(value)


def confused(findings: Findings) -> dict[str, Any] | None:
    """Counts of true and predicted classes."""
    if findings.confusion is None:
        return None
    judged = int(findings.confusion.sum())
    return {
        "names": findings.class_names,
        "counts": findings.confusion.tolist(),
        "n": judged,
        "wrong": judged - int(np.trace(findings.confusion)),
        "how": findings.judged_by,
    }


def targets(findings: Findings) -> dict[str, Any] | None:
    """The targets of a regression and their predictions, and the range of the colours."""
    known = findings.targets
    if known is None or not len(known.truth):
        return None
    return {
        **{name: packed(getattr(known, name), "f8") for name in ("truth", "predicted", "low", "high")},
        "has_intervals": bool(np.isfinite(known.low).any()),
        "log": known.log,
        "pull_words": known.pull_words,
        "alpha": known.alpha,
        "colours": rounded(np.quantile(known.truth, [RARE, 1 - RARE]), DIGITS),
    }


def scores(known: TargetFindings) -> dict[str, Any]:
    """R^2, errors and the share of intervals that hold the truth, of the rows with a prediction."""
    judged, bounded = known.judged, known.bounded
    truth, off = known.truth[judged], (known.truth - known.predicted)[judged]
    squares = ((truth - truth.mean()) ** 2).sum() if len(truth) else 0.0
    return {
        "n": len(truth),
        "r2": 1 - (off**2).sum() / squares if squares > 0 else np.nan,
        "mae": np.abs(off).mean() if len(off) else np.nan,
        "rmse": np.sqrt((off**2).mean()) if len(off) else np.nan,
        "coverage": known.held[bounded].mean() if bounded.any() else np.nan,
        "width": np.median((known.high - known.low)[bounded]) if bounded.any() else np.nan,
    }


def story(known: TargetFindings, row: int) -> dict[str, Any]:
    """The parts of the prediction of a row, in units of the target."""

    def at_row(arrays):
        return {name: rounded(float(values[row]), DIGITS) for name, values in arrays.items()}

    parts = {**dict.fromkeys(("neighbors", "pull", "rest")), **at_row(known.parts)}
    ends = at_row({name: getattr(known, name) for name in ("truth", "predicted", "low", "high")})
    return {**ends, **parts, "trends": [{"words": words, **at_row(trend)} for words, trend in known.trends]}
