"""Models that Python has made of frames, in the command line's hands, and the same from files."""

import io

import numpy as np
import pandas as pd
import polars as pl
import pytest

from freemetric import FreeEnergyClassifier, Recipe, TableClassifier
from freemetric.tabular import TableModel

FAST = {"n_replicas": 6, "recipe": Recipe(candidates=["scaled/diagonal"])}


@pytest.fixture(scope="module")
def path(people, tmp_path_factory):
    path = tmp_path_factory.mktemp("people") / "people.csv"
    people.to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def saved(path):
    """The file of a model that Python has fitted, and the model."""
    model = TableClassifier(FreeEnergyClassifier(**FAST), random_state=0).fit(pd.read_csv(path), "class")
    model.save(path.with_suffix(".fm"))
    return path.with_suffix(".fm"), model


def test_fit_of_the_file_is_fit_of_the_frame(freemetric, path, saved, tmp_path):
    given = ("--set", "n_replicas=6", "--set", 'recipe__candidates=["scaled/diagonal"]')
    assert freemetric("fit", path, "--target", "class", "-o", tmp_path / "cli.fm", *given).code == 0
    printed = [freemetric("predict", file, path, "--proba") for file in (tmp_path / "cli.fm", saved[0])]
    assert [answer.code for answer in printed] == [0, 0]
    assert printed[0].out == printed[1].out
    answers = pd.read_csv(io.StringIO(printed[0].out))
    for frame in (pd.read_csv(path), pl.read_csv(path)):
        np.testing.assert_array_equal(answers["prediction"], saved[1].predict(frame))
        np.testing.assert_array_equal(answers["probability of yes"], saved[1].predict_proba(frame)[:, 1])
    assert TableModel.load(saved[0]).schema == TableModel.load(tmp_path / "cli.fm").schema


def test_every_command_takes_it(freemetric, path, saved, tmp_path):
    file, model = saved
    about = freemetric("inspect", file, "--json").json
    assert about["classes"] == ["no", "yes"]
    assert about["method"] == about["classifier"] == "FreeEnergyClassifier"
    assert about["oob_score"] == model.oob_score_
    assert freemetric("inspect", file).code == 0
    assert freemetric("transform", file, path, "-o", tmp_path / "z.csv").code == 0
    np.testing.assert_allclose(pd.read_csv(tmp_path / "z.csv"), model.transform(pd.read_csv(path)))
    pytest.importorskip("plotly")
    assert freemetric("report", file, path, "-o", tmp_path / "a.html").code == 0
    pytest.importorskip("skl2onnx")
    assert freemetric("export", file, "-o", tmp_path / "a.onnx").code == 0
