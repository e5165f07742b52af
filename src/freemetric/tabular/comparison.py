"""What a comparison says: scores with their errors, and how they were measured."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import numpy as np

from ..extras import require
from . import comparison_tables as tables
from .protocol import CONSTANT, Settings, Split
from .splits import Estimate, estimate, would_more_help
from .text_table import TextTable

Z = 1.645  # of a gain that chance makes once in twenty times
SAID_OF_SCORES = ("name", "title", "higher_is_better", "in_percent", "in_units", "aside")


class Comparison:
    """Splits grouped by file and method; an error is missing where one of its splits has none.

    Attributes
    ----------
    settings : Settings
        How errors were measured.
    files, methods : list of str
        What was compared; the constant prediction is no method.
    cells : dict of list of Split
        By file and method, the constant prediction among them.
    curves : dict of list of Split
        By file and method those that learned from some of the training rows.
    failures : list of Split
        Those without an error.
    """

    def __init__(self, splits: list[Split], settings: Settings):
        self.settings = settings
        self.cells: dict[tuple[str, str], list[Split]] = defaultdict(list)
        self.curves: dict[tuple[str, str], list[Split]] = defaultdict(list)
        for split in splits:
            (self.cells if split.share == 1 else self.curves)[split.file, split.method].append(split)
        self.files = list(dict.fromkeys(split.file for split in splits))
        self.methods = list(dict.fromkeys(split.method for split in splits if split.method != CONSTANT))
        self.failures = [split for cell in self.cells.values() for split in cell if split.failure]
        self.scores = settings.kind.scores(settings.scoring)

    @property
    def is_of_numbers(self) -> bool:
        """Whether it is a regression."""
        return self.settings.kind.word == "number"

    def protocol(self) -> str:
        """How errors were measured, in words."""
        own = self.settings
        limits = {"s": own.limits.seconds, "MB": own.limits.megabytes}
        most = [f"{most:g} {unit}" for unit, most in limits.items() if most is not None]
        return (
            f"Protocol honest: {own.repeats} x {own.folds}-fold {own.kind.folds}cross-validation, seed {own.seed}; "
            "preprocessing, metric and k come from the training rows of each split alone"
            + (f"; rows of one {own.groups!r} are never parted" if own.groups else "")
            + (f"; limit of one fit {', '.join(most)}" if most else "")
        )

    def errors(self) -> Any:
        """Mean error in %, a DataFrame (files x methods), NaN where a split failed."""
        rows = [[self.error(file, method).mean for method in self.methods] for file in self.files]
        return require("pandas", "cli").DataFrame(rows, index=self.files, columns=self.methods, dtype=float)

    def error(self, file: str, method: str) -> Estimate:
        """Mean error in % and its standard error; NaN where a split failed."""
        return self._estimate(self.cells[file, method], [split.error for split in self.cells[file, method]])

    def score(self, file: str, method: str, name: str) -> Estimate:
        """Mean of a score over the splits on which it is defined; NaN where a split failed."""
        return self._estimate(self.cells[file, method], self._values(file, method, name))

    def _values(self, file, method, name):
        return [split.scores.get(name, np.nan) for split in self.cells[file, method]]

    def _estimate(self, splits, values):
        failed = any(split.error is None for split in splits)
        return Estimate(np.nan, np.nan, 0) if failed else estimate(values, self.settings.folds)

    def best(self, file: str) -> str | None:
        """The method of the lowest error, None where all of them failed."""
        errors = {method: self.error(file, method).mean for method in self.methods if (file, method) in self.cells}
        known = [method for method in errors if not np.isnan(errors[method])]
        return min(known, key=errors.__getitem__, default=None)

    def rows(self) -> list[dict[str, Any]]:
        """One dict per file and method."""
        return [self._row(file, method) for file, method in self.cells]

    def _row(self, file: str, method: str) -> dict[str, Any]:
        splits, error = self.cells[file, method], self.error(file, method)
        errors = [split.error for split in splits if split.error is not None]
        known = not np.isnan(error.mean)
        estimates = {name: self.score(file, method, name) for name in self.scores} if known else {}
        return {
            "file": file,
            "method": method,
            "error": error.mean if known else None,
            "uncertainty": error.error if known and error.n > 1 else None,
            "spread": float(np.std(errors, ddof=1)) if known and len(errors) > 1 else None,
            "seconds": float(np.mean([split.seconds for split in splits])),
            "errors": errors,
            "scores": {
                name: {"mean": found.mean, "uncertainty": found.error, "values": self._values(file, method, name)}
                for name, found in estimates.items()
            },
            "failure": next((split.failure for split in splits if split.failure), None),
            "over_limit": any(split.over_limit for split in splits),
        }

    def learning_curve(self, file: str, method: str) -> list[dict[str, Any]]:
        """Errors by the number of training rows, from the fewest on; empty without a learning curve."""
        by_share: dict[float, list[Split]] = defaultdict(list)
        if (file, method) in self.curves:
            for split in [*self.curves[file, method], *self.cells[file, method][: self.settings.folds]]:
                by_share[split.share].append(split)
        return [self._point(by_share[share]) for share in sorted(by_share)]

    def _point(self, splits):
        errors = [split.error for split in splits]
        found, n_rows = self._estimate(splits, errors), float(np.mean([split.n_train for split in splits]))
        return {"rows": n_rows, "error": found.mean, "uncertainty": found.error, "errors": errors}

    def would_more_help(self, file: str, method: str) -> str | None:
        """In words whether more rows would help the method; None without a curve to see it by."""
        curve = [point for point in self.learning_curve(file, method) if not np.isnan(point["error"])]
        if len(curve) < 2 or len(curve[-1]["errors"]) != len(curve[-2]["errors"]):
            return None
        half, full = curve[-2:]
        return would_more_help(half["errors"], full["errors"], half["rows"], full["rows"], self.settings.folds)

    def details(self, file: str, method: str) -> dict[str, Any]:
        """Of one method, from all its test rows; empty where it failed.

        Classes, confusion, calibration and ROC; of a regression predictions beside the truth and residuals. The
        learning curve of both.
        """
        found = [split.predictions for split in self.cells[file, method] if split.predictions is not None]
        if not found or len(found) < len(self.cells[file, method]):
            return {}
        return {
            **found[0].pooled(found).details(self.settings.repeats),  # type: ignore[arg-type]
            "learning_curve": self.learning_curve(file, method),
            "more_rows": self.would_more_help(file, method),
        }

    def table(self) -> TextTable:
        """Scores with their errors and seconds a split; the best of a file in bold."""
        means = "Means over splits \u00b1 standard error, which counts that splits share rows."
        caption = f"{means}{self.settings.kind.error} {self.protocol()}."
        return tables.scores(self.rows(), list(self.scores.values()), caption)

    def class_table(self, file: str, method: str) -> TextTable:
        """Recall and precision of every class, and what it was taken for."""
        return tables.classes(file, method, self.details(file, method)["classes"], self.settings.repeats)

    def interval_table(self) -> TextTable:
        """Of a regression: the share of test rows in intervals of 80, 90 and 95 %, and how wide these are."""
        return tables.intervals(self.rows(), list(self.scores.values()))

    def curve_table(self) -> TextTable:
        """Error against the number of training rows."""
        return tables.curves([(*cell, self.learning_curve(*cell)) for cell in self.curves])

    def columns(self) -> dict[str, list]:
        """A table of numbers, a row for every file, method and number of training rows, to be written."""
        n_train = {cell: float(np.mean([split.n_train for split in splits])) for cell, splits in self.cells.items()}
        return tables.columns(self.rows(), n_train, self.learning_curve)

    def notes(self) -> list[str]:
        """What would mislead without a word, in lines: gains, scores that are not defined, curves with gaps."""
        return [*_gains(self), *_undefined(self), *_without_probabilities(self), *_gaps(self)]

    def as_json(self) -> dict[str, Any]:
        """Everything, as JSON values; a number that is none is NaN."""
        results = [{**row, **self.details(row["file"], row["method"])} for row in self.rows()]
        scores = [{name: getattr(score, name) for name in SAID_OF_SCORES} for score in self.scores.values()]
        about = {"baseline": CONSTANT, "scores": scores, "notes": self.notes(), "how": self.protocol()}
        return {"protocol": "honest", **asdict(self.settings), **about, "results": results}


def _gains(comparison) -> Iterator[str]:
    """Where the best method is no better than a constant, as far as the test rows show."""
    for file in comparison.files:
        best, constant = comparison.best(file), comparison.cells.get((file, CONSTANT))
        if best is None or constant is None or _gains_clearly(comparison, constant, comparison.cells[file, best]):
            continue
        low, high = (comparison.error(file, method).mean for method in (best, CONSTANT))
        always = f"always predicting {constant[0].predictions.most_frequent} has an error of {high:.2f} %"
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
    """The loss of every row, in the repeats together."""
    found = splits[0].predictions.pooled([split.predictions for split in splits])
    return np.bincount(found.rows, found.losses())


def _undefined(comparison) -> Iterator[str]:
    for file in comparison.files:
        cells = [cell for (name, _), cell in comparison.cells.items() if name == file]
        splits = [split for cell in cells for split in cell if split.predictions and split.predictions.is_sure]
        n_splits = len({split.number for split in splits})
        for name, score in comparison.scores.items():
            n_missing = len({split.number for split in splits if np.isnan(split.scores[name])})
            if n_missing:
                rest = "; the mean is over the others" if n_missing < n_splits else ""
                why = f"whose test rows {splits[0].predictions.undefined}"
                yield f"{file}: {score.title}: not defined on {n_missing} of {n_splits} splits, {why}{rest}"


def _without_probabilities(comparison) -> Iterator[str]:
    for method in comparison.methods:
        found = [cell[0].predictions for (_, name), cell in comparison.cells.items() if name == method]
        unsure = [predictions for predictions in found if predictions is not None and not predictions.is_sure]
        if unsure:
            yield f"{method} {unsure[0].unsure}"


def _gaps(comparison) -> Iterator[str]:
    for (file, method), splits in comparison.curves.items():
        failed = [split for split in splits if split.failure]
        if failed and not any(split.failure for split in comparison.cells[file, method]):
            yield f"{file}, {method}: learning from {failed[0].n_train} rows failed: {failed[0].failure}"
