"""Averages over many metrics, against means over all pairs of rows."""

import numpy as np
import pytest

from freemetric.metrics import Calibration, Candidate, Committee, Mixture, Voters
from freemetric.ensemble.model import Ensemble
from freemetric.metrics.averaged_metric import averaged_matrices
from freemetric.metrics.views import Quantiles, Scaled


@pytest.fixture
def rows(rng):
    return rng.random((30, 3)) * [1, 2, 5]


def ensemble(view, form, maps):
    return Ensemble(Candidate(view, form, "log-nca"), maps)


def scaled_to_one(M, V):
    """The metric in which rows V (n, d) have a mean squared distance of one to each other."""
    D = (V[:, None] - V)[~np.eye(len(V), dtype=bool)]
    return M / np.einsum("ni,ij,nj->n", D, M, D).mean()


def test_every_metric_counts_by_its_trust_once_rows_are_one_apart(rows, rng):
    """A view with a metric that mixes has a matrix; one without has its diagonal alone."""
    views = {"scaled": Scaled.of(rows), "quantiles": Quantiles.of(rows)}
    full, diagonal, other = rng.standard_normal((2, 2, 3)), rng.random((1, 1, 3)), 3 * rng.random((2, 1, 3))
    ensembles = [
        ensemble("scaled", "full", full),
        ensemble("scaled", "diagonal", diagonal),
        ensemble("quantiles", "diagonal", other),
    ]
    found = averaged_matrices(ensembles, np.array([0.5, 0.2, 0.3]), views, rows)
    V, U = (view(rows) for view in views.values())
    mixed = sum(0.25 * scaled_to_one(A.T @ A, V) for A in full) + 0.2 * scaled_to_one(np.diag(diagonal[0, 0] ** 2), V)
    apart = sum(0.15 * scaled_to_one(np.diag(a[0] ** 2), U) for a in other)
    np.testing.assert_allclose(found["scaled"], mixed)
    np.testing.assert_allclose(found["quantiles"], np.diag(apart))


@pytest.mark.parametrize("size", [3, 5, 6])
def test_recall_is_the_share_of_neighbours_on_the_shortlist(size, rows, rng):
    """The first and the last space are among those that are looked at."""
    maps, Q = rng.standard_normal((3, 2, 3)), rng.random((8, 3)) * [1, 2, 5]
    view, mixture = Scaled.of(rows), Mixture(np.array([[0.0, 0.0, 1.0]]), Calibration(1.0, np.zeros(2)))
    voters = Voters(rows, np.arange(30) % 2, 2)
    committee = Committee({"scaled": view}, [ensemble("scaled", "full", maps)], mixture, voters)
    V, D = view(rows), view(Q)[:, None] - view(rows)
    averaged = sum(scaled_to_one(A.T @ A, V) for A in maps)
    listed = np.argsort(np.einsum("qpi,ij,qpj->qp", D, averaged, D))[:, :size]
    shares = []
    for A in maps:
        nearest = np.argsort(((D @ A.T) ** 2).sum(axis=2))[:, :3]
        shares.append(np.mean([np.isin(near, some).mean() for near, some in zip(nearest, listed, strict=True)]))
    assert len(set(shares)) == 3
    assert committee.poll().recall(Q, size, most_spaces=2) == pytest.approx((shares[0] + shares[2]) / 2)
