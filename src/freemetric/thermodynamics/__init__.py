"""What chains say: free energy, entropy, heat capacity, whether they mix; proofs of
sampling.
"""

from ..mc.diagnostics import effective_sample_size, split_r_hat
from .diagnostics import (
    MOST_R_HAT,
    LogZ,
    Mixing,
    equilibrated,
    equilibration,
    flow,
    rejections,
    round_trips,
)
from .estimates import Estimate, Thermodynamics, thermodynamics
from .fitted import MetricSpread, ModelThermodynamics, thermodynamics_of
from .ladder import TemperingSettings, temper
from .landscape import overlap
from .population import Population, PopulationSettings, population_annealing
from .proofs import Proof, joint_test
from .recording import Recorder, Recording
from .tempering import Coupled, Ladder, LadderTempering

__all__ = [
    "MOST_R_HAT",
    "Coupled",
    "Estimate",
    "Ladder",
    "LadderTempering",
    "LogZ",
    "MetricSpread",
    "Mixing",
    "ModelThermodynamics",
    "Population",
    "PopulationSettings",
    "Proof",
    "Recorder",
    "Recording",
    "TemperingSettings",
    "Thermodynamics",
    "effective_sample_size",
    "equilibrated",
    "equilibration",
    "flow",
    "joint_test",
    "overlap",
    "population_annealing",
    "rejections",
    "round_trips",
    "split_r_hat",
    "temper",
    "thermodynamics",
    "thermodynamics_of",
]
