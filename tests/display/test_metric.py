import itertools

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import NeighborhoodComponentsAnalysis
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from freemetric import NCA, RCA, MetricKNeighborsClassifier
from freemetric.display import MetricDisplay

NAMES = ["sepal length", "sepal width", "petal length", "petal width"]


def names_on(axis):
    return [label.get_text() for label in axis.get_yticklabels()]


def test_the_map_is_the_mahalanobis_matrix(nca):
    display = MetricDisplay.from_estimator(nca, NAMES)
    M = nca.get_mahalanobis_matrix()
    np.testing.assert_array_equal(display.image_.get_array(), M)
    assert display.image_.get_clim() == (-abs(M).max(), abs(M).max())
    assert names_on(display.ax_) == NAMES


def test_any_estimator_with_components(iris):
    X, y = iris
    theirs = NeighborhoodComponentsAnalysis(max_iter=5).fit(X, y)
    drawn = MetricDisplay.from_estimator(theirs).image_.get_array()
    u, v = X[0], X[100]
    np.testing.assert_allclose((u - v) @ drawn @ (u - v), ((theirs.transform([u]) - theirs.transform([v])) ** 2).sum())


def test_a_classifier_shows_the_mean_and_the_spread_of_its_replicas(voters):
    display = MetricDisplay.from_estimator(voters, weights=True)
    each = np.einsum("rpi,rpj->rij", voters.replicas_, voters.replicas_)
    np.testing.assert_allclose(display.image_.get_array(), each.mean(axis=0))
    bars = display.ax_[1]
    diagonals = np.diagonal(each, axis1=1, axis2=2)
    order = np.argsort(-diagonals.mean(axis=0))
    np.testing.assert_allclose([bar.get_width() for bar in bars.patches], diagonals.mean(axis=0)[order])
    assert names_on(bars) == [f"x{i}" for i in order]
    ends = np.array([segment[:, 0] for segment in bars.collections[0].get_segments()])
    np.testing.assert_allclose(ends, np.quantile(diagonals, [0.05, 0.95], axis=0).T[order])


def test_patterns_give_the_units(nca, iris):
    """In units of standard deviations, M is what a learner of standardised patterns would hold."""
    X, _ = iris
    display = MetricDisplay.from_estimator(nca, X=X)
    Z, scaler = nca.transform(X), StandardScaler().fit(X)
    standard = (scaler.transform(X[:1]) - scaler.transform(X[99:100]))[0]
    np.testing.assert_allclose(standard @ display.matrix @ standard, ((Z[0] - Z[99]) ** 2).sum())


def test_names_come_through_pipelines_and_classifiers(iris):
    X, y = pd.DataFrame(iris[0], columns=NAMES), iris[1]
    pipeline = make_pipeline(MinMaxScaler(), RCA())
    for model in (RCA(), pipeline, MetricKNeighborsClassifier(pipeline, n_neighbors=3)):
        assert names_on(MetricDisplay.from_estimator(model.fit(X, y)).ax_) == NAMES


@pytest.mark.parametrize(("d", "weights"), [(4, False), (4, True), (114, True)])
def test_names_can_be_read(d, weights, rng):
    A = rng.normal(size=(d, d))
    names = [f"a feature with a name of its own {i}" for i in range(d)]
    display = MetricDisplay(A.T @ A, feature_names=names).plot(weights=weights)
    figure = display.figure_
    figure.canvas.draw()
    for axis in figure.axes[: 1 + weights]:
        for labels in (axis.get_xticklabels(), axis.get_yticklabels()):
            boxes = [label.get_window_extent() for label in labels if label.get_text()]
            assert not any(a.overlaps(b) for a, b in itertools.pairwise(boxes))
        whole = axis.get_tightbbox()
        assert figure.bbox.contains(*whole.min)
        assert figure.bbox.contains(*whole.max)
    assert len(display.ax_[0].get_yticks() if weights else display.ax_.get_yticks()) >= min(d, 30)


def test_only_the_heaviest():
    M = np.diag([1.0, 5, 2, 4])
    display = MetricDisplay(M, feature_names=NAMES).plot(top=2, weights=True)
    np.testing.assert_array_equal(display.image_.get_array(), np.diag([5, 4]))
    assert [names_on(axis) for axis in display.ax_] == [[NAMES[1], NAMES[3]]] * 2


def test_one_clear_line(nca, iris):
    with pytest.raises(ValueError, match="feature_names must name 4 features, got 2"):
        MetricDisplay.from_estimator(nca, ["a", "b"])
    with pytest.raises(ValueError, match="X must have 4 features where it meets the map, got 3"):
        MetricDisplay.from_estimator(nca, X=iris[0][:, :3])
    with pytest.raises(ValueError, match="is not fitted yet"):
        MetricDisplay.from_estimator(NCA())
    with pytest.raises(TypeError, match="MinMaxScaler has no components_"):
        MetricDisplay.from_estimator(MinMaxScaler().fit(iris[0]))
    with pytest.raises(TypeError, match="not an estimator"):
        MetricDisplay.from_estimator(np.eye(3))
