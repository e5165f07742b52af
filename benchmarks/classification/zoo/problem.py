"""What a problem of the zoo is, and ways to make one from another."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import expit, logsumexp

MOST_DRAWS = 1000


@dataclass(frozen=True)
class Problem:
    """A known distribution.

    ``draw(rng, n)`` returns X (n, d) and y (n,), ``posterior(X)`` chances of classes.
    """

    about: str
    draw: Callable
    posterior: Callable

    def sample(self, n, seed, fewest=0):
        """X and y; drawn again until every class has so many rows."""
        rng = np.random.default_rng(seed)
        n_classes = self.posterior(self.draw(np.random.default_rng(0), 2)[0]).shape[1]
        for _ in range(MOST_DRAWS):
            X, y = self.draw(rng, n)
            if np.bincount(y, minlength=n_classes).min() >= fewest:
                return X, y
        raise ValueError(
            f"No {n} rows with {fewest} of every class in {MOST_DRAWS} attempts."
        )

    def bayes_error(self, n=50_000, seed=0):
        """Error of the best classifier, over n rows."""
        return 1 - self.posterior(self.sample(n, seed)[0]).max(axis=1).mean()

    def excess(self, X, labels):
        """Expected error of labels on these rows above that of the best ones."""
        P = self.posterior(X)
        return float(np.mean(P.max(axis=1) - P[np.arange(len(P)), labels]))


def drawn_classes(rng, P):
    """One class for every row of probabilities."""
    return (rng.random(len(P))[:, None] > P.cumsum(axis=1)[:, :-1]).sum(axis=1)


def two_classes(p):
    """The posterior of which the second class has the chance p."""
    return np.column_stack([1 - p, p])


def by_logit(logit):
    return lambda X: two_classes(expit(logit(X)))


def by_chance(about, rows, posterior):
    """Rows first: X = rows(rng, n), then a class for each from the posterior."""

    def draw(rng, n):
        X = rows(rng, n)
        return X, drawn_classes(rng, posterior(X))

    return Problem(about, draw, posterior)


def by_class(about, prior, rows, log_density):
    """Classes first: X = rows(rng, y); Bayes' rule of log_density(X) follows."""
    prior = np.asarray(prior, dtype=float)

    def draw(rng, n):
        y = rng.choice(len(prior), n, p=prior)
        return rows(rng, y), y

    def posterior(X):
        joint = log_density(X) + np.log(prior)
        return np.exp(joint - logsumexp(joint, axis=1, keepdims=True))

    return Problem(about, draw, posterior)


def log_normal_density(X, mean, covariance):
    """Of rows under one Gaussian."""
    L = np.linalg.cholesky(covariance)
    Z = np.linalg.solve(L, (X - mean).T)
    return (
        -0.5 * (Z**2).sum(axis=0)
        - np.log(np.diag(L)).sum()
        - 0.5 * len(L) * np.log(2 * np.pi)
    )


def gaussians(about, means, covariances, classes=None, prior=None):
    """Gaussian clusters; without ``classes`` each is a class of its own."""
    means = np.asarray(means, dtype=float)
    covariances = np.broadcast_to(
        covariances, (len(means), means.shape[1], means.shape[1])
    )
    classes = np.arange(len(means)) if classes is None else np.asarray(classes)
    members = [np.flatnonzero(classes == c) for c in range(classes.max() + 1)]
    roots = np.linalg.cholesky(covariances)

    def rows(rng, y):
        cluster = np.array([members[c][rng.integers(len(members[c]))] for c in y])
        Z = rng.standard_normal((len(y), means.shape[1]))
        X = means[cluster]
        for k in range(len(means)):
            X[cluster == k] += Z[cluster == k] @ roots[k].T
        return X

    def log_density(X):
        each = np.column_stack(
            [
                log_normal_density(X, m, C)
                for m, C in zip(means, covariances, strict=True)
            ]
        )
        return np.column_stack(
            [logsumexp(each[:, some], axis=1) - np.log(len(some)) for some in members]
        )

    prior = np.full(len(members), 1 / len(members)) if prior is None else prior
    return by_class(about, prior, rows, log_density)


def with_noise_features(problem, n_noise):
    """Standard normal columns to the right, that tell nothing."""

    def draw(rng, n):
        X, y = problem.draw(rng, n)
        return np.column_stack([X, rng.standard_normal((n, n_noise))]), y

    return replace(
        problem, draw=draw, posterior=lambda X: problem.posterior(X[:, :-n_noise])
    )


def seen_as(problem, about, forward, backward):
    """The same rows in other coordinates; ``backward`` undoes ``forward``."""

    def draw(rng, n):
        X, y = problem.draw(rng, n)
        return forward(X), y

    return Problem(about, draw, lambda X: problem.posterior(backward(X)))


def with_wrong_labels(problem, about, share):
    """This share of labels is replaced by one of the other classes, whichever."""

    def draw(rng, n):
        X, y = problem.draw(rng, n)
        n_classes = problem.posterior(X[:1]).shape[1]
        wrong = rng.random(n) < share
        return X, np.where(wrong, (y + rng.integers(1, n_classes, n)) % n_classes, y)

    def posterior(X):
        P = problem.posterior(X)
        return (1 - share) * P + share * (1 - P) / (P.shape[1] - 1)

    return Problem(about, draw, posterior)
