"""Two hundred spoiled files: never a traceback, never half an output, always an exit code with a meaning."""

import pandas as pd
import pytest

from freemetric.tabular import TableModel

from .mutations import mutated

FIT = ["--target", "class", "--method", "euclidean", "--set", "n_neighbors=3", "-o"]


@pytest.fixture(scope="module")
def spoiled(home):
    return list(mutated((home / "people.csv").read_bytes(), 200))


def check(answer, name, output):
    """One line for what is wrong, and no output then; nothing is left beside it in any case."""
    assert answer.code in (0, 1, 2), name
    assert output.exists() == (answer.code == 0), name
    assert all(line.isprintable() for line in answer.lines), name
    if answer.code:
        assert answer.out == "", name
        assert [line for line in answer.lines if not line.startswith("note: ")][1:] == [], name
    assert {path.name for path in output.parent.iterdir()} <= {"data.csv", output.name}, name


@pytest.mark.slow
def test_fit(spoiled, freemetric, tmp_path):
    data, model, codes = tmp_path / "data.csv", tmp_path / "model.fm", []
    for name, content in spoiled:
        data.write_bytes(content)
        answer = freemetric("fit", data, *FIT, model)
        check(answer, name, model)
        if answer.code == 0:
            TableModel.load(model)
        codes.append(answer.code)
        model.unlink(missing_ok=True)
    assert 30 < codes.count(0) < 120
    assert codes.count(2) > 60


@pytest.mark.slow
def test_predict(spoiled, home, freemetric, tmp_path):
    data, out, codes = tmp_path / "data.csv", tmp_path / "out.csv", []
    for name, content in spoiled:
        data.write_bytes(content)
        answer = freemetric("predict", home / "people.fm", data, "-o", out)
        check(answer, name, out)
        if answer.code == 0:
            assert pd.read_csv(out)["prediction"].isin(["yes", "no"]).all()
        codes.append(answer.code)
        out.unlink(missing_ok=True)
    assert 30 < codes.count(0) < 120
    assert codes.count(2) > 60


@pytest.mark.slow
def test_evaluate(spoiled, freemetric, tmp_path):
    data = tmp_path / "data.csv"
    for name, content in spoiled[::8]:
        data.write_bytes(content)
        answer = freemetric("evaluate", data, *FIT[:2], "--methods", "euclidean", "--folds", 2, "--repeats", 1)
        assert answer.code in (0, 1, 2), name
        assert (answer.out == "") == (answer.code == 2), name
