"""Every estimator in every usual use, from an installed wheel; see matrix.py for the matrix and conftest.py for how."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.base import BaseEstimator

import freemetric
from freemetric.learners import LEARNERS

from .estimators import ESTIMATORS
from .matrix import BACKENDS, CELLS, COLUMNS, FLOORS, USES, WAYS, refusal

FEW_USES = {"cross_val_predict", "GridSearchCV", "Bagging", "pickle"}
"""Each sends an estimator elsewhere."""

TRIED = {
    "FreeEnergyClassifier": set(USES),
    "FreeEnergyRegressor": FEW_USES
    | {"MultiOutput", "Chain", "RFE", "Stacking", "TransformedTargetRegressor"},
    "DMLFE": FEW_USES
    | {"ColumnTransformer", "FeatureUnion", "RFE", "SelectFromModel", "Stacking"},
    "PairClassifier": FEW_USES | {"permutation_importance"},
    "TableClassifier": FEW_USES | {"permutation_importance"},
    "FreeEnergyClassifier(n_jobs=2)": FEW_USES,
    "MetricKNeighborsClassifier": FEW_USES,
    "TableRegressor": FEW_USES,
    "ITML": {"GridSearchCV", "pickle"},
    "MetricKNeighborsRegressor": {"GridSearchCV", "pickle"},
}
"""What is always tried by the backend that users have: every use, and one estimator of every kind; the rest is slow."""

FRESH = {"Dask", "commands", "pools"}
"""Columns that start many processes, each of which imports everything: slow."""

pytestmark = pytest.mark.timeout(
    1200
)  # the first test waits for all cells, and perhaps for a compiler


def test_every_public_estimator_is_in_the_matrix():
    public = [
        *(getattr(freemetric, name) for name in freemetric.__all__),
        *LEARNERS.values(),
    ]
    estimators = {
        found.__name__
        for found in public
        if isinstance(found, type) and issubclass(found, BaseEstimator)
    }
    assert estimators <= {name.partition("(")[0] for name in ESTIMATORS}


@pytest.mark.parametrize("column", COLUMNS)
def test_it_is_the_installed_wheel_that_works(column, outcomes):
    site = Path(outcomes["site"])
    assert {Path(place).parents[1] for place in outcomes["places"].get(column, [])} <= {
        site
    }


def marked(cell):
    is_tried = cell.use in TRIED.get(cell.estimator, ())
    is_quick = cell.column not in FRESH and (
        cell.use in WAYS or (cell.column == "loky" and is_tried)
    )
    return pytest.param(
        cell, id="-".join(cell), marks=[] if is_quick else pytest.mark.slow
    )


@pytest.mark.parametrize("cell", [marked(cell) for cell in CELLS])
def test_cell(cell, outcomes):
    assert cell in outcomes, (
        f"the process of {cell.column} gave no line: {outcomes['died'][cell.column]}"
    )
    found, refused = outcomes[cell], refusal(cell)
    if refused is not None:
        assert "message" in found, "what was refused works: take it out of REFUSED"
        assert refused in found["message"], found["traceback"]
        assert len(found["message"].splitlines()) == 1
        return
    assert "scores" in found, found["traceback"]
    assert np.mean(found["scores"]) > FLOORS.get(cell.use, 0.6)
    for column in BACKENDS:
        other = outcomes.get(cell._replace(column=column))
        if cell.use not in WAYS and other and "scores" in other:
            # Products of memory maps, which joblib makes for its processes, round otherwise: a sample of 50 may change.
            np.testing.assert_allclose(
                found["scores"], other["scores"], atol=0.021, err_msg=column
            )
