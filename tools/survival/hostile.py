"""Every estimator on hostile inputs: a result or one clear line, never a crash."""

import traceback
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import sklearn
from sklearn.base import clone

import freemetric
from freemetric import (
    DMLFE,
    MLKR,
    SCML,
    FreeEnergyClassifier,
    FreeEnergyRegressor,
    MetricKNeighborsClassifier,
    MetricKNeighborsRegressor,
    TableClassifier,
    TableRegressor,
)
from freemetric.learners import LEARNERS
from freemetric.mc import Annealing, Constant

from .apart import Row, lines_apart
from .inputs import USUAL, hostile

LONGEST = 400  # letters of a line
AT_ONCE = 15  # in a process
FEW = FreeEnergyClassifier(4, random_state=0)
FEW_OF_NUMBERS = FreeEnergyRegressor(4, random_state=0)
QUICK = {
    SCML: {"max_iter": 500},
    DMLFE: {"sampler": Annealing(Constant(1e-3), n_steps=3)},
}


def rows(rng):
    """One row: estimators times inputs."""
    estimators, inputs = everyone(), hostile()
    row = Row(
        "hostile inputs x estimators",
        len(estimators) * len(inputs),
        "a result or one clear line",
    )
    counts = Counter()
    for name, estimator in estimators.items():
        outcome(
            estimator, inputs[USUAL]
        )  # compiled and imported once, not by every process
        for some in batched(inputs.items(), AT_ONCE):
            said = lines_apart(
                lambda item, estimator=estimator: outcome(estimator, item[1]), some
            )
            counts.update(line.partition(":")[0] for line in said)
            for (what, _), line in zip(some, said, strict=True):
                if not line.startswith(("result", "refused")):
                    row.broken.append(f"{name}, {what}: {line}")
    row.measured = f"{len(estimators)} x {len(inputs)}: " + ", ".join(
        f"{n:,} {how}" for how, n in counts.most_common()
    )
    return [row]


def batched(items, size):
    """Lists of at most ``size``."""
    everything = list(items)
    return [
        everything[first : first + size] for first in range(0, len(everything), size)
    ]


def everyone():
    """Every public estimator, quick ones where they would walk for long."""
    learners = {cls.__name__: cls(**QUICK.get(cls, {})) for cls in LEARNERS.values()}
    classifiers = {
        "MetricKNeighborsClassifier": MetricKNeighborsClassifier(LEARNERS["nca"](), 3)
    }
    classifiers |= {
        "FreeEnergyClassifier": FEW,
        "TableClassifier": TableClassifier(clone(FEW)),
    }
    regressors = {
        "MetricKNeighborsRegressor": MetricKNeighborsRegressor(
            LEARNERS["euclidean"](), 3
        )
    }
    regressors |= {
        "FreeEnergyRegressor": FEW_OF_NUMBERS,
        "TableRegressor": TableRegressor(clone(FEW_OF_NUMBERS)),
    }
    return learners | {"MLKR": MLKR()} | classifiers | regressors


def outcome(estimator, given):
    """In a word, with the reason: result, refused, or what must not be."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", RuntimeWarning)  # numpy's
            asked = clone(estimator).fit(given.X, given.y)
            ask = next(
                name
                for name in ("predict_proba", "predict", "transform")
                if hasattr(asked, name)
            )
            found = np.asarray(getattr(asked, ask)(given.asked))
    except Exception as problem:
        return kind_of(problem)
    return "result" if np.isfinite(found).all() else "numbers that are none"


def kind_of(problem):
    """Whether an error is a line for people: said by us or by
    scikit-learn."""
    last = traceback.extract_tb(problem.__traceback__)[-1]
    where, was_raised = (
        last.filename,
        (last.line or "").lstrip().startswith("raise"),
    )  # or compiled code has said it
    ours = was_raised and any(
        Path(package.__file__).parent in Path(where).parents
        for package in (freemetric, sklearn)
    )
    text = str(problem)
    if not isinstance(problem, ValueError | TypeError) or not ours:
        return f"{type(problem).__name__} of {Path(where).name}: {text[:LONGEST]}"
    if "sklearn" not in Path(where).parts and (
        len(text) > LONGEST or not text.isprintable()
    ):
        return f"more than a line: {text[:LONGEST]}"
    return f"refused: {text[:LONGEST]}"
