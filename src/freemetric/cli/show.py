"""A model as JSON values, and as text."""

import math
from typing import Any

from sklearn.base import is_regressor

from ..ensemble.settings import recipe_of
from ..ensemble.tasks.decisions import score_name
from ..printable import counted, printable
from ..tabular import TableModel, by_column
from ..tabular.preprocessing import TREATMENTS
from .console import console, print_table

TREATED = {
    "numbers": "median",
    "numbers with gaps": "median, gap",
    "gaps": "gap",
    "two names": "0 or 1",
    "names": "one-hot",
    "names with gaps": "one-hot, gap",
    "date": "days, year, month, weekday",
}
INNER = ("weights", "some_rows")  # notes that are not shown
MIXING = ("FreeEnergyClassifier", "FreeEnergyRegressor")  # several numbers of neighbours
R2 = "R\u00b2"
UNKNOWN: dict[str, Any] = {"importance": None, "importance_error": None}
NOTHING = {"kind": "", "missing": 0, "categories": [], "treatment": "left out", "weight": None, **UNKNOWN}
LEGEND = (
    "median: a gap becomes the median. gap: whether there is a value is a feature. 0 or 1: one feature for two names, "
    "and 0.5 for any other value. one-hot: a feature per name, one for all that are rare or that no training row had; "
    "where none was rare, these are zero in every feature. Then every feature is scaled to [0, 1]."
)

IMPORTANCE_LEGEND = (
    "importance: what the out-of-bag {score} loses when the cells of a column are shuffled among the rows, and its "
    "standard error. weight: its share in the squared distances, which is large for columns that vary much."
)


def described(model: TableModel, with_importances: bool = False) -> dict[str, Any]:
    """A model as JSON values; importances take a while, and are computed on request."""
    last, notes = model.pipeline[-1], {name: note for name, note in model.notes.items() if name not in INNER}
    weights, steps = model.weights(), model.pipeline.named_steps["columns"].transformers_
    shares, found = by_column(weights), model.importances() if with_importances else None
    importances = {}
    if found is not None and found.n_oob:  # Some methods have none, or no replica was out of bag.
        for name, mean, error in zip(found.names, found.mean.tolist(), found.error.tolist(), strict=True):
            importances[name] = {"importance": mean, "importance_error": error}
    groups = {str(column): name for name, _, columns in steps if name in TREATMENTS for column in columns}

    def treatment(column):
        """The treatment of a column; "date" where it became some of its parts."""
        treated = [groups[part] for part in column.parts if part in groups]
        return "left out" if not treated else "date" if column.kind == "date" else treated[0]

    columns = [
        {
            "name": column.name,
            "kind": column.kind,
            "missing": column.missing,
            "categories": list(column.categories),
            "decimal": column.decimal if column.kind == "numeric" else None,
            "thousands": column.thousands if column.kind == "numeric" else None,
            "order": column.order or None,
            "unit": column.unit or None,
            "treatment": treatment(column),
            "weight": sum(parts) if (parts := [shares[part] for part in column.parts if part in shares]) else None,
            **importances.get(column.name, UNKNOWN),
        }
        for column in model.schema.columns
    ]
    known = {column.name for column in model.schema.columns}
    columns += [{**NOTHING, "name": name} for name in model.left_out if name not in known]
    estimator = getattr(last, "learner_", last)
    return {
        **notes,
        "target": model.schema.target,
        "columns": columns,
        "features": [{"name": weight.name, "weight": weight.share} for weight in weights],
        "task": "regress" if model.predicts_numbers else "classify",
        "regressor" if model.predicts_numbers else "classifier": type(last).__name__,
        "parameters": {
            name: value if isinstance(value, bool | int | float | str | None) else repr(value)
            for name, value in estimator.get_params(deep=False).items()
        },
        "n_neighbors": getattr(last, "n_neighbors_", None),
        "oob_score": getattr(last, "oob_score_", None),
        "score": _score_name(last) if hasattr(last, "oob_score_") else None,
    }


