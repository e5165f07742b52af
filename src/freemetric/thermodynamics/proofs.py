r"""Proofs that moves and samplers sample what they should: Geweke's joint test and
simulation-based calibration.

Both need a model whose parameters and data can be drawn exactly. Here :math:`g_i \sim
\mathrm{Gamma}(a_i)`, :math:`\theta_i = \log g_i` and :math:`y_i \sim
\mathrm{Poisson}(c\, g_i)`. The posterior of theta is skewed, so a wrong sign shows, and
its moments are known in closed form."""

from typing import Any, NamedTuple

import numpy as np
from scipy.special import digamma, polygamma

from ..mc import Annealing, Constant, Sampler, State, Streams
from ..mc.state import Array
from ..sklearn_compat import generator

SHAPES = np.array([1.5, 4.0])  # a of the two parameters
RATE = 2.0  # c
TEMPERATURE = 0.5  # not one, so that a forgotten temperature shows


class GammaPoisson:
    """Energies T ((1 + c) e^theta - (a + y) theta), summed over the parameters, of R
    data sets y (R, 1, 2).
    """

    def __init__(self, y: Array) -> None:
        self.y = y

    def __call__(self, A: Array) -> Array:
        with np.errstate(over="ignore"):
            values = TEMPERATURE * ((1 + RATE) * np.exp(A) - (SHAPES + self.y) * A).sum(
                axis=(1, 2)
            )
        return np.where(np.isfinite(values), values, np.inf)

    def value_and_grad(self, A: Array) -> tuple[Array, Array]:
        with np.errstate(over="ignore"):
            return self(A), TEMPERATURE * ((1 + RATE) * np.exp(A) - (SHAPES + self.y))

    def draw_posterior(self, rng: np.random.Generator, temperature: Array) -> Array:
        """Exact maps at temperatures (R,)."""
        warmth = temperature[:, None, None] / TEMPERATURE
        return np.log(rng.gamma((SHAPES + self.y) / warmth) * warmth / (1 + RATE))


class Proof(NamedTuple):
    """Standard scores of a sampler, which are normal where it is right.

    Parameters
    ----------
    names : list of str
        What was compared with its exact value.
    z : ndarray of shape (n,)
        Difference in standard errors; infinite where the sampler left the region of
        finite energies.
    """

    names: list[str]
    z: Array

    def holds(self, most: float = 4.0) -> bool:
        """Whether no score is larger; of a right sampler one in 16,000 is beyond 4."""
        return bool((np.abs(self.z) < most).all())

    def __str__(self) -> str:
        return "  ".join(
            f"{name} {z:+.1f}" for name, z in zip(self.names, self.z, strict=True)
        )


def joint_test(
    sampler: Any, n_chains: int = 400, n_rounds: int = 50, random_state: Any = 0
) -> Proof:
    r"""Geweke's test of the joint distribution of parameters and data.

    Chains begin with exact draws of theta from the prior. A round draws data given
    theta, and then makes one step of the sampler given the data. If the step leaves the
    posterior invariant, theta has the prior's moments after every round [1]_; they are
    compared with their closed forms, for example :math:`\langle\theta\rangle =
    \psi(a)`. Step sizes do not adapt. With tempering the warmer replicas are drawn
    exactly in every round, and only exchanges and moves of this step are at work.

    Parameters
    ----------
    sampler : Sampler or Move
        What to test, with fixed step sizes. A move is tested at a constant temperature;
        the coldest replica of a sampler must be at ``TEMPERATURE``.
    n_chains : int, default=400
        Independent chains.
    n_rounds : int, default=50
        Rounds of data and parameters.
    random_state : int, RandomState instance or None, default=0
        Seed.

    Returns
    -------
    proof : Proof
        Scores of moments of theta and y.

    References
    ----------
    .. [1] J. Geweke, Getting it right: joint distribution tests of posterior
       simulators, Journal of the American Statistical Association 99, 2004.

    Examples
    --------
    >>> from freemetric.mc import MatrixMove
    >>> from freemetric.thermodynamics import joint_test
    >>> joint_test(MatrixMove(1.0, target_acceptance=None), 200, 20).holds()
    True
    """
    sampler, rng = _as_sampler(sampler, n_rounds), generator(random_state)
    theta, T = (
        np.log(rng.gamma(SHAPES, size=(n_chains, 1, 2))),
        _temperatures_of(sampler),
    )
    chains: list[Any] = [None] * (n_chains if len(T) > 1 else 1)
    sums = np.zeros((n_chains, len(NAMES)))
    with np.errstate(over="ignore", invalid="ignore"):
        for _ in range(n_rounds):
            y = rng.poisson(RATE * np.exp(np.clip(theta, -700, 20))).astype(float)
            theta = _stepped(sampler, rng, chains, theta, y, T)
            sums += _moments(
                theta, rng.poisson(RATE * np.exp(np.clip(theta, -700, 20)))
            )
    return Proof(NAMES, _scores(sums / n_rounds, _exact_moments()))


def calibration_test(
    sampler: Any, n_chains: int = 400, n_draws: int = 15, random_state: Any = 0
) -> Proof:
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
    sampler, rng = _as_sampler(sampler, 300), generator(random_state)
    K = len(_temperatures_of(sampler))
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


NAMES = ["theta1", "theta2", "theta1^2", "theta2^2", "theta1 theta2", "y1", "y1 theta1"]


def _moments(theta, y):
    """Values (R, 7) of what is averaged."""
    (a, b), (u, _) = theta[:, 0].T, y[:, 0].T
    return np.column_stack([a, b, a**2, b**2, a * b, u, u * a])


def _exact_moments():
    a, b = digamma(SHAPES)
    squares = polygamma(1, SHAPES) + digamma(SHAPES) ** 2
    return np.array(
        [
            a,
            b,
            *squares,
            a * b,
            RATE * SHAPES[0],
            RATE * SHAPES[0] * digamma(SHAPES[0] + 1),
        ]
    )


def _scores(values, exact):
    """Differences of means (n_chains, n) from exact values, in standard errors;
    infinite where values are.
    """
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        error = values.std(axis=0, ddof=1) / np.sqrt(len(values))
        z = (values.mean(axis=0) - exact) / error
    return np.where(np.isfinite(z) & np.isfinite(values).all(axis=0), z, np.inf)


def _stepped(sampler, rng, chains, theta, y, T):
    """Theta after one step of the sampler given y; every ladder runs by itself, its
    coldest replica first.
    """
    K, new = len(T), np.empty_like(theta)
    for number, chain in enumerate(chains):
        some = slice(None) if K == 1 else slice(number, number + 1)
        energy = GammaPoisson(np.repeat(y[some], K, axis=0))
        A = (
            theta[some]
            if K == 1
            else np.concatenate([theta[some], energy.draw_posterior(rng, T)[1:]])
        )
        if chain is None:
            chain = sampler.begin(rng, energy, A)
        kept = State(
            A, energy(A), None, chain.state.velocity
        )  # no energy or gradient of other data
        chains[number], _ = sampler.advance(chain._replace(state=kept, step=0), energy)
        new[some] = chains[number].state.A[: len(theta[some])]
    return new


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


def _as_sampler(sampler, n_steps):
    if isinstance(sampler, Sampler) or hasattr(sampler, "iterate"):
        return sampler
    return Annealing(Constant(TEMPERATURE), sampler, n_steps=n_steps, burn_in=0.3)


def _temperatures_of(sampler):
    """Of the replicas that depend on each other: those of a ladder, else one."""
    return np.asarray(getattr(sampler, "temperatures", [TEMPERATURE]), dtype=float)
