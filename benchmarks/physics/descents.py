"""Descents of an energy to the nearest minimum, and what metrics are worth there."""

import numpy as np
from scipy.optimize import minimize
from scipy.special import softmax
from sklearn.metrics import euclidean_distances


def descend(energy, start):
    """Return the map and the energy where L-BFGS ends."""

    def objective(x):
        value, gradient = energy.value_and_grad(x.reshape(1, *start.shape))
        return value[0], gradient.ravel()

    options = {"maxiter": 1000, "ftol": 1e-9, "gtol": 1e-7}
    end = minimize(
        objective, start.ravel(), jac=True, method="L-BFGS-B", options=options
    )
    return end.x.reshape(start.shape), float(end.fun)


def test_errors(maps, X, y, X_test, y_test):
    """Return the expected test error of stochastic neighbours under maps, in %."""
    errors = []
    for A in maps:
        distances = euclidean_distances(X_test @ A.T, X @ A.T, squared=True)
        chances = softmax(-distances, axis=1)
        same = y == y_test[:, None]
        errors.append(100 - 100 * (chances * same).sum(axis=1).mean())
    return np.array(errors)
