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
