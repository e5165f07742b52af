"""The likelihood of targets among those of their neighbours, against the definition and
finite differences.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from freemetric.energies import Diagonal, NeighborLikelihoodEnergy, bind


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = rng.random((30, 3))
    return (
        X,
        X[:, 0] + 0.1 * rng.standard_normal(30),
        rng.random(30) + 0.5,
        rng.standard_normal((2, 2, 3)),
    )


def by_definition(X, y, w, A, width, n_neighbors):
    y = y - np.average(y, weights=w)
    y /= np.sqrt(np.average(y**2, weights=w))
    total = 0.0
    for i in range(len(X)):
        D = ((X - X[i]) @ A.T) ** 2
        D = D.sum(axis=1)
        others = [j for j in np.argsort(D) if j != i][:n_neighbors]
        p = w[others] * np.exp(-D[others])
        alike = np.exp(-((y[i] - y[others]) ** 2) / (2 * width**2))
        total -= w[i] * np.log(p @ alike / p.sum() + 1e-6)
    return total / w.sum()


@pytest.mark.parametrize("device", ["cpu", "reference"])
@pytest.mark.parametrize("n_neighbors", [None, 7])
def test_is_what_it_says(rows, device, n_neighbors):
    X, y, w, A = rows
    energy = NeighborLikelihoodEnergy(0.5, n_neighbors).bind(
        X, y, sample_weight=w, device=device
    )
    assert_allclose(
        energy(A),
        [by_definition(X, y, w, a, 0.5, n_neighbors or 29) for a in A],
        rtol=1e-5,
    )


@pytest.mark.parametrize("device", ["cpu", "reference"])
def test_gradient_by_finite_differences(rows, device):
    X, y, w, A = rows
    energy = (
        NeighborLikelihoodEnergy(0.5, 12)
        .bind(X, y, sample_weight=w, device=device)
        .near(A)
    )
    slope, step = energy.value_and_grad(A)[1], 1e-2 if device == "cpu" else 1e-5
    for place in np.ndindex(2, 3):
        moved = np.zeros((2, 3))
        moved[place] = step
        assert_allclose(
            (energy(A + moved) - energy(A - moved)) / (2 * step),
            slope[:, *place],
            atol=2e-3 if device == "cpu" else 1e-8,
        )


def test_of_diagonal_maps(rows):
    X, y, _, _ = rows
    weights = np.array([[[0.5, 2.0, 1.0]]])
    of_weights, of_maps = (
        Diagonal(NeighborLikelihoodEnergy(n_neighbors=8)).bind(X, y),
        NeighborLikelihoodEnergy(n_neighbors=8).bind(X, y),
    )
    assert_allclose(of_weights(weights), of_maps(weights * np.eye(3)), rtol=1e-5)


def test_replicas_have_numbers_of_their_own(rows):
    X, y, _, A = rows
    both = bind(
        NeighborLikelihoodEnergy(),
        np.array([X, X]),
        np.array([y, -y[::-1]])[:, :, None],
    )
    apart = [
        NeighborLikelihoodEnergy().bind(X, numbers)(a[None])[0]
        for numbers, a in zip((y, -y[::-1]), A, strict=True)
    ]
    assert_allclose(both(A), apart, rtol=1e-6)


def test_units_do_not_matter(rows):
    X, y, _, A = rows
    assert_allclose(
        NeighborLikelihoodEnergy().bind(X, 7 - 1e6 * y)(A),
        NeighborLikelihoodEnergy().bind(X, y)(A),
        rtol=1e-5,
    )


def test_weights_are_repetitions_of_neighbours(rows):
    X, y, _, A = rows
    far = np.append(np.ones(29), 2.0)
    assert NeighborLikelihoodEnergy().bind(X, y, sample_weight=far)(A) != pytest.approx(
        NeighborLikelihoodEnergy().bind(X, y)(A), rel=1e-6
    )


@pytest.mark.parametrize(
    ("y", "said"), [(np.ones(29), "y has shape"), (np.full(30, np.nan), "not finite")]
)
def test_says_what_is_wrong(rows, y, said):
    with pytest.raises(ValueError, match=said):
        NeighborLikelihoodEnergy().bind(rows[0], y)


def test_several_targets_have_the_mean_energy(rows):
    X, y, _, A = rows
    both = NeighborLikelihoodEnergy().bind(X, np.column_stack([y, y[::-1]]))(A)
    alone = [NeighborLikelihoodEnergy().bind(X, one)(A) for one in (y, y[::-1])]
    np.testing.assert_allclose(both, np.mean(alone, axis=0))


def test_says_that_width_is_positive(rows):
    with pytest.raises(ValueError, match="width"):
        NeighborLikelihoodEnergy(0.0).bind(*rows[:2])
