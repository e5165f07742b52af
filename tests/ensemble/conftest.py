"""Small data sets and fitted models that several tests look at."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_wine

from freemetric import FreeEnergyClassifier, FreeEnergyRegressor


@pytest.fixture(scope="session")
def classified():
    X, y = load_wine(return_X_y=True)
    return X, np.array(["red", "rose", "white"])[y]


@pytest.fixture(scope="session")
def regressed():
    X, y = load_diabetes(return_X_y=True)
    return X[:200], y[:200]


@pytest.fixture(scope="session")
def classifier(classified):
    """Fitted to every other sample; not to be changed."""
    X, y = classified
    return FreeEnergyClassifier(8, random_state=0).fit(X[::2], y[::2])


@pytest.fixture(scope="session")
def regressor(regressed):
    """Fitted to every other sample; not to be changed."""
    X, y = regressed
    return FreeEnergyRegressor(8, random_state=0).fit(X[::2], y[::2])


@pytest.fixture(params=["classifier", "regressor"])
def fitted(request):
    """A fitted model, and all samples."""
    data = {"classifier": "classified", "regressor": "regressed"}[request.param]
    return request.getfixturevalue(request.param), request.getfixturevalue(data)


@pytest.fixture(params=["classifier", "regressor"])
def made(request):
    """A function that makes a model with a few metrics, and all samples."""
    kind = {"classifier": FreeEnergyClassifier, "regressor": FreeEnergyRegressor}
    data = {"classifier": "classified", "regressor": "regressed"}[request.param]

    def make(n_replicas=4, **options):
        options = {"random_state": 0, **options}
        return kind[request.param](n_replicas, **options)

    return make, request.getfixturevalue(data)


ODD = {
    "one feature": lambda X: X[:, :1],
    "constants": lambda X: np.column_stack([X, np.ones((len(X), 3))]),
    "tiny": lambda X: 1e-300 * X,
    "huge": lambda X: 1e145 * X,
    "wide": lambda X: np.random.default_rng(0).normal(size=(len(X), 600)),
    "ties": np.round,
    "equal": lambda X: np.ones((len(X), 2)),
    "copies": lambda X: np.vstack([X[::3]] * 3),
}


@pytest.fixture(params=ODD)
def odd(request):
    """A function that makes features odd."""
    return ODD[request.param]
