"""What is not shown to scikit-learn's validation is what that would give back as it is; all else is."""

import numpy as np
import pytest
from sklearn.utils.validation import validate_data

from freemetric import RCA, Covariance
from freemetric.learners.patterns import checked_numbers
from freemetric.learners.plain_arrays import are_plain

X = np.random.default_rng(0).normal(size=(12, 3))
y = np.arange(12) % 3
WANTED = {"dtype": np.float64, "order": "C", "ensure_min_samples": 2}


def with_cell(value):
    changed = X.copy()
    changed[4, 1] = value
    return changed


def frozen():
    kept = X.copy()
    kept.flags.writeable = False
    return kept


PLAIN = {
    "integer labels": (X, y),
    "labels that are floats": (X, y / 2),
    "truth values": (X, y > 0),
    "no labels": (X,),
    "numbers that may not be changed": (frozen(), y),
}
OTHERWISE = {
    "a list": (X.tolist(), y),
    "single precision": (X.astype(np.float32), y),
    "integers": ((9 * X).astype(int), y),
    "by columns": (np.asfortranarray(X), y),
    "a masked array": (np.ma.masked_less(X, 0), y),
    "a gap": (with_cell(np.nan), y),
    "infinity": (with_cell(np.inf), y),
    "a sum that is no number": (np.full((12, 3), 1e308), y),
    "one row": (X[:1], y[:1]),
    "no feature": (X[:, :0], y),
    "a vector": (X[:, 0], y),
    "labels missing": (X, None),
    "labels of other rows": (X, y[:-1]),
    "a label that is no number": (X, np.where(y, y, np.nan)),
    "words": (X, y.astype(str)),
    "a column of labels": (X, y[:, None]),
    "every second label": (X, np.repeat(y, 2)[::2]),
}


@pytest.mark.parametrize("given", PLAIN.values(), ids=list(PLAIN))
def test_validation_would_change_nothing(given):
    assert are_plain(RCA(), *given, **WANTED)
    validated = validate_data(RCA(), *given, **WANTED)
    for ours, theirs in zip(given, validated if len(given) > 1 else (validated,), strict=True):
        assert ours is theirs or np.shares_memory(ours, theirs)
        assert ours.dtype == theirs.dtype


@pytest.mark.parametrize("given", OTHERWISE.values(), ids=list(OTHERWISE))
def test_all_else_is_shown_to_it(given):
    assert not are_plain(RCA(), *given, **WANTED)


def test_unknown_options_are_left_to_it():
    assert not are_plain(RCA(), X, y, **WANTED, ensure_all_finite=False)
    assert not are_plain(RCA(), X, y)


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
    model, other = RCA(), RCA()
    ours, theirs = checked_numbers(model, X, y, **WANTED), validate_data(other, X, y, **WANTED)
    np.testing.assert_array_equal(ours[0], theirs[0])
    np.testing.assert_array_equal(ours[1], theirs[1])
    assert vars(model) == vars(other)


def test_patterns_stay_as_they_were():
    given = frozen()  # whatever changed it in place would raise
    RCA().fit(given, y)
    Covariance().fit(given)
    np.testing.assert_array_equal(given, X)
