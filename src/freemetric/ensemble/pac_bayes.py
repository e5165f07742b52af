"""PAC-Bayes bounds of weighted hypotheses, from their losses on samples that they did not see."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import rel_entr, softmax

TEMPERATURES = 60  # of the posterior that are tried
HALVINGS = 60  # of an interval: more than double precision has digits


def kl_inverse(share: ArrayLike, limit: ArrayLike) -> NDArray[np.float64]:
    """The largest p whose binary relative entropy kl(share || p) is at most the limit; of arrays, for each."""
    share, limit = np.broadcast_arrays(np.asarray(share, dtype=np.float64), limit)
    low, high = share, np.ones(share.shape)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        is_inside = rel_entr(share, middle) + rel_entr(1 - share, 1 - middle) <= limit
        low, high = np.where(is_inside, middle, low), np.where(is_inside, high, middle)
    return high


class Bound(NamedTuple):
    """A bound with what it is made of."""

    value: float
    empirical: float
    kl: float  # of the posterior and the uniform prior, in nats
    posterior: NDArray[np.float64]  # (H,)

    def times(self, factor: float) -> "Bound":
        """The bound of so many times the risk, at most one."""
        return self._replace(value=min(1.0, factor * self.value), empirical=min(1.0, factor * self.empirical))


def risk_bound(losses: NDArray, n: int, delta: float) -> Bound:
    """The least bound of mean losses (H,) in [0, 1], each of n independent samples or more, over Boltzmann posteriors.

    kl(mean loss || risk) <= (KL(posterior || prior) + log(2 sqrt(n) / delta)) / n, for all posteriors at once; the
    prior is uniform.
    """
    posteriors = _posteriors(losses, n)
    return _least(posteriors, posteriors @ losses, 1, n, delta)


def tandem_bound(losses: NDArray, tandem: NDArray, n: int, delta: float) -> Bound:
    """The least bound of tandem losses (H, H), chances that two hypotheses err at once, of n common samples or more.

    Posteriors are those of ``risk_bound``; two hypotheses are drawn, so the relative entropy counts twice.
    """
    posteriors = _posteriors(losses, n)
    return _least(posteriors, np.einsum("th,hg,tg->t", posteriors, tandem, posteriors, optimize=True), 2, n, delta)


def _posteriors(losses, n):
    """Boltzmann's law of the losses at many temperatures, (T, H); the first is the prior."""
    strengths = np.append(0.0, np.geomspace(1e-2 * n, 1e2 * n, TEMPERATURES))
    return softmax(-strengths[:, None] * losses, axis=1)


def _least(posteriors, empirical, n_drawn, n, delta):
    """The least of the bounds of empirical losses (T,) of so many hypotheses drawn from each posterior (T, H)."""
    kl = np.maximum(0.0, rel_entr(posteriors, 1 / posteriors.shape[1]).sum(axis=1))  # rounding may be below zero
    values = kl_inverse(empirical, (n_drawn * kl + np.log(2 * np.sqrt(n) / delta)) / n)
    best = int(values.argmin())
    return Bound(float(values[best]), float(empirical[best]), float(kl[best]), posteriors[best])
