"""Bags of training samples, and maps sampled at a low temperature from their energy."""

from collections import deque

import numpy as np

from ..energies import Diagonal, as_energy, bind, confined, takes_weights
from ..mc import Annealing, Constant, ElementMove, HamiltonianMove, Streams

TEMPERATURE = 1e-3
CONFINEMENT = 0.3 * TEMPERATURE
N_STEPS = 3  # Monte Carlo steps: too few to forget the identity, which is intended
N_SWEEPS = 30  # the same for energies without a gradient, whose moves are shorter


class Bags:
    """An endless row of bags, all with the same number of samples of every stratum.

    Bags go round every stratum in random order, so that all samples are left out about
    equally often: of two bags with half of the samples, one is the complement of the
    other.

    Parameters
    ----------
    rng : numpy.random.Generator
        Where the order comes from.
    strata : ndarray of shape (n_samples,)
        The number of every sample's stratum.
    size : int
        Samples of a bag, about; at most half of a stratum, and at least two of it.
    """

    def __init__(self, rng, strata, size):
        self.rng = rng
        self.strata = [np.flatnonzero(strata == s) for s in np.unique(strata)]
        share = min(0.5, size / len(strata))
        self.sizes = [min(len(s), max(2, round(share * len(s)))) for s in self.strata]
        self.left = [np.empty(0, dtype=int) for _ in self.strata]

    def draw(self, n_bags):
        """Return the next bags, an array (n_bags, size) of sample numbers."""
        return np.array([self._draw() for _ in range(n_bags)])

    def _draw(self):
        return np.concatenate([self._draw_from(s) for s in range(len(self.strata))])

    def _draw_from(self, s):
        size, left = self.sizes[s], self.left[s]
        if len(left) < size:
            # A new round begins with those that the last one left over.
            others = np.setdiff1d(self.strata[s], left)
            left = np.concatenate([left, self.rng.permutation(others)])
        self.left[s] = left[size:]
        return left[:size]


def default_sampler(bound):
    """Return a short walk at a constant temperature, along the gradient if any."""
    if hasattr(bound, "value_and_grad"):
        move = HamiltonianMove("single", caution=0.5, n_trajectories=2, gain=1.0)
        return Annealing(Constant(TEMPERATURE), move, n_steps=N_STEPS)
    return Annealing(Constant(TEMPERATURE), ElementMove(), n_steps=N_SWEEPS)


def sample_maps(V, targets, weights, bags, form, energy, sampler, seeds):
    """Draw a map for every bag.

    Parameters
    ----------
    V : ndarray of shape (n_samples, d)
        The training samples in a view.
    targets : ndarray
        What the energy learns in the bags: class numbers of one bag, which are those of
        all, or targets (n_bags, size, 1).
    weights : ndarray of shape (n_samples,) or None
        Weights of the samples; None where all are equal.
    bags : ndarray of shape (n_bags, size)
        Numbers of the samples in every bag.
    form : {"diagonal", "full"}
        Whether maps stretch the columns of the view, or also mix them.
    energy : Energy or callable
        What is sampled.
    sampler : Sampler or None
        How; None is a short walk at a constant temperature.
    seeds : list of numpy.random.SeedSequence
        One for each bag.

    Returns
    -------
    maps : ndarray of shape (n_bags, 1, d) or (n_bags, d, d)
        The maps.
    """
    d = V.shape[1]
    energy = as_energy(energy)
    start = np.eye(d)
    if form == "diagonal":
        energy = Diagonal(energy)
        start = np.ones((1, d))
    in_bags = None
    if weights is not None and takes_weights(energy):
        in_bags = weights[bags]
    bound = bind(confined(energy, CONFINEMENT), V[bags], targets, in_bags)
    walk = default_sampler(bound) if sampler is None else sampler
    starts = np.tile(start, (len(bags), 1, 1))
    steps = walk.iterate(Streams.from_seeds(seeds), bound, starts)
    state, _ = deque(steps, maxlen=1).pop()
    return state.A[: len(bags)]
