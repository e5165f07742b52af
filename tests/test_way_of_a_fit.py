"""How many files of ours a fit and a prediction pass through."""

import sys
from functools import partial
from pathlib import Path

import pytest
from sklearn.datasets import load_diabetes, load_wine

import freemetric
from freemetric import DMLFE, NCA, FreeEnergyClassifier, FreeEnergyRegressor

HOUSE = f"{Path(freemetric.__file__).parent}/"


def walk(action):
    """Files whose functions an action calls, in their order."""
    files = {}

    def note(frame, event, _):
        if event == "call" and frame.f_code.co_filename.startswith(HOUSE):
            files.setdefault(frame.f_code.co_filename.removeprefix(HOUSE))

    sys.setprofile(note)
    try:
        action()
    finally:
        sys.setprofile(None)
    return list(files)


def before_kernels(files):
    """Files until the first compiled function."""
    is_kernel = [name.startswith("kernels/numba/") for name in files]
    return files[: is_kernel.index(True)]


def steps_of(kind, X, y):
    """Files of a fit, before its first compiled function, and of a prediction."""
    make = partial(kind, random_state=0)
    if "Free" in kind.__name__:
        make = partial(make, n_replicas=8)
    model = make().fit(X, y)  # imports and compilation are no part of the walk
    fit = walk(lambda: make().fit(X, y))
    steps = {"fit": fit, "kernel": before_kernels(fit)}
    if hasattr(model, "predict"):
        steps["predict"] = walk(lambda: model.predict(X[:5]))
    return steps


@pytest.fixture(scope="module")
def found():
    """Files of every step of every estimator."""
    return {
        (kind.__name__, step): files
        for kind, data in DATA.items()
        for step, files in steps_of(kind, *data(return_X_y=True)).items()
    }


DATA = {
    FreeEnergyClassifier: load_wine,
    FreeEnergyRegressor: load_diabetes,
    DMLFE: load_wine,
    NCA: load_wine,
}
MOST = {
    ("FreeEnergyClassifier", "fit"): 29,
    ("FreeEnergyClassifier", "kernel"): 12,
    ("FreeEnergyClassifier", "predict"): 15,
    ("FreeEnergyRegressor", "fit"): 30,
    ("FreeEnergyRegressor", "kernel"): 9,
    ("FreeEnergyRegressor", "predict"): 15,
    ("DMLFE", "fit"): 18,
    ("NCA", "fit"): 10,
}


@pytest.mark.parametrize(("step", "most"), MOST.items())
def test_no_walk_grows_longer(found, step, most):
    assert len(found[step]) <= most, ", ".join(found[step])
