"""Predicted against true numbers, what is left, and intervals: what the page shows where the target is a number."""

from typing import Any

import numpy as np

from .encode import packed, rounded
from .findings import Findings, NumberFindings

DIGITS = 10  # numbers far from zero differ in their last digits
RARE = 0.01  # of the numbers, at each end, share a colour


def numbers(findings: Findings) -> dict[str, Any] | None:
    """What is known of every row shown, and the range of the colours."""
    known = findings.numbers
    if known is None or not len(known.truth):
        return None
    return {
        "truth": packed(known.truth, "f8"),
        "predicted": packed(known.predicted, "f8"),
        "low": packed(known.low, "f8"),
        "high": packed(known.high, "f8"),
        "has_intervals": bool(np.isfinite(known.low).any()),
        "log": known.log,
        "pull_words": known.pull_words,
        "alpha": known.alpha,
        "colours": rounded(np.quantile(known.truth, [RARE, 1 - RARE]), DIGITS),
    }


def scores(known: NumberFindings) -> dict[str, Any]:
    """R^2, errors and the share of intervals that hold the truth, of the rows that were judged."""
    judged = known.judged
    truth, off = known.truth[judged], (known.truth - known.predicted)[judged]
    squares = ((truth - truth.mean()) ** 2).sum() if len(truth) else 0.0
    bounded = judged & np.isfinite(known.low)
    return {
        "n": len(truth),
        "r2": 1 - (off**2).sum() / squares if squares > 0 else np.nan,
        "mae": np.abs(off).mean() if len(off) else np.nan,
        "rmse": np.sqrt((off**2).mean()) if len(off) else np.nan,
        "coverage": known.held[bounded].mean() if bounded.any() else np.nan,
        "width": np.median((known.high - known.low)[bounded]) if bounded.any() else np.nan,
    }


def story(known: NumberFindings, row: int) -> dict[str, Any]:
    """What the prediction of a row is made of, in units of the target."""
    told = {
        "truth": known.truth[row],
        "predicted": known.predicted[row],
        "low": known.low[row],
        "high": known.high[row],
        "neighbors": np.nan if known.neighbors is None else known.neighbors[row],
        "pull": np.nan if known.pull is None else known.pull[row],
        "rest": np.nan if known.rest is None else known.rest[row],
    }
    trends = [
        {"words": trend.words, **{name: _number(getattr(trend, name)[row]) for name in ("here", "around", "adds")}}
        for trend in known.trends
    ]
    return {name: _number(value) for name, value in told.items()} | {"trends": trends}


def _number(value):
    return rounded(float(value), DIGITS)
