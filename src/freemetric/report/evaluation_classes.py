"""What the page of an evaluation shows where the target is a class: confusion, calibration, ROC."""

from collections.abc import Mapping
from typing import Any

from .encode import clipped, rounded
from .evaluation_words import Pairs, best_of, error_of_constant

TEMPLATE = "evaluation_classes.html"
SCRIPT = "evaluation_classes"


def shown(found: Mapping[str, Any]) -> dict[str, bool]:
    """What there is to be drawn."""
    return {f"has_{name}": any(row.get(name) for row in found["results"]) for name in ("roc", "calibration")}


def details(row: Mapping[str, Any]) -> dict[str, Any]:
    """Of one method on one file."""
    roc = row.get("roc")
    return {
        "classes": [_class(line) for line in row.get("classes", [])],
        "confusion": row.get("confusion"),
        "calibration": _calibration(row.get("calibration")),
        "roc": roc and {name: rounded(rates) for name, rates in roc.items()},
    }


def _class(line):
    name, rows, shares = clipped(line["class"]), line["rows"], (line["recall"], line["precision"], line["f1"])
    taken_for = "" if line["taken_for"] is None else f"{clipped(line['taken_for'], 60)} ({line['how_often']})"
    return [name, rows, *rounded(shares), taken_for]


def _calibration(found):
    if found is None:
        return None
    bins = [rounded([part[name] for name in ("chance", "share", "low", "high", "rows")]) for part in found["bins"]]
    return {"of": None if found["of"] is None else clipped(found["of"], 60), "bins": bins}


def facts(found: Mapping[str, Any]) -> Pairs:
    """Of the best method, for the head of the page."""
    best = best_of(found)
    if best is None:
        return []
    classes = best.get("classes", [])
    return [
        ("lowest error", f"{best['error']:.2f} % ({best['method']})"),
        *error_of_constant(found, "always the most frequent class"),
        ("rows", f"{sum(line['rows'] for line in classes):,}"),
        ("classes", f"{len(classes):,}"),
    ]


def tables(found: Mapping[str, Any]) -> dict[str, Any]:
    """Beside that of scores; those of classes follow the chosen method, in the browser."""
    return {}


def captions(found: Mapping[str, Any]) -> dict[str, str]:
    """A sentence or two for every section."""
    repeats = found["repeats"]
    times = f" Every row was judged {repeats} times, once in each repeat." if repeats > 1 else ""
    return {
        "scores": "The dashed line is a constant answer: the most frequent class, and the shares of the classes.",
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
