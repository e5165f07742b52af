"""The tags under which model files know our classes. Tags stay; the code behind them may move."""

from contextlib import suppress

from . import energies, ensemble, learners, mc, metrics, tabular
from .ensemble.model import Ensemble
from .ensemble.oob import OOBIndices
from .ensemble.sampling import Replicas
from .ensemble.tasks import TASKS
from .files import register
from .files.registry import register_known
from .learners.kept_results import KeptWalk
from .metrics.gaps import Gaps
from .metrics.vector_index import VectorIndex
from .thermodynamics import Recording

_ESTIMATORS: dict[str, type] = {
    **learners.LEARNERS,
    "mlkr": learners.MLKR,
    "free-energy-classifier": ensemble.FreeEnergyClassifier,
    "free-energy-regressor": ensemble.FreeEnergyRegressor,
    "free-energy-selector": ensemble.FreeEnergySelector,
    "kernelized": learners.Kernelized,
    "metric-k-neighbors-classifier": learners.MetricKNeighborsClassifier,
    "metric-k-neighbors-regressor": learners.MetricKNeighborsRegressor,
    "metric-retriever": learners.MetricRetriever,
    "pair-classifier": learners.PairClassifier,
    "triplet-classifier": learners.TripletClassifier,
    "quadruplet-classifier": learners.QuadrupletClassifier,
    "table-classifier": tabular.TableClassifier,
    "table-regressor": tabular.TableRegressor,
}
for _tag, _cls in _ESTIMATORS.items():
    register_known(f"freemetric:{_tag}", _cls)
with suppress(ModuleNotFoundError):  # a part of the house that can be left out
    from . import metric_learn

    for _name in sorted(set(metric_learn.__all__) - {"Constraints"}):
        register_known(f"metric-learn:{_name.lower().replace('_', '-')}", getattr(metric_learn, _name))
for _tag, _cls in {
    "recipe": ensemble.Recipe,
    "table-model": tabular.TableModel,
    "replicas": Replicas,
    "oob-indices": OOBIndices,
    "candidate": metrics.Candidate,
    "member": metrics.Member,
    "training-set": metrics.TrainingSet,
    "gaps": Gaps,
    "vector-index": VectorIndex,
    "ensemble": Ensemble,
    **{_part: _cls for _task in TASKS.values() for _part, _cls in _task.saved.items()},
    "chain": mc.Chain,
    "walk": KeptWalk,
    "recording": Recording,
}.items():
    register(f"freemetric:{_tag}", _cls)
for _tag, _cls in {
    "nca": energies.NCAEnergy,
    "log-nca": energies.LogNCAEnergy,
    "regression": energies.RegressionEnergy,
    "neighbor-likelihood": energies.NeighborLikelihoodEnergy,
    "lmnn": energies.LMNNEnergy,
    "knn-error": energies.KNNErrorEnergy,
    "balanced-error": energies.BalancedErrorEnergy,
    "f-beta": energies.FBetaEnergy,
    "ranking": energies.RankingEnergy,
    "pair": energies.PairEnergy,
    "triplet": energies.TripletEnergy,
    "multi-label": energies.MultiLabelEnergy,
    "sparsity": energies.Sparsity,
    "diagonal": energies.Diagonal,
    "confinement": energies.Confinement,
    "sum": energies.SumEnergy,
    "scaled": energies.ScaledEnergy,
    "mini-batch": energies.MiniBatch,
    "callable": energies.CallableEnergy,  # only to raise an error about its function
}.items():
    register(f"energy:{_tag}", _cls, attributes=())
for _tag, _cls in {
    "annealing": mc.Annealing,
    "tempering": mc.ParallelTempering,
    "adaptive": mc.Adaptive,
    "constant": mc.Constant,
    "geometric": mc.Geometric,
    "linear": mc.Linear,
    "element": mc.ElementMove,
    "matrix": mc.MatrixMove,
    "stretch-rotate": mc.StretchRotateMove,
    "hamiltonian": mc.HamiltonianMove,
    "langevin": mc.LangevinMove,
    "penalty": mc.PenaltyMove,
}.items():
    register(f"mc:{_tag}", _cls, attributes=())
