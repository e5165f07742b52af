"""Space, metric, choice of k, predictions and the Monte Carlo run as JSON values."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..display.embedding import main_axes
from ..display.neighbors_curve import error_column, tried_candidates
from ..display.style import class_color, class_marker
from ..display.trace import smoothed
from ..magnitudes import mae, r2, rmse
from ..mc.diagnostics import FEWEST_STEPS, effective_sample_size, split_r_hat
from ..metrics.averaged_metric import singular_vectors
from .document import clipped, column, evenly, packed, rounded
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
    novelty = [] if findings.p_values is None else [column("p-value of novelty", findings.p_values)]
    return {
        "index": packed(findings.rows, "i4"),
        "class": packed(np.zeros(len(findings.rows)) if findings.y is None else findings.y, "i4"),
        "columns": [column(*findings.columns[j]) for j in chosen] + novelty,
        "n_columns": len(findings.columns) + len(novelty),
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
    shown = []
    for name, samples in (("before learning", findings.before), (f"learned by {findings.learner}", findings.Z)):
        if samples is not None:
            points, share = main_axes(samples, 3)
            shown.append({"name": name, "points": [*map(packed, points.T)], "share": rounded(share, 3)})
    return shown


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


MOST_MOVING = 600  # rows that move smoothly in a browser
MOST_CELLS = 150_000  # of the samples behind them
MOST_STEPS = 400  # drawn
FEW_LINES, MOST_LINES = 4, 8


def motion(findings: Findings) -> dict[str, Any] | None:
    """Samples and the maps of the run, all seen along the main axes of where it ended.

    One projection for all frames, so that what moves is the space and not the eye. The page multiplies.
    """
    if findings.snapshots is None:
        return None
    shots = findings.snapshots
    X = shots.samples - shots.samples.mean(axis=0)
    shown = evenly(len(X), min(MOST_MOVING, max(100, MOST_CELLS // X.shape[1])))
    axes = singular_vectors(shots.form.map(X, shots.maps[-1]))[1][:3]

    def at_steps(name):
        """The replica's value after so many steps; nothing is known of the start."""
        if findings.trace is None:
            return None
        values = findings.trace[name][:, shots.replica]
        return [rounded(values[s - 1]) if 0 < s <= len(values) else None for s in shots.step.tolist()]

    seen = np.array([shots.form.seen_along(axes, A) for A in shots.maps])  # (S, 3, d)
    return {
        "step": shots.step.tolist(),
        "n_axes": seen.shape[1],
        "maps": packed(seen),
        "samples": packed(X[shown]),
        "n_features": X.shape[1],
        "n_moving": len(shown),
        "rows": packed(shown, "i4"),
        "reach": rounded(np.abs(X[shown] @ np.swapaxes(seen, 1, 2)).max(axis=(1, 2)), 4),
        **{name: at_steps(name) for name in ("energy", "temperature")},
    }


def traces(findings: Findings) -> dict[str, Any] | None:
    """Lines to draw: every replica where there are few or each has its temperature, else median and range."""
    if findings.trace is None:
        return None
    T = findings.trace["temperature"]
    shown = evenly(len(T), MOST_STEPS)
    n_replicas = T.shape[1]
    lines = n_replicas <= FEW_LINES or (n_replicas <= MOST_LINES and bool((T[:, :1] != T).any()))
    values = {**findings.trace, "acceptance": smoothed(findings.trace["acceptance"])}

    def panel(values):
        if lines:
            return {"lines": rounded(values.T)}
        ends = (function(values, axis=1) for function in (np.nanmedian, np.nanmin, np.nanmax))
        return dict(zip(("median", "low", "high"), map(rounded, ends), strict=True))

    return {
        "step": (shown + 1).tolist(),
        "panels": {name: panel(values[name][shown]) for name in ("energy", "temperature", "acceptance")},
        "n_replicas": n_replicas,
        "burn_in": burnt(len(T), findings.burn_in),
        "log_temperature": bool(np.nanmin(T) > 0 and np.nanmax(T) > 10 * np.nanmin(T)),
    }


def burnt(n_steps: int, burn_in: float) -> int:
    """Steps of the burn-in, a share of them all; a short run keeps enough others for the diagnostics."""
    return min(int(np.ceil(burn_in * n_steps)), max(n_steps - FEWEST_STEPS, n_steps // 2))


def diagnostics(findings: Findings) -> list[tuple[str, str, str]]:
    """Rows (name, value, what it means) about the energy after burn-in."""
    trace = findings.trace
    if trace is None:
        return []
    in_all = len(trace["energy"])
    start = burnt(in_all, findings.burn_in)
    chains, T = trace["energy"][start:], trace["temperature"][start:]
    n_steps, n_replicas = chains.shape
    if findings.one_target:
        r_hat, size, whose = split_r_hat(chains), effective_sample_size(chains), ""
    else:
        alone = [(split_r_hat(c), effective_sample_size(c)) for c in np.split(chains, n_replicas, axis=1)]
        known = [pair for pair in alone if np.isfinite(pair).all()]
        r_hat, size = np.median(known, axis=0) if known else (np.nan, np.nan)
        whose = "; the median of the replicas, each alone"
    fell = bool((np.diff(T, axis=0) < 0).any())
    each = f", for each of {n_replicas} replicas" if n_replicas > 1 else ""
    caveat = "; the temperature still fell, so the run was not at rest" if fell else ""
    return [
        ("steps after burn-in", f"{n_steps}", f"of {in_all}{each}"),
        ("split R-hat", _number(r_hat, ".2f"), f"1 where a run has come to rest, above 1.01 not quite{whose}{caveat}"),
        ("effective sample size", _number(size, ".0f"), f"independent draws that these energies are worth{whose}"),
        ("acceptance", _number(np.nanmean(trace["acceptance"]), ".0%"), "of all trials"),
    ]


def _number(value, form):
    return format(value, form) if np.isfinite(value) else "unknown: too few steps, or none that moved"
