"""Covariance against numpy's inverse, scipy's Mahalanobis distance and whitened PCA."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist, pdist
from sklearn.covariance import ledoit_wolf
from sklearn.decomposition import PCA as ScikitLearnPCA
from sklearn.preprocessing import scale

from freemetric import Covariance
from freemetric.exceptions import DataWarning


def test_the_inverse_of_numpys_covariance(wine):
    X, _ = wine
    inverse = np.linalg.inv(np.cov(X.T))
    model = Covariance().fit(X)
    assert_allclose(model.get_mahalanobis_matrix(), inverse, rtol=1e-9)
    Z = model.transform(X)
    assert_allclose(np.cov(Z.T), np.eye(13), atol=1e-10)
    expected = cdist(X, X, "mahalanobis", VI=inverse)
    assert_allclose(cdist(Z, Z), expected, rtol=1e-8, atol=1e-8)


def test_fewer_components_are_whitened_pca(wine):
    X, _ = wine
    ours = Covariance(3).fit_transform(X)
    theirs = ScikitLearnPCA(3, whiten=True).fit_transform(X)
    assert_allclose(cdist(ours, ours), cdist(theirs, theirs), atol=1e-8)


def test_singular_correlations_are_shrunk_as_ledoit_and_wolf_do(rng):
    X = rng.standard_normal((20, 40)) @ np.diag(np.linspace(1, 3, 40))
    spread = X.std(axis=0)
    correlations = ledoit_wolf(scale(X), assume_centered=True)[0]
    expected = 19 / 20 * np.linalg.inv(correlations * np.outer(spread, spread))
    M = Covariance().fit(X).get_mahalanobis_matrix()
    assert_allclose(M, expected, rtol=1e-6, atol=1e-6 * np.abs(expected).max())


def test_a_ridge(wine):
    X, _ = wine
    C = np.cov(X.T)
    expected = np.linalg.inv(C + 0.1 * np.diag(np.diag(C)))
    M = Covariance(regularization=0.1).fit(X).get_mahalanobis_matrix()
    assert_allclose(M, expected, rtol=1e-9)


def test_constant_features_weigh_nothing(wine):
    X, _ = wine
    padded = np.insert(X, [0, 5], 3.0, axis=1)
    model = Covariance().fit(padded)
    assert model.components_.shape == (13, 15)
    assert not model.components_[:, [0, 6]].any()
    expected = pdist(Covariance().fit_transform(X))
    assert_allclose(pdist(model.transform(padded)), expected)
    with pytest.warns(DataWarning, match="n_components=14 is more than .*; 13 is used"):
        Covariance(14).fit(padded)
    assert_array_equal(Covariance(2).fit(np.ones((5, 3))).components_, np.eye(3)[:2])
