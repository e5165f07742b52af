"""Posteriors of the synthetic problems are calibrated, and equal to closed forms."""

import numpy as np
import pytest
from scipy.stats import chi2, norm

zoo = pytest.importorskip(
    "zoo", reason="benchmarks are not part of an installed package"
)
densities, discrete = zoo.densities, zoo.discrete

NAMES = list(zoo.PROBLEMS)
N = 4000


def functions_of(X):
    """A constant, ranks, squares and waves of the first columns, and gaps."""
    rng = np.random.default_rng(0)
    ranks = (
        np.nan_to_num(X, nan=np.nanmedian(X)).argsort(axis=0).argsort(axis=0) / len(X)
        - 0.5
    )
    few = ranks[:, : min(6, X.shape[1])]
    mixed = ranks @ rng.standard_normal((X.shape[1], 4)) / np.sqrt(X.shape[1])
    holes = np.isnan(X[:, :1])
    return np.column_stack(
        [
            np.ones(len(X)),
            few,
            few**2,
            few[:, :1] * few[:, 1:2],
            np.sin(9 * few),
            mixed > 0,
            holes,
        ]
    )


@pytest.mark.parametrize("name", NAMES)
def test_posterior_is_a_distribution(name):
    X, y = zoo.PROBLEMS[name].sample(200, 0)
    P = zoo.PROBLEMS[name].posterior(X)
    assert len(P) == len(y) == 200
    assert y.max() < P.shape[1]
    assert (P >= 0).all()
    np.testing.assert_allclose(P.sum(axis=1), 1, rtol=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_classes_are_as_the_posterior_says(name):
    """(1[y = c] - P_c) f(x) has mean zero for every f, variance P_c (1 - P_c) f^2."""
    X, y = zoo.PROBLEMS[name].sample(N, 1)
    P, f = zoo.PROBLEMS[name].posterior(X), functions_of(X)
    total = (np.eye(P.shape[1])[y] - P).T @ f
    deviation = np.sqrt((P * (1 - P)).T @ f**2)
    most = norm.isf(0.5e-3 / total.size)  # one in a thousand by chance
    assert (np.abs(total) <= max(most, 4) * deviation + 1e-9).all()


@pytest.mark.parametrize("name", NAMES)
def test_best_labels_are_wrong_as_often_as_expected(name):
    X, y = zoo.PROBLEMS[name].sample(N, 2)
    P = zoo.PROBLEMS[name].posterior(X)
    wrong, expected = (P.argmax(axis=1) != y).sum(), 1 - P.max(axis=1)
    assert abs(wrong - expected.sum()) < 4 * np.sqrt((expected * (1 - expected)).sum())
    assert zoo.PROBLEMS[name].excess(X, P.argmax(axis=1)) == 0
    assert zoo.PROBLEMS[name].excess(X, P.argmin(axis=1)) > 0.1


@pytest.mark.parametrize("name", NAMES)
def test_seed_reproduces(name):
    problem = zoo.PROBLEMS[name]
    (X, y), (again, y_again), (other, _) = (
        problem.sample(50, (3, 1)),
        problem.sample(50, (3, 1)),
        problem.sample(50, 4),
    )
    np.testing.assert_array_equal(X, again)
    np.testing.assert_array_equal(y, y_again)
    assert not np.array_equal(X, other, equal_nan=True)


def nested_error():
    """Classes of one centre: the dense one inside of the radius of equal densities."""
    s2, d = 1.7**2, 8
    r2 = d * np.log(s2) / (1 - 1 / s2)
    return (chi2.sf(r2, d) + chi2.cdf(r2 / s2, d)) / 2


def skewed_error():
    """Two Gaussians 3 apart: the threshold moves away from the frequent one."""
    t = 1.5 + np.log(0.98 / 0.02) / 3
    return 0.98 * norm.sf(t) + 0.02 * norm.cdf(t - 3)


CLOSED_FORMS = {
    "linear": norm.cdf(-1),
    "wide": norm.cdf(-1.75),
    "nested": nested_error(),
    "skewed": skewed_error(),
    "parity": 0.05,
    "category-codes": 0.1,
    "category-one-hot": 0.1,
    "checkerboard": 0.05,
    "two-scales": 0.05,
    "one-of-hundreds": 0.08,
}


@pytest.mark.parametrize("name", CLOSED_FORMS)
def test_bayes_error_is_that_of_the_closed_form(name):
    problem = zoo.PROBLEMS[name]
    left = 1 - problem.posterior(problem.sample(N, 5)[0]).max(axis=1)
    assert abs(left.mean() - CLOSED_FORMS[name]) <= 4 * left.std() / np.sqrt(N) + 1e-12
    assert problem.bayes_error(N, 5) == pytest.approx(left.mean())


def test_density_of_moons_is_integrated_finely_enough():
    X, _ = densities.moons().sample(300, 0)
    angles = (np.arange(4096) + 0.5) * np.pi / 4096
    near = [
        np.exp(
            -((X[:, None] - densities.moon(angles, np.full(4096, c))) ** 2).sum(axis=2)
            / 0.18
        )
        for c in (0, 1)
    ]
    density = np.stack([part.mean(axis=1) for part in near], axis=1)
    expected = density / density.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(densities.moons().posterior(X), expected, atol=1e-6)


def test_posterior_given_holes_is_the_mean_over_what_they_may_hide():
    """Complete rows near the values that are there are counted."""
    X, y = densities.missing().sample(200_000, 0)
    no_holes = ~np.isnan(X).any(axis=1)
    complete, classes = X[no_holes], y[no_holes]
    weight = 1 / np.prod(
        1 - densities.MISSING[classes], axis=1
    )  # as if none had been missing
    seen = np.array([0.5, np.nan, np.nan, 0.5, np.nan, np.nan])
    near = (np.abs(complete[:, [0, 3]] - 0.5) < 0.25).all(axis=1)
    holes = np.prod(
        np.where(np.isnan(seen), densities.MISSING, 1 - densities.MISSING), axis=1
    )
    share = np.bincount(classes[near], weight[near]) * holes
    expected = share / share.sum()
    np.testing.assert_allclose(
        densities.missing().posterior(seen[None])[0], expected, atol=0.03
    )


def test_codes_of_indicators_are_the_codes():
    X, y = discrete.category_codes().sample(100, 0)
    Z, same = discrete.category_one_hot().sample(100, 0)
    assert Z.shape == (100, 24)
    assert (Z.sum(axis=1) == 5).all()
    np.testing.assert_array_equal(y, same)
    np.testing.assert_array_equal(
        discrete.category_one_hot().posterior(Z), discrete.category_codes().posterior(X)
    )


def test_wrong_labels_raise_the_bayes_error_of_a_sure_problem_to_their_share():
    by_chance, two_classes = zoo.problem.by_chance, zoo.problem.two_classes
    sure = by_chance(
        "",
        lambda rng, n: rng.standard_normal((n, 1)),
        lambda X: two_classes((X[:, 0] > 0) * 1.0),
    )
    noisy = zoo.problem.with_wrong_labels(sure, "", 0.3)
    X, y = noisy.sample(2000, 0)
    assert noisy.bayes_error(2000) == pytest.approx(0.3)
    assert np.mean((X[:, 0] > 0) != y) == pytest.approx(0.3, abs=0.04)


def test_other_coordinates_change_no_chance():
    problem = zoo.PROBLEMS["linear"]
    doubled = zoo.problem.seen_as(problem, "", lambda X: 2 * X, lambda X: X / 2)
    X, _ = problem.sample(20, 0)
    np.testing.assert_array_equal(doubled.posterior(2 * X), problem.posterior(X))


def test_training_rows_have_enough_of_every_class(monkeypatch):
    _, y = zoo.PROBLEMS["letters"].sample(100, 0, fewest=2)
    assert np.bincount(y, minlength=26).min() >= 2
    monkeypatch.setattr(zoo.problem, "MOST_DRAWS", 10)
    with pytest.raises(ValueError, match="in 10 attempts"):
        zoo.PROBLEMS["letters"].sample(20, 0, fewest=2)
