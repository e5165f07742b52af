"""Simulation-based calibration of samplers, adaptation and exchanges included."""

import numpy as np

from freemetric.mc import Annealing, Constant, Streams
from freemetric.sklearn_compat import generator
from freemetric.thermodynamics import Proof
from freemetric.thermodynamics.proofs import (
    RATE,
    SHAPES,
    TEMPERATURE,
    GammaPoisson,
    _scores,
)


def calibration_test(sampler, n_chains=400, n_draws=15, random_state=0):
    """Simulation-based calibration: the rank of the true parameter among posterior
    draws is uniform [1]_.

    A chain has its own true theta and data, starts elsewhere, and makes the whole run
    of its sampler. The draws are spread over the steps after burn-in. Scores are those
    of the mean of the ranks, which a shifted posterior changes, and of their variance,
    which one too narrow or too wide changes.

    Parameters
    ----------
    sampler : Sampler or Move
        What to test, adaptation included; a move is run for 300 steps.
    n_chains : int, default=400
        Independent data sets.
    n_draws : int, default=15
        Draws of every posterior.
    random_state : int, RandomState instance or None, default=0
        Seed.

    Returns
    -------
    proof : Proof
        Scores of ranks of both parameters.

    References
    ----------
    .. [1] S. Talts, M. Betancourt, D. Simpson, A. Vehtari, A. Gelman, Validating
       Bayesian inference algorithms with simulation-based calibration,
       arXiv:1804.06788, 2018.
    """
    sampler, rng = as_sampler(sampler), generator(random_state)
    K = len(temperatures_of(sampler))
    theta = np.log(rng.gamma(SHAPES, size=(n_chains, 1, 2)))
    y = rng.poisson(RATE * np.exp(theta)).astype(float)
    stacks = (
        [np.arange(n_chains)]
        if K == 1
        else [np.array([chain]) for chain in range(n_chains)]
    )
    ranks = np.concatenate(
        [_ranks(sampler, rng, theta[some], y[some], (K, n_draws)) for some in stacks]
    )
    uniform = (n_draws + 1) ** 2 - 1
    centred = ranks - n_draws / 2
    values, exact = np.hstack([centred, centred**2]), np.repeat([0.0, uniform / 12], 2)
    return Proof(["rank 1", "rank 2", "spread 1", "spread 2"], _scores(values, exact))


def _ranks(sampler, rng, theta, y, sizes):
    K, n_draws = sizes
    energy = GammaPoisson(np.repeat(y, K, axis=0))
    start = rng.standard_normal((len(theta) * K, 1, 2))
    with np.errstate(over="ignore", invalid="ignore"):
        run = sampler.iterate(Streams.of(rng, len(start)), energy, start)
        draws = [
            state.A[::K].copy() for state, info in run if not info.adapting
        ]  # the coldest of a ladder is first
    some = np.linspace(len(draws) - 1, 0, n_draws, endpoint=False).round().astype(int)
    return (np.array([draws[i] for i in some]) < theta).sum(axis=0)[:, 0].astype(float)


def as_sampler(sampler):
    if hasattr(sampler, "iterate"):
        return sampler
    return Annealing(Constant(TEMPERATURE), sampler, n_steps=300, burn_in=0.3)


def temperatures_of(sampler):
    """Of the replicas that depend on each other: those of a ladder, else one."""
    return np.asarray(getattr(sampler, "temperatures", [TEMPERATURE]), dtype=float)


def draw_posterior(rng, y, temperature):
    """Exact maps of the energy of the proofs."""
    warmth = temperature / TEMPERATURE
    return np.log(rng.gamma((SHAPES + y) / warmth) * warmth / (1 + RATE))
