"""The classes a model file may hold, by name, each with the attributes it cannot work without once fitted.

Names of this list are the only ones that are ever imported on behalf of a file.
"""

import inspect
from functools import cache
from importlib import import_module

import numpy as np

METRIC = ("n_features_in_", "components_", "_n_features_out")
VOTES = ("n_features_in_", "classes_", "n_neighbors_")
POPULATION = (
    "_X",
    "_y",
    "_patterns",
    "_weights",
    "ensembles_",
    "views_",
    "_mixture",
    "_mixtures_of_one_k",
    "selection_",
    "trace_",
    "snapshots_",
)
TOLD = ("feature_importances_", "feature_importances_std_", "temperature_", "confinement_")
OUT_OF_BAG = ("oob_score_", "oob_decision_function_")

PLAIN = {
    "freemetric.learners.free_energy.candidates.Candidate": ("view", "form", "energy", "temperature", "confinement"),
    "freemetric.learners.free_energy.population.Ensemble": ("candidate", "maps"),
    "freemetric.learners.free_energy.views.Scaled": ("low", "span", "owner"),
    "freemetric.learners.free_energy.views.Quantiles": ("transformer", "owner"),
    "freemetric.learners.free_energy.views.Steps": ("owner", "threshold"),
    "freemetric.learners.free_energy.mixture.Mixture": ("weights", "calibration"),
    "freemetric.learners.free_energy.calibration.Calibration": ("slope", "bias"),
}
"""Classes of parts, which are not told apart into parameters and what is fitted: all attributes they have."""

ALLOWED = {
    **dict.fromkeys(("freemetric.Euclidean", "freemetric.PCA", "freemetric.RCA", "freemetric.DCA"), METRIC),
    **dict.fromkeys(("freemetric.LFDA", "freemetric.ITML", "freemetric.LMNN", "freemetric.DMLeig"), METRIC),
    **dict.fromkeys(("freemetric.SCML", "freemetric.NCA", "freemetric.DMLMJ", "freemetric.DMLFE"), METRIC),
    "freemetric.FreeEnergyClassifier": (*VOTES, *POPULATION, *TOLD, *OUT_OF_BAG),
    "freemetric.MetricKNeighborsClassifier": (*VOTES, "learner_", "_Z", "_y"),
    **PLAIN,
    "freemetric.energies.NCAEnergy": (),
    "freemetric.energies.LogNCAEnergy": (),
    "freemetric.energies.Diagonal": (),
    "freemetric.energies.Confinement": (),
    "freemetric.energies.SumEnergy": (),
    "freemetric.energies.ScaledEnergy": (),
    "freemetric.energies.CallableEnergy": (),  # to say of its function that it cannot be saved
    "freemetric.mc.Annealing": (),
    "freemetric.mc.ParallelTempering": (),
    "freemetric.mc.Adaptive": (),
    "freemetric.mc.Constant": (),
    "freemetric.mc.Geometric": (),
    "freemetric.mc.Linear": (),
    "freemetric.mc.ElementMove": (),
    "freemetric.mc.MatrixMove": (),
    "freemetric.mc.StretchRotateMove": (),
    "freemetric.mc.HamiltonianMove": (),
    "sklearn.pipeline.Pipeline": (),
    "sklearn.compose.ColumnTransformer": ("n_features_in_", "transformers_", "output_indices_"),
    "sklearn.compose.make_column_selector": (),
    "sklearn.impute.SimpleImputer": ("n_features_in_", "statistics_", "indicator_"),
    "sklearn.impute.MissingIndicator": ("n_features_in_", "features_"),
    "sklearn.preprocessing.OneHotEncoder": ("n_features_in_", "categories_"),
    "sklearn.preprocessing.OrdinalEncoder": ("n_features_in_", "categories_"),
    "sklearn.preprocessing.MinMaxScaler": ("n_features_in_", "scale_", "min_"),
    "sklearn.preprocessing.MaxAbsScaler": ("n_features_in_", "scale_"),
    "sklearn.preprocessing.StandardScaler": ("n_features_in_", "scale_", "mean_"),
    "sklearn.preprocessing.RobustScaler": ("n_features_in_", "scale_", "center_"),
    "sklearn.preprocessing.QuantileTransformer": ("n_features_in_", "quantiles_", "references_"),
    # what a ColumnTransformer passes columns through with; a function of its own could not be saved
    "sklearn.preprocessing.FunctionTransformer": (),
}

NUMPY_TYPES = "number integer floating bool_ object_ str_ float16 float32 float64 " + (
    "int8 int16 int32 int64 uint8 uint16 uint32 uint64"
)
TYPES = {kind.__name__: kind for kind in (object, bool, int, float, str)} | {
    f"numpy.{name}": getattr(np, name) for name in NUMPY_TYPES.split()
}
"""Types that stand for a dtype among the parameters of an encoder or selector."""


@cache
def class_of(name):
    """The class of a name of the list; KeyError for any other name."""
    if name not in ALLOWED:
        raise KeyError(name)
    module, _, attribute = name.rpartition(".")
    return getattr(import_module(module), attribute)


@cache
def name_of(cls):
    """The name under which a class is on the list, or None."""
    alike = (name for name in ALLOWED if name.rpartition(".")[2] == cls.__name__)
    return next((name for name in alike if class_of(name) is cls), None)


@cache
def parameters_of(cls):
    """Names and defaults of the constructor's parameters, or of a plain object's attributes.

    ``inspect.Parameter.empty`` stands where there is no default.
    """
    name = name_of(cls)
    if name in PLAIN:
        return dict.fromkeys(PLAIN[name], inspect.Parameter.empty)
    return {name: parameter.default for name, parameter in inspect.signature(cls).parameters.items()}
