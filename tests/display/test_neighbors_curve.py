from collections import Counter
from copy import copy

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from freemetric import Euclidean, FreeEnergyClassifier, MetricKNeighborsClassifier, Recipe
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
    np.testing.assert_allclose(lines["test samples"].get_ydata(), 100 * truth)
    assert (lines["test samples"].get_xdata() == np.arange(1, 13)).all()
    np.testing.assert_allclose(lines["inner folds"].get_ydata(), 100 * neighbors.selection_["error"])
    chosen = lines[f"chosen: k = {neighbors.n_neighbors_}"]
    assert chosen.get_xdata() == [neighbors.n_neighbors_] * 2
    np.testing.assert_allclose(1 - truth[neighbors.n_neighbors_ - 1], neighbors.score(X_test, y_test))


def test_votes_alone_are_enough(neighbors, halves):
    _, _, X_test, y_test = halves
    votes = neighbors.votes(X_test, 7)
    whole = NeighborsCurveDisplay.from_estimator(neighbors, X_test, y_test, most_neighbors=7).curves["test samples"]
    votes_only = NeighborsCurveDisplay.from_predictions(y_test, votes).curves["votes"]
    np.testing.assert_array_equal(votes_only, whole)
    few = NeighborsCurveDisplay.from_predictions(y_test[:1], votes[:1], classes=neighbors.classes_)
    assert set(few.curves["votes"][1]) <= {0, 1}


def test_a_classifier_has_a_line_for_every_candidate(classifier):
    display = NeighborsCurveDisplay.from_estimator(classifier)
    tried = classifier.selection_
    K = tried["n_neighbors"].max()
    errors, weights = (tried[name].reshape(-1, K) for name in ("oob_error", "weight"))
    order = np.argsort(-weights.sum(axis=1), kind="stable")
    lines = [line for line in display.ax_.lines if "/" in line.get_label()]
    np.testing.assert_allclose([line.get_ydata() for line in lines], 100 * errors[order])
    assert all((line.get_xdata() == np.arange(1, K + 1)).all() for line in lines)
    assert lines[0].get_linewidth() > lines[1].get_linewidth()
    areas = np.array([marks.get_sizes() for marks in display.ax_.collections])
    np.testing.assert_allclose(areas / areas.max(), weights[order] / weights.max())
    heaviest = order[0] * K
    kind = f"{tried['view'][heaviest]}/{tried['form'][heaviest]}"
    assert lines[0].get_label().startswith(kind)
    assert lines[0].get_label().endswith(f": {100 * weights[order[0]].sum():.0f} %")
    assert {"scaled/identity", "scaled/full, T = 0.001"} <= {line.get_label().split(":")[0] for line in lines}


def test_the_mixture_has_a_level(classifier):
    display = NeighborsCurveDisplay.from_estimator(classifier)
    lines = {line.get_label().split(":")[0]: line for line in display.ax_.lines}
    np.testing.assert_allclose(lines["their mixture"].get_ydata(), 100 * (1 - classifier.oob_score_))
    assert lines["largest weight"].get_xdata() == [classifier.n_neighbors_] * 2


def test_the_legend_of_candidates_stands_beside(classifier, iris):
    display = NeighborsCurveDisplay.from_estimator(classifier, *iris)
    display.figure_.canvas.draw()
    box = display.ax_.get_legend().get_window_extent()
    assert not box.overlaps(display.ax_.get_window_extent())
    assert display.figure_.bbox.contains(*box.max)


def test_a_classifier_at_the_end_of_a_pipeline(halves):
    X, y, X_test, y_test = halves
    recipe = Recipe(candidates=["scaled/full"], n_neighbors=4, subsample=0.3)
    model = make_pipeline(MinMaxScaler(), FreeEnergyClassifier(12, recipe=recipe, random_state=0)).fit(X, y)
    display = NeighborsCurveDisplay.from_estimator(model, X_test, y_test, most_neighbors=30)
    k, error = display.curves["test samples"]
    assert (k == np.arange(1, 31)).all()
    np.testing.assert_allclose(1 - error[3], model.score(X_test, y_test))
    assert display.candidates[0].label.startswith("scaled/full, T = ")


def test_candidates_without_out_of_bag_errors_are_not_shown(classifier, iris):
    model = copy(classifier)
    model.selection_ = classifier.selection_ | {"oob_error": np.full(len(classifier.selection_["oob_error"]), np.nan)}
    model.oob_score_ = np.nan
    with pytest.raises(ValueError, match="kept no curve over k; give X and y"):
        NeighborsCurveDisplay.from_estimator(model)
    assert len(NeighborsCurveDisplay.from_estimator(model, *iris).ax_.lines) == 2


def test_one_clear_line(neighbors, nca, halves):
    X, y, X_test, y_test = halves
    given = MetricKNeighborsClassifier(Euclidean(), n_neighbors=3).fit(X, y)
    with pytest.raises(ValueError, match="MetricKNeighborsClassifier kept no curve over k; give X and y"):
        NeighborsCurveDisplay.from_estimator(given)
    with pytest.raises(ValueError, match="need both X and y"):
        NeighborsCurveDisplay.from_estimator(given, X_test)
    with pytest.raises(ValueError, match="X has 3 features, but MetricKNeighborsClassifier is expecting 4"):
        NeighborsCurveDisplay.from_estimator(neighbors, X_test[:, :3], y_test)
    with pytest.raises(ValueError, match="is not fitted yet"):
        NeighborsCurveDisplay.from_estimator(FreeEnergyClassifier())
    with pytest.raises(TypeError, match=r"needs a classifier or regressor by votes, .*; NCA is none"):
        NeighborsCurveDisplay.from_estimator(nca)
    with pytest.raises(ValueError, match=r"votes must have shape \(n_samples, n_neighbors, 3\)"):
        NeighborsCurveDisplay.from_predictions(y_test, np.ones((len(y_test), 5, 2)))
