import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
)

from freemetric import DMLFE, FreeEnergyClassifier, MetricKNeighborsClassifier, Recipe
from freemetric.mc import Annealing, Constant, ElementMove

QUICK = Annealing(Constant(1e-3), ElementMove(0.3), n_steps=3, n_replicas=2)


KINDS = ["scaled/identity", "quantiles/identity", "quantiles/diagonal", "steps/diagonal", "scaled/full"]


def everything(**parameters):
    """A classifier with all views, all forms and three temperatures."""
    recipe = Recipe(candidates=KINDS, subsample=0.2, first_share=0.5, selection_temperature=2.0)
    return FreeEnergyClassifier(30, recipe=recipe, random_state=0).set_params(**parameters)


@pytest.fixture(scope="session")
def few(iris):
    X, y = iris
    return X[::4], np.array(["setosa", "versicolor", "virginica"])[y[::4]]


@pytest.fixture(scope="session")
def learner(few):
    return DMLFE(sampler=QUICK, random_state=0).fit(*few)


@pytest.fixture(scope="session")
def classifier(few):
    return everything().fit(*few)


@pytest.fixture(scope="session")
def table():
    """Numbers with gaps, words, words with gaps, classes."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "length": rng.random(60),
            "width": rng.random(60),
            "mass": rng.exponential(size=60),
            "age": rng.integers(1, 9, 60),
            "colour": rng.choice(["red", "green", "blue", "grey"], 60, p=[0.45, 0.45, 0.05, 0.05]),
            "size": rng.choice(["small", "large"], 60),
            "shape": rng.choice(["round", "flat", None], 60),
            "left": rng.random(60),
            "right": rng.normal(size=60),
        }
    )
    X.loc[::7, "length"] = np.nan
    return X, pd.Series(np.where(X["width"] + rng.normal(0, 0.1, 60) > 0.5, "yes", "no"))


@pytest.fixture(scope="session")
def pipeline(table):
    columns = make_column_transformer(
        (make_pipeline(SimpleImputer(add_indicator=True), MinMaxScaler()), ["length"]),
        (QuantileTransformer(n_quantiles=10), ["width"]),
        (make_pipeline(RobustScaler(), MaxAbsScaler()), ["mass"]),
        (OneHotEncoder(drop="first", sparse_output=False), ["age"]),
        (OneHotEncoder(min_frequency=5, handle_unknown="infrequent_if_exist"), make_column_selector("colour")),
        (OrdinalEncoder(), ["size"]),
        (OneHotEncoder(handle_unknown="ignore"), ["shape"]),
        ("passthrough", ["left"]),
        remainder=StandardScaler(),
    )
    model = MetricKNeighborsClassifier(DMLFE(sampler=QUICK, random_state=0), n_folds=2, random_state=0)
    return make_pipeline(columns, MinMaxScaler(), model).fit(*table)
