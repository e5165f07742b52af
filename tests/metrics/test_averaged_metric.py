"""The averaged metric against means over all pairs of rows; matrices that are written as diagonals mean the same."""

import numpy as np
import pytest

from freemetric.ensemble.model import Ensemble
from freemetric.ensemble.tasks.classification import ClassificationHead
from freemetric.metrics import Candidate, ClassEncoding, Member, TrainingSet
from freemetric.metrics.averaged_metric import (
    averaged_matrices,
    followed_by,
    image,
    pulled_back,
    root,
    singular_vectors,
)
from freemetric.metrics.views import Quantiles, Scaled


@pytest.fixture(params=["diagonal", "matrix"])
def M(request, rng):
    B = rng.standard_normal((4, 4))
    return rng.random(4) if request.param == "diagonal" else B.T @ B


def dense(M):
    return np.diag(M) if M.ndim == 1 else M


def test_images_under_the_root_are_as_far_apart_as_the_metric_says(M, rng):
    V, axes = rng.standard_normal((6, 4)), rng.standard_normal((4, 2))
    Z = image(root(M), V)
    np.testing.assert_allclose(np.einsum("ij,ij->i", Z, Z), np.einsum("ij,jk,ik->i", V, dense(M), V))
    np.testing.assert_allclose(V @ followed_by(root(M), axes), Z @ axes)


@pytest.mark.parametrize("shape", [(4,), (5, 4)])
def test_pulled_back_it_measures_what_was_mapped(M, rng, shape):
    J = rng.standard_normal(shape)
    X = rng.standard_normal((6, shape[0]))
    V = X * J if J.ndim == 1 else X @ J
    expected = np.einsum("ij,jk,ik->i", V, dense(M), V)
    np.testing.assert_allclose(np.einsum("ij,jk,ik->i", X, pulled_back(M, J), X), expected)


@pytest.fixture
def rows(rng):
    return rng.random((30, 3)) * [1, 2, 5]


def member(view, form, maps):
    return Member(Candidate(view, form, "log-nca"), maps)


def scaled_to_one(M, V):
    """The metric in which rows V (n, d) have a mean squared distance of one to each other."""
    D = (V[:, None] - V)[~np.eye(len(V), dtype=bool)]
    return M / np.einsum("ni,ij,nj->n", D, M, D).mean()


def test_every_metric_counts_by_its_weight_once_rows_are_one_apart(rows, rng):
    """A view with a metric that mixes has a matrix; one without has its diagonal alone."""
    views = {"scaled": Scaled.of(rows), "quantiles": Quantiles.of(rows)}
    full, diagonal, other = rng.standard_normal((2, 2, 3)), rng.random((1, 1, 3)), 3 * rng.random((2, 1, 3))
    members = [
        member("scaled", "full", full),
        member("scaled", "diagonal", diagonal),
        member("quantiles", "diagonal", other),
    ]
    found = averaged_matrices(members, np.array([0.5, 0.2, 0.3]), views, rows)
    V, U = (view(rows) for view in views.values())
    mixed = sum(0.25 * scaled_to_one(A.T @ A, V) for A in full) + 0.2 * scaled_to_one(np.diag(diagonal[0, 0] ** 2), V)
    apart = sum(0.15 * scaled_to_one(np.diag(a[0] ** 2), U) for a in other)
    np.testing.assert_allclose(found["scaled"], mixed)
    np.testing.assert_allclose(found["quantiles"], np.diag(apart))


@pytest.mark.parametrize("size", [3, 5, 6])
def test_recall_is_the_share_of_neighbours_on_the_shortlist(size, rows, rng):
    """The first and the last space are among those that are looked at."""
    maps, Q = rng.standard_normal((3, 2, 3)), rng.random((8, 3)) * [1, 2, 5]
    view, weights, head = Scaled.of(rows), np.array([[0.0, 0.0, 1.0]]), ClassificationHead(1.0, np.zeros(2))
    training_set = TrainingSet(rows, np.arange(30) % 2, ClassEncoding(2))
    ensemble = Ensemble({"scaled": view}, [member("scaled", "full", maps)], weights, training_set, head)
    V, D = view(rows), view(Q)[:, None] - view(rows)
    averaged = sum(scaled_to_one(A.T @ A, V) for A in maps)
    listed = np.argsort(np.einsum("qpi,ij,qpj->qp", D, averaged, D))[:, :size]
    shares = []
    for A in maps:
        nearest = np.argsort(((D @ A.T) ** 2).sum(axis=2))[:, :3]
        shares.append(np.mean([np.isin(near, some).mean() for near, some in zip(nearest, listed, strict=True)]))
    assert len(set(shares)) == 3
    assert ensemble.index().recall(Q, size, most_spaces=2) == pytest.approx((shares[0] + shares[2]) / 2)


def test_singular_vectors_where_the_fast_routine_gives_up(rng, monkeypatch):
    """OpenBLAS does so for some finite matrices of low rank; the other routine finds the same axes."""
    Z = rng.normal(size=(30, 3)) @ rng.normal(size=(3, 8))
    lengths, axes = singular_vectors(Z)

    def gives_up(*args, **kwargs):
        raise np.linalg.LinAlgError("SVD did not converge")

    monkeypatch.setattr(np.linalg, "svd", gives_up)
    slow, same = singular_vectors(Z)
    np.testing.assert_allclose(slow, lengths, atol=1e-12)
    np.testing.assert_allclose(np.abs((same @ axes.T)[:3, :3]), np.eye(3), atol=1e-9)
