"""The definition itself: the formula pair by pair, and finite differences."""

import numpy as np
import pytest

from freemetric.kernels import Loss, Similarity, reference
from freemetric.kernels.formulas import constant_loss, quantile_index

from .test_backends import COSTS, targets


def test_weights_count_as_the_formula_says(rng):
    X, y, A = rng.random((1, 12, 4)), rng.integers(3, size=(1, 12)), np.eye(4)[None]
    w, energy = rng.uniform(0.1, 10, (1, 12)), 0.0
    for i in range(12):
        D = np.sum((X[0] - X[0, i]) ** 2, axis=1)
        near = np.where(np.arange(12) == i, 0.0, w[0] * np.exp(-D))
        energy += w[0, i] * near[y[0] != y[0, i]].sum() / near.sum()
    data = reference.prepare(X, y, Similarity("class"), weights=w)
    assert reference.energy(data, A)[0] == pytest.approx(energy / w.sum(), rel=1e-12)


@pytest.mark.parametrize("size", [None, 6], ids=["all pairs", "lists"])
@pytest.mark.parametrize("cost", COSTS, ids=str)
def test_the_gradient_is_finite_differences(rng, cost, size):
    X, y = rng.random((2, 20, 3)), targets(rng, cost, 2, 20)
    data = reference.prepare(X, y, cost, weights=rng.uniform(0.3, 3, (2, 20)))
    A = rng.standard_normal((2, 2, 3))
    lists = size and reference.neighbor_lists(data, A, size)
    _, gradient = reference.energy_and_gradient(data, A, lists)
    for r, c in np.ndindex(2, 3):
        step = np.zeros((2, 2, 3))
        step[:, r, c] = 1e-6
        up, down = (reference.energy(data, A + s * step, lists) for s in (1, -1))
        np.testing.assert_allclose(gradient[:, r, c], (up - down) / 2e-6, atol=1e-7)


LOSSES = [*(Loss("pinball", q) for q in (0.1, 0.5, 0.9)), Loss("absolute", 0.9)]


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_the_best_constant_is_a_quantile(rng, loss):
    values, weights = rng.standard_normal((4, 31)), rng.random((4, 31))
    quantile, size = (loss.quantile, 1) if loss.name == "pinball" else (0.5, 2)

    def costs(row, constant):
        u = values[row] - constant
        each = size * np.maximum(quantile * u, (quantile - 1) * u)
        return np.average(each, weights=weights[row])

    found = quantile_index(values, weights, quantile)
    constant = constant_loss(loss, values[:, None], weights)
    for row in range(4):
        best = min(costs(row, value) for value in values[row])
        assert costs(row, values[row, found[row]]) == pytest.approx(best)
        assert constant[row, 0] == pytest.approx(best)
    assert quantile_index(np.arange(4.0)[::-1], np.ones(4), 0.5) == 2  # the lower one
