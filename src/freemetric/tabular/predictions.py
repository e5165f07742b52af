"""Predictions of a model for the rows of a table, as columns to write, and their scores."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..magnitudes import mae, r2, rmse
from .methods import Progress
from .model import TableModel, by_parts
from .table import InputError, Table, distinct, few, note, quoted
from .tasks import canonical

PREDICTION, NOVELTY = "prediction", "p-value of novelty"


@dataclass(frozen=True, eq=False)
class Wanted:
    """What is predicted of every row, beside the target or in its place."""

    proba: bool = False  # of a classification, the probability of every class
    quantiles: tuple[float, ...] = ()  # of a regression, the quantiles of these probabilities
    interval: float | None = None  # of a regression, the ends of an interval that holds the target so often
    novelty: bool = False  # p-values of ``score_samples``, which are small for rows unlike those of the fit
    # of a classification, costs (n_classes, n_classes) of saying j where i is true: the answer has the least expected
    costs: NDArray | None = None
    reject: float | None = None  # of a classification, the p-value up to which a row has no prediction

    def check(self, model: TableModel) -> None:
        last, option = model.pipeline[-1], "--quantiles" if self.quantiles else "--interval"
        if self.quantiles or self.interval is not None:
            if not model.predicts_numbers:
                hint = "--proba says how sure it is"
                raise InputError(f"{option} is for numbers, and this model predicts classes; {hint}")
            if not hasattr(last, "predict_quantiles"):
                what = f"{type(last).__name__} gives point predictions only; --method free-energy predicts quantiles"
                raise InputError(f"{option}: {what}")
            for q in (*self.quantiles, self.interval):
                _check_probability(option, q)
        if self.proba and model.predicts_numbers:
            raise InputError("--proba is for classification; --interval 0.9 gives prediction intervals of this model")
        asked = {"--costs": self.costs is not None, "--reject": self.reject is not None, "--novelty": self.novelty}
        for option in filter(asked.get, asked):
            _check_able(model, option)
        _check_probability("--reject", self.reject)


def _check_probability(option, p):
    if p is not None and not 0 < p < 1:
        raise InputError(f"{option}: {p:g} is no probability between 0 and 1")


def _check_able(model, option):
    if model.predicts_numbers and option != "--novelty":
        raise InputError(f"{option} is for classification, and this model is a regression")
    if not hasattr(last := model.pipeline[-1], "score_samples"):
        raise InputError(f"{option}: {type(last).__name__} cannot; models of --method free-energy can")


def predictions(
    model: TableModel, table: Table, wanted: Wanted | None = None, on_rows: Progress | None = None
) -> dict[str, NDArray]:
    """Predictions by the name of their column: "prediction", masked where a row is rejected, and what else is wanted.

    That is "probability of ..." every class; of a regression "quantile ...", and "lower ... %" and "upper ... %" of the
    interval; last "p-value of novelty", also where rows are rejected.
    """
    wanted = wanted or Wanted()
    wanted.check(model)
    frame, last = model.matched(table), model.pipeline[-1]
    if model.predicts_numbers:
        found = by_parts(frame, lambda part: _numbers(model, part, wanted), on_rows)
        names = [PREDICTION, *(f"quantile {q:g}" for q in wanted.quantiles)]
        made = dict(zip([*names, *interval_names(wanted.interval)], found.T, strict=True))
    else:
        made = _classes(model, frame, wanted, on_rows)
    if wanted.novelty or wanted.reject is not None:
        made[NOVELTY] = by_parts(frame, lambda part: last.score_samples(model.pipeline[:-1].transform(part)))
    if wanted.reject is not None:
        made[PREDICTION] = np.ma.masked_array(made[PREDICTION], made[NOVELTY] <= wanted.reject)
    return made


def _classes(model, frame, wanted, on_rows):
    steps, last, made = model.pipeline[:-1], model.pipeline[-1], {}
    if wanted.costs is not None:
        made[PREDICTION] = by_parts(frame, lambda part: last.predict(steps.transform(part), wanted.costs), on_rows)
    elif not wanted.proba:
        made[PREDICTION] = by_parts(frame, model.pipeline.predict, on_rows)
    if wanted.proba:
        chances = by_parts(frame, model.pipeline.predict_proba, on_rows)
        made.setdefault(PREDICTION, last.classes_[chances.argmax(axis=1)])  # as predict does, at half the cost
        made |= {f"probability of {name}": share for name, share in zip(last.classes_, chances.T, strict=True)}
    return made


def costs_of(model: TableModel, table: Table) -> NDArray[np.float64]:
    """Costs (n_classes, n_classes) in the order of the model's classes, from a table of them.

    Its first column names the true class of a row, and every other column is named for an answer.
    """
    _check_able(model, "--costs")
    names, columns = [canonical(str(label)) for label in model.pipeline.classes_], list(table.columns)
    answers = {canonical(name): name for name in columns[1:]}
    rows = {canonical(str(text)): row for row, text in enumerate(table.texts(columns[0]))}
    for known, what in ((rows, "row"), (answers, "column")):
        if lacking := [name for name in names if name not in known]:
            raise InputError(f"{table.source}: costs without a {what} of the class {quoted(lacking[0])}")
        if unknown := [name for name in known if name not in names]:
            raise InputError(f"{table.source}: costs with a {what} of {quoted(unknown[0])}, which is no class")
    if table.n_rows > len(rows):
        raise InputError(f"{table.source}: costs with two rows of one class")
    costs = np.column_stack([table.numbers(answers[name]) for name in names])[[rows[name] for name in names]]
    if np.isnan(costs).any():
        raise InputError(f"{table.source}: costs with an empty cell")
    return costs


def beside(table: Table, made: Mapping[str, Any], kept: Iterable[str]) -> dict[str, Any]:
    """Columns of a table, and those that were made of it; these get new names where the table has the same ones."""
    columns = {name: table.texts(name) for name in kept}
    names = distinct(made, columns)
    if changed := [new for old, new in zip(made, names, strict=True) if old != new]:
        note(f"{table.source}: has columns of the same names, so the output has {few(changed)}")
    return {**columns, **dict(zip(names, made.values(), strict=True))}


def interval_names(interval: float | None) -> tuple[str, ...]:
    return () if interval is None else (f"lower {100 * interval:g} %", f"upper {100 * interval:g} %")


def _numbers(model, part, wanted) -> NDArray:
    features, last = model.pipeline[:-1].transform(part), model.pipeline[-1]
    parts = [np.asarray(last.predict(features))[:, None]]
    if wanted.quantiles:
        parts.append(last.predict_quantiles(features, wanted.quantiles))
    if wanted.interval is not None:
        parts.append(last.predict_interval(features, 1 - wanted.interval))
    return np.hstack(parts)


def scores_of(
    model: TableModel, table: Table, found: Mapping[str, NDArray], wanted: Wanted | None = None
) -> dict[str, Any]:
    """Scores of ``predictions`` on the rows whose target is known.

    "accuracy" of the rows that are not rejected, None without such rows, their mean "cost" where there are costs, and
    how many of all rows are "rejected". Of a regression "known_rows", "r2" (None where the target is constant), "mae",
    "rmse" and, with an interval, "coverage", or nothing without such rows.
    """
    wanted, truth = wanted or Wanted(), model.truth(table)
    if not model.predicts_numbers:
        return _scores_of_classes(model, table, found[PREDICTION].tolist(), truth, wanted)
    if truth is None or not truth.present.any():
        return {}
    y, predicted = truth.y, np.asarray(found[PREDICTION])[truth.present]
    scores = {"known_rows": len(y), "r2": r2(y, predicted) if y.min() < y.max() else None}
    scores |= {"mae": mae(y, predicted), "rmse": rmse(y, predicted)}
    if wanted.interval is not None:
        low, high = (np.asarray(found[name])[truth.present] for name in interval_names(wanted.interval))
        scores["coverage"] = float(np.mean((low <= y) & (y <= high)))
    return scores


def _scores_of_classes(model, table, said, truth, wanted):
    scores: dict[str, Any] = {"accuracy": model.accuracy(table, said)}
    if wanted.reject is not None:
        scores["rejected"] = said.count(None)
    if wanted.costs is not None and truth is not None:
        number = {label: number for number, label in enumerate(model.pipeline.classes_.tolist())}
        pairs = zip(truth.y.tolist(), np.array(said, dtype=object)[truth.present], strict=True)
        paid = [wanted.costs[number[true], number[answer]] for true, answer in pairs if answer is not None]
        scores["cost"] = float(np.mean(paid)) if paid else None
    return scores
