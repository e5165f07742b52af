"""The Monte Carlo run: the space as it moves, the traces, and diagnostics."""

from typing import Any

import numpy as np

from ..display.trace import smoothed
from ..mc.diagnostics import FEWEST_STEPS, effective_sample_size, split_r_hat
from .document import evenly, packed, rounded
from .findings import Findings

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
    axes = np.linalg.svd(shots.form.map(X, shots.maps[-1]), full_matrices=False)[2][:3]
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
        **{name: _at_steps(findings.trace, name, shots) for name in ("energy", "temperature")},
    }


def _at_steps(trace, name, shots):
    """The replica's value after so many steps; nothing is known of the start."""
    if trace is None:
        return None
    values = trace[name][:, shots.replica]
    return [rounded(values[s - 1]) if 0 < s <= len(values) else None for s in shots.step.tolist()]


def traces(findings: Findings) -> dict[str, Any] | None:
    """Lines to draw: every replica where there are few or each has its temperature, else median and range."""
    if findings.trace is None:
        return None
    T = findings.trace["temperature"]
    shown = evenly(len(T), MOST_STEPS)
    n_replicas = T.shape[1]
    lines = n_replicas <= FEW_LINES or (n_replicas <= MOST_LINES and bool((T[:, :1] != T).any()))
    values = {**findings.trace, "acceptance": smoothed(findings.trace["acceptance"])}
    return {
        "step": (shown + 1).tolist(),
        "panels": {name: _panel(values[name][shown], lines) for name in ("energy", "temperature", "acceptance")},
        "n_replicas": n_replicas,
        "burn_in": burnt(len(T), findings.burn_in),
        "log_temperature": bool(np.nanmin(T) > 0 and np.nanmax(T) > 10 * np.nanmin(T)),
    }


def _panel(values, lines):
    if lines:
        return {"lines": rounded(values.T)}
    median, low, high = np.nanmedian(values, axis=1), np.nanmin(values, axis=1), np.nanmax(values, axis=1)
    return {"median": rounded(median), "low": rounded(low), "high": rounded(high)}


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
