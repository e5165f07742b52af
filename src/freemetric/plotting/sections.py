"""The sections of a page about a fitted model: words, tables and plotly figures."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import resample

from .. import __version__
from . import figures
from .embedding import EmbeddingDisplay, learned_samples, nearest_rows
from .features import ImportancesDisplay, MetricDisplay
from .neighbors_curve import NeighborsCurveDisplay
from .parts import as_numbers, kept_samples, part_with, space_of, training_rows
from .predictions import (
    OOB,
    ConfusionDisplay,
    PredictionDisplay,
    Predictions,
    ReliabilityDisplay,
    predictions_of,
    training_labels,
)
from .trace import TraceDisplay

MOST_SAMPLES = 10_000
MOST_METRIC = 40  # features of a heat map
N_QUERIES = 4
N_NEIGHBORS = 5
N_COLUMNS = 5  # features shown of a row


@dataclass(frozen=True)
class Table:
    """A table of texts and numbers; the header may be empty."""

    title: str
    header: list[str]
    rows: list[list[Any]]


@dataclass(frozen=True)
class Section:
    """A part of the page."""

    title: str = ""
    text: str = ""
    code: str = ""
    tables: list[Table] = field(default_factory=list)
    figures: list[dict[str, Any]] = field(default_factory=list)


class Subject:
    """A fitted model with the samples to show; what several sections need.

    Parameters
    ----------
    model : estimator
        Fitted.
    X, y : array-like or None
        Samples and their targets.
    """

    def __init__(self, model: Any, X: Any = None, y: Any = None):
        self.model = model
        self.X = X
        self.y = None if y is None else np.asarray(y)

    @property
    def has_samples(self) -> bool:
        """Whether there are samples to show: the user's, or those of the fit."""
        return self.X is not None or kept_samples(space_of(self.model)) is not None

    @cached_property
    def truth(self) -> NDArray | None:
        """Targets of the samples, as far as they are known."""
        if self.y is None and self.X is None:
            return training_labels(space_of(self.model))
        return self.y

    @cached_property
    def predictions(self) -> Predictions | None:
        """Predictions beside the truth; None for a model that does not predict."""
        has_oob = part_with(self.model, *OOB) is not None
        can_predict = hasattr(self.model, "predict") if self.X is not None else has_oob
        if self.truth is None or not can_predict:
            return None
        return predictions_of(self.model, self.X, self.truth)

    @cached_property
    def importances(self) -> ImportancesDisplay:
        """Importances of the features."""
        return ImportancesDisplay.of(self.model, self.X)


def sections_of(model: Any, X: Any = None, y: Any = None) -> list[Section]:
    """Return the sections that the model and the samples allow."""
    if y is not None and X is None and part_with(model, *OOB) is None:
        raise ValueError("y needs X; give both.")
    note = ""
    if X is not None and np.shape(X)[0] > MOST_SAMPLES:
        note = f"A random sample of {MOST_SAMPLES:,} of {np.shape(X)[0]:,} rows."
        chosen = {"replace": False, "n_samples": MOST_SAMPLES, "random_state": 0}
        rows = resample(np.arange(np.shape(X)[0]), **chosen)
        X = X.iloc[rows] if hasattr(X, "iloc") else np.asarray(X)[rows]
        y = None if y is None else np.asarray(y)[rows]
    subject = Subject(model, X, y)
    makers = (votes, importances, metric, embedding, predictions, trace, neighbors)
    made = [make(subject) for make in makers]
    return [head(subject, note), *(section for section in made if section)]


def head(subject: Subject, note: str) -> Section:
    """Return what the model is, and how good it is out of bag."""
    part = space_of(subject.model)
    facts = [["learned by", type(part.model).__name__]]
    kept = kept_samples(part)
    if kept is not None:
        facts.append(["training samples", f"{len(kept):,}"])
    facts.append(["features", f"{part.model.n_features_in_:,}"])
    classes = getattr(subject.model, "classes_", None)
    if classes is not None:
        facts.append(["classes", f"{len(classes):,}"])
    scored = part_with(subject.model, "oob_score_")
    if scored is not None:
        score = "accuracy" if classes is not None else "R²"
        value = f"{scored.model.oob_score_:.4f}"
        facts.append([f"out-of-bag {score}", value])
    facts.append(["freemetric", __version__])
    code = repr(subject.model)
    return Section(text=note, code=code, tables=[Table("", [], facts)])


def votes(subject: Subject) -> Section | None:
    """Return what votes, how much, and what stands beside the votes."""
    if part_with(subject.model, "selection_") is None:
        return None
    display = NeighborsCurveDisplay.of(subject.model)
    tables = []
    if display.curves[0].name:
        rows = []
        for curve in display.curves:
            best = curve.n_neighbors[curve.weight.argmax()]
            used = best if curve.weight.any() else ""
            rows.append([curve.name, f"{curve.weight.sum():.1%}", used])
        header = ["view/form", "weight", "most used number of neighbours"]
        tables.append(Table("", header, rows))
    beside = part_with(subject.model, "estimators_")
    if beside is not None and part_with(subject.model, "ensemble_") is not None:
        rows = [[name, repr(model)] for name, model in beside.model.estimators_]
        tables.append(Table("Beside the votes", [], rows))
    text = (
        "Samples vote by their distances under many metrics. Marks are as large as "
        "the weights, which follow from the losses."
    )
    if not display.curves[0].name:
        text = "The number of neighbours with the lowest error was chosen."
    shown = [figures.neighbors_figure(display)]
    return Section("Votes", text, tables=tables, figures=shown)


