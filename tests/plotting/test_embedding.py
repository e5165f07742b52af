import numpy as np
import pytest
from matplotlib import pyplot
from sklearn.decomposition import PCA as Reference
from sklearn.neighbors import NearestNeighbors

from freemetric import LDA, LFDA, MLKR
from freemetric.plotting import EmbeddingDisplay
from freemetric.plotting.embedding import main_axes

from .models import Classifier


def test_main_axes_are_principal_components(rng):
    Z = rng.normal(size=(50, 4)) * [1, 2, 3, 4]
    points, share = main_axes(Z)
    reference = Reference(2).fit(Z)
    np.testing.assert_allclose(np.abs(points), np.abs(reference.transform(Z)))
    np.testing.assert_allclose(share, reference.explained_variance_ratio_)


def test_equal_samples_have_no_variance():
    points, share = main_axes(np.ones((5, 3)))
    assert not points.any()
    assert share.tolist() == [0, 0]


def test_neighbours_of_a_query_are_those_of_the_whole_space(wine):
    X, y = wine
    model = LFDA().fit(X, y)
    display = EmbeddingDisplay.from_estimator(model, X, y, query=9, n_neighbors=4)
    search = NearestNeighbors(n_neighbors=5).fit(model.transform(X))
    found = search.kneighbors(model.transform(X[[9]]), return_distance=False)
    assert display.neighbors.tolist() == found[0, 1:].tolist()
    assert len(display.ax_.lines) == 4
    with pytest.raises(ValueError, match="query must be a row below 178; got 178"):
        EmbeddingDisplay.from_estimator(model, X, query=178)


@pytest.mark.parametrize("labels", [["a", "b", "c"], ["_", "$x$", "<b>"], [0, 1, 2]])
def test_every_class_is_in_the_legend(iris, labels):
    X, y = iris
    model = LFDA().fit(X, y)
    display = EmbeddingDisplay.from_estimator(model, X, np.array(labels)[y])
    display.figure_.canvas.draw()  # no label is read as a formula
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    expected = sorted(str(label).replace("$", r"\$") for label in labels)
    assert sorted(text.strip() for text in texts) == expected


def test_a_line_is_spread_over_the_classes(iris):
    X, y = iris
    display = EmbeddingDisplay.from_estimator(LDA(1).fit(X, y), X, y)
    assert display.embedding.shape == (150, 1)
    height = display.plane()[:, 1]
    np.testing.assert_array_equal(np.round(height), y)


def test_targets_have_a_scale_of_colours(rng):
    X = rng.normal(size=(40, 3))
    y = X[:, 0] + 0.1
    display = EmbeddingDisplay.from_estimator(MLKR(2).fit(X, y), X, y)
    assert display.is_regression
    np.testing.assert_array_equal(display.ax_.collections[0].get_array(), y)


def test_an_ensemble_shows_its_training_samples(iris):
    X, y = iris
    model = Classifier().fit(X, y)
    shown = EmbeddingDisplay.from_estimator(model).embedding
    np.testing.assert_allclose(shown, main_axes(X / X.std(axis=0))[0])
    with pytest.raises(ValueError, match="LFDA has kept no samples; give X"):
        EmbeddingDisplay.from_estimator(LFDA().fit(X, y))


def test_it_draws_on_the_axes_of_the_user(iris):
    X, y = iris
    model = LFDA().fit(X, y)
    figure, axis = pyplot.subplots()
    display = EmbeddingDisplay.from_estimator(model, X, y, ax=axis, s=3)
    assert display.ax_ is axis
    assert display.figure_ is figure
    assert axis.collections[0].get_sizes().tolist() == [3]
    with pytest.raises(ValueError, match="1 axes, got 2"):
        display.plot([axis, axis])
