"""What chains say: free energy, entropy, heat capacity, minima and passes; whether they
mix; proofs of sampling.
"""

from ..mc.diagnostics import effective_sample_size, split_r_hat
from .diagnostics import (
    LEAST_OVERLAP,
    Mixing,
    equilibrated,
    equilibration,
    mixing,
    rejections,
    round_trips,
)
from .estimates import Estimate, Thermodynamics, thermodynamics
from .fitted import MetricSpread, ModelThermodynamics, thermodynamics_of
from .ladder import TemperingSettings, temper
from .landscape import Band, elastic_band, overlap
from .population import Population, PopulationSettings, population_annealing
from .proofs import Proof, calibration_test, joint_test
from .recording import Recorder, Recording
from .tempering import Coupled, Ladder, LadderTempering

__all__ = [
    "LEAST_OVERLAP",
    "Band",
    "Coupled",
    "Estimate",
    "Ladder",
    "LadderTempering",
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
    "calibration_test",
    "effective_sample_size",
    "elastic_band",
    "equilibrated",
    "equilibration",
    "joint_test",
    "mixing",
    "overlap",
    "population_annealing",
    "rejections",
    "round_trips",
    "split_r_hat",
    "temper",
    "thermodynamics",
    "thermodynamics_of",
]
