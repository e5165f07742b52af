"""A model of a table: the pipeline, and the columns it wants, in one file."""

import os
import warnings
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from .. import files
from ..exceptions import DataWarning, ModelFileError
from ..learners.learned_space import LearnedSpace
from ..versions import versions
from .acquaintance import remembered, share_known
from .class_checks import check_classes
from .feature_shares import Weight, shares
from .identifiers import usable
from .labels import label_texts, labels
from .methods import FITTED
from .notes import check_notes
from .pipelines import classifier, pipeline
from .preprocessing import MOST_NAMED, features, useful_plan
from .row_weights import row_weights
from .schema import Schema
from .steps import Progress, steps_told
from .table import InputError, Table, few, quoted

CHUNK = 4096  # rows between two reports of progress


@dataclass(frozen=True, eq=False)
class TableModel:
    """A fitted pipeline with the schema of the table that it was fitted on, and notes about how.

    Attributes
    ----------
    pipeline : sklearn.pipeline.Pipeline
        Steps "columns", "scale" and "classifier"; it predicts from a DataFrame of the features too.
    schema : Schema
        Class and features.
    notes : dict
        JSON values: method, parameters, rows, seed, versions, columns left out.
    """

    pipeline: Pipeline
    schema: Schema
    notes: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def fit(
        cls,
        table: Table,
        target: str | None = None,
        method: str = "free-energy",
        *,
        weight: str | None = None,
        seed: int = 0,
        parameters: dict[str, Any] | None = None,
        device: str = "cpu",
        n_jobs: int | None = None,
        on_step: Progress | None = None,
        **kinds: Collection[str],
    ) -> "TableModel":
        """Fit a method on a table; rows without a class are left out.

        Parameters
        ----------
        table : Table
            What ``read`` gave.
        target : str or None, default=None
            Column of the class; None is what the format itself declares.
        method : str, default="free-energy"
            "free-energy" or a name in ``freemetric.LEARNERS``, which k-NN follows.
        weight : str or None, default=None
            Column with the weights of the rows; no feature. Only "free-energy" can weigh.
        seed : int, default=0
            Of everything random.
        parameters : dict or None, default=None
            Parameters of the method.
        device : str, default="cpu"
            Where the method computes, if it can choose.
        n_jobs : int or None, default=None
            Threads.
        on_step : callable or None, default=None
            Called with (number done, number of all or None) after every step of the fit, where scikit-learn and the
            method have callbacks.
        **kinds : dict
            ``drop``, ``keep``, ``numeric`` and ``nominal`` of ``identifiers.usable``.

        Returns
        -------
        TableModel
        """
        if method not in FITTED:
            raise InputError(f"unknown method {method!r}; known: {', '.join(FITTED)}")
        last = classifier(method, seed, parameters=parameters, device=device, n_jobs=n_jobs)
        weighing = {}
        if weight is not None:
            if weight == (target or table.target):
                raise InputError(f"{table.source}: column {quoted(weight)} is the class and cannot be the weight, too")
            weighing["classifier__sample_weight"] = row_weights(table, weight, last, method)
            kinds["drop"] = [*kinds.get("drop", ()), weight]
        schema, unusable = usable(table, target, **kinds)
        y, present = labels(table, schema.target)
        check_classes(table, schema.target, y)
        weighing = {parameter: values[present] for parameter, values in weighing.items()}
        frame = schema.frame(table)[present]
        treatment = useful_plan(table.source, frame, schema)
        if not present.all():
            warnings.warn(f"{table.source}: {(~present).sum()} rows without a class are left out", DataWarning, 2)
        with steps_told(last, on_step):
            fitted = pipeline(treatment, last).fit(frame, y, **weighing)
        weights = shares(fitted, frame)
        notes = {
            "file": Path(table.source).name,
            "rows": len(y),
            "classes": [str(label) for label in fitted.classes_],
            "left_out": {**unusable, **treatment.left_out},
            "weights": None if weights is None else weights.tolist(),
            "some_rows": remembered(frame),
            "method": method,
            "parameters": dict(parameters or {}),
            "weight": weight,
            "seed": seed,
            "device": device,
            "versions": versions(),
        }
        return cls(fitted, schema, notes)

    def save(self, path: str | os.PathLike, options: dict[str, Any] | None = None) -> None:
        """Save the model for ``TableModel.load`` and ``freemetric.load``; ``options`` are kept in the notes."""
        about = {**self.notes, **self.schema.as_json()}
        files.save(self.pipeline, path, about={"table": {**about, "options": options or {}}})

    @classmethod
    def load(cls, path: str | os.PathLike) -> "TableModel":
        """Load a model. Nothing in the file is run."""
        if not Path(path).is_file():
            raise InputError(f"{path}: there is no such file")
        made, about = files.load(path, with_about=True)
        try:
            notes = dict(about["table"])
            schema = Schema.from_json({"target": notes.pop("target"), "columns": notes.pop("columns")})
            if list(made.feature_names_in_) != schema.names:
                raise ValueError("other columns than the pipeline's")
            check_notes(notes, len(features(made.named_steps["columns"])))
        except (KeyError, TypeError, ValueError, AttributeError) as problem:
            raise ModelFileError(f"{path}: a model, but not of a table; `freemetric fit` makes such") from problem
        return cls(made, schema, notes)

    def matched(self, table: Table) -> Any:
        """The features of a table as a DataFrame, with a warning about columns and categories that are unknown."""
        frame = self.schema.frame(table)
        extra = [name for name in self.schema.extra(table) if name not in self.left_out]
        if extra:
            warnings.warn(f"{table.source}: columns ignored: {few(extra)}", DataWarning, 2)
        used = {name: cells for name, cells in self.schema.unseen(frame).items() if name not in self.left_out}
        if used:
            warnings.warn(f"{table.source}: categories that the model has never seen: {_listed(used)}", DataWarning, 2)
        return frame

    @property
    def left_out(self) -> dict[str, str]:
        """Columns that no feature comes from, and why."""
        return self.notes.get("left_out", {})

    def predict(
        self, table: Table, *, proba: bool = False, on_rows: Progress | None = None
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """Predicted labels (n_rows,), and probabilities (n_rows, n_classes) or None."""
        frame = self.matched(table)
        if not proba:
            return np.concatenate([self.pipeline.predict(part) for part in _parts(frame, on_rows)]), None
        chances = np.concatenate([self.pipeline.predict_proba(part) for part in _parts(frame, on_rows)])
        return self.pipeline.classes_[chances.argmax(axis=1)], chances  # as predict does, at half the cost

    def transform(self, table: Table, on_rows: Progress | None = None) -> np.ndarray:
        """Rows in the space where the learned distance is Euclidean, (n_rows, n_components)."""
        frame, last = self.matched(table), self.pipeline[-1]
        if hasattr(last, "embed"):  # many metrics, averaged
            return np.concatenate([last.embed(self.pipeline[:-1].transform(part)) for part in _parts(frame, on_rows)])
        space = LearnedSpace(self.pipeline)
        return np.concatenate([space.transform(part) for part in _parts(frame, on_rows)])

    def feature_names(self) -> list[str]:
        """Names of the features that reach the classifier: columns, with a value where a column is several features."""
        return [Weight(*name, share=0.0).name for name in features(self.pipeline.named_steps["columns"])]

    def weights(self) -> list[Weight]:
        """Shares in % of the features in the squared distances of the training rows, the largest first.

        Empty where the method has no matrix.
        """
        names, parts = features(self.pipeline.named_steps["columns"]), self.notes.get("weights")
        weights = [Weight(*name, 100 * part) for name, part in zip(names, parts, strict=True)] if parts else []
        return sorted(weights, key=lambda weight: -weight.share)

    def rows(self, table: Table) -> tuple[Any, np.ndarray | None]:
        """Features as a DataFrame and labels of the rows that have one; all rows and None where there is no class."""
        frame = self.matched(table)
        if self.schema.target not in table.columns:
            return frame, None
        known = {str(label): label for label in self.pipeline.classes_}
        texts = label_texts(table, self.schema.target)
        present = np.array([text in known for text in texts])
        if not present.any():
            return frame, None
        if not present.all():
            word = f"{(~present).sum()} rows are left out, whose class is missing or unknown to the model"
            warnings.warn(f"{table.source}: {word}", DataWarning, 2)
        return frame[present], np.array([known[text] for text in texts[present]])

    def share_known(self, table: Table) -> float:
        """About which share of the rows equal rows that the model has learned from."""
        return share_known(self.schema.frame(table), self.notes.get("some_rows", []))

    def accuracy(self, table: Table, predicted: Iterable) -> float | None:
        """Share of the labelled rows that are predicted right; None where no row has a label."""
        if self.schema.target not in table.columns:
            return None
        truth = label_texts(table, self.schema.target)
        right = [str(label) == text for label, text in zip(predicted, truth, strict=True) if text is not None]
        return float(np.mean(right)) if right else None


def _listed(unseen):
    """Column, value and number of rows, the most frequent first."""
    columns = [f"column {quoted(name)}: {_values(counts)}" for name, counts in unseen.items()]
    more = [f"{len(columns) - MOST_NAMED} more columns"] if len(columns) > MOST_NAMED else []
    return "; ".join(columns[:MOST_NAMED] + more)


def _values(counts):
    words = [f"{quoted(value)} in {n} row{'s' if n > 1 else ''}" for value, n in counts.items()]
    more = f" and {len(words) - MOST_NAMED} more values" if len(words) > MOST_NAMED else ""
    return ", ".join(words[:MOST_NAMED]) + more


def _parts(frame, on_rows=None):
    for start in range(0, len(frame), CHUNK):
        yield frame.iloc[start : start + CHUNK]
        if on_rows:
            on_rows(min(start + CHUNK, len(frame)), len(frame))
