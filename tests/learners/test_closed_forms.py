"""PCA, RCA, DCA, LFDA and DMLMJ against closed forms on Gaussian data and against
scikit-learn.
"""

import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import eigh
from scipy.spatial.distance import cdist, pdist
from sklearn.covariance import ledoit_wolf
from sklearn.decomposition import PCA as ScikitLearnPCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.neighbors import NearestNeighbors

from freemetric import DCA, DMLMJ, LFDA, PCA, RCA
from freemetric.learners.discriminants import local_scatter
from freemetric.learners.side_information import class_neighbors


def gaussians(rng, n=4000, means=((0, 0, 0), (3, 1, 0))):
    """Classes with one covariance; its root mixes the features."""
    root = np.array([[2.0, 0.0, 0.0], [1.0, 0.5, 0.0], [0.3, 0.2, 1.0]])
    y = rng.integers(len(means), size=n)
    return np.array(means)[y] + rng.standard_normal((n, 3)) @ root.T, y, root @ root.T


def cosine(u, v):
    return abs(u @ v) / np.linalg.norm(u) / np.linalg.norm(v)


def centred(X, y):
    return X - np.array([X[y == c].mean(axis=0) for c in np.unique(y)])[y]


# --- PCA


def test_pca_is_scikit_learns_up_to_the_mean(wine):
    X, _ = wine
    ours, theirs = PCA(3).fit_transform(X), ScikitLearnPCA(3).fit_transform(X)
    assert_allclose(pdist(ours), pdist(theirs), atol=1e-9)


def test_full_pca_keeps_distances_and_whitening_equalises_variance(wine):
    X, _ = wine
    assert_allclose(pdist(PCA().fit_transform(X)), pdist(X), atol=1e-9)
    whitened = PCA(whiten=True).fit_transform(X)
    assert_allclose(np.cov(whitened.T), np.eye(13), atol=1e-9)


# --- RCA


def test_rca_whitens_what_varies_within_classes(rng):
    X, y, covariance = gaussians(rng)
    model = RCA().fit(X, y)
    Z = model.transform(centred(X, y))
    assert_allclose(np.cov(Z.T, bias=True), np.eye(3), atol=1e-10)
    M = model.get_mahalanobis_matrix()
    assert_allclose(M, np.linalg.inv(covariance), rtol=0.2, atol=0.05)


def test_reduced_rca_keeps_fishers_direction(rng):
    X, y, _ = gaussians(rng)
    fisher = LinearDiscriminantAnalysis().fit(X, y).scalings_[:, 0]
    found = RCA(n_components=1).fit(X, y).components_[0]
    assert cosine(found, fisher) == pytest.approx(1, abs=1e-6)


def test_rca_from_chunks(rng):
    X, y, _ = gaussians(rng, n=600)
    assert_allclose(
        RCA().fit(X, chunks=10 * y).components_, RCA().fit(X, y).components_
    )
    some = np.where(np.arange(600) < 500, y, -1)
    M = RCA().fit(X, chunks=some).get_mahalanobis_matrix()
    assert_allclose(M, np.linalg.inv(np.cov(centred(X[:500], y[:500]).T, bias=True)))


def test_singular_scatter_is_shrunk_as_ledoit_and_wolf_do(rng):
    X, y = rng.standard_normal((20, 40)), np.repeat([0, 1], 10)
    M = RCA().fit(X, y).get_mahalanobis_matrix()
    expected = np.linalg.inv(ledoit_wolf(centred(X, y), assume_centered=True)[0])
    assert_allclose(M, expected, rtol=1e-6, atol=1e-8)


# --- DCA


def test_dca_of_two_classes_is_fishers_direction_of_c_b(rng):
    X, y, _ = gaussians(rng)
    A = DCA().fit(X, y).components_
    assert A.shape == (1, 3)
    # the range of C_b is the line between the means: nothing is left to choose
    gap = X[y == 0].mean(axis=0) - X[y == 1].mean(axis=0)
    assert cosine(A[0], gap) == pytest.approx(1, abs=1e-9)


def test_dca_with_full_between_scatter_is_fisher(rng):
    X, y, _ = gaussians(rng, means=[(0, 0, 0), (3, 1, 0), (0, 2, 1), (1, -1, 3)])
    A = DCA().fit(X, y).components_
    means = np.array([X[y == c].mean(axis=0) for c in range(4)])
    gaps = (means[:, None] - means[None]).reshape(-1, 3)
    within = np.cov(centred(X, y).T, bias=True)
    vectors = eigh(gaps.T @ gaps, within)[1]
    for row, vector in zip(A, vectors.T[::-1], strict=True):
        assert cosine(row, vector) == pytest.approx(1, abs=1e-8)
    assert_allclose(A @ within @ A.T, np.eye(3), atol=1e-10)


