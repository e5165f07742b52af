"""The list of what model files may hold: a class, its attributes, and their check.

A class that is not here cannot be saved, and nothing else can be made by loading.
"""

from sklearn import preprocessing as scaling
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.decomposition import PCA
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.linear_model import (
    LinearRegression,
    LogisticRegression,
    Ridge,
    RidgeCV,
)
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import Pipeline

from .. import energies, ensemble, learners, mc
from ..ensemble.pool import Pool
from ..ensemble.scale import Scale
from ..ensemble.training_set import TrainingSet
from ..ensemble.trends import Combination, Noise
from ..ensemble.views import Axes, Logarithms, Quantiles, Scaled
from . import checks
from .kept import OUTPUT, Kept, no_check

FITTED = {
    "n_features_in_": "count d",
    "feature_names_in_": "?labels d",
    OUTPUT: "?",
}


def estimator(cls, fields, check=no_check):
    """What is kept of an estimator with these fitted attributes."""
    return Kept(cls, FITTED | fields, check)


# --- the ensemble ---------------------------------------------------------------------

TREES = {
    "features_": "int T m",
    "thresholds_": "nan T m",
    "leaves_": "float T . k",
}
FREE_ENERGY = {
    "ensemble_": ensemble.Ensemble,
    "estimators_": list,
    "selection_": dict,
    "oob_score_": "number",
}
ENSEMBLE = [
    estimator(
        ensemble.FreeEnergyClassifier,
        FREE_ENERGY
        | {
            "classes_": "labels C",
            "class_weight_": "float C",
            "pool_": Pool,
            "oob_decision_function_": "nan n C",
        },
        checks.check_width,
    ),
    estimator(
        ensemble.FreeEnergyRegressor,
        FREE_ENERGY
        | {
            "scale_": Scale,
            "combination_": Combination,
            "noise_": Noise,
            "oob_prediction_": "nan n",
        },
        checks.check_width,
    ),
    Kept(
        ensemble.Ensemble,
        {
            "gap_values": "float d",
            "views": dict,
            "members": list,
            "sizes": "int k",
            "training_set": TrainingSet,
        },
        checks.check_ensemble,
    ),
    Kept(
        ensemble.Member,
        {"view": str, "form": str, "maps": "float R p d", "weights": "float k"},
    ),
    Kept(
        TrainingSet,
        {
            "X": "float n d",
            "values": "float n v",
            "weights": "float n",
        },
        make=TrainingSet.of,
    ),
    Kept(Scaled, {"low": "float d", "span": "float d"}),
    Kept(Logarithms, {"is_logged": "bool d", "scaled": Scaled}),
    Kept(Quantiles, {"values": list, "levels": list}),
    Kept(Axes, {"centre": "float d", "matrix": "float d p"}),
    Kept(Pool, {"slope": "number", "strengths": "float e", "bias": "float C"}),
    Kept(
        Scale,
        {"name": str}
        | dict.fromkeys(("magnitude", "bend", "centre", "unit"), "number"),
    ),
    Kept(Combination, {"strengths": "float t", "low": "number", "high": "number"}),
    Kept(
        Noise,
        {"slopes": "float c", "errors": "float n"}
        | dict.fromkeys(("base", "low", "high", "most_spread"), "number"),
    ),
    estimator(
        ensemble.StudentTClassifier,
        {
            "classes_": "labels C",
            "centres_": "float C d",
            "roots_": "float C d d",
            "half_log_dets_": "float C",
        },
    ),
    estimator(
        ensemble.ScreenedNaiveBayes,
        {
            "classes_": "labels C",
            "owner_": "int s",
            "thresholds_": "float s",
            "steps_": "float s C",
            "base_": "float C",
        },
    ),
    estimator(
        ensemble.LinearClassifier,
        {"classes_": "labels C", "coef_": "float d C", "intercept_": "float C"},
    ),
    estimator(
        ensemble.LineRegressor,
        {"coef_": "float d", "intercept_": "number"},
    ),
    estimator(
        ensemble.SurfaceRegressor,
        {
            "centre_": "float d",
            "span_": "float d",
            "coef_": "float k",
            "intercept_": "number",
        },
    ),
    estimator(
        ensemble.BoostedTreesClassifier,
        TREES | {"classes_": "labels k"},
        checks.check_trees,
    ),
    estimator(
        ensemble.BoostedTreesRegressor, TREES | {"base_": "number"}, checks.check_trees
    ),
]

