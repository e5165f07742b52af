"""What a model says of rows whose target is a number, and what its prediction is made of."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...ensemble.tasks.intervals import interval_chances, oob_predictor_of
from ...ensemble.tasks.regression import RegressionHead
from ...sklearn_compat import safe_indexing
from ..findings import Findings, NumberFindings, TrendFindings
from ..judge import nearest
from .kept import KeptRows, find

USUAL_NEIGHBORS = 5


def tell_truth(findings: Findings, y: NDArray) -> None:
    """The numbers of the rows shown, of which nothing is said yet."""
    unknown = np.full(len(y), np.nan)
    findings.numbers = NumberFindings(np.asarray(y, dtype=np.float64), unknown, unknown.copy(), unknown.copy())


def judge_numbers(findings: Findings, model: Any, kept: KeptRows | None, X: Any) -> None:
    """Predictions of the rows shown, intervals and what they are made of; how fair that is, is said."""
    assert findings.numbers is not None
    told = find(model, "oob_prediction_")
    if told is not None:
        findings.numbers.log = told.ensemble_.head.scale.name == "log"
    if told is not None and kept is not None and findings.learned_from:
        _ask_judges(findings, told)
        others = (~findings.numbers.judged).sum()
        findings.judged_by = "the out-of-bag votes of replicas that have not seen the row" + (
            f"; not judged: {others:,}" if others else ""
        )
    elif findings.learned_from or not hasattr(model, "predict"):
        _ask_neighbors(findings)
    else:
        rows = safe_indexing(X, findings.rows)
        findings.numbers.predicted = np.asarray(model.predict(rows), dtype=np.float64).ravel()
        findings.judged_by = "the model's own predictions; fair if it has not learned from these rows"
        if told is not None:
            _ask_committee(findings, told)


def _ask_judges(findings, model):
    """Rows that the model has learned from, each by the votes of others."""
    numbers, ensemble = findings.numbers, model.ensemble_
    numbers.predicted = model.oob_prediction_[findings.rows]
    predictor = oob_predictor_of(model)
    asked_rows = predictor.training_set.rows[predictor.oob_samples]
    _, asked, shown = np.intersect1d(asked_rows, findings.rows, assume_unique=True, return_indices=True)
    if len(asked):
        wholes = ensemble.head.wholes_of(predictor.training_set, predictor.oob_samples[asked])
        _tell(numbers, ensemble.head, predictor.shares(predictor.X[asked], asked), wholes, shown)


def _ask_committee(findings, model):
    ensemble, X = model.ensemble_, findings.inputs
    shares = ensemble.votes(X, model.n_jobs, model.device, model.shortlist_)
    _tell(findings.numbers, ensemble.head, shares, ensemble.head.wholes(X), np.arange(len(X)))


def _tell(numbers: NumberFindings, head: RegressionHead, shares: NDArray, wholes: NDArray, shown: NDArray):
    """Intervals of rows ``shown``, and the parts of their predictions, in units of the target."""
    scale, n = head.scale, len(numbers.truth)
    ends = head.quantiles(head(shares, wholes), interval_chances(len(head.errors), numbers.alpha))
    numbers.low[shown], numbers.high[shown] = ends.T
    mean, _, *around = np.moveaxis(head.encoding.means(shares), -1, 0)
    terms = head.terms(shares, wholes)[0] * head.strengths
    n_trends = len(head.trends)
    apart = np.divide if numbers.log else np.subtract

    def spread_out(values):
        out = np.full(n, np.nan)
        out[shown] = values
        return out

    pull = (head.strengths[0] - 1) * (mean - head.centre)
    adds = [terms[:, 1 + t] + terms[:, 1 + n_trends + t] for t in range(n_trends)]
    on_the_way = scale.back(np.cumsum([mean, pull, *adds], axis=0))  # from the neighbours to the prediction
    pulled, *added = apart(on_the_way[1:], on_the_way[:-1])
    numbers.neighbors, numbers.pull = spread_out(on_the_way[0]), spread_out(pulled)
    numbers.pull_words = f"{'drawn to' if head.strengths[0] < 1 else 'stretched from'} the mean of all rows"
    numbers.rest = spread_out(apart(numbers.predicted[shown], on_the_way[-1]))
    numbers.trends = [
        TrendFindings(
            trend.words,
            spread_out(scale.back(wholes[t])),
            spread_out(scale.back(around[t])),
            spread_out(added[t]),
        )
        for t, trend in enumerate(head.trends)
    ]


def _ask_neighbors(findings):
    """The mean of the nearest other rows, where nothing better is known."""
    k = findings.n_neighbors or USUAL_NEIGHBORS
    numbers, n = findings.numbers, len(findings.rows)
    if findings.Z is None or n < 2:
        return
    known = np.arange(n) if findings.training_set is None else findings.training_set
    around = nearest(findings.Z, known, k, known)[0]
    numbers.predicted[known] = numbers.truth[around].mean(axis=1)
    seen = "has" if findings.learned_from else "may have"
    findings.judged_by = f"the {k} nearest other rows; the metric {seen} learned from them all, so this flatters it"
