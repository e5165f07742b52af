"""LDML against finite differences, the conditions of a convex minimum."""

import numpy as np
import pytest
from scipy.optimize import check_grad
from scipy.special import expit
from sklearn.metrics import roc_auc_score

from freemetric import LDML
from freemetric.learners.ldml import pair_loss

EXACT = {"tol": 1e-14, "max_iter": 20_000}


def value_and_slopes(M, b, V, signs, M0, r):
    """The objective over M itself, and its gradients by M and b."""
    margins = signs * (b - np.einsum("ni,ij,nj->n", V, M, V))
    pull = signs * expit(-margins) / len(V)
    value = np.logaddexp(0, -margins).mean() + r * ((M - M0) ** 2).sum()
    return value, (V.T * pull) @ V + 2 * r * (M - M0), -pull.sum()


def differences(model, X):
    return X[model.pairs_[:, 0]] - X[model.pairs_[:, 1]], model.pair_labels_


@pytest.mark.parametrize("p", [2, 4])
def test_loss_and_gradient(iris, rng, p):
    pairs = rng.integers(150, size=(40, 2))
    V, signs = iris[0][pairs[:, 0]] - iris[0][pairs[:, 1]], rng.choice([-1.0, 1.0], 40)
    root = rng.standard_normal((4, 4))
    M0, x = root @ root.T, rng.standard_normal(4 * p + 1)
    A = x[:-1].reshape(p, 4)

    def both(flat):
        return pair_loss(flat[:-1].reshape(p, 4), flat[-1], V, signs, M0, 0.1)

    expected = value_and_slopes(A.T @ A, x[-1], V, signs, M0, 0.1)[0]
    assert both(x)[0] == pytest.approx(expected)
    assert check_grad(lambda f: both(f)[0], lambda f: both(f)[1], x) < 1e-5


def test_the_conditions_of_a_convex_minimum(wine):
    """The slope is not negative in any direction that stays positive semidefinite, and
    zero along M and b.
    """
    X, y = wine
    model = LDML(random_state=0, **EXACT).fit(X, y)
    M = model.get_mahalanobis_matrix()
    value, slope, by_b = value_and_slopes(
        M, model.threshold_, *differences(model, X), np.eye(13), 1e-4
    )
    assert model.objective_ == pytest.approx(value, rel=1e-10)
    assert abs(by_b) < 1e-5
    assert np.linalg.eigvalsh(slope)[0] > -1e-5
    assert abs((slope * M).sum()) < 1e-5 * np.linalg.norm(M)


def test_given_pairs_and_the_distances_that_they_get(wine, rng):
    X, y = wine
    pairs = rng.integers(len(X), size=(400, 2))
    labels = np.where(y[pairs[:, 0]] == y[pairs[:, 1]], 1, -1)
    model = LDML().fit(X, pairs=pairs[:200], pair_labels=labels[:200])
    assert not hasattr(model, "classes_")
    new = X[pairs[200:]]
    plain = -np.linalg.norm(new[:, 0] - new[:, 1], axis=1)
    area = roc_auc_score(labels[200:], model.pair_score(new))
    assert area > max(0.95, roc_auc_score(labels[200:], plain))
