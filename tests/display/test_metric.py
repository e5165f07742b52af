import itertools

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import NeighborhoodComponentsAnalysis
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from freemetric import DMLFE, NCA, RCA, FreeEnergyClassifier, MetricKNeighborsClassifier, Recipe
from freemetric.display import MetricDisplay
from freemetric.mc import Annealing, Constant

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


def ends(bars):
    return np.array([segment[:, 0] for segment in bars.collections[0].get_segments()])


def test_a_walker_shows_the_spread_of_its_replicas(iris):
    sampler = Annealing(Constant(1e-3), n_steps=2, n_replicas=3)
    model = DMLFE(sampler=sampler, random_state=0).fit(*iris)
    for X, unit in ((None, 1), (iris[0], iris[0].std(axis=0))):
        display = MetricDisplay.from_estimator(model, X=X, weights=True)
        diagonals = (model.replicas_**2).sum(axis=1) * unit**2
        order = np.argsort(-np.diag(display.matrix))
        np.testing.assert_allclose(ends(display.ax_[1]), np.quantile(diagonals, [0.05, 0.95], axis=0).T[order])


def test_a_classifier_shows_what_its_distances_weigh(classifier):
    heat, bars = MetricDisplay.from_estimator(classifier, weights=True).ax_
    importances, std = classifier.distance_weights_, classifier.distance_weights_std_
    order = np.argsort(-importances)
    np.testing.assert_allclose([bar.get_width() for bar in bars.patches], importances[order])
    assert names_on(bars) == [f"x{i}" for i in order]
    np.testing.assert_allclose(
        ends(bars), np.column_stack([np.maximum(importances - std, 0), importances + std])[order]
    )
    assert "standard deviation" in bars.get_xlabel()
    weight = classifier.selection_["weight"][classifier.selection_["view"] == "scaled"].sum()
    assert heat.get_title() == f"averaged M, features scaled to [0, 1]\n({100 * weight:.0f} % of the votes)"


@pytest.mark.parametrize("view", ["scaled", "quantiles", "steps"])
def test_a_classifier_shows_its_averaged_metric(view, iris):
    """The squared distance in the view of samples that differ in all steps of some features."""
    X, y = iris
    kinds = [f"{view}/diagonal", f"{view}/full"]
    model = FreeEnergyClassifier(n_replicas=6, recipe=Recipe(candidates=kinds, subsample=0.2), random_state=0).fit(X, y)
    M = MetricDisplay.from_estimator(model).matrix
    V, owner = model.views_[view](X), model.views_[view].owner
    u, v = np.array([1, 0, 1, 0])[owner], np.array([0, 0, 1, 1])[owner]
    mean = 0
    for member, weight in zip(model.members_, model.ensemble_.member_weights, strict=True):
        far, near = member.spaces(V), member.spaces(np.array([u, v], dtype=float))
        scaled = [np.sum((a - b) ** 2) / (2 * Z.var(axis=0, ddof=1).sum()) for Z, (a, b) in zip(far, near, strict=True)]
        mean += weight * np.mean(scaled)
    difference = np.array([1, 0, 0, -1])
    np.testing.assert_allclose(difference @ M @ difference, mean)
    if view != "steps":
        standard = MetricDisplay.from_estimator(model, X=X).matrix
        np.testing.assert_allclose(standard, M * np.outer(V.std(axis=0), V.std(axis=0)))


def test_patterns_give_the_units(nca, iris):
    """In units of standard deviations, M is what a learner of standardised samples would hold."""
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


@pytest.mark.parametrize(("d", "weights"), [(4, False), (4, True), pytest.param(114, True, marks=pytest.mark.slow)])
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


def test_one_clear_line(nca, classifier, iris):
    with pytest.raises(ValueError, match="feature_names must name 4 features, got 2"):
        MetricDisplay.from_estimator(nca, ["a", "b"])
    for model in (nca, classifier):
        with pytest.raises(ValueError, match="X must have 4 features where it meets the map, got 3"):
            MetricDisplay.from_estimator(model, X=iris[0][:, :3])
    with pytest.raises(ValueError, match="is not fitted yet"):
        MetricDisplay.from_estimator(NCA())
    with pytest.raises(TypeError, match="MinMaxScaler has no components_"):
        MetricDisplay.from_estimator(MinMaxScaler().fit(iris[0]))
    with pytest.raises(TypeError, match="not an estimator"):
        MetricDisplay.from_estimator(np.eye(3))
