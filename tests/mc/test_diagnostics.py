"""Diagnostics on chains whose truth is known."""

import numpy as np
import pytest

from freemetric.mc.diagnostics import effective_sample_size, split_r_hat


def autoregressive(rng, phi, n_steps, n_chains):
    """AR(1) chains with a stationary start: worth (1 - phi) / (1 + phi) of their length."""
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
    assert effective_sample_size(chains) == pytest.approx(chains.size * (1 - phi) / (1 + phi), rel=0.2)


def test_chains_that_disagree(rng):
    chains = rng.standard_normal((500, 4))
    assert split_r_hat(chains + np.array([0, 0, 0, 1])) > 1.1
    assert split_r_hat(chains * [1, 1, 1, 4]) > 1.1  # in spread only
    assert effective_sample_size(chains + np.array([0, 0, 0, 3])) < 20


def test_a_chain_that_drifts(rng):
    assert split_r_hat(rng.standard_normal((500, 1)) + np.linspace(0, 3, 500)[:, None]) > 1.1


def test_only_ranks_matter(rng):
    chains = autoregressive(rng, 0.5, 400, 3)
    assert effective_sample_size(np.exp(5 * chains)) == pytest.approx(effective_sample_size(chains))
    heavy = np.tan(np.pi * (rng.random((2000, 4)) - 0.5))  # Cauchy: no moments
    assert split_r_hat(heavy) < 1.02
    assert effective_sample_size(heavy) > 0.8 * heavy.size


@pytest.mark.parametrize("chains", [np.zeros((100, 3)), np.ones((7, 2)), np.full((50, 2), np.nan)])
def test_nothing_to_say(chains):
    assert np.isnan(split_r_hat(chains))
    assert np.isnan(effective_sample_size(chains))


def test_chains_that_each_stand_still():
    chains = np.tile([0.0, 1.0], (50, 1))
    assert split_r_hat(chains) == np.inf
    assert effective_sample_size(chains) < 5
