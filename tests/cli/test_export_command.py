"""A table's model predicts in another runtime what it predicts here."""

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("skl2onnx", reason="the export needs skl2onnx")
onnxruntime = pytest.importorskip("onnxruntime")


def test_export_and_predict(freemetric, home, people, tmp_path):
    answer = freemetric("export", home / "people.fm", "-o", tmp_path / "people.onnx")
    assert (answer.code, answer.lines) == (0, [])
    session = onnxruntime.InferenceSession(tmp_path / "people.onnx")
    expected = f"from {', '.join(people.columns[:4])} to label, probabilities"
    assert answer.out.splitlines() == [f"{tmp_path / 'people.onnx'}: {expected}"]
    texts = people.astype({"age": float}).to_dict("list")
    label, probabilities = session.run(None, {put.name: column(texts[put.name]) for put in session.get_inputs()})
    freemetric("predict", home / "people.fm", home / "people.csv", "-o", tmp_path / "out.csv", "--proba")
    wanted = pd.read_csv(tmp_path / "out.csv")
    assert label.tolist() == wanted["prediction"].tolist()
    np.testing.assert_allclose(probabilities[:, 1], wanted["probability of yes"], atol=1e-12)


def column(cells):
    return np.array(cells, dtype=object if isinstance(cells[0], str) else np.float64)[:, None]


def test_any_saved_model_beside_itself(freemetric, iris, tmp_path):
    from freemetric import LFDA

    LFDA().fit(*iris).save(tmp_path / "iris.fm")
    answer = freemetric("export", tmp_path / "iris.fm", "--json")
    path = tmp_path / "iris.onnx"
    assert answer.json == {
        "output": str(path),
        "bytes": path.stat().st_size,
        "inputs": ["X"],
        "outputs": ["variable"],
    }


@pytest.mark.parametrize(
    ("words", "code", "reason"),
    [
        (["missing.fm"], 2, "cannot be read (No such file or directory)"),
        (["people.csv"], 2, "not a freemetric model"),
        (["people.fm", "-o", "no/people.onnx"], 2, "there is no folder"),
    ],
)
def test_refusals(words, code, reason, freemetric, home, monkeypatch):
    monkeypatch.chdir(home)
    answer = freemetric("export", *words)
    assert answer.code == code
    assert len(answer.lines) == 1
    assert reason in answer.lines[0]
    assert not list(home.glob("*.onnx"))
