"""Predictions of a model for the rows of a table, as columns to write, and their scores."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..magnitudes import mae, r2, rmse
from .methods import Progress
from .model import TableModel, by_parts
from .table import InputError, Table, distinct, few, note

PREDICTION = "prediction"


def predictions(
    model: TableModel,
    table: Table,
    *,
    proba: bool = False,
    quantiles: tuple[float, ...] = (),
    interval: float | None = None,
    on_rows: Progress | None = None,
) -> dict[str, NDArray]:
    """Predictions by the name of their column: "prediction", then "probability of ..." every class with ``proba``.

    Of a regression also "quantile ...", and "lower ... %" and "upper ... %" of an interval with this probability.
    """
    check_wanted(model, proba, quantiles, interval)
    if not model.predicts_numbers:
        labels, chances = model.predict(table, proba=proba, on_rows=on_rows)
        named = zip(model.pipeline.classes_, () if chances is None else chances.T, strict=chances is not None)
        return {PREDICTION: labels, **{f"probability of {name}": share for name, share in named}}
    found = by_parts(model.matched(table), lambda part: _numbers(model, part, quantiles, interval), on_rows)
    names = [PREDICTION, *(f"quantile {q:g}" for q in quantiles)]
    return dict(zip([*names, *(() if interval is None else interval_names(interval))], found.T, strict=True))


def beside(table: Table, made: Mapping[str, Any], kept: Iterable[str]) -> dict[str, Any]:
    """Columns of a table, and those that were made of it; these get new names where the table has the same ones."""
    columns = {name: table.texts(name) for name in kept}
    names = distinct(made, columns)
    if changed := [new for old, new in zip(made, names, strict=True) if old != new]:
        note(f"{table.source}: has columns of the same names, so the output has {few(changed)}")
    return {**columns, **dict(zip(names, made.values(), strict=True))}


def interval_names(interval: float) -> tuple[str, str]:
    """Names of the columns of an interval."""
    return f"lower {100 * interval:g} %", f"upper {100 * interval:g} %"


def _numbers(model, part, quantiles, interval) -> NDArray:
    """Predictions, quantiles and intervals (n_rows, n_columns) of a regression."""
    features, last = model.pipeline[:-1].transform(part), model.pipeline[-1]
    parts = [np.asarray(last.predict(features))[:, None]]
    if quantiles:
        parts.append(last.predict_quantiles(features, quantiles))
    if interval is not None:
        parts.append(last.predict_interval(features, 1 - interval))
    return np.hstack(parts)


def check_wanted(model: TableModel, proba: bool, quantiles: tuple[float, ...], interval: float | None) -> None:
    """InputError where a model has no such predictions."""
    last: Any = model.pipeline[-1]
    if proba and model.predicts_numbers:
        raise InputError("--proba is for classification; --interval 0.9 gives prediction intervals of this model")
    if not quantiles and interval is None:
        return
    option = "--quantiles" if quantiles else "--interval"
    if not model.predicts_numbers:
        raise InputError(f"{option} is for numbers, and this model predicts classes; --proba says how sure it is")
    if not hasattr(last, "predict_quantiles"):
        raise InputError(
            f"{option}: {type(last).__name__} gives point predictions only; --method free-energy predicts quantiles"
        )
    outside = [q for q in (*quantiles, *(() if interval is None else (interval,))) if not 0 < q < 1]
    if outside:
        raise InputError(f"{option}: {outside[0]:g} is no probability between 0 and 1")


def scores_of(
    model: TableModel, table: Table, found: Mapping[str, ArrayLike], interval: float | None = None
) -> dict[str, Any]:
    """Scores of ``predictions`` on the rows whose target is known.

    "accuracy", None without such rows; of a regression "known_rows", "r2" (None where the target is constant), "mae",
    "rmse" and, with an interval, "coverage", or nothing without such rows.
    """
    if not model.predicts_numbers:
        return {"accuracy": model.accuracy(table, np.asarray(found[PREDICTION]))}
    truth = model.truth(table)
    if truth is None or not truth.present.any():
        return {}
    y, predicted = truth.y, np.asarray(found[PREDICTION])[truth.present]
    scores = {"known_rows": len(y), "r2": r2(y, predicted) if y.min() < y.max() else None}
    scores |= {"mae": mae(y, predicted), "rmse": rmse(y, predicted)}
    if interval is not None:
        low, high = (np.asarray(found[name])[truth.present] for name in interval_names(interval))
        scores["coverage"] = float(np.mean((low <= y) & (y <= high)))
    return scores
