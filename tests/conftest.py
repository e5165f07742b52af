import os

os.environ.setdefault("SCIPY_ARRAY_API", "1")  # scikit-learn's contract then checks array API input too

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.preprocessing import MinMaxScaler


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture(scope="session")
def iris():
    X, y = load_iris(return_X_y=True)
    X[142, 0] += 0.01  # or it is a copy of row 101, and brute-force votes among equals are not unique
    return MinMaxScaler().fit_transform(X), y


@pytest.fixture(scope="session")
def wine():
    X, y = load_wine(return_X_y=True)
    return MinMaxScaler().fit_transform(X), y
