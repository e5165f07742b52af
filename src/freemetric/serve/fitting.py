"""A fit for the page: the model, its report, and its rows to look at, as files of a folder."""

from pathlib import Path
from typing import Any, cast

import numpy as np

from ..ensemble.tasks.decisions import score_name
from ..report.encode import rounded
from ..report.findings import Findings
from ..report.numbers import scores
from ..report.page import write_findings
from ..report.reading import collect
from ..tabular.feature_columns import by_column
from ..tabular.model import TableModel
from ..tabular.preprocessing import usable
from ..tabular.table import Table
from ..tabular.targets import Target
from ..tabular.tasks import CLASSIFY, REGRESS, TASKS, choice_of
from .describing import styled
from .live import Live, Tell
from .row_writing import MOST_ROWS, write_number_rows, write_rows
from .upload import Upload
from .wishes import Wishes

QUICK = {"n_replicas": 24}  # a first look
MOST_NAMED = 10  # columns
QUARTERS, DIGITS = (0, 0.25, 0.5, 0.75, 1), 4
MODEL, REPORT = "model.fm", "report.html"


def fit(tell: Tell, upload: Upload, wishes: Wishes, folder: str, settings: dict[str, Any]) -> dict[str, Any]:
    """Fit, and write what the page shows and hands out; a summary as JSON values."""
    method, where = settings["method"], Path(folder)
    parameters = QUICK if settings["quick"] and method == "free-energy" else None
    with upload.in_its_words(), upload.noted() as notes:
        table = upload.table(wishes.reading)
        with upload.noted():  # what there is to note, the fit will say
            target = _target(table, wishes)
        tell({"type": "begin", **_predicted(target)})
        model = TableModel.fit(
            table,
            wishes.target,
            method,
            task=wishes.task,
            seed=settings["seed"],
            parameters=parameters,
            n_jobs=settings["jobs"] or -1,  # threads; the result is the same
            on_step=Live(tell, target.y if target.word == "number" else None),
            **cast(dict[str, Any], wishes.kinds),
        )
        tell({"type": "stage", "text": "writing the report"})
        model.save(where / MODEL, {**wishes.kinds, **wishes.reading})
        with upload.noted():  # what there is to note was noted by the fit
            X, y = model.rows(table)
        about: dict[str, Any] = {"feature_names": model.feature_names(), "columns": model.originals()}
        findings = collect(model.pipeline, X, y, most_rows=MOST_ROWS, **about)
        write_findings(findings, where / REPORT, f"{upload.name}: {wishes.target}")
        if findings.numbers is None:
            write_rows(model, table, X, np.asarray(y), where)
        else:
            write_number_rows(model, table, X, findings, where)
    return {**summary(model), **number_summary(findings), "notes": notes}


def _target(table: Table, wishes: Wishes) -> Target:
    """What is predicted, as the fit will see it."""
    schema, _ = usable(table, wishes.target, **wishes.kinds)
    task = choice_of(table, schema.target, wishes.task).task
    return TASKS[task].target(table, schema.target)


def _predicted(target):
    """For the live picture: the classes, or which numbers have which part of all others below them."""
    if target.word == "class":
        return {"classes": styled([str(label) for label in np.unique(target.y)])}
    return {"classes": [], "quarters": rounded(np.quantile(target.y, QUARTERS, method="inverted_cdf"), DIGITS)}


def summary(model: TableModel) -> dict[str, Any]:
    """What there is to say of a fitted model in a few words."""
    last, weights = model.pipeline[-1], by_column(model.weights())
    score = getattr(last, "oob_score_", np.nan)
    known = np.isfinite(score)
    return {
        "task": REGRESS if model.predicts_numbers else CLASSIFY,
        "method": model.notes["method"],
        "target": model.schema.target,
        "rows": model.notes["rows"],
        "columns": len([column for column in model.schema.columns if column.name not in model.left_out]),
        "score": float(score) if known else None,
        "score_name": f"out-of-bag {score_name(last.scoring, model.predicts_numbers)}" if known else "",
        "replicas": last.ensemble_.n_replicas if hasattr(last, "ensemble_") else None,
        "n_neighbors": getattr(last, "n_neighbors_", None),
        "weights": [[name, share] for name, share in list(weights.items())[:MOST_NAMED]],
        "importances": _importances(model),
    }


def number_summary(findings: Findings) -> dict[str, Any]:
    """Of predicted numbers, how far they are off, and what their intervals hold; empty of classes."""
    if findings.numbers is None:
        return {}
    found = {name: rounded(float(value), DIGITS) for name, value in scores(findings.numbers).items()}
    return {"errors": found, "alpha": findings.numbers.alpha, "judged_by": findings.judged_by}


def _importances(model):
    """Columns to which the out-of-bag score owes most, what it owes to them, and the standard error of that."""
    found = model.importances()
    if found is None or not found.n_judges:
        return []
    first = np.argsort(-found.mean, kind="stable")[:MOST_NAMED]
    return [[str(found.names[i]), float(found.mean[i]), float(found.error[i])] for i in first]
