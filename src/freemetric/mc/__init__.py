"""The physics: states, moves, schedules and samplers. Nothing here knows what a metric is."""

from .metropolis import accept
from .moves import ElementMove, HamiltonianMove, MatrixMove, Move, StretchRotateMove
from .samplers import Annealing, ParallelTempering, Sampler
from .schedules import Adaptive, Constant, Geometric, Linear, Schedule
from .state import Info, State

__all__ = [
    "Adaptive",
    "Annealing",
    "Constant",
    "ElementMove",
    "Geometric",
    "HamiltonianMove",
    "Info",
    "Linear",
    "MatrixMove",
    "Move",
    "ParallelTempering",
    "Sampler",
    "Schedule",
    "State",
    "StretchRotateMove",
    "accept",
]
