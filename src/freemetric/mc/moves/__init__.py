"""Moves: how a Monte Carlo step proposes."""

from .hamiltonian import HamiltonianMove, LangevinMove
from .metropolis import ElementMove, MatrixMove, Move, PenaltyMove, StretchRotateMove
from .metropolis import accept as accept
from .persistent import PersistentMove

MOVES = {
    "element": ElementMove,
    "hamiltonian": HamiltonianMove,
    "langevin": LangevinMove,
    "matrix": MatrixMove,
    "penalty": PenaltyMove,
    "persistent": PersistentMove,
    "stretch-rotate": StretchRotateMove,
}


def as_move(move: Move | str | None) -> Move:
    """The move itself, the one of that name, or the default."""
    if move is None:
        return HamiltonianMove()
    if isinstance(move, str):
        if move not in MOVES:
            raise ValueError(
                f"Unknown move {move!r}; known moves: {', '.join(map(repr, MOVES))}."
            )
        return MOVES[move]()
    if not hasattr(move, "step"):
        raise TypeError(
            f"move must be a Move or one of {', '.join(map(repr, MOVES))}; "
            f"got {move!r}."
        )
    return move
