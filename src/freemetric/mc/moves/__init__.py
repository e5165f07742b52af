"""Moves: how a Monte Carlo step proposes."""

from .hamiltonian import HamiltonianMove, LangevinMove
from .metropolis import (
    ElementMove,
    MatrixMove,
    Move,
    PenaltyMove,
    StretchRotateMove,
    accept,
)
from .persistent import PersistentMove

__all__ = [
    "MOVES",
    "ElementMove",
    "HamiltonianMove",
    "LangevinMove",
    "MatrixMove",
    "Move",
    "PenaltyMove",
    "PersistentMove",
    "StretchRotateMove",
    "accept",
]

MOVES = {
    "element": ElementMove,
    "hamiltonian": HamiltonianMove,
    "langevin": LangevinMove,
    "matrix": MatrixMove,
    "penalty": PenaltyMove,
    "persistent": PersistentMove,
    "stretch-rotate": StretchRotateMove,
}
