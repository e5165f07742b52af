"""Labels that are no classes are distinguished from those that are."""

import numpy as np
import pytest

from freemetric.exceptions import DataWarning
from freemetric.tabular import InputError, Settings, TableModel, compare, read

QUICK = {"n_neighbors": 1}


def table(folder, labels, repeats=1):
    rng = np.random.default_rng(0)
    rows = [f"{rng.random():.6f},{label}\n" for label in labels]
    (folder / "a.csv").write_text("a,y\n" + "".join(rows * repeats))
    return read(folder / "a.csv")


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (
            [f"n{i}" for i in range(60)],
            "column 'y': 60 classes, and every row has a class of its own; is it the right --t",
        ),
        (
            [f"n{i % 59}" for i in range(60)],
            "59 classes, and 58 of 60 rows are alone in theirs; is it the right --target",
        ),
        ([str(7 * i) for i in range(60)], "every row has a class of its own; --task regress predicts a quantity"),
        ([f'"{i},5"' for i in range(60)], "every row has a class of its own; --task regress predicts a quantity"),
    ],
)
@pytest.mark.parametrize("method", ["free-energy", "nca"])
def test_no_classes(labels, message, method, tmp_path):
    found = table(tmp_path, labels)
    with pytest.raises(InputError, match=message):
        TableModel.fit(found, "y", method, task="classify")
    with pytest.raises(InputError, match=message):
        compare({"a": found}, "y", ["euclidean"], Settings(2, 1, task="classify"))


def test_many_numbers_may_be_a_quantity(tmp_path):
    found = table(tmp_path, [str(i // 2) for i in range(120)])
    with pytest.warns(DataWarning, match=r"column 'y': 60 different numbers in 120 rows are as many classes; --task"):
        TableModel.fit(found, "y", "euclidean", task="classify", parameters=QUICK)


def test_classes_by_number(tmp_path):
    found = table(tmp_path, [str(i % 20) for i in range(120)])
    with pytest.warns(
        DataWarning, match=r"column 'y' is taken for 20 classes \(the whole numbers from 0 to 19\); --task r"
    ):
        TableModel.fit(found, "y", "euclidean", parameters=QUICK)


def test_copies_are_said_before_a_comparison(tmp_path):
    settings = Settings(2, 1, parameters={"euclidean": QUICK})
    with pytest.warns(DataWarning, match="a.csv: 80 of 120 rows are copies of others: fine where they were observed"):
        compare({"a": table(tmp_path, "pq" * 20, repeats=3)}, "y", ["euclidean"], settings)
    compare({"a": table(tmp_path, "pq" * 20)}, "y", ["euclidean"], settings)
