"""A fit for the page: the model, its report, and its rows to look at, as files of a folder."""

from pathlib import Path
from typing import Any, cast

import numpy as np

from ..learners.free_energy.scoring import score_name
from ..report.page import write as write_report
from ..tabular.feature_shares import by_column
from ..tabular.identifiers import usable
from ..tabular.labels import labels
from ..tabular.model import TableModel
from .describing import styled
from .live import Live, Tell
from .row_writing import write_rows
from .upload import Upload
from .wishes import Wishes

QUICK = {"n_replicas": 24}  # a first look
MOST_NAMED = 10  # columns
MODEL, REPORT = "model.fm", "report.html"


def fit(tell: Tell, upload: Upload, wishes: Wishes, folder: str, settings: dict[str, Any]) -> dict[str, Any]:
    """Fit, and write what the page shows and hands out; a summary as JSON values."""
    method, where = settings["method"], Path(folder)
    parameters = QUICK if settings["quick"] and method == "free-energy" else None
    with upload.in_its_words(), upload.noted() as notes:
        table = upload.table(wishes.reading)
        tell({"type": "begin", "classes": _classes(table, wishes)})
        model = TableModel.fit(
            table,
            wishes.target,
            method,
            task="classify",
            seed=settings["seed"],
            parameters=parameters,
            n_jobs=settings["jobs"] or -1,  # threads; the result is the same
            on_step=Live(tell),
            **cast(dict[str, Any], wishes.kinds),
        )
        tell({"type": "stage", "text": "writing the report"})
        model.save(where / MODEL, {**wishes.kinds, **wishes.reading})
        with upload.noted():  # what there is to note was noted by the fit
            X, y = model.rows(table)
        about: dict[str, Any] = {"feature_names": model.feature_names(), "columns": model.originals()}
        write_report(model.pipeline, where / REPORT, X, y, title=f"{upload.name}: {wishes.target}", **about)
        write_rows(model, table, X, np.asarray(y), where)
    return {**summary(model), "notes": notes}


def _classes(table, wishes):
    schema, _ = usable(table, wishes.target, **wishes.kinds)
    return styled([str(label) for label in np.unique(labels(table, schema.target)[0])])


def summary(model: TableModel) -> dict[str, Any]:
    """What there is to say of a fitted model in a few words."""
    last, weights = model.pipeline[-1], by_column(model.weights())
    score = getattr(last, "oob_score_", np.nan)
    known = np.isfinite(score)
    return {
        "method": model.notes["method"],
        "target": model.schema.target,
        "rows": model.notes["rows"],
        "columns": len([column for column in model.schema.columns if column.name not in model.left_out]),
        "score": float(score) if known else None,
        "score_name": f"out-of-bag {score_name(last.scoring)}" if known else "",
        "replicas": last.committee_.n_replicas if hasattr(last, "committee_") else None,
        "n_neighbors": getattr(last, "n_neighbors_", None),
        "weights": [[name, share] for name, share in list(weights.items())[:MOST_NAMED]],
        "importances": _importances(model),
    }


def _importances(model):
    """Columns to which the out-of-bag score owes most, what it owes to them, and the standard error of that."""
    found = model.importances()
    if found is None or not found.n_judges:
        return []
    first = np.argsort(-found.mean, kind="stable")[:MOST_NAMED]
    return [[str(found.names[i]), float(found.mean[i]), float(found.error[i])] for i in first]
