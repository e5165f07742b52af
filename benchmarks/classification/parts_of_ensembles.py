"""The parts of the two ensembles, and the ensembles without one of them."""

from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

from freemetric import FreeEnergyClassifier, FreeEnergyRegressor
from freemetric.ensemble import base, classifier, pool, regressor, search
from freemetric.ensemble.base import CANDIDATES

CLASSES, NUMBERS = "classification", "regression"
NOTHING = "nothing"


@dataclass(frozen=True)
class Part:
    """A part that can be taken out.

    Attributes
    ----------
    name : str
        What is missing without it, or stands in its place.
    parameters : dict
        Parameters of the ensembles without it.
    left_out : tuple of str
        Default estimators beside the votes to leave out.
    constants : tuple of (module, str, object)
        Constants of modules to change.
    task : {"classification", "regression"} or None
        The task of the ensemble that has the part; None for both.
    of_large_sets : bool
        Whether it is also measured on the larger data sets.
    seed : int
        What is added to the seed.
    """

    name: str
    parameters: dict = field(default_factory=dict)
    left_out: tuple = ()
    constants: tuple = ()
    task: str | None = None
    of_large_sets: bool = False
    seed: int = 0


def without(name):
    """A part: all candidates with this view or form."""
    kept = [c for c in CANDIDATES if name not in c.split("/") and name != c]
    return {"candidates": tuple(kept)}


def only(form):
    """Parameters: candidates of this form alone."""
    return {"candidates": tuple(c for c in CANDIDATES if c.endswith(form))}


def best_alone(tried, candidates):
    """All weight on the candidate and the number of neighbours that are best."""
    weights = WEIGHTS(tried, candidates)
    return np.where(np.arange(weights.size) == weights.argmax(), 1.0, 0.0).reshape(
        weights.shape
    )


WEIGHTS = search.selection_weights
SLOPE = (pool, "LOG_SLOPES", (0.0, 0.0))
BIAS = (pool, "BIASES", (0.0, 0.0))

PARTS = (
    Part(NOTHING, of_large_sets=True),
    Part("(another seed)", seed=1000),
    Part("view: logarithms", without("logs/full")),
    Part("view: quantiles", without("quantiles")),
    Part("view: scaled", without("scaled")),
    Part("form: identity", without("identity")),
    Part("form: diagonal", without("diagonal")),
    Part("form: full", without("full")),
    Part("all learned metrics", only("identity")),
    Part("estimator: Student t", left_out=("student_t",), task=CLASSES),
    Part("estimator: naive Bayes", left_out=("naive_bayes",), task=CLASSES),
    Part("estimator: trees", left_out=("trees",), of_large_sets=True),
    Part("estimator: linear", left_out=("linear",), task=CLASSES),
    Part("estimator: line", left_out=("line",), task=NUMBERS),
    Part("estimator: surface", left_out=("surface",), task=NUMBERS),
    Part(
        "naive Bayes and Student t",
        left_out=("naive_bayes", "student_t"),
        task=CLASSES,
    ),
    Part("trees and linear", left_out=("trees", "linear"), task=CLASSES),
    Part("trees and line", left_out=("trees", "line"), task=NUMBERS),
    Part("line and surface", left_out=("line", "surface"), task=NUMBERS),
    Part("all estimators", {"estimators": None}),
    Part("calibration: slope", constants=(SLOPE,), task=CLASSES),
    Part("calibration: bias", constants=(BIAS,), task=CLASSES),
    Part("calibration: both", constants=(SLOPE, BIAS), task=CLASSES),
    Part("several k (k = 5)", {"n_neighbors": 5}),
    Part(
        "mean of candidates (the best alone)",
        constants=((base, "selection_weights", best_alone),),
    ),
    Part(
        "growth of bags",
        constants=((search, "LARGE_BAG", 0),),
        of_large_sets=True,
    ),
    Part("scale of the target (linear)", {"scale": "linear"}, task=NUMBERS),
    Part("(12 replicas)", {"n_replicas": 12}, of_large_sets=True),
)


def estimator_without(part, task, seed):
    """Return the ensemble of a task without a part."""
    model = FreeEnergyClassifier if task == CLASSES else FreeEnergyRegressor
    return model(**part.parameters, n_jobs=1, random_state=seed + part.seed)


@contextmanager
def changed(part):
    """Change the constants of modules that a part stands for, for a while."""
    constants = [
        *part.constants,
        (classifier, "default_classifiers", fewer(classifier, part.left_out)),
        (regressor, "default_trends", fewer(regressor, part.left_out)),
    ]
    before = [(module, name, getattr(module, name)) for module, name, _ in constants]
    try:
        for module, name, value in constants:
            setattr(module, name, value)
        yield
    finally:
        for module, name, value in before:
            setattr(module, name, value)


def fewer(module, left_out):
    """Return the function of default estimators, without those of these names."""
    name = "default_classifiers" if module is classifier else "default_trends"
    function = getattr(module, name)

    def kept(*shape):
        return [pair for pair in function(*shape) if pair[0] not in left_out]

    return kept
