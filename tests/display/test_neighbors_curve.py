from collections import Counter

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from freemetric import Euclidean, FreeEnergyClassifier, MetricKNeighborsClassifier
from freemetric.display import NeighborsCurveDisplay


@pytest.fixture(scope="module")
def halves(iris):
    X, y = iris[0], np.array(["setosa", "versicolor", "virginica"])[iris[1]]
    noise = 0.2 * np.random.default_rng(0).normal(size=X.shape)  # without it there are neither errors nor lone orders
    return X[::2] + noise[::2], y[::2], X[1::2] + noise[1::2], y[1::2]


@pytest.fixture(scope="module")
def neighbors(halves):
    X, y, _, _ = halves
    return MetricKNeighborsClassifier(make_pipeline(MinMaxScaler(), Euclidean()), most_neighbors=9).fit(X, y)


def errors_by_hand(Z_train, y_train, Z_test, y_test, most):
    """Majorities counted one by one; the class of the nearest wins a tie, as then does the first in the alphabet."""
    order = cdist(Z_test, Z_train).argsort(axis=1)
    errors = np.zeros(most)
    for truth, row in zip(y_test, order, strict=True):
        for k in range(1, most + 1):
            counts = Counter(y_train[row[:k]])
            winner = min(counts, key=lambda c: (-counts[c], c != y_train[row[0]], c))
            errors[k - 1] += winner != truth
    return errors / len(y_test)


def test_the_test_curve_counts_majorities(neighbors, halves):
    X, y, X_test, y_test = halves
    display = NeighborsCurveDisplay.from_estimator(neighbors, X_test, y_test, most_neighbors=12)
    Z, Z_test = (neighbors.learner_.transform(part) for part in (X, X_test))
    truth = errors_by_hand(Z, y, Z_test, y_test, 12)
    assert truth.std() > 0
    lines = {line.get_label(): line for line in display.ax_.lines}
    np.testing.assert_allclose(lines["test patterns"].get_ydata(), 100 * truth)
    assert (lines["test patterns"].get_xdata() == np.arange(1, 13)).all()
    np.testing.assert_allclose(lines["inner folds"].get_ydata(), 100 * neighbors.selection_["error"])
    chosen = lines[f"chosen: k = {neighbors.n_neighbors_}"]
    assert chosen.get_xdata() == [neighbors.n_neighbors_] * 2
    np.testing.assert_allclose(1 - truth[neighbors.n_neighbors_ - 1], neighbors.score(X_test, y_test))


def test_votes_alone_are_enough(neighbors, halves):
    _, _, X_test, y_test = halves
    votes = neighbors.votes(X_test, 7)
    whole = NeighborsCurveDisplay.from_estimator(neighbors, X_test, y_test, most_neighbors=7).curves["test patterns"]
    votes_only = NeighborsCurveDisplay.from_predictions(y_test, votes).curves["votes"]
    np.testing.assert_array_equal(votes_only, whole)
    few = NeighborsCurveDisplay.from_predictions(y_test[:1], votes[:1], classes=neighbors.classes_)
    assert set(few.curves["votes"][1]) <= {0, 1}


def test_the_kept_curve_of_a_classifier_is_its_out_of_bag_error(voters):
    k, error = NeighborsCurveDisplay.from_estimator(voters).curves["out of bag"]
    np.testing.assert_allclose(1 - error[list(k).index(voters.n_neighbors_)], voters.oob_score_)
    assert error.min() == pytest.approx(1 - voters.oob_score_)


def test_a_classifier_at_the_end_of_a_pipeline(halves):
    X, y, X_test, y_test = halves
    model = make_pipeline(MinMaxScaler(), FreeEnergyClassifier(12, n_neighbors=4, random_state=0)).fit(X, y)
    display = NeighborsCurveDisplay.from_estimator(model, X_test, y_test)
    error = display.curves["test patterns"][1]
    np.testing.assert_allclose(1 - error[3], model.score(X_test, y_test))


def test_one_clear_line(neighbors, nca, halves):
    X, y, X_test, y_test = halves
    given = MetricKNeighborsClassifier(Euclidean(), n_neighbors=3).fit(X, y)
    with pytest.raises(ValueError, match="was given its k and kept no curve; give X and y"):
        NeighborsCurveDisplay.from_estimator(given)
    with pytest.raises(ValueError, match="need both X and y"):
        NeighborsCurveDisplay.from_estimator(given, X_test)
    with pytest.raises(ValueError, match="X has 3 features, but MetricKNeighborsClassifier is expecting 4"):
        NeighborsCurveDisplay.from_estimator(neighbors, X_test[:, :3], y_test)
    with pytest.raises(ValueError, match="is not fitted yet"):
        NeighborsCurveDisplay.from_estimator(FreeEnergyClassifier())
    with pytest.raises(TypeError, match=r"needs a classifier by votes, .*; NCA is none"):
        NeighborsCurveDisplay.from_estimator(nca)
    with pytest.raises(ValueError, match=r"votes must have shape \(n_samples, n_neighbors, 3\)"):
        NeighborsCurveDisplay.from_predictions(y_test, np.ones((len(y_test), 5, 2)))
