from collections import namedtuple

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.preprocessing import minmax_scale

from freemetric import (
    ITML,
    LSML,
    SDML,
    PairClassifier,
    QuadrupletClassifier,
    TripletClassifier,
)

KINDS = {
    "pairs": lambda **parameters: PairClassifier(SDML(), **parameters),
    "triplets": lambda **parameters: TripletClassifier(LSML(), **parameters),
    "quadruplets": lambda **parameters: QuadrupletClassifier(LSML(), **parameters),
}
"""A quick classifier of every kind."""


Known = namedtuple("Known", ["X", "rows", "signs"])
"""What is known of wines: tuples by row, and their signs."""


@pytest.fixture(scope="module")
def wines():
    X, y = load_wine(return_X_y=True)
    return minmax_scale(X), y


@pytest.fixture(scope="module")
def pairs(wines):
    X, y = wines
    rows = np.random.default_rng(0).integers(len(X), size=(240, 2))
    return Known(X, rows, np.where(y[rows[:, 0]] == y[rows[:, 1]], 1, -1))


@pytest.fixture(scope="module")
def triplets(wines):
    """One of the last two is of the class of the first."""
    X, y = wines
    rows = np.random.default_rng(1).integers(len(X), size=(900, 3))
    same = y[rows[:, 1:]] == y[rows[:, :1]]
    kept = same[:, 0] != same[:, 1]
    return Known(X, rows[kept][:200], np.where(same[kept, 0], 1, -1)[:200])


@pytest.fixture(scope="module")
def quadruplets(wines):
    X, y = wines
    rows = np.random.default_rng(2).integers(len(X), size=(900, 4))
    first, second = (y[rows[:, i]] == y[rows[:, i + 1]] for i in (0, 2))
    kept = first != second
    return Known(X, rows[kept][:200], np.where(first[kept], 1, -1)[:200])


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


@pytest.fixture
def known(kind, request):
    return request.getfixturevalue(kind)


@pytest.fixture
def make(kind):
    return KINDS[kind]


@pytest.fixture
def itml():
    return ITML(random_state=0)
