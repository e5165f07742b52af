"""Label quality: the out-of-bag probability of each row's own label."""

from types import SimpleNamespace

import numpy as np
import pytest

from freemetric.inspection import label_quality


@pytest.fixture
def model():
    P = np.array([[0.9, 0.1], [0.2, 0.8], [np.nan, np.nan], [0.5, 0.5]])
    return SimpleNamespace(oob_decision_function_=P, classes_=np.array(["a", "b"]))


def test_the_probability_of_the_own_label(model):
    quality = label_quality(model, ["a", "a", "b", "other"])
    np.testing.assert_array_equal(quality, [0.9, 0.2, np.nan, np.nan])


@pytest.mark.parametrize("y", [["a"], [["a"]] * 4])
def test_labels_of_other_rows_are_refused(model, y):
    with pytest.raises(ValueError, match="4 labels of fit"):
        label_quality(model, y)
