"""The result of a comparison: scores with standard errors, learning curves, notes, and tables of them."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import t as student

from ..extras import require
from ..magnitudes import spread
from ..printable import measured, printable
from .protocol import CONSTANT, Settings, Split
from .text_table import TextTable

SURE, Z = 0.95, 1.645  # a one-sided level, and its quantile of the normal distribution
MOST_CLASSES = 12  # in a table
SCORE_FIELDS = ("name", "title", "higher_is_better", "in_percent", "in_units", "aside")


class Estimate(NamedTuple):
    """A mean over n splits and its standard error, NaN for one split."""

    mean: float
    error: float
    n: int

    @property
    def margin(self) -> float:
        """One-sided 95 % margin of the mean."""
        return float(student.ppf(SURE, self.n - 1) * self.error) if self.n > 1 else np.nan


def estimate(values: ArrayLike, folds: int) -> Estimate:
    r"""Mean and standard error of the values of J splits, without those that are NaN.

    Splits share training rows, so that the variance of the mean exceeds :math:`\sigma^2 / J`. By Nadeau and Bengio it
    is about

    .. math:: \left(\frac1J + \frac{n_{test}}{n_{train}}\right) \sigma^2, \qquad
              \frac{n_{test}}{n_{train}} = \frac1{folds - 1}.

    References
    ----------
    C. Nadeau and Y. Bengio, Inference for the generalization error, Machine Learning 52, 239-281 (2003).

    Examples
    --------
    >>> print("{:.2f} {:.2f} {}".format(*estimate([9, 11, 10, 10, float("nan")], 5)))
    10.00 0.58 4
    """
    known = np.asarray(values, dtype=np.float64)
    known = known[~np.isnan(known)]
    if len(known) < 2:
        return Estimate(float(known[0]) if len(known) else np.nan, np.nan, len(known))
    error = np.sqrt(1 / len(known) + 1 / (folds - 1)) * spread(known, ddof=1)
    return Estimate(float(known.mean()), float(error), len(known))


def would_more_help(half: ArrayLike, full: ArrayLike, n_half: float, n_full: float, folds: int) -> str:
    """In words whether more rows would help, from the errors in % of the same splits with half and with all rows.

    A one-sided t test at 95 %, with the standard error of ``estimate``.
    """
    fall = estimate(np.subtract(half, full), folds)
    way, change = "fell" if fall.mean >= 0 else "rose", f"{abs(fall.mean):.2f} \u00b1 {fall.error:.2f}"
    seen = f"from {n_half:.0f} to {n_full:.0f} rows the error {way} by {change} points"
    if fall.mean > fall.margin:
        return f"{seen}: more rows should help"
    if not np.any(full):
        return f"{seen}: no error is left"
    most = max(fall.mean + fall.margin, 0)
    doubt = f"; that twice as many gain up to {most:.2f} points cannot be ruled out" if most else ""
    return f"{seen}, no more than chance: more rows are not seen to help{doubt}"


FAILED = Estimate(np.nan, np.nan, 0)


class Comparison:
    """Splits by file and method; a mean is missing where one of its splits failed.

    Attributes
    ----------
    settings : Settings
        How errors were measured.
    files, methods : list of str
        What was compared; the constant prediction is no method.
    cells : dict of list of Split
        By file and method, the constant prediction among them.
    curves : dict of list of Split
        By file and method the splits that used a part of the training rows.
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
        return self.settings.kind.is_regression

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
        return self._estimate(self.cells[file, method], [split.scores.get(name) for split in self.cells[file, method]])

    def _estimate(self, splits, values):
        return FAILED if any(split.error is None for split in splits) else estimate(values, self.settings.folds)

    def best(self, file: str) -> str | None:
        """The method of the lowest error, None where all of them failed."""
        errors = {method: self.error(file, method).mean for method in self.methods if (file, method) in self.cells}
        return min((m for m in errors if not np.isnan(errors[m])), key=errors.__getitem__, default=None)

    def rows(self) -> list[dict[str, Any]]:
        """One dict per file and method."""
        return [self._row(file, method) for file, method in self.cells]

    def _row(self, file, method):
        splits, error = self.cells[file, method], self.error(file, method)
        errors = [split.error for split in splits if split.error is not None]
        known = not np.isnan(error.mean)
        values = {name: [split.scores.get(name, np.nan) for split in splits] for name in self.scores if known}
        scores = {}
        for name, found in values.items():
            mean, uncertainty, _ = estimate(found, self.settings.folds)
            scores[name] = {"mean": mean, "uncertainty": uncertainty, "values": found}
        return {
            "file": file,
            "method": method,
            "error": error.mean if known else None,
            "uncertainty": error.error if known and error.n > 1 else None,
            "spread": float(np.std(errors, ddof=1)) if known and len(errors) > 1 else None,
            "seconds": float(np.mean([split.seconds for split in splits])),
            "errors": errors,
            "scores": scores,
            "failure": next((split.failure for split in splits if split.failure), None),
            "over_limit": any(split.over_limit for split in splits),
        }

    def learning_curve(self, file: str, method: str) -> list[dict[str, Any]]:
        """Errors by the number of training rows, ascending; empty without a learning curve."""
        curve, points = self.curves.get((file, method), []), []
        every = [*curve, *self.cells[file, method][: self.settings.folds]] if curve else []
        for share in sorted({split.share for split in every}):
            splits = [split for split in every if split.share == share]
            errors, n_rows = [split.error for split in splits], float(np.mean([split.n_train for split in splits]))
            found = self._estimate(splits, errors)
            points.append({"rows": n_rows, "error": found.mean, "uncertainty": found.error, "errors": errors})
        return points

    def would_more_help(self, file: str, method: str) -> str | None:
        """In words whether more rows would help the method; None without a learning curve."""
        curve = [point for point in self.learning_curve(file, method) if not np.isnan(point["error"])]
        if len(curve) < 2 or len(curve[-1]["errors"]) != len(curve[-2]["errors"]):
            return None
        half, full = curve[-2:]
        return would_more_help(half["errors"], full["errors"], half["rows"], full["rows"], self.settings.folds)

    def details(self, file: str, method: str) -> dict[str, Any]:
        """Figures of one method over all its test rows; empty where it failed.

        Classes, confusion, calibration and ROC curve, or predictions and residuals of a regression; the learning curve.
        """
        found: list[Any] = [split.predictions for split in self.cells[file, method]]
        if not found or None in found:
            return {}
        return {
            **found[0].pooled(found).details(self.settings.repeats),
            "learning_curve": self.learning_curve(file, method),
            "more_rows": self.would_more_help(file, method),
        }

    def table(self) -> TextTable:
        """Scores with their standard errors and seconds a split; the best of a file in bold."""
        rows, shown = self.rows(), [score for score in self.scores.values() if not score.aside]
        signs = {score.name: -1 if score.higher_is_better else 1 for score in shown}
        cells, costs = [], []
        for row in rows:
            error = "over the limit" if row["over_limit"] else measured(row["error"], row["uncertainty"], 2)
            scores = (_score(row, score) for score in shown)
            cells.append((row["file"], row["method"], error, *scores, f"{row['seconds']:.2f}"))
            means = {name: score["mean"] for name, score in row["scores"].items()}
            own = [row["error"], *(sign * means.get(name, np.nan) for name, sign in signs.items())]
            costs.append([np.nan] * len(own) if row["method"] == CONSTANT else own)
        found = require("pandas", "cli").DataFrame(costs, dtype=float)
        best = found <= found.groupby([row["file"] for row in rows]).transform("min") + 1e-9
        bold = frozenset((i, 2 + j) for i, j in np.argwhere(best).tolist())
        how = "Means over splits \u00b1 standard error, which counts that splits share rows."
        caption = f"{how}{self.settings.kind.error} {self.protocol()}."
        return TextTable(("File", "Method", "Error in %", *map(_title, shown), "Seconds"), tuple(cells), caption, bold)

    def class_table(self, file: str, method: str) -> TextTable:
        """Recall and precision of every class, and its most frequent confusion; of many classes the worst."""
        found, repeats = self.details(file, method)["classes"], self.settings.repeats
        worst = sorted(found, key=lambda row: (row["recall"] is None, row["recall"]))[:MOST_CLASSES]
        some = found if len(found) <= MOST_CLASSES else worst
        more = "" if some is found else f", the {MOST_CLASSES} least recognised of {len(found)}"
        times = f"; counts of mistakes are over {repeats} repeats" if repeats > 1 else ""
        cells = []
        for row in some:
            scores = (None if row[name] is None else f"{100 * row[name]:.1f}" for name in ("recall", "precision"))
            mistake = f"{printable(row['taken_for'])} ({row['how_often']})" if row["taken_for"] is not None else ""
            cells.append((printable(row["class"]), f"{row['rows']}", *scores, mistake))
        columns = ("Class", "Rows", "Recall in %", "Precision in %", "Most often taken for")
        return TextTable(columns, tuple(cells), f"Classes of {printable(file)} by {method}{more}{times}.")

    def interval_table(self) -> TextTable:
        """Coverage and width of the intervals of 80, 90 and 95 %, of methods that predict intervals."""
        shown = [score for score in self.scores.values() if score.name.startswith(("coverage", "width"))]
        cells = ((row["file"], row["method"], *(_score(row, score) for score in shown)) for row in self.rows())
        lines = tuple(row for row in cells if any(cell is not None for cell in row[2:]))
        caption = "Test rows inside of their intervals, and the mean width of these in the unit of the target."
        return TextTable(("File", "Method", *map(_title, shown)), lines, caption)

    def curve_table(self) -> TextTable:
        """Error against the number of training rows, a line for every file and method."""
        curves = {cell: self.learning_curve(*cell) for cell in self.curves}
        most = max(map(len, curves.values()))
        rows = []
        for (file, method), curve in curves.items():
            shown = [(measured(point["error"], point["uncertainty"], 2), point["rows"]) for point in curve]
            cells = (text and f"{text} ({n:.0f})" for text, n in shown)
            rows.append((printable(file), method, *[None] * (most - len(curve)), *cells))
        columns = ("File", "Method", *(f"1/{2**k}" for k in range(most - 1, 0, -1)), "All rows")
        caption = "Error in % (training rows) from a part of the training rows; same test rows."
        return TextTable(columns, tuple(rows), caption)

    def columns(self) -> dict[str, list]:
        """A table to write, a row for every file, method and number of training rows; None where a value is missing."""
        lines: list[dict[str, Any]] = []
        for row in self.rows():
            cell = {"file": row["file"], "method": row["method"]}
            for point in self.learning_curve(*cell.values())[:-1]:
                error = {"error": point["error"], "error \u00b1": point["uncertainty"]}
                lines.append({**cell, "rows": round(point["rows"]), **error})
            n_train = np.mean([split.n_train for split in self.cells[row["file"], row["method"]]])
            line = {**cell, "rows": round(n_train), "error": row["error"], "error \u00b1": row["uncertainty"]}
            for name in self.scores:
                score = row["scores"].get(name, {})
                line |= {name: score.get("mean"), f"{name} \u00b1": score.get("uncertainty")}
            lines.append({**line, "seconds": row["seconds"], "failure": row["failure"]})
        frame = require("pandas", "cli").DataFrame(lines, dtype=object)
        return frame.where(frame.notna(), None).to_dict("list")

    def notes(self) -> list[str]:
        """Caveats, a line each: gains that may be chance, scores that are not defined, failed parts of curves."""
        lines = [*_gains(self), *_undefined(self)]
        firsts = [(method, cell[0].predictions) for (_, method), cell in self.cells.items() if method in self.methods]
        lines += dict.fromkeys(f"{method} {made.unsure}" for method, made in firsts if made and not made.is_sure)
        for (file, method), splits in self.curves.items():
            failed = [split for split in splits if split.failure]
            if failed and not any(split.failure for split in self.cells[file, method]):
                lines.append(f"{file}, {method}: learning from {failed[0].n_train} rows failed: {failed[0].failure}")
        return lines

    def as_json(self) -> dict[str, Any]:
        """All results as JSON values; an undefined number is NaN."""
        results = [{**row, **self.details(row["file"], row["method"])} for row in self.rows()]
        scores = [{name: getattr(score, name) for name in SCORE_FIELDS} for score in self.scores.values()]
        about = {"baseline": CONSTANT, "scores": scores, "notes": self.notes(), "how": self.protocol()}
        return {"protocol": "honest", **asdict(self.settings), **about, "results": results}


