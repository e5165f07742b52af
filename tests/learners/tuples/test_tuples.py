"""What classifiers of pairs, triplets and quadruplets share."""

import pickle

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from freemetric import NCA, SDML, PairClassifier


@pytest.fixture
def fitted(make, known):
    return make().fit(known.X[known.rows], known.signs)


def test_before_a_fit(make, known):
    samples = known.X[known.rows]
    for query in ("decision_function", "predict", "pair_distance", "transform"):
        with pytest.raises(NotFittedError):
            getattr(make(), query)(samples)


def test_indices_and_samples_are_the_same(make, known):
    used, rows = np.unique(known.rows, return_inverse=True)
    X, rows = known.X[used], rows.reshape(known.rows.shape)
    by_index = make(preprocessor=X).fit(rows, known.signs)
    by_sample = make().fit(X[rows], known.signs)
    expected = by_sample.decision_function(X[rows])
    for model, tuples in ((by_index, rows), (by_index, X[rows]), (by_sample, X[rows])):
        found = model.decision_function(tuples)
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9)


def test_a_preprocessor_may_be_a_function(make, known):
    names = np.array([f"wine{i}.jpg" for i in range(len(known.X))])
    calls = []

    def read(files):
        calls.append(len(files))
        return known.X[[int(name[4:-4]) for name in files]]

    model = make(preprocessor=read).fit(names[known.rows], known.signs)
    expected = make().fit(known.X[known.rows], known.signs)
    found = model.decision_function(names[known.rows])
    truth = expected.decision_function(known.X[known.rows])
    np.testing.assert_allclose(found, truth, rtol=1e-6, atol=1e-9)
    assert calls == [len(np.unique(known.rows))] * 2  # every file once


def test_predictions_do_not_depend_on_other_tuples(fitted, known, rng):
    samples = known.X[known.rows]
    before = pickle.dumps(fitted)
    expected = fitted.decision_function(samples)
    order = rng.permutation(len(samples))
    found = fitted.decision_function(samples[order])
    np.testing.assert_allclose(found, expected[order], rtol=1e-10, atol=1e-12)
    assert pickle.dumps(fitted) == before
    again = pickle.loads(before).decision_function(samples)
    np.testing.assert_array_equal(again, expected)


def test_bad_tuples_are_named(make, known, kind):
    t = known.rows.shape[1]
    cases = [
        (np.zeros((5, t + 1, 13)), None, rf"^{kind} must be samples of shape"),
        (np.zeros((0, t, 13)), None, "must be samples"),
        (known.rows, None, "they need preprocessor=X"),
        (known.rows + 0.5, known.X, f"^{kind} must be integers"),
        (known.rows + 178, known.X, "points outside the preprocessor"),
    ]
    for tuples, preprocessor, message in cases:
        with pytest.raises(ValueError, match=message):
            make(preprocessor=preprocessor).fit(tuples, known.signs[: len(tuples)])
    with pytest.raises(ValueError, match=r"y must be \d+ values of \+1 or -1"):
        make(preprocessor=known.X).fit(known.rows, np.zeros(len(known.rows)))
    model = make(preprocessor=known.X).fit(known.rows, known.signs)
    with pytest.raises(ValueError, match="have 12 features, but"):
        model.predict(known.X[known.rows][:, :, 1:])


def test_a_failed_fit_leaves_the_model(make, known):
    model = make(preprocessor=known.X).fit(known.rows, known.signs)
    before = model.decision_function(known.rows)
    with pytest.raises(ValueError, match="y must be"):
        model.fit(known.rows, known.signs[:-1])
    np.testing.assert_array_equal(model.decision_function(known.rows), before)


def test_learners_that_learn_from_labels_alone_are_refused(pairs):
    with pytest.raises(TypeError, match="pairs"):
        PairClassifier(NCA(), preprocessor=pairs.X).fit(pairs.rows, pairs.signs)


def test_a_pipeline_of_a_learner(pairs):
    learner = make_pipeline(MinMaxScaler(), SDML())
    model = PairClassifier(learner, preprocessor=5 * pairs.X)
    model.fit(pairs.rows, pairs.signs)
    alone = PairClassifier(SDML()).fit(pairs.X[pairs.rows], pairs.signs)
    assert model.score(pairs.rows, pairs.signs) == pytest.approx(
        alone.score(pairs.X[pairs.rows], pairs.signs), abs=0.02
    )


def test_cross_validation(make, known):
    model = make(preprocessor=known.X)
    assert cross_val_score(model, known.rows, known.signs, cv=3).mean() > 0.8
