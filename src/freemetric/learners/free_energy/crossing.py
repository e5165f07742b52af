"""Basins, and what they say of rows that had no part in them."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...metrics import BASINS, Basins, Voters

FOLDS = 10


def crossed_basins(names: Sequence[str], voters: Voters, judges: NDArray) -> tuple[list[Basins], NDArray]:
    """The basins of all voters, and free energies (n_basins, n_judges, C) of the judges by basins of the others.

    A tenth of the voters is left out at a time, so that a judge did not shape the basin that it judges. Rows come in a
    shuffled order: every tenth is as good as any.
    """
    kinds = [BASINS[name] for name in names if BASINS[name].affordable(voters.X.shape[1], voters.n_classes)]
    energies, fold = np.empty((len(kinds), len(judges), voters.n_classes)), np.arange(len(voters)) % FOLDS
    for number in range(FOLDS if len(judges) else 0):
        left_out = fold[judges] == number
        for out, kind in zip(energies, kinds, strict=True):
            out[left_out] = _basins(kind, voters, fold != number)(_rows(voters, judges[left_out]))
    return [_basins(kind, voters, fold >= 0) for kind in kinds], energies


def _basins(kind, voters, some):
    weights = None if voters.weights is None else voters.weights[some]
    return kind.of(_rows(voters, some), voters.y[some], voters.n_classes, weights)


def _rows(voters, some):
    return voters.X[some].astype(np.float64)  # squares of differences need it