def _gains(comparison) -> Iterator[str]:
    """Files where the best method is not significantly better than a constant."""
    for file in comparison.files:
        best, constant = comparison.best(file), comparison.cells.get((file, CONSTANT))
        if not best or not constant or _gains_clearly(comparison, constant, comparison.cells[file, best]):
            continue
        low, high = (comparison.error(file, method).mean for method in (best, CONSTANT))
        always = f"always predicting {constant[0].predictions.most_frequent} has an error of {high:.2f} %"
        yield f"{file}: {always}; the best method, {best}, is not clearly better with {low:.2f} %"


def _gains_clearly(comparison, constant, splits):
    """Test over all test rows; rows of groups are not independent, and then the test is over splits."""
    if comparison.settings.groups is None:
        pooled = [cell[0].predictions.pooled([split.predictions for split in cell]) for cell in (constant, splits)]
        gain = np.subtract(*(np.bincount(found.rows, found.losses()) for found in pooled))  # summed over repeats
        return gain.mean() > Z * gain.std() / np.sqrt(len(gain))
    pairs = zip(constant, splits, strict=True)
    found = estimate([one.error - other.error for one, other in pairs], comparison.settings.folds)
    return found.mean > found.margin


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


def _title(score):
    return f"{score.title} in %" if score.in_percent else score.title


def _score(row, score):
    found = row["scores"].get(score.name, {})
    mean, error = found.get("mean"), found.get("uncertainty")
    if score.in_percent and found:
        return measured(100 * mean, 100 * error, 2)
    return measured(mean, error, None if score.in_units else 3)
