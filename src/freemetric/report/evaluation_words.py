"""The page of an evaluation in words and numbers, for those who do not see its figures."""

from collections.abc import Mapping
from typing import Any

from .encode import clipped

LONGEST_NAME = 60
NONE = "\N{EN DASH}"


def facts(found: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Names and values for the head of the page."""
    rows = [row for row in found["results"] if row["method"] != found["baseline"]]
    known = [row for row in rows if row["error"] is not None]
    pairs = []
    if known and not _has_several(found):
        best = min(known, key=lambda row: row["error"])
        pairs += [("lowest error", f"{best['error']:.2f} % ({best['method']})"), *_constant(found)]
        pairs += [("rows", f"{sum(line['rows'] for line in best.get('classes', [])):,}")]
        pairs += [("classes", f"{len(best.get('classes', [])):,}")]
    else:
        pairs.append(("files", f"{len({row['file'] for row in rows}):,}"))
    return [*pairs, ("cross-validation", f"{found['repeats']} x {found['folds']} folds")]


def _constant(found):
    errors = [row["error"] for row in found["results"] if row["method"] == found["baseline"]]
    return [("always the most frequent class", f"{errors[0]:.2f} %")] if errors and errors[0] is not None else []


def header(found: Mapping[str, Any]) -> list[str]:
    """Of the table of scores."""
    titles = ["method", "error in %", *(_title(score) for score in _shown(found)), "seconds"]
    return ["file", *titles] if _has_several(found) else titles


def cells(found: Mapping[str, Any]) -> list[list[str]]:
    """Rows of the table of scores, means with their standard errors."""
    return [
        [
            *([clipped(row["file"], LONGEST_NAME)] if _has_several(found) else []),
            row["method"],
            _failed(row) or _with_error(row["error"], row["uncertainty"], 2),
            *(_score(row, score) for score in _shown(found)),
            f"{row['seconds']:.2f}",
        ]
        for row in found["results"]
    ]


def _has_several(found):
    return len({row["file"] for row in found["results"]}) > 1


def _shown(found):
    return [score for score in found["scores"] if score["name"] != "accuracy"]  # which the error tells


def _title(score):
    return clipped(f"{score['title']} in %" if score["in_percent"] else score["title"])


def _failed(row):
    return "" if row["error"] is not None else "over the limit" if row["over_limit"] else "failed"


def _score(row, score):
    told = row["scores"].get(score["name"])
    unit, digits = (100, 2) if score["in_percent"] else (1, 3)
    return NONE if told is None else _with_error(_times(unit, told["mean"]), _times(unit, told["uncertainty"]), digits)


def _times(unit, value):
    return None if value is None else unit * value


def _with_error(mean, error, digits):
    """A number that is none, NaN or None, is a dash."""
    if mean is None or mean != mean:
        return NONE
    return f"{mean:.{digits}f}" + ("" if error is None or error != error else f" \u00b1 {error:.{digits}f}")


def captions(found: Mapping[str, Any]) -> dict[str, str]:
    """A sentence or two for every section."""
    repeats = found["repeats"]
    times = f" Every row was judged {repeats} times, once in each repeat." if repeats > 1 else ""
    return {
        "scores": "Points are means over splits, lines their standard errors, which count that splits share training "
        "rows. The dashed line is a constant answer: the most frequent class, and the shares of the classes.",
        "confusion": f"Counts of the test rows; shades are shares of the true class.{times}",
        "calibration": "How often what was predicted came true, against its probability: on the diagonal probabilities "
        "mean what they say, below it they promise too much. Bins hold about equally many rows; lines, of the chosen "
        "method alone, are 95 % intervals.",
        "roc": "Share of the positive class that is found against the share of the others that is taken for it, at "
        "every threshold of the probability. Test rows of all splits together; the AUC in the table is the mean over "
        "splits.",
        "curve": "Error on the same test rows after learning from a part of the training rows, in the first repeat; "
        "lines are standard errors.",
    }