def importances(subject: Subject) -> Section:
    """Return which features count."""
    shown = [figures.importances_figure(subject.importances)]
    return Section("Features", figures=shown)


def metric(subject: Subject) -> Section:
    """Return the matrix of the metric."""
    display = MetricDisplay.of(subject.model, subject.X, most=MOST_METRIC)
    unit = "their own units" if subject.X is None else "standard deviations"
    text = (
        "The squared distance of two samples is (u - v)ᵀ M (u - v). The diagonal has "
        f"the weights of the features, measured in {unit}."
    )
    return Section("Metric", text, figures=[figures.metric_figure(display)])


def embedding(subject: Subject) -> Section | None:
    """Return the samples in the learned space."""
    if not subject.has_samples:
        return None
    display = EmbeddingDisplay.of(subject.model, subject.X, subject.truth)
    text = "Near samples are alike by the learned distance."
    shown = [figures.embedding_figure(display)]
    return Section("Learned space", text, figures=shown)


def predictions(subject: Subject) -> Section | None:
    """Return predictions beside the truth."""
    found = subject.predictions
    if found is None:
        return None
    if found.classes is None:
        shown = [figures.prediction_figure(PredictionDisplay.of(found))]
    else:
        shown = [
            figures.confusion_figure(ConfusionDisplay.of(found)),
            figures.reliability_figure(ReliabilityDisplay.of(found)),
        ]
    text = f"{len(found.rows):,} samples: {found.source}."
    return Section("Predictions", text, figures=shown)


def trace(subject: Subject) -> Section | None:
    """Return the Monte Carlo run of a learner."""
    try:
        display = TraceDisplay.of(subject.model)
    except TypeError:
        return None
    return Section("Monte Carlo run", figures=[figures.trace_figure(display)])


def neighbors(subject: Subject) -> Section | None:
    """Return the neighbours of the rows that surprise the model most."""
    if subject.X is None:
        return None
    part = space_of(subject.model)
    inputs = as_numbers(part.inputs(subject.X))
    rows = surprising_rows(subject, len(inputs))
    columns = subject.importances.largest(N_COLUMNS)
    names = [str(subject.importances.names[i]) for i in columns]
    header = ["", "row", "distance", "target", *names]
    tables = []
    of_fit = training_labels(part) is not None and hasattr(part.model, "kneighbors")
    nearest = training_neighbors if of_fit else shown_neighbors
    for row in rows:
        lines = nearest(subject, part, inputs, row)
        target = None if subject.truth is None else subject.truth[row]
        lines = [("sample", row, 0.0, target, inputs[row]), *lines]
        texts = [
            [*map(cell, line[:4]), *(cell(line[4][i]) for i in columns)]
            for line in lines
        ]
        tables.append(Table("", header, texts))
    where = "training samples" if of_fit else "samples shown here"
    text = (
        "The samples that surprise the model most, and their nearest neighbours among "
        f"the {where}. Features have the values that enter the metric."
    )
    return Section("Neighbours", text, tables=tables)


def surprising_rows(subject: Subject, n: int) -> NDArray[np.intp]:
    """Return rows whose truth is least expected; evenly spaced ones without truth."""
    found = subject.predictions
    if found is None:
        return figures.evenly(n, N_QUERIES)
    if found.classes is None:
        surprise = np.abs(found.truth - found.predicted)
    else:
        is_own = found.truth[:, None] == found.classes
        surprise = 1 - (found.probabilities * is_own).sum(axis=1)
    return found.rows[np.argsort(-surprise, kind="stable")[:N_QUERIES]]


def training_neighbors(
    subject: Subject, part: Any, inputs: NDArray, row: int
) -> list[tuple]:
    """Return the nearest training samples of a row, without the row itself."""
    X = subject.X
    one = X.iloc[[row]] if hasattr(X, "iloc") else np.asarray(X)[[row]]
    own = training_rows(part, subject.X)[row]
    samples = part.inputs(one)
    distances, numbers = part.model.kneighbors(samples, N_NEIGHBORS + 1)
    labels = training_labels(part)
    kept = kept_samples(part)
    lines = [
        ("neighbour", number, distance, labels[number], kept[number])
        for distance, number in zip(distances[0], numbers[0], strict=True)
        if number != own
    ]
    return lines[:N_NEIGHBORS]


def shown_neighbors(
    subject: Subject, part: Any, inputs: NDArray, row: int
) -> list[tuple]:
    """Return the nearest of the samples shown, without the row itself."""
    Z = learned_samples(subject.model, subject.X)
    lines = []
    for number in nearest_rows(Z, row, N_NEIGHBORS):
        distance = np.linalg.norm(Z[number] - Z[row])
        target = None if subject.truth is None else subject.truth[number]
        lines.append(("neighbour", number, distance, target, inputs[number]))
    return lines


def cell(value: Any) -> str:
    """Return a value of a table as a text."""
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float | np.floating) else str(value)
