"""Triplets and quadruplets."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from freemetric import (
    ITML,
    LMNN,
    LSML,
    RCA,
    SCML,
    PairClassifier,
    QuadrupletClassifier,
    TripletClassifier,
)


@pytest.mark.parametrize("learner", [SCML(random_state=0), LMNN()], ids=repr)
def test_triplets_reach_the_learner(triplets, learner):
    a, b, c = triplets.rows.T
    turned = np.column_stack([a, c, b])
    rows = np.where(triplets.signs[:, None] > 0, triplets.rows, turned)
    alone = clone(learner).fit(triplets.X, triplets=rows)
    given = (triplets.rows, triplets.signs)
    for tuples, y in ((rows, None), (rows, np.ones(len(rows))), given):
        model = TripletClassifier(learner, preprocessor=triplets.X).fit(tuples, y)
        assert_array_equal(model.learner_.components_, alone.components_)


def test_triplets_are_quadruplets(triplets):
    a, b, c = triplets.rows.T
    model = TripletClassifier(LSML(), preprocessor=triplets.X).fit(triplets.rows)
    alone = LSML().fit(triplets.X, quadruplets=np.column_stack([a, b, a, c]))
    assert_array_equal(model.learner_.components_, alone.components_)


def test_quadruplets_reach_the_learner_with_their_weights(quadruplets, rng):
    a, b, c, d = quadruplets.rows.T
    turned = np.column_stack([c, d, a, b])
    rows = np.where(quadruplets.signs[:, None] > 0, quadruplets.rows, turned)
    weights = rng.random(len(rows))
    alone = LSML().fit(quadruplets.X, quadruplets=rows, weights=weights)
    model = QuadrupletClassifier(LSML(), preprocessor=quadruplets.X)
    for tuples, y in ((rows, None), (quadruplets.rows, quadruplets.signs)):
        model.fit(tuples, y, weights=weights)
        assert_array_equal(model.learner_.components_, alone.components_)
    assert not np.array_equal(model.fit(rows).learner_.components_, alone.components_)


def test_what_they_say(triplets, quadruplets):
    X = triplets.X
    model = TripletClassifier(LSML(), preprocessor=X).fit(triplets.rows, triplets.signs)
    metric = model.get_metric()
    truth = [metric(X[a], X[c]) - metric(X[a], X[b]) for a, b, c in triplets.rows]
    assert_allclose(model.decision_function(triplets.rows), truth, atol=1e-12)
    expected = np.where(np.array(truth) > 0, 1, -1)
    assert_array_equal(model.predict(triplets.rows), expected)
    other = QuadrupletClassifier(LSML(), preprocessor=X)
    other.fit(quadruplets.rows, quadruplets.signs)
    metric = other.get_metric()
    truth = [metric(X[c], X[d]) - metric(X[a], X[b]) for a, b, c, d in quadruplets.rows]
    assert_allclose(other.decision_function(quadruplets.rows), truth, atol=1e-12)
    for fitted, known in ((model, triplets), (other, quadruplets)):
        said = fitted.predict(known.rows)
        share = np.mean(said == known.signs)
        assert fitted.score(known.rows, known.signs) == share > 0.85
        assert fitted.score(known.rows) == np.mean(said == 1)


def test_a_tie_is_not_nearer(triplets):
    model = TripletClassifier(LSML(), preprocessor=triplets.X).fit(triplets.rows)
    assert model.predict([[0, 1, 1]]).tolist() == [-1]


@pytest.mark.parametrize("learner", [ITML(), make_pipeline(StandardScaler(), RCA())])
def test_learners_of_something_else(triplets, learner):
    model = TripletClassifier(learner, preprocessor=triplets.X)
    with pytest.raises(TypeError, match=r"(ITML|RCA) does not learn from quad"):
        model.fit(triplets.rows)
    pairs = PairClassifier(LMNN(), preprocessor=triplets.X)
    with pytest.raises(TypeError, match="LMNN does not learn from pairs"):
        pairs.fit(triplets.rows[:, :2], triplets.signs)
