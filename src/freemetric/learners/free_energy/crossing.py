"""Basins, and what they say of rows that had no part in them."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...metrics import BASINS, Basins, Voters

FOLDS = 10


class CrossedBasins:
    """Basins of nine tenths of the voters each, so that no voter shaped those that it meets.

    Rows come in a shuffled order: every tenth is as good as any.
    """

    def __init__(self, kinds: Sequence[type[Basins]], voters: Voters):
        self.fold, self.n_classes = np.arange(len(voters)) % FOLDS, voters.n_classes
        self.basins = [[_basins(kind, voters, self.fold != fold) for kind in kinds] for fold in range(FOLDS)]

    def __call__(self, X: NDArray, numbers: NDArray) -> NDArray[np.float64]:
        """Free energies (n_basins, n, C) of X (n, d), by basins that the voters of these numbers did not shape."""
        energies = np.empty((len(self.basins[0]), len(X), self.n_classes))
        for fold, basins in enumerate(self.basins):
            met = self.fold[numbers] == fold
            if met.any():
                for out, some in zip(energies, basins, strict=True):
                    out[met] = some(X[met])
        return energies


def crossed_basins(names: Sequence[str], voters: Voters, judges: NDArray) -> tuple[list[Basins], NDArray]:
    """The basins of all voters, and free energies (n_basins, n_judges, C) of the judges by basins of the others."""
    kinds = [BASINS[name] for name in names if BASINS[name].affordable(voters.X.shape[1], voters.n_classes)]
    everyone = [_basins(kind, voters, np.ones(len(voters), dtype=bool)) for kind in kinds]
    if not len(judges):
        return everyone, np.empty((len(kinds), 0, voters.n_classes))
    return everyone, CrossedBasins(kinds, voters)(_rows(voters, judges), judges)


def _basins(kind, voters, some):
    weights = None if voters.weights is None else voters.weights[some]
    return kind.of(_rows(voters, some), voters.y[some], voters.n_classes, weights)


def _rows(voters, some):
    return voters.X[some].astype(np.float64)  # squares of differences need it
