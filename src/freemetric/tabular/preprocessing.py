"""From columns to numbers, with scikit-learn's tools only: a stored step that can be inspected."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder

from ..exceptions import DataWarning
from .schema import Schema
from .table import InputError, quoted

MOST_CATEGORIES = 32  # features a nominal column may become; the rarest categories share one
GAP = -1.0  # stands for a gap among the numbers of names
MOST_NAMED = 8  # columns left out, by name
MANY_GAPS = 0.05  # share of a numeric column from which on a gap is a feature of its own


@dataclass(frozen=True)
class Plan:
    """Which columns are treated how, and which are left out for what reason."""

    groups: dict[str, list[str]]
    left_out: dict[str, str]

    def transformer(self) -> ColumnTransformer:
        return ColumnTransformer([(name, TREATMENTS[name](), columns) for name, columns in self.groups.items()])


def _one_hot(filler):
    """Names to numbers, gaps and unknown names to a known one, then a feature per name or one for two names.

    Whatever comes later is thus encoded as a training row could be: a metric has learned nothing about other values.
    """
    return make_pipeline(
        OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan),
        filler,
        OneHotEncoder(drop="if_binary", max_categories=MOST_CATEGORIES, sparse_output=False),
    )


TREATMENTS = {
    "numbers": lambda: SimpleImputer(strategy="median"),
    "numbers with gaps": lambda: SimpleImputer(strategy="median", add_indicator=True),
    "gaps": lambda: MissingIndicator(features="all"),
    "names": lambda: _one_hot(SimpleImputer(strategy="most_frequent")),
    "names with gaps": lambda: _one_hot(SimpleImputer(strategy="constant", fill_value=GAP)),
}
"""Transformers by the name of their group."""


def plan(frame: Any, schema: Schema) -> Plan:
    """Decide, from the training rows alone, how each column is treated.

    Parameters
    ----------
    frame : DataFrame
        Training rows, as ``Schema.frame`` makes them.
    schema : Schema
        Kinds of the columns.

    Returns
    -------
    Plan
    """
    groups: dict[str, list[str]] = {name: [] for name in TREATMENTS}
    left_out: dict[str, str] = {}
    for column in schema.columns:
        values = frame[column.name]
        n_present, n_values = int(values.notna().sum()), values.nunique()
        gaps = len(values) - n_present
        if n_present == 0:
            left_out[column.name] = "it has no value at all"
        elif n_values == 1 and not gaps:
            left_out[column.name] = "it is constant"
        elif column.kind == "nominal" and n_values == n_present > MOST_CATEGORIES:
            left_out[column.name] = "it names every row differently"
        elif column.kind == "nominal":
            groups["names with gaps" if gaps else "names"].append(column.name)
        elif n_values == 1:
            groups["gaps"].append(column.name)
        else:
            groups["numbers with gaps" if gaps >= MANY_GAPS * len(values) else "numbers"].append(column.name)
    return Plan({name: columns for name, columns in groups.items() if columns}, left_out)


def useful_plan(source: str, frame: Any, schema: Schema) -> Plan:
    """The plan, with a warning about columns that are left out, and an error where all of them are."""
    made = plan(frame, schema)
    useless = [f"column {quoted(name)}, {reason}" for name, reason in made.left_out.items()]
    more = [f"{len(useless) - MOST_NAMED} more"] if len(useless) > MOST_NAMED else []
    reasons = "; ".join(useless[:MOST_NAMED] + more)
    if not made.groups:
        raise InputError(f"{source}: no column is of use; {reasons}")
    if reasons:
        warnings.warn(f"{source}: left out: {reasons}", DataWarning, 3)
    return made


def features(transformer: ColumnTransformer) -> list[tuple[str, str]]:
    """Column and, where a column is several features, which of its values each one stands for."""
    names: list[tuple[str, str]] = []
    for group, fitted, columns in transformer.transformers_:
        if group.startswith("names"):
            names += _categories(fitted, columns)
        elif group == "gaps":
            names += [(column, "missing") for column in columns]
        elif group in TREATMENTS:
            names += [(column, "") for column in columns]
            indicator = getattr(fitted, "indicator_", None)
            names += [(columns[i], "missing") for i in indicator.features_] if indicator else []
    return names


def _categories(fitted, columns):
    """Column and value of every feature of one-hot encoded columns, in order."""
    ordinal, _, one_hot = (step for _, step in fitted.steps)
    drops = one_hot.drop_idx_ if one_hot.drop_idx_ is not None else [None] * len(columns)
    tables = (columns, ordinal.categories_, one_hot.categories_, one_hot.infrequent_categories_, drops)
    for column, words, codes, rare, dropped in zip(*tables, strict=True):
        rare = () if rare is None else set(rare.tolist())
        for i, code in enumerate(codes.tolist()):
            if i != dropped and code not in rare:
                yield column, "missing" if code == GAP else str(words[int(code)])
        if rare:
            yield column, "others"
