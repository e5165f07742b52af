"""The points drawn are those of a projection made by hand."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.decomposition import PCA
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from freemetric import DCA, NCA, RCA, Euclidean, FreeEnergyClassifier, MetricKNeighborsClassifier, Recipe
from freemetric.display import EmbeddingDisplay
from freemetric.display.style import COLORS, class_style


def drawn(axis):
    return np.concatenate([points.get_offsets() for points in axis.collections])


def assert_same_up_to_sign(points, truth):
    np.testing.assert_allclose(points * np.sign((points * truth).sum(axis=0)), truth, atol=1e-8)


def test_points_are_the_main_axes_of_the_transformed_patterns(nca, iris):
    X, y = iris
    display = EmbeddingDisplay.from_estimator(nca, X, y, before=True)
    for axis, space in zip(display.ax_, (X, nca.transform(X)), strict=True):
        truth = PCA(2).fit(space)
        by_class = np.argsort(y, kind="stable")
        assert_same_up_to_sign(drawn(axis), truth.transform(space)[by_class])
        first, second = 100 * truth.explained_variance_ratio_
        assert axis.get_xlabel() == f"main axis 1 ({first:.0f} % of variance)"
        assert axis.get_ylabel() == f"main axis 2 ({second:.0f} % of variance)"
    np.testing.assert_allclose(display.variance_share, truth.explained_variance_ratio_)
    assert display.figure_ is display.ax_[0].figure


def test_distances_of_a_classifier_are_the_mean_over_its_replicas(iris):
    """Each scaled to a mean of one; in three of three dimensions nothing is lost."""
    X, rows = np.unique(iris[0][:, :3], axis=0, return_index=True)  # copies would count once
    y = iris[1][rows]
    kinds = ["scaled/identity", "scaled/diagonal", "scaled/full"]
    model = FreeEnergyClassifier(n_replicas=9, recipe=Recipe(candidates=kinds, subsample=0.2), random_state=0).fit(X, y)
    display = EmbeddingDisplay.from_estimator(model, X, y, n_dims=3)
    assert len(model.members_) > 1
    mean, V = 0, (X - X.min(axis=0)) / np.ptp(X, axis=0)
    for member, weight in zip(model.members_, model.ensemble_.member_weights, strict=True):
        each = [cdist(Z, Z, "sqeuclidean") for Z in member.spaces(V)]
        pairs = len(X) * (len(X) - 1)
        mean = mean + weight * np.mean([squared / (squared.sum() / pairs) for squared in each], axis=0)
    np.testing.assert_allclose(cdist(display.embedding, display.embedding, "sqeuclidean"), mean, atol=1e-8 * mean.max())
    np.testing.assert_allclose(display.variance_share.sum(), 1)


def test_a_classifier_embeds(classifier, iris):
    X, y = iris
    display = EmbeddingDisplay.from_estimator(classifier, X, y)
    assert_same_up_to_sign(display.embedding, PCA(2).fit_transform(classifier.embed(X)))


def test_a_classifier_is_shown_beside_features_of_one_scale(classifier, iris):
    X, y = iris
    display = EmbeddingDisplay.from_estimator(classifier, X * [1, 10, 100, 1000], y, before=True)
    assert_same_up_to_sign(display.before, PCA(2).fit_transform(X))


@pytest.mark.parametrize("last", [[], ["passthrough"], [KNeighborsClassifier()]])
def test_a_pipeline_shows_its_learner(iris, last):
    X, y = iris
    model = make_pipeline(StandardScaler(), RCA(), *last).fit(X, y)
    Z = model[1].transform(model[0].transform(X))
    display = EmbeddingDisplay.from_estimator(model, X, before=True)
    assert_same_up_to_sign(display.embedding, PCA(2).fit_transform(Z))
    assert_same_up_to_sign(display.before, PCA(2).fit_transform(model[0].transform(X)))
    assert display.ax_[1].get_title() == "learned by RCA"


def test_the_learner_inside_a_classifier(iris):
    X, y = iris
    model = MetricKNeighborsClassifier(make_pipeline(MinMaxScaler(), Euclidean()), n_neighbors=3).fit(X, y)
    assert_same_up_to_sign(EmbeddingDisplay.from_estimator(model, X).embedding, PCA(2).fit_transform(X))


def test_one_dimension_has_a_row_for_every_class(iris):
    X, y = iris[0][:100], iris[1][:100]
    model = DCA().fit(X, y)
    assert len(model.components_) == 1
    display = EmbeddingDisplay.from_estimator(model, X, y)
    points = drawn(display.ax_)
    np.testing.assert_allclose(abs(points[:, 0]), abs((X - X.mean(axis=0)) @ model.components_[0]))
    assert (points[:, 1].round() == y).all()


def test_classes_have_their_own_looks():
    eight = [class_style(c) for c in range(8)]
    assert len({style["color"] for style in eight}) == len({style["marker"] for style in eight}) == 8
    assert len({(class_style(c)["color"], class_style(c)["marker"]) for c in range(64)}) == 64
    channels = np.array([[int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)] for color in COLORS])
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    luminance = linear @ [0.2126, 0.7152, 0.0722]
    assert (1.05 / (luminance + 0.05) > 2).all()  # contrast to white, as accessibility guidelines define it
    assert ((luminance + 0.05) / 0.05 > 2).all()  # to black


def test_the_legend_stands_beside_the_points_and_names_the_classes(nca, iris):
    display = EmbeddingDisplay.from_estimator(nca, *iris, class_names=["setosa", "versicolor", "virginica"])
    display.figure_.canvas.draw()
    legend = display.ax_.get_legend()
    assert [text.get_text() for text in legend.get_texts()] == ["setosa", "versicolor", "virginica"]
    assert not legend.get_window_extent().overlaps(display.ax_.get_window_extent())
    assert display.figure_.bbox.contains(*legend.get_window_extent().max)


def test_draws_on_the_given_axes(nca, iris):
    _, ax = plt.subplots()
    display = EmbeddingDisplay.from_estimator(nca, *iris, ax=ax, s=5)
    assert display.ax_ is ax
    assert ax.collections[0].get_sizes() == [5]
    assert display.plot() is display
    assert display.ax_ is not ax


def test_one_clear_line(nca, classifier, iris):
    X, y = iris
    for model in (nca, classifier):
        with pytest.raises(ValueError, match=r"X has 3 features, but \w+ is expecting 4 features"):
            EmbeddingDisplay.from_estimator(model, X[:, :3], y)
    for model in (NCA(), FreeEnergyClassifier(), make_pipeline(MinMaxScaler(), NCA())):
        with pytest.raises(ValueError, match="is not fitted yet"):
            EmbeddingDisplay.from_estimator(model, X, y)
    with pytest.raises(TypeError, match=r"needs a metric learner, .*; KNeighborsClassifier is none"):
        EmbeddingDisplay.from_estimator(KNeighborsClassifier().fit(X, y), X, y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        EmbeddingDisplay.from_estimator(nca, X, y[1:])
    with pytest.raises(ValueError, match="n_dims must be 2 or 3, got 4"):
        EmbeddingDisplay.from_estimator(nca, X, n_dims=4)
    with pytest.raises(ValueError, match="class_names must name 3 classes, got 2"):
        EmbeddingDisplay.from_estimator(nca, X, y, class_names=["a", "b"])
    _, ax = plt.subplots()
    with pytest.raises(ValueError, match="projection"):
        EmbeddingDisplay.from_estimator(nca, X, y, n_dims=3, ax=ax)
    with pytest.raises(ValueError, match="needs 2 axes, got 1"):
        EmbeddingDisplay.from_estimator(nca, X, y, before=True, ax=ax)
