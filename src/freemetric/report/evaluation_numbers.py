"""What the page of an evaluation shows where the target is a number: predictions, residuals, intervals."""

from collections.abc import Mapping
from math import floor, log10
from typing import Any

from .encode import rounded
from .evaluation_words import Pairs, best_of, error_of_constant, in_units, score_title, score_words, table_of

TEMPLATE = "evaluation_numbers.html"
SCRIPT = "evaluation_numbers"
RESIDUALS = {
    "mean": "mean of true \N{MINUS SIGN} predicted",
    "half": "half are off by at most",
    "nine_in_ten": "nine in ten by at most",
    "largest": "all by at most",
}
COVERAGE, WIDTH = "coverage_", "width_"  # how the names of their scores begin; what follows is the level in %
DIGITS = 9  # of numbers to predict: those far from zero differ in their last digits


def shown(found: Mapping[str, Any]) -> dict[str, bool]:
    """What there is to be drawn; the intervals of the constant answer alone are nothing to look at."""
    methods = [row for row in found["results"] if row["method"] != found["baseline"]]
    return {
        "has_predictions": any(row.get("predictions") for row in methods),
        "has_intervals": any(_intervals(row) for row in methods),
    }


def details(row: Mapping[str, Any]) -> dict[str, Any]:
    """Of one method on one file."""
    return {"predictions": _predictions(row.get("predictions")), "intervals": _intervals(row)}


def _predictions(found):
    """With residuals of their own, which rounded predictions would blur."""
    if found is None:
        return None
    truth, told = found["truth"], found["told"]
    left = [None if None in pair else pair[0] - pair[1] for pair in zip(truth, told, strict=True)]
    return {"truth": rounded(truth, DIGITS), "told": rounded(told, DIGITS), "left": rounded(left)}


def _intervals(row):
    """Level in %, coverage in % and width, these with their standard errors; empty where a method tells none."""
    levels = [name.removeprefix(COVERAGE) for name in row["scores"] if name.startswith(COVERAGE)]
    known = [(float(level), row["scores"][COVERAGE + level], row["scores"][WIDTH + level]) for level in levels]
    return [
        rounded([level, *(100 * share if share is not None else None for share in _pair(held)), *_pair(width)])
        for level, held, width in known
        if rounded(held["mean"]) is not None
    ]


def _pair(score):
    return score["mean"], score["uncertainty"]


def facts(found: Mapping[str, Any]) -> Pairs:
    """Of the best method, for the head of the page."""
    best = best_of(found)
    if best is None:
        return []
    by_name = {score["name"]: score for score in found["scores"]}
    return [
        ("lowest error", f"{best['error']:.2f} % of the standard deviation ({best['method']})"),
        *error_of_constant(found, "always the mean"),
        ("its R²", score_words(best, by_name["r2"])),
        ("its mean absolute error", score_words(best, by_name["mae"])),
        *([("rows", f"{best['predictions']['rows']:,}")] if best.get("predictions") else []),
    ]


def tables(found: Mapping[str, Any]) -> dict[str, Any]:
    """Beside that of scores: how far predictions are off, and what intervals are worth."""
    judged = [row for row in found["results"] if row.get("residuals")]
    sure = [row for row in found["results"] if _intervals(row)]
    scores = [score for score in found["scores"] if score["name"].startswith((COVERAGE, WIDTH))]
    off = ((row, _off(row["residuals"])) for row in judged)
    worth = ((row, [score_words(row, score) for score in scores]) for row in sure)
    return {
        "residual_table": table_of(found, RESIDUALS.values(), off),
        "interval_table": table_of(found, map(score_title, scores), worth),
    }


def _off(residuals):
    """In the order of RESIDUALS; a mean of no more decimals than the distances have, or it would be dust."""
    mean, half = residuals["mean"], rounded(residuals["half"])
    decimals = 3 - floor(log10(half)) if half else None
    return [in_units(mean if decimals is None else round(mean, decimals) + 0.0), *map(in_units, _distances(residuals))]


def _distances(residuals):
    return [residuals[name] for name in RESIDUALS if name != "mean"]


def captions(found: Mapping[str, Any]) -> dict[str, str]:
    """A sentence or two for every section."""
    again = ", in the first repeat" if found["repeats"] > 1 else ""
    return {
        "scores": "The dashed line is a constant answer: the mean of the training numbers, and their quantiles. "
        "The error is the RMSE in % of the standard deviation of the target.",
        "predicted": f"Every point is a test row{again}. On the line both numbers agree.{_some(found)}",
        "residuals": "True minus predicted numbers. Points that rise, fall or fan out along the way say what the "
        "method has missed.",
        "off": "Distances between true and predicted numbers of all test rows, in the unit of the target.",
        "coverage": "Share of the test rows inside of their intervals, against the share that is promised: on the "
        "dashed line intervals keep their word, below it they are too narrow. Lines are standard errors.",
        "width": "Mean width in the unit of the target. Of two methods that keep their word, the narrower knows more.",
        "curve": "RMSE in % of the standard deviation of the target on the same test rows, after learning from a part "
        "of the training rows, in the first repeat; lines are standard errors.",
    }


def _some(found):
    """Where not all rows are drawn, that they are not."""
    told = [row["predictions"] for row in found["results"] if row.get("predictions")]
    most = max((len(one["truth"]) for one in told if len(one["truth"]) < one["rows"]), default=None)
    return "" if most is None else f" Of more rows {most:,} are drawn, evenly from the lowest number to the highest."