def test_dca_uses_only_the_chunks_known_to_differ(rng):
    X, y, _ = gaussians(rng, means=[(0, 0, 0), (3, 0, 0), (0, 5, 0)])
    A = DCA().fit(X, chunks=y + 7, different=[(7, 8)]).components_
    assert A.shape == (1, 3)
    gap = X[y == 0].mean(axis=0) - X[y == 1].mean(axis=0)
    assert cosine(A[0], gap) == pytest.approx(1, abs=1e-9)


# --- LFDA


def scatters_by_pairs(X, y, k):
    """Sugiyama's definition, pair by pair."""
    N, d = X.shape
    scale = np.empty(N)
    for c in np.unique(y):
        own = X[y == c]
        scale[y == c] = NearestNeighbors(n_neighbors=k).fit(own).kneighbors()[0][:, -1]
    within, between = np.zeros((d, d)), np.zeros((d, d))
    for i in range(N):
        for j in range(N):
            D = np.outer(X[i] - X[j], X[i] - X[j]) / 2
            if y[i] == y[j]:
                n = (y == y[i]).sum()
                a = np.exp(-((X[i] - X[j]) ** 2).sum() / scale[i] / scale[j])
                within += a / n * D
                between += a * (1 / N - 1 / n) * D
            else:
                between += D / N
    return within, between


def test_lfda_by_its_definition(iris):
    X, y = iris[0][::3], iris[1][::3]
    within, between = scatters_by_pairs(X, y, 5)
    values, vectors = eigh(between, within)
    model = LFDA(n_neighbors=5, embedding="plain").fit(X, y)
    assert_allclose(model.eigenvalues_, values[::-1], rtol=1e-8)
    for row, vector in zip(model.components_, vectors.T[::-1], strict=True):
        assert cosine(row, vector) == pytest.approx(1, abs=1e-8)
    weighted = LFDA(n_neighbors=5).fit(X, y).components_
    assert_allclose(
        np.abs(weighted), np.abs(model.components_) * np.sqrt(values[::-1])[:, None]
    )
    Q = LFDA(2, n_neighbors=5, embedding="orthonormalized").fit(X, y).components_
    assert_allclose(Q @ Q.T, np.eye(2), atol=1e-12)


def test_lfda_keeps_two_clusters_of_a_class_apart(rng):
    centre = np.repeat([-4.0, 0.0, 4.0], 100)
    X = np.column_stack([centre, np.zeros(300)]) + 0.3 * rng.standard_normal((300, 2))
    y = (centre == 0).astype(int)  # both classes have mean zero: Fisher is blind
    model = LFDA(n_components=1).fit(X, y)
    assert cosine(model.components_[0], np.array([1.0, 0.0])) > 0.99


# --- DMLMJ


def test_class_neighbors_by_brute_force(iris):
    X, y = iris
    own, other = class_neighbors(X, y, 3, 4)
    D = cdist(X, X)
    np.fill_diagonal(D, np.inf)
    for i in range(0, 150, 7):
        assert_allclose(D[i, own[i]], np.sort(D[i, y == y[i]])[:3])
        assert_allclose(D[i, other[i]], np.sort(D[i, y != y[i]])[:4])


def test_dmlmj_eigenvalues_by_definition(iris):
    X, y = iris
    own, other = class_neighbors(X, y, 5, 5)
    near, far = (np.repeat(X, 5, axis=0) - X[k.ravel()] for k in (own, other))
    P, Q = near.T @ near / len(near), far.T @ far / len(far)
    values = np.linalg.eigvals(np.linalg.solve(P, Q)).real
    expected = values[np.argsort(-(values + 1 / values))]
    model = DMLMJ().fit(X, y)
    assert_allclose(model.eigenvalues_, expected, rtol=1e-8)
    assert_allclose(model.components_ @ P @ model.components_.T, np.eye(4), atol=1e-8)
    assert_allclose(model.get_mahalanobis_matrix(), np.linalg.inv(P), rtol=1e-6)


def test_the_local_scatter_of_few_samples_counts_all_of_them(rng):
    members = rng.random((3, 2))
    differences = members[:, None] - members
    lengths = np.sqrt((differences**2).sum(axis=2))
    scale = lengths.max(axis=1)  # the distance of the second neighbour, the last one
    affinity = np.exp(-(lengths**2) / np.outer(scale, scale))
    expected = np.einsum("ij,ijk,ijl->kl", affinity, differences, differences) / 2
    assert_allclose(local_scatter(members, 7), expected)


def test_lfda_keeps_few_distances_at_a_time(rng):
    members = rng.random((5000, 3))
    tracemalloc.start()
    local_scatter(members, 7)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.5 * 8 * len(members) ** 2
