import numpy as np
import pytest

from freemetric import LFDA
from freemetric.plotting import ImportancesDisplay

from .models import Classifier


def test_weights_of_a_metric_are_shares_of_the_squared_distances(wine):
    X, y = wine
    model = LFDA().fit(X, y)
    U, V = X[:, None], X[None]
    diagonal = np.diag(model.get_mahalanobis_matrix())
    parts = (diagonal * (U - V) ** 2).sum(axis=(0, 1))
    found = ImportancesDisplay.of(model, X)
    np.testing.assert_allclose(found.importances, parts / parts.sum())
    np.testing.assert_allclose(ImportancesDisplay.of(model).importances, diagonal)


def test_an_ensemble_has_its_own(iris):
    model = Classifier().fit(*iris)
    display = ImportancesDisplay.from_estimator(model, most=3)
    names = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert names == ["x3", "x2", "x1"]  # the largest on top
    assert display.ax_.get_ylim()[0] > display.ax_.get_ylim()[1]


@pytest.mark.parametrize("name", ["$x_1", "$x$", "a\nb", "<script>"])
def test_names_are_no_formulas(name):
    display = ImportancesDisplay([name], np.ones(1), np.ones(1)).plot()
    display.figure_.canvas.draw()
    assert display.ax_.get_yticklabels()[0].get_text() == name
