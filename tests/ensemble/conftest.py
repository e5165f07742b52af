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
