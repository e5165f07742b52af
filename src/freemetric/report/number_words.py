"""What stands under figures where the target is a number."""

from typing import Any

import numpy as np

from .findings import Findings
from .numbers import scores


def number_facts(findings: Findings) -> list[tuple[str, str]]:
    """Names and values for the head of the page."""
    if findings.numbers is None:
        return []
    known = scores(findings.numbers)
    how = "out of bag" if "out-of-bag" in findings.judged_by else "see predictions"
    facts = [("target", "a number, averaged as logarithms" if findings.numbers.log else "a number")]
    if known["n"]:
        facts += [(f"R², {how}", _short(known["r2"])), ("mean absolute error", _short(known["mae"]))]
    return facts


def predicted_words(findings: Findings) -> str:
    """Of the predictions as a whole."""
    if findings.numbers is None or not findings.numbers.judged.any():
        return "No rows with numbers to judge. Give X and y to the report."
    known = scores(findings.numbers)
    outside = "; what is orange lies outside of its interval" if np.isfinite(known["coverage"]) else ""
    errors = f"mean absolute error {_short(known['mae'])}, root mean squared error {_short(known['rmse'])}"
    all_rows = f"{known['n']:,} rows, by {findings.judged_by}: R² {_short(known['r2'])}, {errors}."
    return f"{all_rows} On the line they agree{outside}."


def residual_words(findings: Findings) -> str:
    """Of what is left."""
    if findings.numbers is None:
        return ""
    shape = "Points that rise, fall or fan out along the way say what the model has missed."
    if findings.numbers.log:
        return f"True numbers divided by predicted ones, for numbers that are averaged as logarithms. {shape}"
    return f"True minus predicted numbers. {shape}"


def interval_words(findings: Findings) -> str:
    """Of the intervals."""
    if findings.numbers is None:
        return ""
    known, of = scores(findings.numbers), findings.numbers
    if not np.isfinite(known["coverage"]):
        return f"{findings.learner} gives no intervals."
    held = f"{known['coverage']:.1%} of the intervals hold the truth, {1 - of.alpha:.0%} should"
    typical = f"the median width is {_short(known['width'])}"
    fair = " Their widths come from these rows, so that the share is right by itself." if findings.learned_from else ""
    order = "Rows from the narrowest interval to the widest: it is wide where neighbours disagree."
    return f"{order} {held}; {typical}.{fair}"


def row_words(findings: Findings, explanations: dict[str, Any] | None) -> str:
    """Of single rows."""
    if explanations is None:
        return "No patterns to explain. Give X and y to the report."
    n, in_all = len(explanations["rows"]), len(findings.rows) if findings.rows is not None else 0
    some = (
        "" if n == in_all else f" {n} of {in_all:,} rows can be chosen, those outside of their interval before others."
    )
    units = "" if findings.aligned else " Values are shown as they meet the map, not as in the table."
    shares = f"{units} A share below zero is of a feature that brings the two rows nearer."
    what = "Choose a row to see its nearest neighbours with their numbers, and the features that make them near or far."
    training_set = "" if findings.training_set is None else " Rows without a weight are not asked."
    return f"{what}{_trends(findings)}{some}{training_set}{shares if findings.inputs is not None else ''}"


def _trends(findings):
    parts = [f"{words} (strength {strength:.2g})" for words, strength in findings.beside_votes]
    if parts:
        return f" Beside the neighbours a trend counts: {' and '.join(parts)}."
    return " No trend counts beside the neighbours." if findings.numbers and findings.numbers.trends else ""


def _short(value):
    return f"{value:.3g}" if np.isfinite(value) else "unknown"
