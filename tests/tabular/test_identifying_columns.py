"""Columns that name the rows are no features unless somebody wants them."""

import numpy as np
import pandas as pd
import pytest

from freemetric.exceptions import DataWarning
from freemetric.tabular import InputError, TableModel, read
from freemetric.tabular.preprocessing import usable

N = 80
rng = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "x": rng.normal(size=N).round(4),
        "count": rng.integers(0, 1000, N),
        "zip": [f"z{i % 30}" for i in range(N)],
        "city": [f"c{i % 35}" for i in range(N)],
        "comment": [f"they said {i % 36} times no" for i in range(N)],
        "name": [f"n{i % 50}" for i in range(N)],
        "number": rng.permutation(N) + 1,
        "patient_id": rng.choice(10**6, N, replace=False),
        "acid": rng.choice(10**6, N, replace=False),
        "y": np.arange(N) % 2,
    }
)
REASONS = {
    "comment": "it is free text",
    "name": "it has 50 different values in 80 rows",
    "number": "it numbers the rows",
    "patient_id": "it numbers the rows",
}


@pytest.fixture
def table(tmp_path):
    FRAME.to_csv(tmp_path / "a.csv", index=False)
    return read(tmp_path / "a.csv")


def test_they_are_left_out_in_one_note(table):
    with pytest.warns(DataWarning) as caught:
        schema, left_out = usable(table, "y")
    assert left_out == REASONS
    assert [column.name for column in schema.columns] == ["x", "count", "zip", "city", "acid"]
    (said,) = (str(warning.message) for warning in caught)
    assert "a.csv: left out: column 'comment', it is free text; column 'name', it has 50 different values" in said
    assert said.endswith("; --keep COLUMN keeps one")


def test_they_stay_where_that_is_said(table):
    with pytest.warns(DataWarning):
        _, left_out = usable(table, "y", keep=["name"], numeric=["number"], nominal=["comment"])
    assert list(left_out) == ["patient_id"]
    with pytest.raises(InputError, match="no column 'nmae'"):
        usable(table, "y", keep=["nmae"])


def test_small_tables_have_no_identifiers(table, tmp_path):
    FRAME[:32].to_csv(tmp_path / "b.csv", index=False)
    assert usable(read(tmp_path / "b.csv"), "y")[1] == {}


def test_numbers_with_copies_gaps_or_fractions_are_numbers(tmp_path):
    whole = np.arange(N, dtype=float)
    frame = pd.DataFrame({"twice": np.minimum(whole, 70), "gap": whole, "half": whole / 2, "y": FRAME["y"]})
    frame.loc[3, "gap"] = np.nan
    frame.to_csv(tmp_path / "a.csv", index=False)
    assert usable(read(tmp_path / "a.csv"), "y")[1] == {}


def test_nothing_else(tmp_path):
    FRAME[["name", "number", "y"]].to_csv(tmp_path / "a.csv", index=False)
    with pytest.raises(InputError, match=r"no column is of use; column 'name', .*--keep COLUMN keeps one"):
        usable(read(tmp_path / "a.csv"), "y")


def test_a_model_needs_none_of_them(table, tmp_path):
    with pytest.warns(DataWarning, match="left out"):
        model = TableModel.fit(table, "y", "euclidean", parameters={"n_neighbors": 3})
    assert model.left_out == REASONS
    model.save(tmp_path / "a.fm")
    loaded = TableModel.load(tmp_path / "a.fm")
    FRAME.drop(columns=list(REASONS)).to_csv(tmp_path / "b.csv", index=False)
    np.testing.assert_array_equal(loaded.predict(read(tmp_path / "b.csv"))[0], loaded.predict(table)[0])
