"""What is no table of numbers is said in one line of ours, not in numpy's words; tables without variance are tables."""

import numpy as np
import pandas as pd
import pytest

from freemetric import DMLMJ, PCA, RCA

y = np.arange(6) % 2
ODD = {
    "The rows of X have different lengths": [[1.0, 2.0], [1.0]] * 3,
    "X holds objects that are not numeric": np.array([[{}, 1.0]] * 6, dtype=object),
}


@pytest.mark.parametrize("said", ODD)
def test_odd_samples(said):
    with pytest.raises((TypeError, ValueError), match=f"^{said}") as caught:
        RCA().fit(ODD[said], y)
    assert str(caught.value).isprintable()


def test_columns_of_one_name():
    """Whether scikit-learn takes them depends on its release; numpy's and narwhals' words are never seen."""
    X = pd.DataFrame(np.random.default_rng(0).random((6, 2)), columns=["a", "a"])
    said = "Columns of X have the same name"
    try:
        PCA().fit(X)
    except ValueError as problem:
        said = str(problem)
    assert said.startswith("Columns of X have the same name")


@pytest.mark.parametrize("X", [np.ones((6, 2)), np.zeros((6, 2))], ids=["ones", "zeros"])
def test_no_variance_is_no_warning(X):
    assert np.isfinite(PCA().fit(X).transform(X)).all()


@pytest.mark.filterwarnings("ignore::freemetric.exceptions.DataWarning")
@pytest.mark.parametrize("n", [2, 12])
def test_classes_of_one_sample_each_are_no_warning_of_numpy(n):
    X = np.random.default_rng(0).random((n, 3))
    assert np.isfinite(DMLMJ().fit(X, np.arange(n)).components_).all()
