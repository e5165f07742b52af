"""Methods by name, as estimators that follow the preprocessing; and the progress of a fit."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import ensemble
from sklearn.base import BaseEstimator, clone, is_regressor
from sklearn.compose import TransformedTargetRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, StandardScaler
from sklearn.svm import SVC
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if

from ..ensemble import FreeEnergyClassifier, FreeEnergyRegressor
from ..learners import DMLFE, LEARNERS, MLKR, PAPER, PCA, Euclidean
from ..learners.dmlfe import READINGS
from .preprocessing import Plan

MOST_TUNED_ON = 2000  # samples of a grid search
INNER_FOLDS = 5
Progress = Callable[[int, int | None], None]


@dataclass(frozen=True)
class Method:
    """``make()`` is a metric learner, to be followed by k-NN, or a classifier or regressor of its own."""

    make: Callable[[], BaseEstimator]
    grid: dict[str, list[Any]] = field(default_factory=dict)

    def prepared(self, seed: int, device: str = "cpu") -> BaseEstimator:
        estimator = self.make()
        wanted = {"random_state": seed, "device": device}
        return estimator.set_params(**{name: wanted[name] for name in wanted if name in estimator.get_params()})


def stratified_sample(rng: np.random.Generator, y: ArrayLike, most: int | None) -> NDArray[np.intp]:
    """Sorted indices of at most this many samples: two of each class if there is room, the rest by its share."""
    _, classes, counts = np.unique(y, return_inverse=True, return_counts=True)
    shuffled = rng.permutation(len(classes))
    shuffled = shuffled[np.argsort(classes[shuffled], kind="stable")]  # class by class
    place = np.concatenate([np.arange(count) for count in counts])  # within the class
    # Classes take turns evenly between 0 and 1; the first two samples of each come before all others.
    turn = np.where(place < 2, place - 2, (place + 0.5) / np.repeat(counts, counts))
    return np.sort(shuffled[np.argsort(turn, kind="stable")[:most]])


@dataclass(eq=False, repr=False)
class Tuned(BaseEstimator):
    """An estimator with the parameters of its grid that are best over inner folds.

    A classifier sees features scaled to [0, 1], a regressor standardised targets. Parameters are chosen on at most
    ``most_rows`` samples; the chosen ``estimator_``, with ``parameters_``, is fitted on all.
    """

    estimator: BaseEstimator
    grid: dict[str, Any]
    _: KW_ONLY
    most_rows: int | None = None
    random_state: int | None = None

    def fit(self, X: NDArray, y: NDArray) -> Self:
        rng, shuffled = np.random.default_rng(self.random_state), {"shuffle": True, "random_state": self.random_state}
        if is_regressor(self.estimator):
            model, step = TransformedTargetRegressor(self.estimator, transformer=StandardScaler()), "regressor"
            some, scoring = rng.permutation(len(y))[: self.most_rows], "neg_mean_squared_error"
            folds: Any = KFold(INNER_FOLDS, **shuffled)
        else:
            model = make_pipeline(MinMaxScaler(), self.estimator)
            step, scoring = model.steps[-1][0], "accuracy"
            some = stratified_sample(rng, y, self.most_rows)
            rarest = np.unique(y[some], return_counts=True)[1].min()
            folds = StratifiedKFold(int(np.clip(rarest, 2, INNER_FOLDS)), **shuffled)
        grid = {f"{step}__{name}": values for name, values in self.grid.items()}
        search = GridSearchCV(model, grid, cv=folds, scoring=scoring, refit=False)
        chosen = search.fit(X[some], y[some]).best_params_
        self.parameters_ = {name.split("__")[-1]: value for name, value in chosen.items()}
        self.estimator_ = clone(model).set_params(**chosen).fit(X, y)
        if hasattr(self.estimator_, "classes_"):
            self.classes_ = self.estimator_.classes_
        return self

    def predict(self, X: ArrayLike) -> NDArray:
        return self.estimator_.predict(X)

    @available_if(lambda tuned: hasattr(tuned.estimator, "predict_proba"))
    def predict_proba(self, X: ArrayLike) -> NDArray:
        return self.estimator_.predict_proba(X)

    @available_if(lambda tuned: hasattr(tuned.estimator, "decision_function"))
    def decision_function(self, X: ArrayLike) -> NDArray:
        return self.estimator_.decision_function(X)

    def __sklearn_tags__(self):
        return get_tags(self.estimator)


SVM_GRID = {"C": [1, 10, 100], "gamma": [0.1, 0.5, "scale", 2.0, 8.0]}
LOGISTIC_GRID = {"C": [0.1, 1.0, 10.0, 100.0, 1000.0]}
# Parameters worth tuning, by inner folds; the first value is the default.
GRIDS: dict[str, dict[str, list[Any]]] = {
    "rca": {"regularization": ["auto", 0.01, 0.1]},
    "dca": {"regularization": ["auto", 0.01, 0.1]},
    "lfda": {"n_neighbors": [7, 3, 15], "embedding": ["weighted", "plain"]},
    "itml": {"gamma": [1.0, 0.1, 10.0]},
    "lmnn": {"n_neighbors": [3, 1, 7], "regularization": [0.5, 0.1, 0.9]},
    "dml-eig": {"smoothing": [1.0, 0.1, 10.0]},
    "scml": {"regularization": [1e-5, 1e-4, 1e-3]},
    "nca": {"init": ["identity", "pca"]},
    "dmlmj": {"n_neighbors": [5, 3, 10]},
    "dmlfe": {"confinement": [1e-4, 3e-5, 3e-4]},
    "covariance": {"regularization": ["auto", 0.01, 0.1]},
    "lda": {"regularization": ["auto", 0.01, 0.1]},
    "gmml": {"t": [0.5, 0.25, 0.75], "regularization": ["auto", 0.1]},
    "anmm": {"n_neighbors": [10, 5, 20], "n_others": [10, 5, 20]},
    "ncmml": {"regularization": [1e-3, 1e-4, 1e-2], "n_centroids": [1, 3]},
    "ldml": {"regularization": [1e-4, 1e-5, 1e-3]},
    "mcml": {"regularization": [1e-4, 1e-5, 1e-3]},
}

METHODS: dict[str, Method] = {
    "rf": Method(lambda: ensemble.RandomForestClassifier(100)),
    **{name: Method(learner, GRIDS.get(name, {})) for name, learner in LEARNERS.items()},
    "dmlfe-paper": Method(DMLFE.paper),
    **{f"dmlfe-{name}": Method(partial(DMLFE.paper, name)) for name in READINGS if name != "published"},
    "free-energy": Method(FreeEnergyClassifier),
    "hist-boosting": Method(ensemble.HistGradientBoostingClassifier),
    "svm": Method(lambda: Tuned(SVC(), SVM_GRID, most_rows=MOST_TUNED_ON)),
    "logistic": Method(lambda: Tuned(LogisticRegression(max_iter=2000), LOGISTIC_GRID, most_rows=MOST_TUNED_ON)),
}
"""Methods of classification; the last ones are classifiers without a metric."""

COMPARED = tuple(name for name in METHODS if name in PAPER or name not in LEARNERS)
"""Methods of the paper's comparison: a learner that it does not have is compared where it is named."""

