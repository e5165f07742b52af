"""The likelihood of targets among those of their neighbours, against the definition."""

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


def test_of_diagonal_maps(rows):
    X, y, _, _ = rows
    weights = np.array([[[0.5, 2.0, 1.0]]])
    energy = NeighborLikelihoodEnergy(n_neighbors=8)
    of_weights, of_maps = Diagonal(energy).bind(X, y), energy.bind(X, y)
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


def test_several_targets_have_the_mean_energy(rows):
    X, y, _, A = rows
    both = NeighborLikelihoodEnergy().bind(X, np.column_stack([y, y[::-1]]))(A)
    alone = [NeighborLikelihoodEnergy().bind(X, one)(A) for one in (y, y[::-1])]
    np.testing.assert_allclose(both, np.mean(alone, axis=0))


@pytest.mark.parametrize(
    ("width", "y", "said"),
    [
        (0.5, np.ones(29), "y has shape"),
        (0.5, np.full(30, np.nan), "not finite"),
        (0.0, np.ones(30), "width"),
    ],
)
def test_says_what_is_wrong(rows, width, y, said):
    with pytest.raises(ValueError, match=said):
        NeighborLikelihoodEnergy(width).bind(rows[0], y)
