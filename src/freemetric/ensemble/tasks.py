"""What classification and regression differ in: strata, energy, and losses of votes."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..energies import LogNCAEnergy, NeighborLikelihoodEnergy


@dataclass(frozen=True)
class ClassTask:
    """Neighbours vote for their classes; a vote costs its Brier score.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
        Class numbers.
    n_classes : int
        Number of classes.
    energy_weights : ndarray of shape (n_samples,) or None
        Weights of the samples in the energy.
    """

    y: np.ndarray
    n_classes: int
    energy_weights: np.ndarray | None

    @property
    def strata(self):
        """Bags have their share of every class."""
        return self.y

    @cached_property
    def values(self):
        """What every sample votes for (n_samples, n_classes)."""
        return np.eye(self.n_classes)[self.y]

    def part(self, rows):
        """The task of some samples."""
        weights = None if self.energy_weights is None else self.energy_weights[rows]
        return ClassTask(self.y[rows], self.n_classes, weights)

    def energy(self, n_neighbors):
        """The energy of a bag, where so many neighbours count."""
        return LogNCAEnergy(n_neighbors=n_neighbors)

    def targets(self, bags):
        """Classes in the bags, which are the same in all of them."""
        return self.y[bags[0]]

    def losses(self, votes, rows):
        """Half the squared distance of votes (..., n, n_classes) to the classes."""
        own = np.take_along_axis(votes, self.y[rows][(None, ..., None)], axis=-1)
        return ((votes**2).sum(axis=-1) + 1) / 2 - own[..., 0]

    def standard_error(self, loss, n_samples):
        """The standard error of a mean loss, as if samples were right or wrong."""
        return np.sqrt(loss * (1 - min(loss, 0.99)) / n_samples) + 0.5 / n_samples


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
