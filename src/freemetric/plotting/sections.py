"""The sections of a page about a fitted model: words, tables and plotly figures."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import get_tags, resample

from .. import __version__
from . import figures
from .classification import ReliabilityDisplay
from .embedding import EmbeddingDisplay, learned_samples, nearest_rows
from .features import ImportancesDisplay
from .neighbors_curve import NeighborsCurveDisplay
from .parts import as_numbers, kept_samples, part_with, space_of
from .predictions import OOB, Predictions, predictions_of, training_targets
from .regression import PredictionDisplay
from .trace import TraceDisplay

MOST_SAMPLES = 10_000
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

    @cached_property
    def truth(self) -> NDArray | None:
        """Targets of the samples, as far as they are known."""
        if self.y is None and self.X is None:
            return training_targets(space_of(self.model))
        return self.y

    @cached_property
    def predictions(self) -> Predictions | None:
        """Predictions beside the truth; None for a model that does not predict."""
        if self.truth is None or not hasattr(self.model, "predict"):
            return None
        if not get_tags(self.model).input_tags.two_d_array:  # it predicts tuples
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
    n = np.shape(X)[0] if X is not None else 0
    note = ""
    if n > MOST_SAMPLES:
        note = f"A random sample of {MOST_SAMPLES:,} of {n:,} rows."
        size = {"n_samples": MOST_SAMPLES, "replace": False, "random_state": 0}
        X, rows = resample(X, np.arange(n), **size)
        y = None if y is None else np.asarray(y)[rows]
    subject = Subject(model, X, y)
    makers = (votes, importances, embedding, predictions, trace, neighbors)
    made = [make(subject) for make in makers]
    return [head(subject, note), *(section for section in made if section)]


def head(subject: Subject, note: str) -> Section:
    """Return what the model is, and how good it is out of bag."""
    model = space_of(subject.model).model
    facts = {"learned by": type(model).__name__, "features": model.n_features_in_}
    if hasattr(subject.model, "classes_"):
        facts["classes"] = len(subject.model.classes_)
    if hasattr(model, "oob_score_"):
        facts["training samples"] = len(kept_samples(space_of(subject.model)))
        facts["out-of-bag score"] = f"{model.oob_score_:.4f}"
    facts["freemetric"] = __version__
    table = Table("", [], [list(fact) for fact in facts.items()])
    return Section(text=note, code=repr(subject.model), tables=[table])


def votes(subject: Subject) -> Section | None:
    """Return what votes, how much, and what stands beside the votes."""
    if part_with(subject.model, "selection_") is None:
        return None
    display = NeighborsCurveDisplay.of(subject.model)
    shown = [figures.neighbors_figure(display)]
    ensemble = part_with(subject.model, "ensemble_")
    if ensemble is None:
        text = "The number of neighbours with the lowest error was chosen."
        return Section("Votes", text, figures=shown)
    rows = []
    for curve in display.curves:
        k = curve.n_neighbors[curve.weight.argmax()]
        rows.append([curve.name, f"{curve.weight.sum():.1%}", k])
    header = ["view/form", "weight", "largest weight at k"]
    beside = ensemble.model.estimators_
    strengths = strengths_of(ensemble.model, len(beside))
    others = [
        [name, repr(estimator), cell(strength)]
        for (name, estimator), strength in zip(beside, strengths, strict=True)
    ]
    names = ["name", "estimator", "strength"]
    tables = [Table("", header, rows), Table("Beside the votes", names, others)]
    text = (
        "Samples vote by their distances under many metrics. Marks are as large as "
        "the weights, which follow from the losses."
    )
    return Section("Votes", text, tables=tables, figures=shown)


def strengths_of(model: Any, n: int) -> list[Any]:
    """Return how strongly the estimators beside the votes count."""
    if hasattr(model, "pool_"):
        return list(model.pool_.strengths)
    # Two for each: beside the votes, and along the way from the neighbours.
    return list(model.combination_.strengths[1:].reshape(2, n).sum(axis=0))


def importances(subject: Subject) -> Section:
    """Return which features count."""
    figure = figures.importances_figure(subject.importances)
    return Section("Features", figures=[figure])


def embedding(subject: Subject) -> Section | None:
    """Return the samples in the learned space."""
    if subject.X is None and kept_samples(space_of(subject.model)) is None:
        return None
    display = EmbeddingDisplay.of(subject.model, subject.X, subject.truth)
    text = "Near samples are alike by the learned distance."
    figure = figures.embedding_figure(display)
    return Section("Learned space", text, figures=[figure])


def predictions(subject: Subject) -> Section | None:
    """Return predictions beside the truth."""
    found = subject.predictions
    if found is None:
        return None
    if found.classes is None:
        shown = [figures.prediction_figure(PredictionDisplay.of(found))]
    else:
        shown = [
            figures.confusion_figure(found),
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
    inputs = as_numbers(space_of(subject.model).inputs(subject.X))
    Z = learned_samples(subject.model, subject.X)
    columns = subject.importances.largest(N_COLUMNS)
    names = [subject.importances.names[i] for i in columns]
    header = ["row", "distance", "target", *names]
    tables = []
    for row in surprising_rows(subject, len(Z)):
        lines = []
        for other in [row, *nearest_rows(Z, row, N_NEIGHBORS)]:
            distance = np.linalg.norm(Z[other] - Z[row])
            target = "" if subject.truth is None else subject.truth[other]
            lines.append([other, distance, target, *inputs[other, columns]])
        texts = [[cell(value) for value in line] for line in lines]
        tables.append(Table(f"Row {row}", header, texts))
    text = (
        "The samples that surprise the model most, each above its nearest neighbours "
        "among the samples shown here. Features have the values that enter the metric."
    )
    return Section("Neighbours", text, tables=tables)


def surprising_rows(subject: Subject, n: int) -> NDArray[np.intp]:
    """Return rows whose truth is least expected; evenly spaced ones without truth."""
    found = subject.predictions
    if found is None:
        return figures.evenly(n, N_QUERIES)
    if found.classes is None:
        expected = -np.abs(found.truth - found.predicted)
    else:
        is_own = found.truth[:, None] == found.classes
        expected = (found.probabilities * is_own).sum(axis=1)
    return found.rows[np.argsort(expected, kind="stable")[:N_QUERIES]]


def cell(value: Any) -> str:
    """Return a value of a table as a text."""
    return f"{value:.4g}" if isinstance(value, float | np.floating) else str(value)
