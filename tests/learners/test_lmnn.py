import numpy as np
import pytest
from scipy.optimize import approx_fprime, linprog

from freemetric.learners import lmnn
from freemetric.learners.lmnn import LMNN


def blobs(rng, counts, d, spread=0.5):
    """Overlapping classes of the given sizes, in a random order."""
    y = rng.permutation(np.repeat(np.arange(len(counts)), counts))
    means = rng.standard_normal((len(counts), d))
    return means[y] + spread * rng.standard_normal((len(y), d)), y


def all_triplets(X, y, k):
    """(i, target, impostor), by the definition."""
    triplets = []
    for i in range(len(X)):
        same = np.flatnonzero((y == y[i]) & (np.arange(len(X)) != i))
        for j in same[np.argsort(np.sum((X[same] - X[i]) ** 2, axis=1))[:k]]:
            triplets += [(i, j, l) for l in np.flatnonzero(y != y[i])]
    return np.array(triplets)


def defined(A, X, y, k, regularization):
    """The objective, term by term."""
    D = np.sum(((X[:, None] - X) @ A.T) ** 2, axis=2)
    triplets = all_triplets(X, y, k)
    pull = sum(D[i, j] for i, j in {(i, j) for i, j, _ in triplets.tolist()})
    push = sum(max(0, 1 + D[i, j] - D[i, l]) for i, j, l in triplets)
    return (regularization * pull + (1 - regularization) * push) / len(X)


def objective_of(loss, p):
    """Smooth f and its gradient as a function of A (flat) and the width of the smooth
    part.
    """
    objective = lmnn._Search(loss, np.empty((p, loss.X.shape[1])))

    def function(A, width=0.0):
        objective.width = width
        value, gradient = objective(loss.unit * A)
        return value, loss.unit * gradient

    return function


def convex_optimum(X, y, k, regularization):
    """The minimum over M = A^T A, or up to 1e-5 less: linear programmes with cuts v^T M
    v >= 0 bound it from below.
    """
    d, triplets = X.shape[1], all_triplets(X, y, k)
    i, j, l = triplets.T

    def outer(V):
        return (V[:, :, None] * V[:, None]).reshape(len(V), -1)

    pairs = np.unique(triplets[:, :2], axis=0)
    pull = outer(X[pairs[:, 0]] - X[pairs[:, 1]]).sum(axis=0)
    push = np.full(len(triplets), 1 - regularization)
    cost = np.append(regularization * pull, push) / len(X)
    # slack >= 1 + D_ij - D_il
    rows = np.hstack([outer(X[i] - X[j]) - outer(X[i] - X[l]), -np.eye(len(triplets))])
    right = -np.ones(len(triplets))
    transposed = np.eye(d * d)[np.arange(d * d).reshape(d, d).T.ravel()]
    symmetric = np.eye(d * d) - transposed
    equal = np.hstack([symmetric, np.zeros((len(symmetric), len(triplets)))])
    bounds = [(-1e3, 1e3)] * (d * d) + [(0, None)] * len(triplets)
    cuts = np.eye(d)
    for _ in range(500):
        cut_rows = np.hstack([-outer(cuts), np.zeros((len(cuts), len(triplets)))])
        limits = np.vstack([rows, cut_rows])
        most = np.append(right, np.zeros(len(cuts)))
        result = linprog(cost, limits, most, equal, np.zeros(len(equal)), bounds)
        values, vectors = np.linalg.eigh(result.x[: d * d].reshape(d, d))
        # a positive semidefinite matrix bounds the minimum from above
        nearest = (vectors * np.sqrt(np.clip(values, 0, None))).T
        if defined(nearest, X, y, k, regularization) < result.fun + 1e-5:
            return result.fun
        cuts = np.vstack([cuts, vectors[:, values < 0].T])
    raise AssertionError("the cuts did not converge")


@pytest.mark.parametrize(("counts", "k", "p"), [((9, 6, 1, 2), 3, 3), ((8, 8), 1, 2)])
def test_objective_and_gradient_by_the_definition(rng, counts, k, p):
    X, y = blobs(rng, counts, 3)
    objective = objective_of(lmnn._LabelledLoss(X, y, k, 0.3), p)
    for scale in (0.2, 1.0, 3.0):
        A = scale * rng.standard_normal((p, 3))
        value, gradient = objective(A.ravel())
        assert value == pytest.approx(defined(A, X, y, k, 0.3), rel=1e-12)
        numerical = approx_fprime(
            A.ravel(), lambda a: defined(a.reshape(p, 3), X, y, k, 0.3), 1e-7
        )
        np.testing.assert_allclose(
            gradient, numerical, rtol=1e-4, atol=1e-4 * np.abs(gradient).max()
        )


@pytest.mark.parametrize(
    ("counts", "d", "k", "regularization"),
    [
        ((6, 6), 2, 1, 0.5),
        ((7, 5, 4), 2, 2, 0.5),
        ((6, 8), 3, 2, 0.2),
        ((10, 10), 3, 2, 0.5),
        ((6, 7, 7), 3, 1, 0.5),
    ],
)
@pytest.mark.parametrize("seed", range(3))
def test_reaches_the_convex_optimum(seed, counts, d, k, regularization):
    X, y = blobs(np.random.default_rng(seed), counts, d)
    lower_bound = convex_optimum(X, y, k, regularization)
    model = LMNN(
        n_neighbors=k, regularization=regularization, tol=1e-9, max_iter=2000
    ).fit(X, y)
    assert model.objective_ == pytest.approx(
        defined(model.components_, X, y, k, regularization), rel=1e-10
    )
    assert lower_bound - 1e-6 <= model.objective_ <= lower_bound + 2e-5


@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_the_size_of_the_start_does_not_matter(rng, scale):
    X, y = blobs(rng, (20, 15), 3)
    best = LMNN(tol=1e-8).fit(X, y).objective_
    found = LMNN(init=scale * np.eye(3), tol=1e-8).fit(X, y)
    assert found.objective_ == pytest.approx(best, rel=1e-3)


def test_triplets_are_what_labels_stand_for(rng):
    X, y = blobs(rng, (20, 15, 1, 2), 3)
    labelled = LMNN(tol=1e-8).fit(X, y)
    given = LMNN(tol=1e-8).fit(X, triplets=all_triplets(X, y, 3))
    assert given.objective_ == pytest.approx(labelled.objective_, rel=1e-6)
    np.testing.assert_allclose(
        given.get_mahalanobis_matrix(), labelled.get_mahalanobis_matrix(), atol=0.01
    )
    ignored = LMNN(tol=1e-8).fit(X, y, triplets=all_triplets(X, y, 3))
    np.testing.assert_array_equal(ignored.components_, given.components_)
