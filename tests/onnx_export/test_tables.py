"""Models of tables answer in the runtime as in Python, on names nobody has seen, too."""

import numpy as np
import pandas as pd
import pytest

from freemetric.exceptions import DataWarning
from freemetric.onnx_export import to_onnx
from freemetric.tabular import TableModel, read

from .runtime import about, answer


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    n = 90
    frame = pd.DataFrame(
        {
            "length": rng.normal(size=n).round(3),
            "sex": rng.choice(["male", "female"], n),
            "colour": rng.choice(["red", "green", "blue"], n),
            "town": [f"t{i % 60 if i % 3 else i % 2}" for i in range(n)],
            "shape": rng.choice(["round", "flat", ""], n),
        }
    )
    return frame.assign(y=np.where(frame["length"] + (frame["colour"] == "red") > 0.3, "yes", "no"))


def test_unseen_names_and_new_gaps(rows, tmp_path):
    rows.to_csv(tmp_path / "a.csv", index=False)
    model = TableModel.fit(read(tmp_path / "a.csv"), "y", "euclidean", parameters={"n_neighbors": 5})
    rows.loc[:9, "sex"], rows.loc[5:14, "colour"], rows.loc[10:19, "town"], rows.loc[15:24, "shape"] = ["new"] * 4
    rows.loc[30:39, "sex"], rows.loc[35:44, "colour"], rows.loc[40:49, "town"], rows.loc[45:54, "shape"] = [""] * 4
    rows.to_csv(tmp_path / "b.csv", index=False)
    frame = model.schema.frame(read(tmp_path / "b.csv"))
    label, chances = answer(to_onnx(model.pipeline), frame)
    assert label.tolist() == model.pipeline.predict(frame).tolist()
    np.testing.assert_allclose(chances, model.pipeline.predict_proba(frame), atol=1e-12)


def test_dates_and_decimal_commas(rows, tmp_path):
    days = pd.date_range("2020-01-01", periods=90, freq="13D").strftime("%d.%m.%Y")
    rows = rows.assign(length=[f"{x:.2f}".replace(".", ",") for x in rows["length"]], joined=days)
    rows.to_csv(tmp_path / "a.csv", sep=";", index=False)
    table = read(tmp_path / "a.csv", delimiter=";")
    with pytest.warns(DataWarning, match="read as"):
        model = TableModel.fit(table, "y", "euclidean", parameters={"n_neighbors": 5})
    frame = model.schema.frame(table)
    made = to_onnx(model.pipeline)
    assert {"length", "joined: days", "joined: weekday"} <= set(about(made)["columns"])
    label, chances = answer(made, frame)
    assert label.tolist() == model.pipeline.predict(frame).tolist()
    np.testing.assert_allclose(chances, model.pipeline.predict_proba(frame), atol=1e-12)
