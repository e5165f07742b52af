"""Samples are validated as scikit-learn does, and stay as they were."""

import numpy as np
import pytest
from sklearn.utils.validation import validate_data

from freemetric import RCA, Covariance
from freemetric.learners.validation import check_samples

X = np.random.default_rng(0).normal(size=(12, 3))
y = np.arange(12) % 3


def test_features_are_counted_and_names_forgotten():
    pd = pytest.importorskip("pandas")
    model = Covariance().fit(pd.DataFrame(X, columns=list("abc")))
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        model.transform(X)
    model.fit(X[:, :2])
    assert model.n_features_in_ == 2
    assert not hasattr(model, "feature_names_in_")
    with pytest.raises(ValueError, match="X has 3 features, but Covariance is expecting 2"):
        model.transform(X)


def test_one_call_gives_what_validation_gives():
    model, other, wanted = RCA(), RCA(), {"dtype": np.float64, "order": "C", "ensure_min_samples": 2}
    ours, theirs = check_samples(model, X, y, **wanted), validate_data(other, X, y, **wanted)
    np.testing.assert_array_equal(ours[0], theirs[0])
    np.testing.assert_array_equal(ours[1], theirs[1])
    assert vars(model) == vars(other)


def test_samples_stay_as_they_were():
    given = X.copy()
    given.flags.writeable = False  # whatever changed it in place would raise
    RCA().fit(given, y)
    Covariance().fit(given)
    np.testing.assert_array_equal(given, X)


@pytest.mark.parametrize("scale", [1.0, 1e308])
def test_plain_samples_of_a_prediction_are_what_validation_gives(scale):
    model, given = Covariance().fit(X), scale * np.ones_like(X)  # whose sum may overflow
    assert check_samples(model, given, dtype=np.float64, reset=False) is given
    assert validate_data(model, given, dtype=np.float64, reset=False) is given


@pytest.mark.parametrize(
    ("samples", "words"),
    [
        (X[:0], "Found array with 0 sample"),
        (X[0], "Expected 2D array, got 1D array"),
        (X[:, :2], "X has 2 features"),
        (np.where(X[3, 1] == X, np.nan, X), "Input X contains NaN"),
        (np.where(X[3, 1] == X, np.inf, X), "Input X contains infinity"),
    ],
)
def test_samples_of_a_prediction_that_are_wrong_are_refused(samples, words):
    with pytest.raises(ValueError, match=words):
        check_samples(Covariance().fit(X), samples, dtype=np.float64, reset=False)


def test_other_kinds_of_samples_become_plain_ones():
    model = Covariance().fit(X)
    for given in (X.astype(np.float32), X.tolist(), np.ma.array(X)):
        found = check_samples(model, given, dtype=np.float64, reset=False)
        assert type(found) is np.ndarray
        assert found.dtype == np.float64
