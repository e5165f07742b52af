"""Diagnostics on chains whose truth is known."""

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import rankdata

from freemetric.mc.diagnostics import (
    autocovariance,
    effective_sample_size,
    mean_error,
    split_r_hat,
)


def autoregressive(rng, phi, n_steps, n_chains):
    """AR(1) chains with a stationary start: worth (1 - phi) / (1 + phi) of their
    length.
    """
    x = rng.standard_normal((n_steps, n_chains)) * np.sqrt(1 - phi**2)
    x[0] /= np.sqrt(1 - phi**2)
    for t in range(1, n_steps):
        x[t] += phi * x[t - 1]
    return x


@pytest.mark.parametrize("n_chains", [1, 4])
def test_independent_draws(rng, n_chains):
    chains = rng.standard_normal((2000, n_chains))
    assert split_r_hat(chains) == pytest.approx(1, abs=0.01)
    assert effective_sample_size(chains) == pytest.approx(chains.size, rel=0.15)


@pytest.mark.parametrize("phi", [0.5, 0.9, -0.5])
def test_autoregressive_chains(rng, phi):
    chains = autoregressive(rng, phi, 5000, 4)
    worth = chains.size * (1 - phi) / (1 + phi)
    assert effective_sample_size(chains) == pytest.approx(worth, rel=0.2)
    exact = np.sqrt((1 + phi) / (1 - phi) / chains.size)  # of unit variance
    assert mean_error(chains) == pytest.approx(exact, rel=0.1)


def test_error_of_a_mean_covers_it(rng):
    runs = [autoregressive(rng, 0.8, 200, 4) for _ in range(400)]
    z = [chains.mean() / mean_error(chains) for chains in runs]
    assert np.std(z) == pytest.approx(1, abs=0.12)
    assert np.mean(np.abs(z) < 2) == pytest.approx(0.95, abs=0.035)


def test_error_of_a_mean_counts_what_chains_differ_by(rng):
    chains = rng.standard_normal((500, 4)) + np.array([0, 0, 0, 3])
    assert mean_error(chains) > 0.5 * np.std([0, 0, 0, 3], ddof=1) / np.sqrt(4)
    assert mean_error(np.ones((500, 4))) == 0
    few = rng.standard_normal((5, 2))
    assert mean_error(few) == pytest.approx(few.std(ddof=1) / np.sqrt(10))


def test_chains_that_disagree(rng):
    chains = rng.standard_normal((500, 4))
    assert split_r_hat(chains + np.array([0, 0, 0, 1])) > 1.1
    assert split_r_hat(chains * [1, 1, 1, 4]) > 1.1  # in spread only
    drifting = chains[:, :1] + np.linspace(0, 3, 500)[:, None]
    assert split_r_hat(drifting) > 1.1
    assert effective_sample_size(chains + np.array([0, 0, 0, 3])) < 20


def test_only_ranks_matter(rng):
    chains = autoregressive(rng, 0.5, 400, 3)
    expected = effective_sample_size(chains)
    assert effective_sample_size(np.exp(5 * chains)) == pytest.approx(expected)
    heavy = np.tan(np.pi * (rng.random((2000, 4)) - 0.5))  # Cauchy: no moments
    assert split_r_hat(heavy) < 1.02
    assert effective_sample_size(heavy) > 0.8 * heavy.size


@pytest.mark.parametrize(
    "chains", [np.zeros((100, 3)), np.ones((7, 2)), np.full((50, 2), np.nan)]
)
def test_nothing_to_say(chains):
    assert np.isnan(split_r_hat(chains))
    assert np.isnan(effective_sample_size(chains))


def test_chains_that_each_stand_still():
    chains = np.tile([0.0, 1.0], (50, 1))
    assert split_r_hat(chains) == np.inf
    assert effective_sample_size(chains) < 5


def test_autocovariance_is_its_sum(rng):
    z = 3 + rng.standard_normal((11, 2))
    off = z - z.mean(axis=0)
    sums = [(off[: 11 - lag] * off[lag:]).sum(axis=0) / 11 for lag in range(11)]
    np.testing.assert_allclose(autocovariance(z), sums, atol=1e-12)


@pytest.mark.parametrize("n_steps", [8, 12, 41])
@pytest.mark.parametrize("drift", [0.0, 0.5])
def test_effective_sample_size_by_its_formula(rng, n_steps, drift):
    """Equations 10 to 14 of Vehtari et al. 2021, lag by lag."""
    chains = rng.standard_normal((n_steps, 3)) + drift * np.arange(n_steps)[:, None]
    n = n_steps // 2
    halves = np.hstack([chains[:n], chains[-n:]])
    z = ndtri((rankdata(halves).reshape(halves.shape) - 3 / 8) / (halves.size + 1 / 4))
    off, m = z - z.mean(axis=0), 6
    products = [off[: n - lag] * off[lag:] for lag in range(n)]
    covariances = np.array([some.sum(axis=0).mean() / n for some in products])
    within = z.var(axis=0, ddof=1).mean()
    total = within * (n - 1) / n + z.mean(axis=0).var(ddof=1)
    rho = 1 - (within - n / (n - 1) * covariances) / total
    tau, least = -1.0, np.inf
    for even, odd in zip(rho[::2], rho[1::2], strict=False):
        if even + odd <= 0:
            break
        least = min(least, even + odd)
        tau += 2 * least
    limit = n * m * np.log10(n * m)
    expected = min(n * m / tau, limit) if tau > 0 else limit
    assert effective_sample_size(chains) == pytest.approx(expected)


def test_draws_that_alternate_are_worth_more_than_they_are(rng):
    chains = np.tile([[1.0], [-1.0]], (200, 3)) + 0.01 * rng.standard_normal((400, 3))
    assert effective_sample_size(chains) == pytest.approx(1200 * np.log10(1200))
