"""Regression as a task: strata, energy and losses of the means of neighbours."""

from dataclasses import dataclass

import numpy as np

from ..energies import NeighborLikelihoodEnergy


@dataclass(frozen=True)
class TargetTask:
    """Neighbours vote for the target, its square and trends; the cost is squared.

    Parameters
    ----------
    values : ndarray of shape (n_samples, 2 + n_trends)
        The target, its square, and what trends predict for the sample.
    energy_weights : ndarray of shape (n_samples,) or None
        Weights of the samples in the energy.
    """

    values: np.ndarray
    energy_weights: np.ndarray | None

    @property
    def strata(self):
        """All samples are one stratum."""
        return np.zeros(len(self.values), dtype=int)

    def part(self, rows):
        """The task of some samples."""
        weights = None if self.energy_weights is None else self.energy_weights[rows]
        return TargetTask(self.values[rows], weights)

    def energy(self, n_neighbors):
        """The energy of a bag, where so many neighbours count."""
        return NeighborLikelihoodEnergy(n_neighbors=n_neighbors)

    def targets(self, bags):
        """Targets (n_bags, size, 1) in the bags."""
        return self.values[bags, 0][:, :, None]

    def losses(self, votes, rows):
        """Squared errors of votes (..., n, 2 + n_trends)."""
        return (votes[..., 0] - self.values[rows, 0]) ** 2

    def standard_error(self, loss, n_samples):
        """The standard error of a mean of squares of normal errors."""
        return loss * np.sqrt(2 / n_samples) + 1e-12