# --- learners -------------------------------------------------------------------------

FINDINGS = (  # of which no prediction depends
    "balance_ basis_ bounds_ centroid_classes_ centroids_ class_counts_ class_means_ "
    "dual_ eigenvalues_ energy_ explained_variance_ feature_weights_ "
    "feature_weights_std_ gap_ gradient_square_ margins_ metric_mean_ metric_std_ "
    "momentum_ n_iter_ objective_ pair_labels_ pairs_ precision_ quadruplets_ "
    "replicas_ samples_ samples_r_hat_ scatter_ snapshots_ threshold_ trace_ weights_"
)
LEARNER = {"components_": "float p d", "classes_": "?labels C"} | dict.fromkeys(
    FINDINGS.split(), "?"
)
NEIGHBORS = {"learner_": "", "n_neighbors_": "count", "selection_": "?"}
TUPLES = {"learner_": "", "classes_": "?labels C", "threshold_": "?number"}
LEARNERS = [
    *(estimator(cls, LEARNER) for cls in learners.LEARNERS.values()),
    *(estimator(cls, LEARNER) for cls in (learners.MLKR, learners.DistanceMatching)),
    estimator(
        learners.OASIS,
        {"similarity_matrix_": "float d d", "mean_loss_": "number", "n_iter_": "count"},
    ),
    estimator(
        learners.MetricKNeighborsClassifier,
        NEIGHBORS | {"classes_": "labels C", "neighbors_": KNeighborsClassifier},
    ),
    estimator(
        learners.MetricKNeighborsRegressor,
        NEIGHBORS | {"neighbors_": KNeighborsRegressor},
    ),
    estimator(learners.PairClassifier, TUPLES),
    estimator(learners.TripletClassifier, TUPLES),
    estimator(learners.QuadrupletClassifier, TUPLES),
]

# --- parameters: energies and samplers, which have no fit -----------------------------

ENERGIES = (
    energies.BalancedErrorEnergy,
    energies.Confinement,
    energies.Diagonal,
    energies.FBetaEnergy,
    energies.KNNErrorEnergy,
    energies.LMNNEnergy,
    energies.LogNCAEnergy,
    energies.MiniBatch,
    energies.NCAEnergy,
    energies.NeighborLikelihoodEnergy,
    energies.PairEnergy,
    energies.RankingEnergy,
    energies.RegressionEnergy,
    energies.ScaledEnergy,
    energies.Sparsity,
    energies.SumEnergy,
    energies.TripletEnergy,
)
SAMPLERS = (
    mc.Adaptive,
    mc.Annealing,
    mc.Constant,
    mc.ElementMove,
    mc.Geometric,
    mc.HamiltonianMove,
    mc.LangevinMove,
    mc.Linear,
    mc.MatrixMove,
    mc.ParallelTempering,
    mc.PenaltyMove,
    mc.PersistentMove,
    mc.StretchRotateMove,
)
PARAMETERS = [Kept(cls, {}) for cls in (*ENERGIES, *SAMPLERS)]

# --- scikit-learn ---------------------------------------------------------------------