FITTED = ("free-energy", *LEARNERS)
"""Methods of classification whose models can be saved."""

REGRESSION_METHODS: dict[str, Method] = {
    "free-energy": Method(FreeEnergyRegressor),
    "euclidean": Method(Euclidean),
    "pca": Method(PCA),
    "mlkr": Method(MLKR),
    "dmlfe": Method(lambda: DMLFE(energy="regression")),
    "rf": Method(lambda: ensemble.RandomForestRegressor(100)),
    "extra-trees": Method(lambda: ensemble.ExtraTreesRegressor(100)),
    "hist-boosting": Method(ensemble.HistGradientBoostingRegressor),
}
"""Methods of regression; k-NN follows a metric, and the last ones have none."""

REGRESSION_FITTED = ("free-energy", "euclidean", "pca", "mlkr", "dmlfe")
"""Methods of regression whose models can be saved."""


def pipeline(plan: Plan, last: BaseEstimator) -> Pipeline:
    """Columns to numbers, numbers to [0, 1], and the classifier or regressor.

    An ensemble has views that scale, one of them by logarithms, for which ratios of numbers have to stay.
    """
    scale = MaxAbsScaler() if isinstance(last, FreeEnergyClassifier | FreeEnergyRegressor) else MinMaxScaler()
    return Pipeline([("columns", plan.transformer()), ("scale", scale), (last_step(last), last)])


def last_step(last: BaseEstimator) -> str:
    return "regressor" if is_regressor(last) else "classifier"


class StepReporter:
    """A callback of scikit-learn that reports the number of steps done and their largest number.

    Methods ``on_replicas(task, replicas)`` and ``on_round(population)`` of ``on_step`` are called during the search of
    a free-energy classifier.
    """

    def __init__(self, on_step: Progress):
        self.on_step, self.done = on_step, 0

    def setup(self, estimator: BaseEstimator, context: Any) -> None:
        self.on_step(0, context.max_subtasks)

    def on_fit_task_begin(self, estimator: BaseEstimator, context: Any) -> None:
        pass

    def on_fit_task_end(self, estimator: BaseEstimator, context: Any) -> None:
        if context.max_subtasks == 0 and context.parent is not None:  # a step, not the fit as a whole
            self.done += 1
            self.on_step(self.done, context.parent.max_subtasks)

    def on_replicas(self, task: Any, replicas: Any) -> None:
        if hasattr(self.on_step, "on_replicas"):
            self.on_step.on_replicas(task, replicas)

    def on_round(self, population: Any) -> None:
        if hasattr(self.on_step, "on_round"):
            self.on_step.on_round(population)

    def teardown(self, estimator: BaseEstimator, context: Any) -> None:
        pass


@contextmanager
def steps_reported(estimator: BaseEstimator, on_step: Progress | None) -> Iterator[None]:
    """Call ``on_step(done, total)`` after every step of a fit; total is None where it is unknown."""
    if on_step is None or not hasattr(estimator, "set_callbacks"):
        yield
        return
    estimator.set_callbacks(StepReporter(on_step))
    try:
        yield
    finally:
        estimator.set_callbacks()
