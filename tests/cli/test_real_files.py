"""Real files with names and gaps: from the shell as in Python."""

import json
import subprocess
import sys
import warnings

import pandas as pd
import pytest

from freemetric import files
from freemetric.exceptions import DataWarning
from freemetric.tabular import TableModel, read

from ..data_sets import FOLDER, MISSING

pytestmark = pytest.mark.skipif(not (FOLDER / "hepatitis.csv").exists(), reason=MISSING)


def shell(*words):
    return subprocess.run([sys.executable, "-m", "freemetric", *map(str, words)], capture_output=True, text=True)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "parameters"),
    [pytest.param("free-energy", {"n_replicas": 6}, marks=pytest.mark.slow), ("nca", {"n_neighbors": 3})],
)
def test_fit_and_predict_from_the_shell_as_in_python(method, parameters, tmp_path):
    data, model, out = FOLDER / "hepatitis.csv", tmp_path / "model.fm", tmp_path / "out.csv"
    given = [word for name, value in parameters.items() for word in ("--set", f"{name}={value}")]
    words = ["--target", "class", "--method", method, *given, "--seed", 4, "--json"]
    done = shell("fit", data, "-o", model, *words)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["rows"] == 155
    done = shell("predict", model, data, "-o", out, "--proba")
    assert done.returncode == 0, done.stderr
    table = read(data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # few replicas leave few samples out
        python = TableModel.fit(table, "class", method, seed=4, parameters=parameters)
    labels, chances = python.predict(table, proba=True)
    found, right = pd.read_csv(out), 100 * python.accuracy(table, labels)
    assert found["prediction"].tolist() == labels.tolist()
    assert (found[["probability of DIE", "probability of LIVE"]].to_numpy() == chances).all()
    assert done.stderr.splitlines()[-1] == f"accuracy {right:.2f} % of the rows that have a class"
    about = files.about(model)["table"]
    assert (about["target"], about["seed"], about["options"]["drop"]) == ("class", 4, [])
    assert about["columns"][1] == {"name": "SEX", "kind": "nominal", "missing": 0, "categories": ["female", "male"]}
    assert {"scikit-learn", "freemetric"} <= set(about["versions"])


@pytest.mark.parametrize(("name", "method"), [("anneal", "pca"), ("german", "rca")])
def test_other_files_and_methods(name, method, freemetric, tmp_path):
    data, model, out = FOLDER / f"{name}.csv", tmp_path / "model.fm", tmp_path / "out.csv"
    words = ["--target", "class", "--method", method, "--set", "n_neighbors=3"]
    assert freemetric("fit", data, *words, "-o", model).code == 0
    assert freemetric("predict", model, data, "-o", out).code == 0
    table = read(data)
    labels = TableModel.load(model).predict(table)[0]
    assert pd.read_csv(out, dtype=str)["prediction"].tolist() == [str(label) for label in labels]
    Z = TableModel.load(model).transform(table)
    answer = freemetric("transform", model, data, "-o", out, "--json")
    assert answer.json == {"output": str(out), "rows": table.n_rows, "components": Z.shape[1]}
    assert (pd.read_csv(out).to_numpy() == Z).all()
    weights = [feature["weight"] for feature in freemetric("inspect", model, "--json").json["features"]]
    assert weights == sorted(weights, reverse=True)
    assert sum(weights) == pytest.approx(100)