LINEAR = {
    "coef_": "",
    "intercept_": "",
    "alpha_": "?number",
    "best_score_": "?number",
    "n_iter_": "?",
}
CLASSES = {"classes_": "labels C"}
ENCODER = {
    "categories_": list,
    "_infrequent_enabled": bool,
    "_infrequent_indices": "?",
    "_default_to_infrequent_mappings": "?",
}
NEAREST = {"_fit_X": "float n d"}
FOREIGN = [
    Kept(Pipeline, {}),
    Kept(make_column_selector, {}),
    estimator(
        ColumnTransformer,
        {
            "transformers_": list,
            "output_indices_": dict,
            "sparse_output_": bool,
            "_columns": list,
            "_remainder": tuple,
            "_transformer_to_input_indices": dict,
        },
    ),
    estimator(
        SimpleImputer,
        {
            "statistics_": "labels d",
            "indicator_": "?",
            "_fit_dtype": "?",
            "_fill_dtype": "?",
        },
    ),
    estimator(
        MissingIndicator,
        {"features_": "int e", "_n_features": "count d", "_precomputed": "?"},
    ),
    estimator(
        scaling.OneHotEncoder,
        ENCODER
        | {
            "drop_idx_": "?",
            "_drop_idx_after_grouping": "?",
            "_n_features_outs": list,
        },
        checks.check_one_hot,
    ),
    estimator(
        scaling.OrdinalEncoder,
        ENCODER | {"_missing_indices": dict},
        checks.check_categories,
    ),
    estimator(scaling.FunctionTransformer, {}),
    estimator(scaling.Normalizer, {}),
    estimator(
        scaling.StandardScaler,
        {
            "mean_": "?float d",
            "scale_": "?float d",
            "var_": "?float d",
            "n_samples_seen_": "?",
        },
    ),
    estimator(
        scaling.MinMaxScaler,
        dict.fromkeys(
            ("scale_", "min_", "data_min_", "data_max_", "data_range_"), "float d"
        )
        | {"n_samples_seen_": "?"},
    ),
    estimator(scaling.RobustScaler, {"center_": "?float d", "scale_": "?float d"}),
    estimator(
        scaling.QuantileTransformer,
        {
            "quantiles_": "float q d",
            "references_": "float q",
            "n_quantiles_": "count q",
        },
    ),
    estimator(
        scaling.PolynomialFeatures,
        {
            "n_output_features_": "count k",
            "_n_out_full": "count f",
            "_min_degree": "",
            "_max_degree": "",
        },
    ),
    estimator(
        PCA,
        {
            "components_": "float p d",
            "mean_": "float d",
            "n_components_": "count p",
            "explained_variance_": "float p",
            "explained_variance_ratio_": "nan p",
            "singular_values_": "float p",
            "noise_variance_": "number",
            "n_samples_": "?",
        },
    ),
    *(estimator(cls, LINEAR) for cls in (LinearRegression, Ridge, RidgeCV)),
    estimator(LogisticRegression, LINEAR | CLASSES),
    estimator(
        KNeighborsClassifier,
        NEAREST | CLASSES | {"_y": "int n"},
        checks.index_classes,
    ),
    estimator(KNeighborsRegressor, NEAREST | {"_y": ""}, checks.index_targets),
]

# --------------------------------------------------------------------------------------

TABLES = []
try:
    from .. import tables
    from ..tables import columns
except ImportError:  # without pandas there are no models of tables
    pass
else:
    TABLE = {"pipeline_": Pipeline, "kinds_": dict}
    TABLES = [
        estimator(tables.TableClassifier, TABLE | CLASSES),
        estimator(tables.TableRegressor, TABLE),
        estimator(
            tables.TableEncoder,
            {"columns_": list, "varying_": "bool f", "kinds_": dict},
        ),
        Kept(
            columns.NumberColumn,
            dict.fromkeys(("name", "unit", "decimal"), str)
            | dict.fromkeys(("low", "high", "median"), "number")
            | {"has_gaps": bool},
        ),
        Kept(
            columns.CategoryColumn,
            {"name": str, "categories": tuple, "has_others": bool, "holds_words": bool},
            checks.check_category_column,
        ),
        Kept(
            columns.DateColumn,
            {"name": str, "kind": str, "medians": tuple, "has_gaps": bool},
        ),
    ]

EVERY = [*ENSEMBLE, *LEARNERS, *PARAMETERS, *FOREIGN, *TABLES]
BY_CLASS = {kept.cls: kept for kept in EVERY}
BY_TAG = {kept.tag: kept for kept in EVERY}
