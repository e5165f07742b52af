"""What figures of an evaluation show: if probabilities are right, what a threshold gives, how far off numbers are."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import roc_curve

from .answers import Answers
from .number_answers import NumberAnswers
from .scores import confusion, f1, precision, recall

MOST_BINS = 10
MOST_POINTS = 200  # of a curve
MOST_PREDICTIONS = 1000
MOST_CLASSES = 100  # whose confusion is told in full
Z = 1.96  # of a 95 % interval


def of_answers(answers: Answers | NumberAnswers, repeats: int) -> dict[str, Any]:
    """All there is to show of answers."""
    if isinstance(answers, NumberAnswers):
        return {"predictions": predictions(answers, repeats), "residuals": residuals(answers)}
    return {
        "classes": by_class(answers, repeats),
        "confusion": confused(answers),
        "calibration": calibration(answers, repeats),
        "roc": roc(answers),
    }


def predictions(answers: NumberAnswers, repeats: int) -> dict[str, Any]:
    """Numbers of the first repeat beside what was predicted, in the order of the truth; of very many ``rows`` some."""
    n = len(answers.truth) // repeats
    order = np.argsort(answers.truth[:n], kind="stable")[_thinned(n, MOST_PREDICTIONS)]
    return {"rows": n, "truth": answers.truth[order].tolist(), "told": answers.told[order].tolist()}


def residuals(answers: NumberAnswers) -> dict[str, float]:
    """Mean of truth minus prediction, and how near half, nine in ten and all predictions are; of all repeats."""
    left = answers.truth - answers.told
    half, most, largest = np.quantile(np.abs(left), (0.5, 0.9, 1))
    return {"mean": float(left.mean()), "half": float(half), "nine_in_ten": float(most), "largest": float(largest)}


def by_class(answers: Answers, repeats: int) -> list[dict[str, Any]]:
    """Recall, precision and F1 of every class, how many rows it has, and what it was most often taken for."""
    counts = confusion(answers)
    scores = zip(answers.classes, recall(counts), precision(counts), f1(counts), counts, strict=True)
    return [
        {
            "class": name,
            "rows": round(line.sum() / repeats),
            "recall": _known(r),
            "precision": _known(p),
            "f1": _known(f),
            **_mistake(answers.classes, line, number),
        }
        for number, (name, r, p, f, line) in enumerate(scores)
    ]


def confused(answers: Answers) -> list[list[int]] | None:
    """Counts of true and judged classes over all repeats; None of very many classes."""
    return confusion(answers).tolist() if len(answers.classes) <= MOST_CLASSES else None


def calibration(answers: Answers, repeats: int) -> dict[str, Any] | None:
    """Probabilities beside what came true, in bins of about as many rows each, with 95 % intervals of Wilson's.

    Of two classes it is the probability of the second, of more that of the class decided for.
    """
    if answers.chances is None:
        return None
    two = len(answers.classes) == 2
    judged = np.ones(len(answers.truth), dtype=int) if two else answers.judged
    chance = answers.chances[np.arange(len(judged)), judged].astype(np.float64)
    came_true = answers.truth == judged
    edges = np.unique(np.quantile(chance, np.linspace(0, 1, MOST_BINS + 1)[1:-1]))
    bin_of = np.searchsorted(edges, chance, side="left")
    bins = [_bin(chance[bin_of == b], came_true[bin_of == b], repeats) for b in np.unique(bin_of)]
    return {"of": answers.classes[1] if two else None, "bins": bins}


def _bin(chance, came_true, repeats):
    share, n = float(came_true.mean()), len(chance) / repeats
    middle = (share + Z**2 / (2 * n)) / (1 + Z**2 / n)
    reach = Z * np.sqrt(share * (1 - share) / n + Z**2 / (4 * n**2)) / (1 + Z**2 / n)
    low, high = min(middle - reach, share), max(middle + reach, share)
    return {"chance": float(chance.mean()), "share": share, "low": float(low), "high": float(high), "rows": round(n)}


def roc(answers: Answers) -> dict[str, list[float]] | None:
    """False and true positive rates by the probability of the second of two classes."""
    if answers.chances is None or len(answers.classes) != 2 or len(np.unique(answers.truth)) < 2:
        return None
    false, true, _ = roc_curve(answers.truth, answers.chances[:, 1])
    some = _thinned(len(false), MOST_POINTS)
    return {"false": false[some].tolist(), "true": true[some].tolist()}


def _thinned(n: int, most: int) -> NDArray[np.intp]:
    return np.unique(np.linspace(0, n - 1, min(n, most)).round().astype(int))


def _mistake(classes, line, number):
    others = np.where(np.arange(len(line)) == number, 0, line)
    most = int(others.argmax())
    return {"taken_for": classes[most] if others[most] else None, "how_often": int(others[most])}


def _known(share: float) -> float | None:
    return None if np.isnan(share) else float(share)
