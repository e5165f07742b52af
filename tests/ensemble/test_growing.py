"""partial_fit: new rows vote at once, the oldest metrics are drawn anew."""

import numpy as np
import pytest
from sklearn.datasets import make_classification

from freemetric import FreeEnergyClassifier, Recipe


@pytest.fixture(scope="module")
def data():
    return make_classification(700, 6, n_informative=4, n_classes=3, random_state=1)


def first(data, n=200, **options):
    X, y = data
    usual = {"n_replicas": 4, "recipe__candidates": ["scaled/full"], "recipe__temperature": 1e-3}
    return (
        FreeEnergyClassifier(random_state=0).set_params(**usual | options).partial_fit(X[:n], y[:n], classes=[0, 1, 2])
    )


def test_the_first_call_is_a_fit(data):
    X, y = data
    fitted = FreeEnergyClassifier(4, recipe=Recipe(candidates=["scaled/full"], temperature=1e-3), random_state=0).fit(
        X[:200], y[:200]
    )
    np.testing.assert_array_equal(first(data).predict_proba(X[:20]), fitted.predict_proba(X[:20]))


def test_new_rows_vote_and_old_metrics_go(data):
    X, y = data
    model = first(data)
    before = model.members_[0].maps
    model.partial_fit(X[200:250], y[200:250])
    after = model.members_[0].maps
    assert len(model.ensemble_.training_set) == 250
    assert model.n_searched_ == 200
    n_new = int(np.ceil(0.2 * len(before)))  # 50 of 250 rows
    assert len(after) == len(before)
    np.testing.assert_array_equal(after[:-n_new], before[n_new:])
    assert not any((new == old).all() for new in after[-n_new:] for old in before)
    assert model.oob_decision_function_.shape == (250, 3)
    assert np.isnan(model.oob_decision_function_[200:]).all()
    model.check_state()


def test_a_row_is_known_at_once(data):
    model = first(data, recipe__n_neighbors=1, recipe__densities=())  # votes alone
    far = np.full((2, 6), 50.0)  # nobody has been there before
    for label in (0, 2):
        model.partial_fit(far + label, [label, label])
        assert model.predict(far[:1] + label)[0] == label


def test_twice_as_many_rows_are_searched_anew(data):
    X, y = data
    model = first(data).partial_fit(X[200:450], y[200:450])
    assert model.n_searched_ == 450
    assert model.oob_decision_function_.shape == (450, 3)
    whole = FreeEnergyClassifier(4, recipe=Recipe(candidates=["scaled/full"], temperature=1e-3), random_state=0).fit(
        X[:450], y[:450]
    )
    assert model.score(X[450:], y[450:]) > whole.score(X[450:], y[450:]) - 0.04


def test_classes_that_come_later(data):
    """The third class lies apart: metrics that have never seen it need not tell it from the others otherwise."""
    X, y = data
    X, two = X + 4.0 * (y == 2)[:, None], y < 2
    model = first((X[two], y[two]), n=120)
    assert model.predict_proba(X[:1]).shape == (1, 3)
    assert model.predict(X[~two]).max() < 2
    model.partial_fit(X[~two][:40], y[~two][:40])
    assert (model.predict(X[~two]) == 2).mean() > 0.8


def test_weights_of_some_calls(data):
    X, y = data
    model = first(data).partial_fit(X[200:240], y[200:240], sample_weight=np.where(np.arange(40) < 20, 1, 3))
    np.testing.assert_allclose(np.unique(model.ensemble_.training_set.weights), [0.5, 1.0, 1.5])


def test_the_same_calls_make_the_same_model(data):
    X, y = data
    one, two = (first(data, n_jobs=n_jobs).partial_fit(X[200:230], y[200:230]) for n_jobs in (1, 2))
    np.testing.assert_array_equal(one.predict_proba(X[300:330]), two.predict_proba(X[300:330]))


def test_what_cannot_be(data):
    X, y = data
    model = first(data)
    with pytest.raises(ValueError, match="labels that are not among the classes: 7"):
        model.partial_fit(X[:2], [0, 7])
    with pytest.raises(ValueError, match="classes are not those of the first call"):
        model.partial_fit(X[:2], y[:2], classes=[0, 1])
    with pytest.raises(ValueError, match="4 features"):
        model.partial_fit(X[:2, :4], y[:2])
    with pytest.raises(ValueError, match="at least two classes"):
        FreeEnergyClassifier().partial_fit(X[:9], np.zeros(9))
