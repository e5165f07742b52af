"""What a comparison must say beside its numbers, or they would mislead."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from .judging import CONSTANT
from .uncertainty import estimate

if TYPE_CHECKING:
    from .comparison import Comparison

Z = 1.645  # of a gain that chance makes once in twenty times


def notes(comparison: "Comparison") -> list[str]:
    """Lines about gains that are none, scores that are not defined, and curves with gaps."""
    return [*_gains(comparison), *_undefined(comparison), *_without_probabilities(comparison), *_gaps(comparison)]


def _gains(comparison) -> Iterator[str]:
    """Where the best method is no better than a constant, as far as the test rows can tell."""
    for file in comparison.files:
        best, constant = comparison.best(file), comparison.cells.get((file, CONSTANT))
        if best is None or constant is None:
            continue
        if not _gains_clearly(comparison, constant, comparison.cells[file, best]):
            low, high = (comparison.error(file, method).mean for method in (best, CONSTANT))
            always = f"always saying {constant[0].answers.constant} has an error of {high:.2f} %"
            yield f"{file}: {always}; the best method, {best}, is not clearly better with {low:.2f} %"


def _gains_clearly(comparison, constant, splits):
    """By all test rows; where these hang together in groups, by the splits."""
    if comparison.settings.groups is None:
        gain = _mistakes(constant) - _mistakes(splits)
        return gain.mean() > Z * gain.std() / np.sqrt(len(gain))
    pairs = zip(constant, splits, strict=True)
    found = estimate([one.error - other.error for one, other in pairs], comparison.settings.folds)
    return found.mean > found.margin


def _mistakes(splits):
    """How far every row was misjudged, in the repeats together."""
    told = splits[0].answers.pooled([split.answers for split in splits])
    return np.bincount(told.rows, told.losses())


def _undefined(comparison) -> Iterator[str]:
    for file in comparison.files:
        cells = [cell for (name, _), cell in comparison.cells.items() if name == file]
        splits = [split for cell in cells for split in cell if split.answers and split.answers.is_sure]
        n_splits = len({split.number for split in splits})
        for name, score in comparison.scores.items():
            n_missing = len({split.number for split in splits if np.isnan(split.scores[name])})
            if n_missing:
                rest = "; the mean is over the others" if n_missing < n_splits else ""
                where = (
                    f"not defined on {n_missing} of {n_splits} splits, whose test rows {splits[0].answers.undefined}"
                )
                yield f"{file}: {score.title}: {where}{rest}"


def _without_probabilities(comparison) -> Iterator[str]:
    for method in comparison.methods:
        answers = [cell[0].answers for (_, name), cell in comparison.cells.items() if name == method]
        unsure = [told for told in answers if told is not None and not told.is_sure]
        if unsure:
            yield f"{method} {unsure[0].unsure}"


def _gaps(comparison) -> Iterator[str]:
    for (file, method), splits in comparison.curves.items():
        failed = [split for split in splits if split.failure]
        if failed and not any(split.failure for split in comparison.cells[file, method]):
            yield f"{file}, {method}: learning from {failed[0].n_train} rows failed: {failed[0].failure}"
