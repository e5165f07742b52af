"""How far X travels: the files and frames of ours between ``fit`` and the first energy that a kernel computes."""

import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from sklearn.datasets import load_diabetes, load_wine

import freemetric
from freemetric import DMLFE, FreeEnergyClassifier, FreeEnergyRegressor

HOUSE = Path(freemetric.__file__).parent
ENERGIES = ("energy", "energy_and_gradient")


class Way(NamedTuple):
    files: list[str]
    frames: list[str]


def way_of(model, X, y):
    """Files whose functions are called, in their order, and the frames of ours when the first energy is computed."""
    files, frames = {}, []

    def look(frame, event, argument):
        path = Path(frame.f_code.co_filename)
        if event != "call" or frames or HOUSE not in path.parents:
            return
        files.setdefault(path.relative_to(HOUSE).as_posix())
        if path.parent.parent.name == "kernels" and frame.f_code.co_name in ENERGIES:
            while frame is not None:
                if HOUSE in Path(frame.f_code.co_filename).parents:
                    frames.append(
                        f"{Path(frame.f_code.co_filename).stem}.{frame.f_code.co_name}"
                    )
                frame = frame.f_back

    sys.settrace(look)
    try:
        model.fit(X, y)
    finally:
        sys.settrace(None)
    return Way(list(files), frames[::-1])


@pytest.mark.parametrize(
    ("model", "data", "most_files"),
    [
        (FreeEnergyClassifier(n_replicas=4, random_state=0), load_wine, 35),
        (FreeEnergyRegressor(n_replicas=4, random_state=0), load_diabetes, 35),
        (DMLFE(random_state=0), load_wine, 18),
    ],
    ids=["classifier", "regressor", "DMLFE"],
)
def test_a_fit_is_near_its_kernels(model, data, most_files):
    X, y = data(return_X_y=True)
    model.fit(
        X[::2], y[::2]
    )  # what is imported and compiled first is no part of the way
    way = way_of(model, X[::2], y[::2])
    print(
        f"{len(way.files)} files: {', '.join(way.files)}\n{len(way.frames)} frames: {' > '.join(way.frames)}"
    )
    assert way.frames
    assert len(way.frames) <= 12
    assert len(way.files) <= most_files
