"""LDA against scikit-learn's, against the generalised eigenproblem, and against RCA."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import eigh
from scipy.spatial.distance import pdist
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from freemetric import LDA
from freemetric.exceptions import DataWarning


def scatters(X, y):
    """Between and within classes, class by class."""
    between, within = np.zeros((2, X.shape[1], X.shape[1]))
    for c in np.unique(y):
        own = X[y == c]
        gap = own.mean(axis=0) - X.mean(axis=0)
        between += len(own) / len(X) * np.outer(gap, gap)
        within += len(own) / len(X) * np.cov(own.T, bias=True)
    return between, within


def test_the_generalised_eigenproblem(wine):
    X, y = wine
    between, within = scatters(X, y)
    model = LDA().fit(X, y)
    A = model.components_
    assert_allclose(
        model.eigenvalues_, eigh(between, within, eigvals_only=True)[:-3:-1], rtol=1e-8
    )
    assert_allclose(A @ within @ A.T, np.eye(2), atol=1e-10)
    assert_allclose(A @ between @ A.T, np.diag(model.eigenvalues_), atol=1e-8)


@pytest.mark.parametrize("solver", ["svd", "eigen"])
def test_the_space_of_scikit_learn(wine, solver):
    X, y = wine
    known = LinearDiscriminantAnalysis(solver=solver).fit(X, y)
    D, E = pdist(LDA().fit_transform(X, y)), pdist(known.transform(X))
    # releases differ in whether they divide by N - C
    assert_allclose(D / D.max(), E / E.max(), atol=1e-8)


def test_a_feature_that_is_constant_within_classes_is_the_first(rng):
    y = np.repeat([0, 1, 2], 20)
    X = np.column_stack([rng.standard_normal((60, 3)), np.array([0.0, 1.0, 5.0])[y]])
    model = LDA(1).fit(X, y)
    assert np.abs(model.components_[0]).argmax() == 3
    assert np.abs(model.components_[0, 3]) > 10 * np.abs(model.components_[0, :3]).max()


def test_no_more_components_than_the_means_span(iris, rng):
    X, y = iris
    with pytest.warns(DataWarning, match="n_components=3 is more than .*; 2 is used"):
        assert LDA(3).fit(X, y).components_.shape == (2, 4)
    y = np.repeat([0, 1, 2], 100)
    X = rng.standard_normal((300, 4))
    X -= np.array([X[y == c].mean(axis=0) for c in range(3)])[y]
    X[:, 0] += y  # three means on a line
    assert LDA().fit(X, y).components_.shape == (1, 4)
    X[:, 0] -= y
    with pytest.raises(ValueError, match="All classes have the same mean"):
        LDA().fit(X, y)
