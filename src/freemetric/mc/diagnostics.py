"""Convergence and effective sample size of chains, after Vehtari et al., Bayesian
Analysis 2021.
"""

import numpy as np
from scipy.special import ndtri
from scipy.stats import rankdata

from .state import Array

FEWEST_STEPS = 8  # two halves of four


def split_r_hat(chains: Array) -> float:
    """Rank-normalised split R-hat: the larger one of location and spread; 1 where all
    chains agree.

    Parameters
    ----------
    chains : ndarray of shape (n_steps, n_chains)
        Draws of one quantity; one chain alone is compared with itself, first half and
        second.

    Returns
    -------
    r_hat : float
        Above 1.01 the chains have not mixed. NaN for fewer than eight steps or where
        nothing moves.

    Examples
    --------
    >>> chains = np.random.default_rng(0).standard_normal((500, 4))
    >>> f"{split_r_hat(chains):.2f} {split_r_hat(chains + [0, 0, 0, 1]):.2f}"
    '1.00 1.12'
    """
    halves = split(chains)
    if not usable(halves):
        return float("nan")
    return max(
        _r_hat(normal_scores(halves)),
        _r_hat(normal_scores(np.abs(halves - np.median(halves)))),
    )


def effective_sample_size(chains: Array) -> float:
    """Independent draws that would give the mean as precisely as these do ("bulk"
    effective sample size).

    Parameters
    ----------
    chains : ndarray of shape (n_steps, n_chains)
        Draws of one quantity.

    Returns
    -------
    size : float
        NaN for fewer than eight steps or where nothing moves.
    """
    halves = split(chains)
    if not usable(halves):
        return float("nan")
    return _effective(normal_scores(halves))


def mean_error(chains: Array) -> float:
    """Standard error of the mean of draws (n_steps, n_chains), from correlations in
    time and between chains.

    It is the standard deviation over the root of the effective sample size, without the
    ranks that "bulk" means. Fewer than eight steps count as independent.

    Examples
    --------
    >>> chains = np.random.default_rng(0).standard_normal((500, 4))
    >>> copies = np.repeat(chains, 5, axis=0)  # they tell nothing new
    >>> f"{mean_error(chains):.3f} {mean_error(copies):.3f}"
    '0.024 0.023'
    """
    chains = np.asarray(chains, dtype=np.float64)
    if len(chains) < FEWEST_STEPS:
        return (
            float(chains.std(ddof=1) / np.sqrt(chains.size))
            if chains.size > 1
            else float("nan")
        )
    halves = split(chains)
    return (
        float(np.sqrt(_variances(halves)[1] / _effective(halves)))
        if usable(halves)
        else 0.0
    )


def _effective(z: Array) -> float:
    """Effective sample size of the mean of chains as they are."""
    n, m = z.shape
    within, total = _variances(z)
    rho = 1 - (within - autocovariance(z).mean(axis=1) * n / (n - 1)) / total
    rho[0] = 1
    # Geyer: sums of neighbours are positive and fall.
    pairs = rho[: n - n % 2].reshape(-1, 2).sum(axis=1)
    end = np.argmax(pairs <= 0) if (pairs <= 0).any() else len(pairs)
    tau = 2 * np.minimum.accumulate(pairs[:end]).sum() - 1
    return float(
        min(n * m / tau, n * m * np.log10(n * m))
        if tau > 0
        else n * m * np.log10(n * m)
    )


def split(chains: Array) -> Array:
    """Halves of the chains as chains of their own, (n_steps // 2, 2 n_chains); an odd
    middle step is left out.
    """
    chains = np.asarray(chains, dtype=np.float64)
    half = len(chains) // 2
    return np.hstack([chains[:half], chains[len(chains) - half :]])


def usable(halves: Array) -> bool:
    """Whether there is anything to diagnose."""
    return (
        len(halves) >= FEWEST_STEPS // 2
        and bool(np.isfinite(halves).all())
        and float(np.ptp(halves)) > 0
    )


def normal_scores(values: Array) -> Array:
    """Values replaced by the normal quantiles of their ranks: what follows needs no
    moments to exist.
    """
    ranks = rankdata(values).reshape(values.shape)
    return ndtri((ranks - 0.375) / (values.size + 0.25))


def autocovariance(z: Array) -> Array:
    """Autocovariance of every column at every lag, by Fourier transform."""
    n = len(z)
    power = np.abs(np.fft.rfft(z - z.mean(axis=0), n=2 * n, axis=0)) ** 2
    return np.fft.irfft(power, axis=0)[:n] / n


def _variances(z: Array) -> tuple[float, float]:
    """Within chains, and the estimate that counts the variance between their means."""
    within = float(z.var(axis=0, ddof=1).mean())
    return within, within * (len(z) - 1) / len(z) + float(z.mean(axis=0).var(ddof=1))


def _r_hat(z: Array) -> float:
    within, total = _variances(z)
    return float(np.sqrt(total / within)) if within > 0 else float("inf")
