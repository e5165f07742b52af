"""Where to draw the line between similar pairs and others."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

STRATEGIES = ("accuracy", "f_beta", "max_tpr", "max_tnr")


def best_threshold(
    scores: ArrayLike, similar: ArrayLike, strategy: str = "accuracy", min_rate: float = 0.0, beta: float = 1.0
) -> float:
    """The lowest score that is called similar, so that pairs are told as well as they can be.

    Costs O(n log n) for n pairs. Where several are equally good, the highest.

    Parameters
    ----------
    scores : array-like of shape (n_pairs,)
        Larger for more similar pairs, as minus the distance.
    similar : array-like of bool of shape (n_pairs,)
        Which of them are.
    strategy : {"accuracy", "f_beta", "max_tpr", "max_tnr"}, default="accuracy"
        What shall be largest: the share of pairs that are told right; the weighted harmonic mean of precision and
        recall; the share of similar pairs that are found, where at least ``min_rate`` of the others are told; or the
        other way round.
    min_rate : float, default=0.0
        See there.
    beta : float, default=1.0
        How much more recall counts than precision in "f_beta".

    Returns
    -------
    threshold : float
        One of the scores, or more than all of them where no pair shall be called similar.

    Examples
    --------
    >>> best_threshold([-1.0, -2.0, -3.0], [True, True, False])
    -2.0
    """
    values, found, mistaken = _counts(np.asarray(scores, np.float64), np.asarray(similar, dtype=bool))
    return float(values[np.argmax(_worth(found, mistaken, strategy, min_rate, beta))])


def _worth(true_positives, false_positives, strategy, min_rate, beta):
    """What is to be largest, for every threshold."""
    positives, negatives = true_positives[-1], false_positives[-1]
    true_negatives = negatives - false_positives
    if strategy == "accuracy":
        return true_positives + true_negatives
    if strategy == "f_beta":
        found = (1 + beta**2) * true_positives
        missed = beta**2 * (positives - true_positives) + false_positives
        return found / np.maximum(found + missed, np.finfo(np.float64).tiny)
    # of no pairs every share is found
    sensitivity = true_positives / positives if positives else np.ones(len(true_positives))
    specificity = true_negatives / negatives if negatives else np.ones(len(true_positives))
    if strategy == "max_tpr":
        return np.where(specificity >= min_rate, sensitivity, -1)
    if strategy == "max_tnr":
        return np.where(sensitivity >= min_rate, specificity, -1)
    raise ValueError(f"Unknown strategy {strategy!r}; known: {', '.join(map(repr, STRATEGIES))}.")


def _counts(scores: NDArray, similar: NDArray) -> tuple[NDArray, NDArray, NDArray]:
    """Falling thresholds, the first above all scores, and how many pairs of each kind reach them."""
    order = np.argsort(-scores, kind="stable")
    scores, similar = scores[order], similar[order]
    last = np.append(scores[1:] != scores[:-1], True)  # of equal ones
    reached = np.append(0, np.flatnonzero(last) + 1)
    found = np.append(0, np.cumsum(similar))[reached]
    return np.append(np.nextafter(scores[0] + 1, np.inf), scores[last]), found, reached - found
