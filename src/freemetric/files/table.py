"""The list of what model files may hold: a class, its attributes, and their check.

A class that is not here cannot be saved, and nothing else can be made by loading.
"""

from sklearn import preprocessing as scaling
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.decomposition import PCA
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.linear_model import (
    ElasticNet,
    Lasso,
    LinearRegression,
    LogisticRegression,
    Ridge,
    RidgeCV,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import Pipeline

from .. import energies, ensemble, learners, mc
from ..ensemble.pool import Pool
from ..ensemble.scale import Scale
from ..ensemble.training_set import TrainingSet
from ..ensemble.trends import Combination, Noise
from ..ensemble.views import Axes, Quantiles, Scaled
from . import checks
from .kept import OUTPUT, Kept

FITTED = {
    "n_features_in_": "count d",
    "feature_names_in_": "?labels d",
    OUTPUT: "?",
}

# --- the ensemble ---------------------------------------------------------------------

TREES = FITTED | {
    "features_": "int T m",
    "thresholds_": "nan T m",
    "leaves_": "float T . k",
}
FREE_ENERGY = FITTED | {
    "ensemble_": ensemble.Ensemble,
    "estimators_": list,
    "selection_": dict,
    "oob_score_": "number",
}
ENSEMBLE = [
    Kept(
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
    Kept(
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
    Kept(
        ensemble.StudentTClassifier,
        FITTED
        | {
            "classes_": "labels C",
            "centres_": "float C d",
            "roots_": "float C d d",
            "half_log_dets_": "float C",
        },
    ),
    Kept(
        ensemble.ScreenedNaiveBayes,
        FITTED
        | {
            "classes_": "labels C",
            "owner_": "int s",
            "thresholds_": "float s",
            "steps_": "float s C",
            "base_": "float C",
        },
    ),
    Kept(
        ensemble.BoostedTreesClassifier,
        TREES | {"classes_": "labels k"},
        checks.check_trees,
    ),
    Kept(
        ensemble.BoostedTreesRegressor, TREES | {"base_": "number"}, checks.check_trees
    ),
]

# --- learners -------------------------------------------------------------------------

FINDINGS = (  # of which no prediction depends
    "balance_ basis_ bounds_ centroid_classes_ centroids_ dual_ eigenvalues_ energy_ "
    "explained_variance_ feature_weights_ feature_weights_std_ gap_ margins_ "
    "metric_mean_ metric_std_ n_iter_ objective_ pair_labels_ pairs_ precision_ "
    "quadruplets_ replicas_ samples_ samples_r_hat_ snapshots_ threshold_ trace_ "
    "weights_"
)
LEARNER = (
    FITTED
    | {"components_": "float p d", "classes_": "?labels C"}
    | dict.fromkeys(FINDINGS.split(), "?")
)
NEIGHBORS = FITTED | {"learner_": "", "n_neighbors_": "count", "selection_": "?"}
TUPLES = FITTED | {"learner_": "", "classes_": "?labels C", "threshold_": "?number"}
LEARNERS = [
    *(Kept(cls, LEARNER) for cls in (*learners.LEARNERS.values(), learners.MLKR)),
    Kept(
        learners.MetricKNeighborsClassifier,
        NEIGHBORS | {"classes_": "labels C", "neighbors_": KNeighborsClassifier},
    ),
    Kept(
        learners.MetricKNeighborsRegressor,
        NEIGHBORS | {"neighbors_": KNeighborsRegressor},
    ),
    Kept(learners.PairClassifier, TUPLES),
    Kept(learners.TripletClassifier, TUPLES),
    Kept(learners.QuadrupletClassifier, TUPLES),
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
    mc.StretchRotateMove,
)
PARAMETERS = [Kept(cls, {}) for cls in (*ENERGIES, *SAMPLERS)]

# --- scikit-learn ---------------------------------------------------------------------

LINEAR = FITTED | {
    "coef_": "",
    "intercept_": "",
    "alpha_": "?number",
    "best_score_": "?number",
    "n_iter_": "?",
}
CLASSES = {"classes_": "labels C"}
ENCODER = FITTED | {
    "categories_": list,
    "_infrequent_enabled": bool,
    "_infrequent_indices": "?",
    "_default_to_infrequent_mappings": "?",
}
NEAREST = FITTED | {"_fit_X": "float n d"}
FOREIGN = [
    Kept(Pipeline, {}),
    Kept(make_column_selector, {}),
    Kept(
        ColumnTransformer,
        FITTED
        | {
            "transformers_": list,
            "output_indices_": dict,
            "sparse_output_": bool,
            "_columns": list,
            "_remainder": tuple,
            "_transformer_to_input_indices": dict,
        },
    ),
    Kept(
        SimpleImputer,
        FITTED
        | {
            "statistics_": "labels d",
            "indicator_": "?",
            "_fit_dtype": "?",
            "_fill_dtype": "?",
        },
    ),
    Kept(
        MissingIndicator,
        FITTED | {"features_": "int e", "_n_features": "count d", "_precomputed": "?"},
    ),
    Kept(
        scaling.OneHotEncoder,
        ENCODER
        | {
            "drop_idx_": "?",
            "_drop_idx_after_grouping": "?",
            "_n_features_outs": list,
        },
        checks.check_one_hot,
    ),
    Kept(
        scaling.OrdinalEncoder,
        ENCODER | {"_missing_indices": dict},
        checks.check_categories,
    ),
    Kept(scaling.FunctionTransformer, FITTED),
    Kept(scaling.Normalizer, FITTED),
    Kept(
        scaling.StandardScaler,
        FITTED
        | {
            "mean_": "?float d",
            "scale_": "?float d",
            "var_": "?float d",
            "n_samples_seen_": "?",
        },
    ),
    Kept(
        scaling.MinMaxScaler,
        FITTED
        | dict.fromkeys(
            ("scale_", "min_", "data_min_", "data_max_", "data_range_"), "float d"
        )
        | {"n_samples_seen_": "?"},
    ),
    Kept(
        scaling.MaxAbsScaler,
        FITTED | {"scale_": "float d", "max_abs_": "float d", "n_samples_seen_": "?"},
    ),
    Kept(scaling.RobustScaler, FITTED | {"center_": "?float d", "scale_": "?float d"}),
    Kept(
        scaling.QuantileTransformer,
        FITTED
        | {
            "quantiles_": "float q d",
            "references_": "float q",
            "n_quantiles_": "count q",
        },
    ),
    Kept(
        scaling.PolynomialFeatures,
        FITTED
        | {
            "n_output_features_": "count k",
            "_n_out_full": "count f",
            "_min_degree": "",
            "_max_degree": "",
        },
    ),
    Kept(
        PCA,
        FITTED
        | {
            "components_": "float p d",
            "mean_": "float d",
            "n_components_": "count p",
            "explained_variance_": "float p",
            "explained_variance_ratio_": "nan p",
            "singular_values_": "float p",
            "noise_variance_": "number",
            "n_samples_": "count",
            "_fit_svd_solver": "?",
        },
    ),
    *(
        Kept(cls, LINEAR)
        for cls in (ElasticNet, Lasso, LinearRegression, Ridge, RidgeCV)
    ),
    Kept(LogisticRegression, LINEAR | CLASSES),
    Kept(
        GaussianNB,
        FITTED
        | CLASSES
        | {
            "theta_": "float C d",
            "var_": "float C d",
            "class_prior_": "float C",
            "class_count_": "float C",
            "epsilon_": "number",
        },
    ),
    Kept(
        KNeighborsClassifier,
        NEAREST | CLASSES | {"_y": "int n"},
        checks.index_classes,
    ),
    Kept(KNeighborsRegressor, NEAREST | {"_y": ""}, checks.index_targets),
]

# --------------------------------------------------------------------------------------

TABLES = []
try:
    from .. import tables
    from ..tables import columns
except ImportError:  # without pandas there are no models of tables
    pass
else:
    TABLE = FITTED | {"pipeline_": Pipeline, "kinds_": dict}
    TABLES = [
        Kept(tables.TableClassifier, TABLE | CLASSES),
        Kept(tables.TableRegressor, TABLE),
        Kept(
            tables.TableEncoder,
            FITTED | {"columns_": list, "varying_": "bool f", "kinds_": dict},
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
