"""What the page of an evaluation shows of classification and of regression."""

from collections.abc import Mapping
from math import floor, log10
from typing import Any

from .document import clipped, rounded

LARGEST_WRITTEN_OUT = 1e15
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

Evaluation = Mapping[str, Any]
Row = Mapping[str, Any]
Pairs = list[tuple[str, str]]


class Classification:
    """Confusion, calibration and ROC."""

    name = "classes"  # in the names of the template and the script
    constant = "always the most frequent class"
    unit = "%"

    def shown(self, found: Evaluation) -> dict[str, bool]:
        """What there is to draw."""
        return {f"has_{name}": any(row.get(name) for row in found["results"]) for name in ("roc", "calibration")}

    def details(self, row: Row) -> dict[str, Any]:
        """Of one method on one file."""
        roc, calibration = row.get("roc"), row.get("calibration")
        return {
            "classes": [_class(line) for line in row.get("classes", [])],
            "confusion": row.get("confusion"),
            "calibration": calibration and _calibration(calibration),
            "roc": roc and {name: rounded(rates) for name, rates in roc.items()},
        }

    def facts(self, found: Evaluation, best: Row) -> Pairs:
        """Of the best method, for the head of the page."""
        classes = best.get("classes", [])
        return [("rows", f"{sum(line['rows'] for line in classes):,}"), ("classes", f"{len(classes):,}")]

    def tables(self, found: Evaluation) -> dict[str, Any]:
        """Beside that of scores; those of classes follow the chosen method, in the browser."""
        return {}

    def captions(self, found: Evaluation) -> dict[str, str]:
        """A sentence or two for every section."""
        repeats = found["repeats"]
        times = f" Every row was predicted {repeats} times, once in each repeat." if repeats > 1 else ""
        return {
            "scores": "The dashed line is a constant prediction: the most frequent class, and the shares of classes.",
            "confusion": f"Counts of the test rows; shades are shares of the true class.{times}",
            "calibration": "How often a predicted class is the true one, against its probability: on the diagonal "
            "probabilities are calibrated, below it they are too high. Bins hold about equally many rows; lines, of "
            "the chosen method alone, are 95 % intervals.",
            "roc": "Share of the positive class that is found against the share of the others that is taken for it, "
            "at every threshold of the probability. Test rows of all splits together; the AUC in the table is the mean "
            "over splits.",
            "curve": "Error on the same test rows after learning from a part of the training rows, in the first "
            "repeat; lines are standard errors.",
        }


def _class(line):
    shares = rounded((line["recall"], line["precision"], line["f1"]))
    taken_for = "" if line["taken_for"] is None else f"{clipped(line['taken_for'], 60)} ({line['how_often']})"
    return [clipped(line["class"]), line["rows"], *shares, taken_for]


def _calibration(found):
    bins = [rounded([part[name] for name in ("chance", "share", "low", "high", "rows")]) for part in found["bins"]]
    return {"of": None if found["of"] is None else clipped(found["of"], 60), "bins": bins}


class Regression:
    """Predictions, residuals and prediction intervals."""

    name = "numbers"
    constant = "always the mean"
    unit = "% of the standard deviation"

    def shown(self, found: Evaluation) -> dict[str, bool]:
        """What there is to draw; the intervals of the constant prediction alone are not."""
        methods = [row for row in found["results"] if row["method"] != found["baseline"]]
        return {
            "has_predictions": any(row.get("predictions") for row in methods),
            "has_intervals": any(_intervals(row) for row in methods),
        }

    def details(self, row: Row) -> dict[str, Any]:
        """Of one method on one file."""
        predictions = row.get("predictions")
        return {"predictions": predictions and _predictions(predictions), "intervals": _intervals(row)}

    def facts(self, found: Evaluation, best: Row) -> Pairs:
        """Of the best method, for the head of the page."""
        by_name = {score["name"]: score for score in found["scores"]}
        return [
            ("its R²", score_words(best, by_name["r2"])),
            ("its mean absolute error", score_words(best, by_name["mae"])),
            *([("rows", f"{best['predictions']['rows']:,}")] if best.get("predictions") else []),
        ]

    def tables(self, found: Evaluation) -> dict[str, Any]:
        """Beside that of scores: residuals, and coverage and width of the intervals."""
        scores = [score for score in found["scores"] if score["name"].startswith((COVERAGE, WIDTH))]
        off = ((row, _off(row["residuals"])) for row in found["results"] if row.get("residuals"))
        worth = ((row, [score_words(row, score) for score in scores]) for row in found["results"] if _intervals(row))
        return {
            "residual_table": table_of(found, RESIDUALS.values(), off),
            "interval_table": table_of(found, map(score_title, scores), worth),
        }

    def captions(self, found: Evaluation) -> dict[str, str]:
        """A sentence or two for every section."""
        again = ", in the first repeat" if found["repeats"] > 1 else ""
        return {
            "scores": "The dashed line is a constant prediction: the mean of the training targets, and their "
            "quantiles. The error is the RMSE in % of the standard deviation of the target.",
            "predicted": f"Every point is a test row{again}. On the line both agree.{_some(found)}",
            "residuals": "True minus predicted targets. Points that rise, fall or fan out along the way show what the "
            "method has missed.",
            "off": "Distances between true and predicted targets of all test rows, in the unit of the target.",
            "coverage": "Share of the test rows inside of their intervals, against the share that is promised: on the "
            "dashed line intervals are calibrated, below it they are too narrow. Lines are standard errors.",
            "width": "Mean width in the unit of the target. Of two calibrated methods, the narrower is better.",
            "curve": "RMSE in % of the standard deviation of the target on the same test rows, after learning from a "
            "part of the training rows, in the first repeat; lines are standard errors.",
        }


