"""The methods: functions ``make(seed, device)`` of an unfitted estimator, by name."""

from functools import partial
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import (
    ExtraTreesRegressor,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, StandardScaler
from sklearn.svm import SVC, SVR
from sklearn.utils import resample

from ..ensemble import FreeEnergyClassifier, FreeEnergyRegressor
from ..learners import (
    DMLFE,
    LEARNERS,
    MLKR,
    MetricKNeighborsClassifier,
    MetricKNeighborsRegressor,
)
from .quantiles import INNER_FOLDS, BoostedQuantiles, LeafQuantiles, WithResiduals

MOST_TUNED = 2000  # samples that parameters of support vectors are chosen on
N_TREES = 500

MOST_WALKED = 2000  # samples that the paper's walks learn from

PAPER_LEARNERS: tuple[str, ...] = ("euclidean", "pca", "rca", "dca", "lfda", "itml")
PAPER_LEARNERS += ("lmnn", "dml-eig", "scml", "nca", "dmlmj", "dmlfe")
READINGS = ("identity", "small-steps", "algorithm-1")
"""Readings of the paper beside the published one: where walks start, how they move."""


class SampledFolds:
    """Folds of at most so many samples, for a grid search on large data.

    Parameters
    ----------
    stratify : bool
        Whether targets are classes.
    random_state : int or None
        Seed of the sample and of the folds.
    most : int or None, default=2000
        Largest number of samples; None for all.
    """

    def __init__(self, stratify, random_state, most=MOST_TUNED):
        self.stratify = stratify
        self.random_state = random_state
        self.most = most

    def split(self, X, y, groups=None):
        """Yield the (train, test) rows of every fold."""
        order = np.random.default_rng(self.random_state).permutation(len(y))
        rows = order[: self.most]
        if self.stratify:
            rows.sort()
        splitter = StratifiedKFold if self.stratify else KFold
        folds = splitter(INNER_FOLDS, shuffle=True, random_state=self.random_state)
        for train, test in folds.split(rows, y[rows]):
            yield rows[train], rows[test]

    def get_n_splits(self, X=None, y=None, groups=None):
        """Return the number of folds."""
        return INNER_FOLDS


class LearnedOnSample(TransformerMixin, BaseEstimator):
    """A metric learned from some of the samples, for learners that are slow.

    Parameters
    ----------
    learner : estimator
        The metric learner.
    most : int, default=2000
        Largest number of samples to learn from; classes keep their shares.
    random_state : int or None, default=None
        Seed of the sample and of the learner.
    """

    def __init__(self, learner, most=MOST_WALKED, random_state=None):
        self.learner = learner
        self.most = most
        self.random_state = random_state

    def fit(self, X, y):
        """Learn the metric."""
        if len(X) > self.most:
            X, y = resample(
                X,
                y,
                replace=False,
                n_samples=self.most,
                stratify=y,
                random_state=self.random_state,
            )
        self.learner_ = seeded(clone(self.learner), self.random_state).fit(X, y)
        return self

    def transform(self, X):
        """Map samples to the learned space."""
        return self.learner_.transform(X)


def walked(reading="published"):
    """A reading of the paper's algorithm, whose time grows with the cube of samples."""
    return LearnedOnSample(DMLFE.paper(reading))


def seeded(estimator, seed, device="cpu"):
    """Set the seed and the device of an estimator that has them."""
    wanted = {"random_state": seed, "device": device}
    names = wanted.keys() & estimator.get_params().keys()
    return estimator.set_params(**{name: wanted[name] for name in names})


# Classification.


def metric_classifier(learner, seed=None, device="cpu"):
    """k-NN in a learned space; k is chosen on inner folds."""
    steps = [("scale", MinMaxScaler()), ("metric", seeded(learner(), seed, device))]
    return MetricKNeighborsClassifier(
        Pipeline(steps), n_folds=INNER_FOLDS, random_state=seed
    )


def support_vectors(seed=None, device="cpu"):
    """Support vectors with a chosen kernel width and penalty."""
    grid = {"svc__C": [1, 10, 100], "svc__gamma": [0.1, 0.5, "scale", 2.0, 8.0]}
    return tuned_classifier(SVC(), grid, seed)


def logistic_regression(seed=None, device="cpu"):
    """Logistic regression with a chosen penalty."""
    grid = {"logisticregression__C": [0.1, 1.0, 10.0, 100.0, 1000.0]}
    return tuned_classifier(LogisticRegression(max_iter=2000), grid, seed)


def tuned_classifier(classifier, grid, seed):
    """A classifier of features in [0, 1] with the best parameters of a grid."""
    model = make_pipeline(MinMaxScaler(), classifier)
    return GridSearchCV(model, grid, cv=SampledFolds(True, seed))


CLASSIFIERS = {
    "rf": lambda seed, device: RandomForestClassifier(100, random_state=seed),
    **{name: partial(metric_classifier, LEARNERS[name]) for name in LEARNERS},
    "dmlfe-paper": partial(metric_classifier, walked),
    **{
        f"dmlfe-{reading}": partial(metric_classifier, partial(walked, reading))
        for reading in READINGS
    },
    "free-energy": lambda seed, device: seeded(FreeEnergyClassifier(), seed, device),
    "hist-boosting": lambda seed, device: HistGradientBoostingClassifier(
        random_state=seed
    ),
    "svm": support_vectors,
    "logistic": logistic_regression,
    "constant": lambda seed, device: DummyClassifier(strategy="prior"),
}
"""Methods of classification."""

PAPER_METHODS = ("rf", *PAPER_LEARNERS, "dmlfe-paper")
"""The methods of the paper: DMLFE with our defaults, and as it was published."""


# Regression: every method predicts quantiles.


def neighbors(seed=None, device="cpu"):
    """k-NN of standardised features, k and weights chosen on inner folds."""
    grid = {
        "kneighborsregressor__n_neighbors": [1, 2, 3, 5, 8, 12, 17, 23, 31, 40],
        "kneighborsregressor__weights": ["uniform", "distance"],
    }
    model = make_pipeline(StandardScaler(), KNeighborsRegressor())
    tuned = tuned_regressor(model, grid, seed, most=None)
    return WithResiduals(tuned, random_state=seed)


def mlkr(seed=None, device="cpu"):
    """k-NN in the space of metric learning for kernel regression."""
    learner = seeded(MLKR(tol=1e-5), seed, device)
    model = MetricKNeighborsRegressor(
        make_pipeline(MinMaxScaler(), learner), n_folds=INNER_FOLDS, random_state=seed
    )
    return WithResiduals(model, random_state=seed)


def support_vector_regression(seed=None, device="cpu"):
    """Support vectors with chosen parameters, of standardised features and target."""
    grid = {
        "svr__C": [0.1, 1, 10, 100],
        "svr__gamma": [0.03, 0.1, 0.3, 1, 3],
        "svr__epsilon": [0.03, 0.3],
    }
    scale = [StandardScaler(), FunctionTransformer(divided_by_width)]
    model = make_pipeline(*scale, SVR(cache_size=500))
    return WithResiduals(tuned_regressor(model, grid, seed), random_state=seed)


def divided_by_width(X):
    """Divide by the root of the number of features; kernel widths then suit any."""
    return X / np.sqrt(X.shape[1])


def tuned_regressor(regressor, grid, seed, most=MOST_TUNED):
    """A regressor of the standardised target with the best parameters of a grid."""
    model = TransformedTargetRegressor(regressor, transformer=StandardScaler())
    return GridSearchCV(
        model,
        {f"regressor__{name}": values for name, values in grid.items()},
        cv=SampledFolds(False, seed, most),
        scoring="neg_mean_squared_error",
        error_score=-np.inf,  # of more neighbours than samples
    )


def forest(kind, seed=None, device="cpu"):
    """Trees with quantiles of the targets in their leaves."""
    return LeafQuantiles(kind(N_TREES, random_state=seed))


REGRESSORS = {
    "free-energy-regressor": lambda seed, device: seeded(
        FreeEnergyRegressor(), seed, device
    ),
    "knn": neighbors,
    "mlkr": mlkr,
    "svr": support_vector_regression,
    "forest-500": partial(forest, RandomForestRegressor),
    "extra-trees-500": partial(forest, ExtraTreesRegressor),
    "hist-boosting": lambda seed, device: BoostedQuantiles(random_state=seed),
    "constant": lambda seed, device: DummyRegressor(),
}
"""Methods of regression."""

METHODS: dict[str, dict[str, Any]] = {
    "classification": CLASSIFIERS,
    "regression": REGRESSORS,
}
"""The methods by task."""


def make_estimator(method, task, seed=None, device="cpu"):
    """Return the unfitted estimator of a method.

    Parameters
    ----------
    method : str
        Name in ``METHODS[task]``.
    task : {"classification", "regression"}
        The task.
    seed : int or None, default=None
        Seed.
    device : str, default="cpu"
        Device of the methods that have one.

    Returns
    -------
    estimator : estimator
        Scaling, learning and choosing of parameters in one.
    """
    makers = METHODS[task]
    if method not in makers:
        names = ", ".join(makers)
        raise ValueError(f"Unknown method {method!r} of {task}; known: {names}.")
    return makers[method](seed, device)
