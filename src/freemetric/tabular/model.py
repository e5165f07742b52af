"""A model of a table: the pipeline and the schema of its columns, in one file."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import is_regressor
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler

from .. import files
from ..ensemble.importances import Importances
from ..exceptions import ModelFileError
from ..extras import require, versions
from ..files.checks import is_number
from ..files.container import File, shown
from ..learners.learned_space import LearnedSpace
from ..printable import counted, verb
from .methods import Progress, last_step, pipeline, steps_reported
from .notation import Marks, check_marks
from .preprocessing import MOST_NAMED, Originals, Weight, features, shares, usable, useful_plan
from .schema import Ranges, Schema, target_name
from .table import InputError, Table, beginning, few, note, numbered, quoted
from .tasks import TASKS, Target, canonical, check_role, choice_of, label_texts, row_weights

KEPT = 256  # hashes of rows that a model keeps
BITS = 12  # of a row's hash that are dropped, so that it is exact in any JSON
LISTS, DICTS = ("classes", "some_rows"), ("left_out", "parameters", "versions", "numbers", "options")  # among the notes
CHUNK = 4096  # rows between two reports of progress


@dataclass(frozen=True)
class FitOptions:
    """Options of ``TableModel.fit``.

    Attributes
    ----------
    task : {"classify", "regress"} or None
        Classification or regression; None decides by the values of the target, as ``tasks.choice_of`` does.
    weight : str or None
        Column with the weights of the rows; no feature. Only "free-energy" supports weights.
    seed, parameters, device, n_jobs : int, dict or None, str, int or None
        Of the method.
    drop, keep, numeric, nominal : collection of str
        Columns to leave out, to keep although they seem to identify the rows, and those whose kind is given.
    """

    task: str | None = None
    weight: str | None = None
    seed: int = 0
    parameters: Mapping[str, Any] | None = None
    device: str = "cpu"
    n_jobs: int | None = None
    drop: Collection[str] = ()
    keep: Collection[str] = ()
    numeric: Collection[str] = ()
    nominal: Collection[str] = ()


@dataclass(frozen=True, eq=False)
class TableModel:
    """A fitted pipeline with the schema of the table that it was fitted on, and notes about how.

    Attributes
    ----------
    pipeline : sklearn.pipeline.Pipeline
        Steps "columns", "scale" and "classifier" or "regressor"; it predicts from a DataFrame of the features too.
    schema : Schema
        Target and features.
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
        on_step: Progress | None = None,
        **options: Any,
    ) -> "TableModel":
        """Fit a method on a table; rows without a target are left out.

        Parameters
        ----------
        table : Table
            Result of ``read``.
        target : str or None, default=None
            Column to predict; None is what the format itself declares.
        method : str, default="free-energy"
            "free-energy", or a metric learner by name, which k-NN follows: those in ``freemetric.LEARNERS`` for
            classification, those in ``methods.REGRESSION_FITTED`` for regression.
        on_step : callable or None, default=None
            Called with (number done, number of all or None) after every step of the fit, where the method has steps.
        **options : dict
            Those of ``model.FitOptions``: ``task``, ``weight``, ``seed``, ``parameters``, ``device``, ``n_jobs``,
            ``drop``, ``keep``, ``numeric`` and ``nominal``.

        Returns
        -------
        TableModel
        """
        if not isinstance(table, Table):
            what = f"TableModel.fit takes what freemetric.tabular.read gives, not {type(table).__name__}"
            raise InputError(f"{what}; freemetric.TableClassifier and TableRegressor take frames")
        own, name = FitOptions(**options), target_name(table, target)
        choice = choice_of(table, name, own.task)
        task = TASKS[choice.task]
        task.check_method(method, "fitted")
        last = task.estimator(method, own.seed, parameters=own.parameters, device=own.device, n_jobs=own.n_jobs)
        weights, drop = None, own.drop
        if own.weight is not None:
            check_role(table, own.weight, name, "the weight")
            weights, drop = row_weights(table, own.weight, last, method), [*drop, own.weight]
        schema, unusable = usable(table, target, keep=own.keep, drop=drop, numeric=own.numeric, nominal=own.nominal)
        found = task.target(table, name)._replace(weights=weights)
        if choice.why:
            note(choice.why)
        about: dict[str, Any] = {"method": method, "parameters": dict(own.parameters or {}), "weight": own.weight}
        about |= {"file": Path(table.source).name, "seed": own.seed, "device": own.device, "left_out": unusable}
        return learned(table, schema, last, found, about, on_step)

    def save(self, path: File, options: dict[str, Any] | None = None) -> None:
        """Save the model for ``TableModel.load`` and ``freemetric.load``; ``options`` are kept in the notes."""
        files.save(self.pipeline, path, about={"table": {**self.to_state()["notes"], "options": options or {}}})

    @classmethod
    def load(cls, path: File) -> "TableModel":
        """Load a model. Nothing in the file is run."""
        made, about = files.load(path, with_about=True)
        if isinstance(model := getattr(made, "model_", None), cls):  # of a TableClassifier or TableRegressor
            return model
        try:
            return cls.from_state({"pipeline": made, "notes": about["table"]})
        except (KeyError, TypeError, ValueError, AttributeError) as problem:
            what = "a model, but not of a table; `freemetric fit` makes such"
            raise ModelFileError(f"{shown(path)}: {what}") from problem

    def to_state(self) -> dict[str, Any]:
        """The pipeline, and the schema among the notes."""
        return {"pipeline": self.pipeline, "notes": {**self.notes, **self.schema.as_json()}}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "TableModel":
        """The model of a state; KeyError, TypeError, ValueError or AttributeError if it is no such state."""
        made, notes = state["pipeline"], dict(state["notes"])
        schema = Schema.from_json({"target": notes.pop("target"), "columns": notes.pop("columns")})
        if not isinstance(made, Pipeline) or list(made.feature_names_in_) != schema.names:
            raise ValueError("other columns than the pipeline's")
        _check_notes(notes, len(features(made.named_steps["columns"])))
        return cls(made, schema, notes)

    def matched(self, table: Table, known: Collection[str] = ()) -> Any:
        """The features of a table as a DataFrame, with a warning about columns and categories that are unknown."""
        frame = self.schema.frame(table, self.ranges)
        if extra := [name for name in self.schema.extra(table) if name not in {*self.left_out, *known}]:
            note(f"{table.source}: columns ignored: {few(extra)}")
        used = {name: cells for name, cells in self.schema.unseen(frame).items() if name not in self.left_out}
        if used:
            note(f"{table.source}: categories that the model has never seen: {_listed(used)}")
        return frame

    @property
    def header(self) -> bool:
        """Whether the training file had the names of its columns."""
        return self.notes.get("options", {}).get("header") is not False

    def aligned(self, table: Table) -> Table:
        """The table; one without names and target gets the numbers of the training table behind the target."""
        target, options = self.schema.target, self.notes.get("options", {})
        known = [*(column.name for column in self.schema.columns), *self.left_out, target, self.notes.get("weight")]
        used = {name for name in (*known, *(options.get("drop") or ())) if isinstance(name, str)}
        names = numbered(len(used))
        if table.options.header or used != set(names) or list(table.columns) != names[:-1] or target == names[-1]:
            return table
        note(f"{table.source}: one column fewer than the training table: taken for one without {quoted(target)}")
        others = [name for name in names if name != target]
        return replace(table, columns=dict(zip(others, table.columns.values(), strict=True)))

    @property
    def ranges(self) -> Ranges:
        """Smallest and largest training values of the numeric columns, and of the target of a regression."""
        names, scale = features(self.pipeline.named_steps["columns"]), self.pipeline.named_steps["scale"]
        if isinstance(scale, MinMaxScaler):
            lowest, highest = ((end - scale.min_) / scale.scale_ for end in scale.feature_range)
        else:
            ensemble = self.pipeline[-1].ensemble_
            X = ensemble.training_set.X[:, : scale.n_features_in_]
            lowest, highest = ensemble.once("ends", lambda: scale.inverse_transform([X.min(axis=0), X.max(axis=0)]))
        ends = zip(lowest.tolist(), highest.tolist(), strict=True)
        found = {name: pair for (name, value), pair in zip(names, ends, strict=True) if not value}
        about = self.notes.get("numbers")
        return found if not about else {**found, self.schema.target: (about["lowest"], about["highest"])}

    @property
    def left_out(self) -> dict[str, str]:
        """Columns that no feature comes from, and why."""
        return self.notes.get("left_out", {})

    @property
    def predicts_numbers(self) -> bool:
        """Whether it is a regression."""
        return is_regressor(self.pipeline[-1])

    def predict(
        self, table: Table, *, proba: bool = False, on_rows: Progress | None = None
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """Predictions (n_rows,), and probabilities (n_rows, n_classes) or None."""
        if not proba:
            return by_parts(self.matched(table), self.pipeline.predict, on_rows), None
        chances = by_parts(self.matched(table), self.pipeline.predict_proba, on_rows)
        return self.pipeline.classes_[chances.argmax(axis=1)], chances  # as predict does, at half the cost

    def transform(self, table: Table, on_rows: Progress | None = None) -> np.ndarray:
        """Rows in the space where the learned distance is Euclidean, (n_rows, n_components)."""
        return self.embedded(self.matched(table), on_rows)

    def embedded(self, frame: Any, on_rows: Progress | None = None) -> np.ndarray:
        """Rows of a frame, as ``Schema.frame`` makes them, in that space."""
        return by_parts(frame, LearnedSpace(self.pipeline).transform, on_rows)

    def feature_names(self) -> list[str]:
        """Names of the features that reach the last step: columns, with a value where a column is several features."""
        return [Weight(*name, share=0.0).name for name in features(self.pipeline.named_steps["columns"])]

    def weights(self) -> list[Weight]:
        """Shares in % of the features in the squared distances, the largest first; empty without a matrix."""
        names, parts = features(self.pipeline.named_steps["columns"]), self.notes.get("weights")
        weights = [Weight(*name, 100 * part) for name, part in zip(names, parts, strict=True)] if parts else []
        return sorted(weights, key=lambda weight: -weight.share)

    def originals(self, as_frame: Callable[[Any], Any] | None = None) -> Originals:
        """The columns of the table behind the features, for ``freemetric.report.write(..., columns=)``."""
        return Originals(self.pipeline, self.schema, as_frame)

    def importances(self, scoring: Any = None) -> Importances | None:
        """Permutation importances of the columns by the out-of-bag score; None where the method has none."""
        shuffled = getattr(self.pipeline[-1], "permutation_importances", None)
        return None if shuffled is None else shuffled(self.feature_owners(), scoring=scoring)

    def feature_owners(self) -> np.ndarray:
        """The column of the table that every feature belongs to, by its name."""
        behind = self.originals()
        return np.array(behind.names, dtype=object)[behind.owner]

    def rows(self, table: Table) -> tuple[Any, np.ndarray | None]:
        """Features as a DataFrame and targets of the rows that have one; all rows and None where there is none."""
        frame, truth = self.matched(table), self.truth(table)
        if truth is None or not truth.present.any():
            return frame, None
        if not truth.present.all():
            n = int((~truth.present).sum())
            out = f"{counted(n, 'row')} {verb(n, 'is', 'are')} left out"
            note(f"{table.source}: {out}, whose {truth.word} is missing or unknown to the model")
        return frame[truth.present], truth.y

    @property
    def target_marks(self) -> Marks:
        """The decimal and thousands marks of the training target."""
        about = self.notes.get("numbers", {})
        return Marks(about.get("decimal", "."), about.get("thousands", ""), about.get("unit", ""))

    def truth(self, table: Table) -> Target | None:
        """Known classes, or targets of a regression, of the rows that have one; None without such a column."""
        name = self.schema.target
        if name not in table.columns:
            return None
        if self.predicts_numbers:
            numbers = table.maybe_numbers(name, self.schema.marks_in(table, self.ranges, self.target_marks)[name])
            present = np.isfinite(numbers)
            return Target("number", numbers[present], present, {})
        known = {canonical(str(label)): label for label in self.pipeline.classes_}
        texts = label_texts(table, name)
        present = np.array([text in known for text in texts])
        return Target("class", np.array([known[text] for text in texts[present]]), present, {})

    def accuracy(self, table: Table, predicted: Iterable) -> float | None:
        """Share of the labelled rows that are predicted correctly; None where no row has a label and a prediction."""
        if self.schema.target not in table.columns:
            return None
        pairs = zip(predicted, label_texts(table, self.schema.target), strict=True)
        right = [canonical(str(label)) == text for label, text in pairs if None not in (label, text)]
        return float(np.mean(right)) if right else None

    def share_known(self, table: Table) -> float:
        """Estimated share of the rows that are among the training rows."""
        return share_known(self.schema.frame(table, self.ranges), self.notes.get("some_rows", []))


def learned(
    table: Table, schema: Schema, last: Any, target: Target, about: dict[str, Any], on_step: Progress | None = None
) -> TableModel:
    """Fit an estimator on the rows of a table that have a target; ``about`` are further notes, JSON values."""
    present = target.present
    frame = schema.frame(table)[present]
    treatment = useful_plan(table.source, frame, schema)
    if not present.all():
        n = int((~present).sum())
        note(f"{table.source}: {counted(n, 'row')} without a {target.word} {verb(n, 'is', 'are')} left out")
    weighing = {} if target.weights is None else {f"{last_step(last)}__sample_weight": target.weights[present]}
    with steps_reported(last, on_step):
        fitted = pipeline(treatment, last).fit(frame, target.y, **weighing)
    parts = shares(fitted, frame)
    notes = {
        "rows": len(target.y),
        **target.about,
        **about,
        "left_out": {**about["left_out"], **treatment.left_out},
        "weights": None if parts is None else parts.tolist(),
        "some_rows": remembered(frame),
        "versions": versions(),
    }
    return TableModel(fitted, schema, notes)


def _listed(unseen):
    """Column, value and number of rows, the most frequent first."""
    rows = {name: [f"{quoted(value)} in {counted(n, 'row')}" for value, n in unseen[name].items()] for name in unseen}
    columns = [f"column {quoted(name)}: {beginning(words)}" for name, words in rows.items()]
    others = [counted(len(columns) - MOST_NAMED, "more column")] if len(columns) > MOST_NAMED else []
    return "; ".join(columns[:MOST_NAMED] + others)


def by_parts(frame: Any, function: Callable[[Any], np.ndarray], on_rows: Progress | None = None) -> np.ndarray:
    """Apply a function to the rows of a frame, some thousands at a time."""
    parts = []
    for start in range(0, len(frame), CHUNK):
        parts.append(function(frame.iloc[start : start + CHUNK]))
        if on_rows:
            on_rows(min(start + CHUNK, len(frame)), len(frame))
    return np.concatenate(parts)


def remembered(frame: Any) -> list[int]:
    """The smallest hashes of the rows: a random sample that is the same in every file."""
    return np.unique(_hashes(frame))[:KEPT].tolist()


def share_known(frame: Any, kept: list[int]) -> float:
    """The share of rows with a kept hash, among those whose hash is small enough to be kept."""
    hashes = _hashes(frame)
    hashes = hashes[hashes <= kept[-1]] if len(kept) == KEPT else hashes
    return float(np.isin(hashes, kept).mean()) if len(hashes) and kept else 0.0


def _hashes(frame):
    hashed = require("pandas.util", "cli").hash_pandas_object(frame, index=False)
    return hashed.to_numpy() >> np.uint64(BITS)


def _check_notes(notes: dict[str, Any], n_features: int) -> None:
    """ValueError unless the notes are such as ``TableModel.fit`` writes."""
    for name, kind in [*((name, list) for name in LISTS), *((name, dict) for name in DICTS)]:
        if type(notes.get(name, kind())) is not kind:
            raise ValueError(f"notes of another type: {name}")
    shares, about = notes.get("weights"), notes.get("numbers", {})
    texts = (*notes.get("classes", ()), *notes.get("left_out", {}).values())
    for wanted, values in {str: texts, int: notes.get("some_rows", ())}.items():
        if not all(type(value) is wanted for value in values):
            raise ValueError(f"notes that are no {wanted.__name__}")
    if shares is not None and not (type(shares) is list and len(shares) == n_features and all(map(is_number, shares))):
        raise ValueError("weights of other features")
    if about and not all(is_number(about.get(name)) for name in ("lowest", "highest", "mean")):
        raise ValueError("ends that are no numbers")
    check_marks(about.get("decimal", "."), about.get("thousands", ""), about.get("unit", ""))