def _predictions(found):
    """With residuals of their own, which rounded predictions would blur."""
    truth, told = found["truth"], found["told"]
    left = [None if None in pair else pair[0] - pair[1] for pair in zip(truth, told, strict=True)]
    return {"truth": rounded(truth, DIGITS), "told": rounded(told, DIGITS), "left": rounded(left)}


def _intervals(row):
    """Level in %, coverage in % and width, these with their standard errors; empty where a method has none."""
    levels = [name.removeprefix(COVERAGE) for name in row["scores"] if name.startswith(COVERAGE)]
    known = [(float(level), _pair(row, COVERAGE + level), _pair(row, WIDTH + level)) for level in levels]
    return [
        rounded([level, *(_times(100, share) for share in held), *width])
        for level, held, width in known
        if rounded(held[0]) is not None
    ]


def _pair(row, name):
    return row["scores"][name]["mean"], row["scores"][name]["uncertainty"]


def _off(residuals):
    """In the order of RESIDUALS; a mean of no more decimals than the distances have, or it would be dust."""
    mean, *distances = (residuals[name] for name in RESIDUALS)
    half = rounded(residuals["half"])
    mean = round(mean, 3 - floor(log10(half))) + 0.0 if half else mean
    return [in_units(value) for value in (mean, *distances)]


def _some(found):
    """Where not all rows are drawn, that they are not."""
    told = [row["predictions"] for row in found["results"] if row.get("predictions")]
    most = max((len(one["truth"]) for one in told if len(one["truth"]) < one["rows"]), default=None)
    return "" if most is None else f" Of more rows {most:,} are drawn, evenly from the lowest target to the highest."


def table_of(found: Evaluation, titles: Any, lines: Any) -> tuple[list[str], list[list[str]]]:
    """Header and lines of a table, from results and their cells."""
    several = len({row["file"] for row in found["results"]}) > 1
    header = [*(["file"] if several else []), "method", *titles]
    names = ((row, [clipped(row["file"], LONGEST_NAME)] if several else [], cells) for row, cells in lines)
    return header, [[*file, row["method"], *cells] for row, file, cells in names]


def score_title(score: Mapping[str, Any]) -> str:
    """With the unit."""
    return clipped(f"{score['title']} in %" if score["in_percent"] else score["title"])


def score_words(row: Row, score: Mapping[str, Any]) -> str:
    """Mean and standard error of a score."""
    if score["name"] not in row["scores"]:
        return NONE
    mean, error = _pair(row, score["name"])
    if score["in_units"]:
        return in_units(mean, error)
    unit, digits = (100, 2) if score["in_percent"] else (1, 3)
    return with_error(_times(unit, mean), _times(unit, error), digits)


def with_error(mean: float | None, error: float | None, digits: int) -> str:
    """A number that is none, NaN or None, is a dash."""
    if not _is_number(mean):
        return NONE
    return f"{mean:.{digits}f}" + (f" \u00b1 {error:.{digits}f}" if _is_number(error) else "")


def in_units(mean: float | None, error: float | None = None) -> str:
    """A number of any size, in a unit that only its owner knows.

    Examples
    --------
    >>> in_units(123456.7, 1234.5), in_units(1.23456), in_units(0.000123456, 0.0000234)
    ('123457 ± 1234', '1.235', '0.0001235 ± 2.3e-05')
    """
    if not _is_number(mean):
        return NONE
    return _significant(mean, 4) + (f" \u00b1 {_significant(error, 2)}" if _is_number(error) else "")


def _significant(number, digits):
    """So many digits, and all of those before the point."""
    return f"{number:.0f}" if 10**digits <= abs(number) < LARGEST_WRITTEN_OUT else f"{number:.{digits}g}"


def _is_number(value):
    return value is not None and value == value


def _times(unit, value):
    return None if value is None else unit * value
