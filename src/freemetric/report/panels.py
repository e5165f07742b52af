"""Space, metric, choice of k and predictions as JSON values."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..display.embedding import main_axes
from ..display.neighbors_curve import error_column, tried_candidates
from ..display.style import class_color, class_marker
from ..magnitudes import mae, r2, rmse
from .document import clipped, column, packed, rounded
from .findings import Findings, TargetFindings

MOST_COLUMNS = 20  # of the user's table, shown of a row
MOST_FEATURES, MOST_BARS, MOST_CURVES, MOST_TRIED = 40, 20, 8, 200
DIGITS = 10  # of targets, which may differ only in their last digits
RARE = 0.01  # share of the targets, at each end, that have the same colour


def rows(findings: Findings) -> dict[str, Any] | None:
    """The rows shown: numbers, classes, and columns of the user's table."""
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
    known = [(name, *main_axes(points, 3)) for name, points in pair if points is not None]
    return [
        {"name": name, "points": [packed(axis) for axis in points.T], "share": rounded(share, 3)}
        for name, points, share in known
    ]


def metric(findings: Findings) -> dict[str, Any] | None:
    """M among the heaviest features, in their own order."""
    M = findings.scaled_matrix
    if M is None:
        return None
    shown = np.sort(np.argsort(-np.diag(M), kind="stable")[:MOST_FEATURES])
    names = [findings.feature_names[i] for i in shown]
    return {"names": names, "matrix": rounded(M[np.ix_(shown, shown)]), "n_features": len(M)}


def weights(findings: Findings) -> dict[str, Any] | None:
    """Weights of the features with their range over replicas, in the order of the importances."""
    return None if findings.weights is None else _bars(findings, findings.weights, findings.weight_range)


def importances(findings: Findings) -> dict[str, Any] | None:
    """Importances with one standard error to both sides, the largest first."""
    if findings.importances is None:
        return None
    mean, error = findings.importances, findings.importance_errors
    return _bars(findings, mean, (mean - error, mean + error)) | {"score": findings.score_name}


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
    if len(np.unique(selection.get("n_neighbors", ()))) < 2:
        return None
    if "error" in selection:
        curves = [{"name": "", "k": selection["n_neighbors"].tolist(), "error": rounded(selection["error"])}]
    else:
        tried = tried_candidates(selection)
        curves = [{"name": c.label, "k": c.n_neighbors.tolist(), "error": rounded(c.error)} for c in tried]
    curves.sort(key=lambda curve: min((e for e in curve["error"] if e is not None), default=np.inf))
    unit = "squared error, of the variance" if findings.is_regression else "error"
    return {"curves": curves[:MOST_CURVES], "n_curves": len(curves), "chosen": findings.n_neighbors, "unit": unit}


def tried(findings: Findings) -> dict[str, Any] | None:
    """The table of candidates: header, rows of texts from the lowest error, their number, the column of the error."""
    selection = findings.selection
    if not selection:
        return None
    error = "error" if "error" in selection else error_column(selection)
    order = np.argsort(selection[error], kind="stable")
    forms = [(values, "{:.3g}".format if values.dtype.kind == "f" else clipped) for values in selection.values()]
    rows = [[form(values[i]) for values, form in forms] for i in order[:MOST_TRIED]]
    return {"header": [clipped(name) for name in selection], "rows": rows, "n": len(order), "error": error}


def confused(findings: Findings) -> dict[str, Any] | None:
    """Counts of true and predicted classes."""
    if findings.confusion is None:
        return None
    n = int(findings.confusion.sum())
    wrong = n - int(np.trace(findings.confusion))
    return {"names": findings.class_names, "counts": findings.confusion.tolist(), "n": n, "wrong": wrong}


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
    """R^2, errors and coverage of the intervals, of the rows with a prediction."""
    truth, predicted, bounded = known.truth[known.scored], known.predicted[known.scored], known.bounded
    found = {"n": len(truth), **dict.fromkeys(("r2", "mae", "rmse", "coverage", "width"), np.nan)}
    if len(np.unique(truth)) > 1:
        found["r2"] = r2(truth, predicted)
    if len(truth):
        found |= {"mae": mae(truth, predicted), "rmse": rmse(truth, predicted)}
    if bounded.any():
        found |= {"coverage": known.held[bounded].mean(), "width": np.median((known.high - known.low)[bounded])}
    return found


def story(known: TargetFindings, row: int) -> dict[str, Any]:
    """The parts of the prediction of a row, in units of the target."""

    def at_row(arrays):
        return {name: rounded(float(values[row]), DIGITS) for name, values in arrays.items()}

    parts = {**dict.fromkeys(("neighbors", "pull", "rest")), **at_row(known.parts)}
    ends = at_row({name: getattr(known, name) for name in ("truth", "predicted", "low", "high")})
    return {**ends, **parts, "trends": [{"words": words, **at_row(trend)} for words, trend in known.trends]}
