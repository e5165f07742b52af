"""Fitted models of every kind that model files hold, with samples to predict."""

import functools
import warnings

import numpy as np
import pandas as pd
from sklearn import linear_model, preprocessing
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.impute import SimpleImputer
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, StandardScaler

from freemetric import energies, learners, mc
from freemetric.ensemble import FreeEnergyClassifier, FreeEnergyRegressor
from freemetric.tables import TableClassifier, TableRegressor

X, y = (part[::3] for part in load_iris(return_X_y=True))
WORDS = np.array(["setosa", "versicolor", "virginica"])[y]
NAMED = pd.DataFrame(X, columns=list("abcd"))
TARGETS = X[:, 0] ** 2 + y
RNG = np.random.default_rng(0)
ROWS = RNG.integers(len(X), size=(60, 4))
SAMPLER = mc.Annealing(mc.Constant(1e-3), mc.ElementMove(0.3), n_steps=3)
ENERGY = energies.NCAEnergy() + 0.1 * energies.Confinement()


def classifier(**parameters):
    return FreeEnergyClassifier(4, random_state=0, **parameters)


def regressor(**parameters):
    return FreeEnergyRegressor(4, random_state=0, **parameters)


def table():
    """Numbers with gaps, words with gaps, and dates."""
    rng = np.random.default_rng(0)
    colours = ["red", "green", "blue", "grey"]
    frame = pd.DataFrame(
        {
            "length": rng.random(60),
            "width": rng.random(60),
            "age": rng.integers(1, 9, 60),
            "colour": rng.choice(colours, 60, p=[0.45, 0.45, 0.05, 0.05]),
            "size": rng.choice(["small", "large"], 60),
            "shape": rng.choice(["round", "flat", None], 60),
            "day": pd.date_range("2024-01-01", periods=60).astype(str),
        }
    )
    frame.loc[::7, "length"] = np.nan
    return frame, np.where(frame["width"] > 0.5, "wide", "narrow")


def columns():
    """The usual preprocessing of a table."""
    indicating = make_pipeline(SimpleImputer(add_indicator=True), MinMaxScaler())
    rare = OneHotEncoder(min_frequency=5, handle_unknown="infrequent_if_exist")
    return make_column_transformer(
        (indicating, ["length"]),
        (preprocessing.QuantileTransformer(n_quantiles=9), ["width"]),
        (OneHotEncoder(drop="first", sparse_output=False), ["age"]),
        (rare, make_column_selector("colour")),
        (preprocessing.OrdinalEncoder(), ["size"]),
        (OneHotEncoder(handle_unknown="ignore"), ["shape"]),
        ("drop", ["day"]),
        remainder=StandardScaler(),
    )


def chain(step):
    return make_pipeline(StandardScaler().set_output(transform="pandas"), step)


SEARCH = {name: (cls(), X, WORDS) for name, cls in learners.LEARNERS.items()}
STEPS = {
    "principal": PCA(2, whiten=True),
    "polynomial": preprocessing.PolynomialFeatures(2),
    "robust": preprocessing.RobustScaler(),
    "normalizer": preprocessing.Normalizer(),
    "identity": preprocessing.FunctionTransformer(),
    "logistic": linear_model.LogisticRegression(),
    "ridge": linear_model.RidgeCV(),
    "k-neighbors": KNeighborsClassifier(3, algorithm="ball_tree"),
    "k-means": KNeighborsRegressor(3, weights="distance"),
}
PAIRS = learners.PairClassifier(learners.ITML(random_state=0))
TRIPLETS = learners.TripletClassifier(learners.SCML(random_state=0))
QUADRUPLETS = learners.QuadrupletClassifier(learners.LSML(), preprocessor=X)
OTHERS = [("near", KNeighborsRegressor(2))]
UNFITTED = {
    **SEARCH,
    **{name: (chain(step), NAMED, y) for name, step in STEPS.items()},
    "mlkr": (learners.MLKR(), X, TARGETS),
    "distance-matching": (learners.DistanceMatching(), X, TARGETS),
    "oasis": (learners.OASIS(n_triplets=100), X, WORDS),
    "dmlfe-of-ones-own": (learners.DMLFE(energy=ENERGY, sampler=SAMPLER), X, y),
    "metric-knn": (learners.MetricKNeighborsClassifier(learners.NCA()), X, WORDS),
    "metric-means": (
        learners.MetricKNeighborsRegressor(chain(learners.MLKR()), 3),
        X,
        np.column_stack([TARGETS, TARGETS**2]),
    ),
    "pairs": (PAIRS, X[ROWS[:, :2]], np.where(np.arange(60) % 2, 1, -1)),
    "triplets": (TRIPLETS, X[ROWS[:, :3]], None),
    "quadruplets": (QUADRUPLETS, ROWS, None),
    "classifier": (classifier(class_weight="balanced"), NAMED, WORDS),
    "numbers-as-weights": (classifier(class_weight={0: 1, 1: 2, 2: 5.5}), X, y),
    "votes-alone": (classifier(estimators=None, energy=ENERGY, sampler=SAMPLER), X, y),
    "many-features": (
        classifier(candidates=["scaled/full"], estimators=None),
        RNG.random((50, 501)),
        y,
    ),
    "ratios": (
        classifier(candidates=["logs/diagonal", "quantiles/identity"]),
        np.exp(X) * [1, 1, 1, -1],
        y,
    ),
    "equal-rows": (classifier(), np.round(X[:, :2]), y),
    "regressor": (regressor(n_jobs=2), X, TARGETS),
    "regressor-of-one": (regressor(scale="log", estimators=OTHERS), X, TARGETS),
    "columns": (make_pipeline(columns(), learners.LFDA(1)), *table()),
    "table-classifier": (TableClassifier(classifier()), *table()),
    "table-regressor": (TableRegressor(regressor()), table()[0], np.arange(60.0)),
}


@functools.cache
def fitted(name):
    """A fitted model by its name, and the samples that it has learned from."""
    model, samples, targets = UNFITTED[name]
    arguments = [samples] if targets is None else [samples, targets]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(*arguments), samples


def answers(model, samples):
    """All that a model says of samples."""
    names = ("predict_proba", "predict", "transform", "predict_set", "predict_interval")
    found = {
        name: np.asarray(getattr(model, name)(samples))
        for name in names
        if hasattr(model, name) and (name != "transform" or np.ndim(samples) == 2)
    }
    if hasattr(model, "similarity_matrix_"):
        found["pair_score"] = model.pair_score(np.stack([samples, samples], axis=1))
    return found
