r"""Proof that a move samples what it should: Geweke's joint test.

It needs a model whose parameters and data can be drawn exactly. Here :math:`g_i \sim
\mathrm{Gamma}(a_i)`, :math:`\theta_i = \log g_i` and :math:`y_i \sim
\mathrm{Poisson}(c\, g_i)`. The posterior of theta is skewed, so a wrong sign shows, and
its moments are known in closed form."""

from typing import Any, NamedTuple

import numpy as np
from scipy.special import digamma, polygamma

from ..mc import Annealing, Constant, State
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


class Proof(NamedTuple):
    """Standard scores of a sampler: normal where it is right.

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
    theta, and then makes one step of the move given the data. If the step leaves the
    posterior invariant, theta has the prior's moments after every round [1]_; they are
    compared with their closed forms, for example :math:`\langle\theta\rangle =
    \psi(a)`. Step sizes do not adapt.

    Parameters
    ----------
    sampler : Move or Sampler
        What to test, with fixed step sizes. A move is tested at a constant temperature;
        a sampler must keep ``TEMPERATURE`` and its replicas apart.
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
    rng = generator(random_state)
    if not hasattr(sampler, "begin"):
        sampler = Annealing(Constant(TEMPERATURE), sampler, n_steps=n_rounds)
    theta = np.log(rng.gamma(SHAPES, size=(n_chains, 1, 2)))
    y = _draw_data(rng, theta)
    chain = sampler.begin(rng, GammaPoisson(y), theta)
    sums = np.zeros((n_chains, len(NAMES)))
    with np.errstate(over="ignore", invalid="ignore"):
        for _ in range(n_rounds):
            energy = GammaPoisson(y)
            # No energy or gradient of other data stays.
            state = State(theta, energy(theta), None, chain.state.velocity)
            chain, _ = sampler.advance(chain._replace(state=state, step=0), energy)
            theta = chain.state.A
            y = _draw_data(rng, theta)
            sums += _moments(theta, y)
    return Proof(NAMES, _scores(sums / n_rounds, _exact_moments()))


NAMES = ["theta1", "theta2", "theta1^2", "theta2^2", "theta1 theta2", "y1", "y1 theta1"]


def _draw_data(rng, theta):
    return rng.poisson(RATE * np.exp(np.clip(theta, -700, 20))).astype(float)


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
