"""The demo, a comparison on data of scikit-learn; the example, a table to try the commands on; fits that compile."""

import warnings
from collections.abc import Callable
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.datasets import load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import RepeatedStratifiedKFold, cross_validate
from sklearn.neighbors import NeighborhoodComponentsAnalysis
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from . import DMLFE, LEARNERS, MLKR, Euclidean, FreeEnergyClassifier, FreeEnergyRegressor, MetricKNeighborsClassifier
from .display import EmbeddingDisplay
from .extras import require
from .kernels import cpu_kernels
from .mc import Annealing, Constant


def _knn(learner: BaseEstimator) -> MetricKNeighborsClassifier:
    """k-NN in a learned space; k is chosen by refitting inner folds."""
    return MetricKNeighborsClassifier(make_pipeline(MinMaxScaler(), learner), random_state=0)


SETS = {"wine": load_wine, "iris": load_iris}
METHODS: dict[str, BaseEstimator] = {
    "Euclidean + k-NN": _knn(Euclidean()),
    "scikit-learn's NCA + k-NN": _knn(NeighborhoodComponentsAnalysis(random_state=0)),
    "DMLFE + k-NN": _knn(DMLFE(random_state=0)),
    "FreeEnergyClassifier": FreeEnergyClassifier(random_state=0),
    "random forest": RandomForestClassifier(random_state=0),
}


def compare(repeats: int, on_method: Callable[[int, int, str], None]) -> dict[str, list[float]]:
    """Mean test error in % on every data set, and seconds of a fit, by method; of repeated two-fold cross-validation.

    ``on_method`` is called with (number done, number of all, name) before every method.
    """
    folds = RepeatedStratifiedKFold(n_splits=2, n_repeats=repeats, random_state=0)
    DMLFE().fit(*load_iris(return_X_y=True))  # compiles the kernels
    table = {}
    for done, (name, method) in enumerate(METHODS.items()):
        on_method(done, len(METHODS), name)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # scikit-learn's NCA
            runs = [cross_validate(method, *load(return_X_y=True), cv=folds) for load in SETS.values()]
        errors = [100 * (1 - run["test_score"].mean()) for run in runs]
        table[name] = [*errors, float(np.mean([run["fit_time"] for run in runs]))]
    return table


def draw(folder: Path) -> Path:
    """Draw the two main directions of both data sets, before and after DMLFE; the path of the picture."""
    figure = require("matplotlib.figure", "display").Figure(figsize=(10, 4.2 * len(SETS)), layout="constrained")
    for row, (name, load) in zip(figure.subplots(len(SETS), 2), SETS.items(), strict=True):
        X, y, names = itemgetter("data", "target", "target_names")(load())
        model = make_pipeline(MinMaxScaler(), DMLFE(random_state=0)).fit(X, y)
        EmbeddingDisplay.from_estimator(model, X, y, before=True, class_names=names, ax=row)
        for axis in row:
            axis.set_title(f"{name}, {axis.get_title()}")
    folder.mkdir(parents=True, exist_ok=True)
    figure.savefig(folder / "demo.png", dpi=120)
    return folder / "demo.png"


def people(n: int, seed: int = 0) -> dict[str, list[Any]]:
    """Made-up people as columns by name: numbers, names and a date, with gaps, a numeric ``income`` and a ``class``."""
    rng = np.random.default_rng(seed)
    age, hours = rng.integers(20, 66, n), rng.normal(38, 8, n).clip(5, 70).round(1)
    town, smoker = rng.choice(["Bonn", "Lyon", "Pisa", "Turku"], n), rng.choice(["no", "yes"], n, p=[0.7, 0.3])
    joined = np.datetime64("2015-01-01") + rng.integers(0, 3650, n).astype("timedelta64[D]")
    income = (700 + 45 * hours + 20 * age + 600 * (town == "Bonn") + rng.normal(0, 150, n)).astype(int)
    risk = age / 20 + 1.5 * (smoker == "yes") - income / 2500 + rng.normal(0, 0.2, n)
    columns = {
        **{"age": age, "hours": hours, "town": town, "smoker": smoker, "joined": joined.astype(str), "income": income},
        "class": np.select([risk < 0.6, risk < 1.6], ["low", "medium"], "high"),
    }
    gaps = {"hours": 0.05, "town": 0.1}  # shares of missing values
    return {
        name: [None if gap else value for value, gap in zip(column.tolist(), missing, strict=True)]
        for name, column in columns.items()
        for missing in [rng.random(n) < gaps.get(name, 0)]
    }


def fits_of_every_kind() -> dict[str, Callable[[], Any]]:
    """Short fits that call every kernel, by the name of the estimator; with predictions."""
    X, y = (values[::3] for values in load_wine(return_X_y=True))

    def shortened(learner):
        return learner.set_params(max_iter=2) if "max_iter" in learner.get_params() else learner

    elements = Annealing(Constant(1e-3), "element", n_steps=1)
    classifier, regressor = FreeEnergyClassifier(12, random_state=0), FreeEnergyRegressor(12, random_state=0)
    return {
        "FreeEnergyClassifier": lambda: classifier.fit(X, y).predict_proba(X),
        "FreeEnergyRegressor": lambda: regressor.fit(X, X[:, 0]).predict(X),
        "DMLFE by elements": lambda: DMLFE(sampler=elements, random_state=0).fit(X, y),
        "MLKR": lambda: MLKR(max_iter=2).fit(X, X[:, 0]),
        **{name: partial(shortened(learner()).fit, X, y) for name, learner in LEARNERS.items()},
    }


def compiling(on_fit: Callable[[int, int, str], None]) -> str | None:
    """Compile every kernel by fits; the folder where they are kept, None where nothing can be written."""
    fits = fits_of_every_kind()
    for done, (name, fit) in enumerate(fits.items()):
        on_fit(done, len(fits), name)
        fit()
    return cpu_kernels().cache_folder()
