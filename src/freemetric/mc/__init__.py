"""The physics: states, moves, schedules, samplers and chains. Independent of metrics
and data.
"""

from .moves import (
    ElementMove,
    HamiltonianMove,
    LangevinMove,
    MatrixMove,
    Move,
    PenaltyMove,
    PersistentMove,
    StretchRotateMove,
    accept,
)
from .samplers import (
    Adaptive,
    Annealing,
    Constant,
    Geometric,
    Linear,
    ParallelTempering,
    Sampler,
    Schedule,
)
from .state import Chain, Info, State
from .streams import Streams

__all__ = [
    "Adaptive",
    "Annealing",
    "Chain",
    "Constant",
    "ElementMove",
    "Geometric",
    "HamiltonianMove",
    "Info",
    "LangevinMove",
    "Linear",
    "MatrixMove",
    "Move",
    "ParallelTempering",
    "PenaltyMove",
    "PersistentMove",
    "Sampler",
    "Schedule",
    "State",
    "Streams",
    "StretchRotateMove",
    "accept",
]