def _score_name(last):
    scoring = recipe_of(last).scoring
    return R2 if is_regressor(last) and scoring is None else score_name(scoring)


def expected(last: Any) -> str:
    """The out-of-bag score as the end of a sentence; empty where the model has none."""
    score = getattr(last, "oob_score_", None)
    if score is None:
        return ""
    if math.isnan(score):
        return f", out-of-bag {_score_name(last)} unknown"
    is_share = recipe_of(last).scoring is None and not is_regressor(last)
    return f", out-of-bag {_score_name(last)} {f'{100 * score:.1f} %' if is_share else f'{score:.4g}'}"


def target_words(model: TableModel) -> str:
    """The kind of target as the end of a sentence, where the target has numbers."""
    if model.predicts_numbers:
        return f", regression of {printable(model.schema.target)}"
    classes = model.pipeline.classes_
    if classes.dtype.kind != "i" or len(classes) < 3:
        return ""
    return f", {len(classes)} classes from {classes[0]} to {classes[-1]} (--task regress for regression)"


def show(name: str, about: dict[str, Any], top: int) -> None:
    """Print a model."""
    estimator = about.get("regressor") or about["classifier"]
    mixes = estimator in MIXING and about["parameters"].get("n_neighbors") == "auto"
    votes = "votes of several k, most of all" if mixes else "k ="
    if "numbers" in about:
        lowest, highest, mean = (f"{about['numbers'][name]:.6g}" for name in ("lowest", "highest", "mean"))
        target = {"target": f"{about['target']}: from {lowest} to {highest}, mean {mean}"}
    else:
        target = {"class": f"{about['target']}: {', '.join(about.get('classes', [])[:12])}"}
    lines = {
        "method": f"{about.get('method')} ({estimator}), {votes} {about['n_neighbors']}",
        **target,
        "learned from": f"{counted(about.get('rows') or 0, 'row')} of {about.get('file')}, seed {about.get('seed')}",
        "parameters": ", ".join(f"{key}={value}" for key, value in about["parameters"].items()),
        "versions": ", ".join(f"{key} {value}" for key, value in (about.get("versions") or {}).items()),
    }
    console.print(name, soft_wrap=True)
    for key, text in lines.items():
        console.print(f"{key:13} {printable(text)}", soft_wrap=True)
    print_table(("column", "kind", "missing", "values", "weight in %", "treatment"), _column_rows(about), "columns")
    console.print(LEGEND, highlight=False)
    known = [column for column in about["columns"] if column["importance"] is not None]
    if known:
        ranked = [
            (column["name"], "{importance:.3f} ± {importance_error:.3f}".format_map(column), f"{column['weight']:.1f}")
            for column in sorted(known, key=lambda column: -column["importance"])
        ]
        title = f"what matters, and what distances weigh{_first(top, ranked)}"
        print_table(("column", "importance", "weight in %"), ranked[:top], title)
        console.print(IMPORTANCE_LEGEND.format(score=about["score"]), highlight=False)
    if about["features"]:
        rows = [(feature["name"], f"{feature['weight']:.1f}") for feature in about["features"]]
        print_table(("feature", "weight in %"), rows[:top], f"share in the squared distances{_first(top, rows)}")


def _column_rows(about):
    left_out = about.get("left_out", {})
    for column in sorted(about["columns"], key=lambda column: -(column["weight"] or 0)):
        weight = "" if column["weight"] is None else f"{column['weight']:.1f}"
        treated = TREATED.get(column["treatment"]) or f"none: {left_out.get(column['name'], 'left out')}"
        counts = column["missing"] or "", len(column["categories"]) or ""
        kind = f"{column['kind']}, {column['unit']}" if column.get("unit") else column["kind"]
        yield column["name"], kind, *counts, weight, treated


def _first(top, rows):
    return f", the first {top} of {len(rows)}" if len(rows) > top else ""
