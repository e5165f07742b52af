"""The metric, the choice of k, what was tried, and what was confused."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .encode import clipped, rounded
from .findings import Findings
from .space import heaviest

MOST_FEATURES, MOST_BARS, MOST_CURVES, MOST_TRIED = 40, 20, 8, 200
ERRORS = ("oob_error", "error", "oob_brier", "oob_squared")  # what choices are judged by, the first there is
RESULTS = {
    *ERRORS,
    "oob_absolute",
    "weight",
    "n_replicas",
    "n_neighbors",
}  # tell no candidate from another


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
    unit = "squared error, of the variance" if findings.of_numbers else "error"
    best = {"curves": curves[:MOST_CURVES], "n_curves": len(curves)}
    return {**best, "chosen": findings.n_neighbors, "judge": judge, "unit": unit}


def candidates(selection: Mapping[str, NDArray]) -> list[str]:
    """For every row of the table the words that tell its candidate from the others."""
    names = [""] * len(next(iter(selection.values())))
    for column, values in selection.items():
        if column in RESULTS:
            continue
        words = [_cell(value) if values.dtype.kind in "OUS" else f"{column} {_cell(value)}" for value in values]
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
