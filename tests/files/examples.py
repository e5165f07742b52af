"""Objects of every kind that a file may hold, by tag: usual ones and unusual ones."""

import inspect
import io
from dataclasses import replace

import numpy as np
import pandas as pd
from scipy import stats
from sklearn import model_selection
from sklearn.base import clone
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
)

import freemetric
from freemetric import (
    LEARNERS,
    MLKR,
    FreeEnergyClassifier,
    FreeEnergyRegressor,
    FreeEnergySelector,
    Kernelized,
    MetricKNeighborsClassifier,
    MetricKNeighborsRegressor,
    MetricRetriever,
    PairClassifier,
    QuadrupletClassifier,
    Recipe,
    TableClassifier,
    TableRegressor,
    TripletClassifier,
    energies,
    mc,
    metric_learn,
)
from freemetric.energies import (
    BalancedErrorEnergy,
    Confinement,
    Diagonal,
    FBetaEnergy,
    KNNErrorEnergy,
    LMNNEnergy,
    LogNCAEnergy,
    MiniBatch,
    MultiLabelEnergy,
    NCAEnergy,
    NeighborLikelihoodEnergy,
    PairEnergy,
    RankingEnergy,
    RegressionEnergy,
    Sparsity,
    TripletEnergy,
)
from freemetric.ensemble.oob import OOBIndices
from freemetric.ensemble.sampling import OOBVotes, Replicas
from freemetric.ensemble.tasks.classification import ClassificationHead
from freemetric.ensemble.tasks.multi_label import MultiLabelEncoding, MultiLabelHead
from freemetric.ensemble.tasks.multi_output import MultiOutputHead, MultiTargetEncoding
from freemetric.ensemble.tasks.regression import RegressionHead
from freemetric.ensemble.tasks.scales import Scale
from freemetric.files.sklearn_parts import SPLITTERS
from freemetric.learners.fitting import Lowest
from freemetric.learners.kept_results import KeptWalk
from freemetric.metrics import CLASS_DENSITIES, TRENDS, VIEWS, Candidate, ClassEncoding, Member, TrainingSet
from freemetric.metrics.gaps import Gaps
from freemetric.metrics.kernel_ridge import OOBMetrics, class_kernel_ridge
from freemetric.metrics.trends import Products, crossed_trend
from freemetric.metrics.vector_index import VectorIndex
from freemetric.sklearn_compat import HALVING
from freemetric.thermodynamics import Recording, TemperingSettings, temper

from .conftest import QUICK

rng = np.random.default_rng(0)
X, y = rng.random((40, 3)), np.arange(40) % 3
MANY = np.vstack([X, np.random.default_rng(1).random((200, 3))])  # of which there are trends of every kind
TEXTS = np.array([["red", "small"], ["green", "large"], ["blue", "small"]] * 9, dtype=object)
GAPS = np.where(rng.random((40, 3)) < 0.2, np.nan, X)

SEVERAL = MultiTargetEncoding(np.zeros(4), np.ones(4), (2, 2))


def plain_head(encoding):
    """A head that reads votes as they are."""
    errors, none = np.array([-1.0, 0.0, 1.0]), np.empty((0, 2))
    return RegressionHead(encoding, 0.5, np.ones(1), np.zeros(2), errors, [], [], none, Scale("linear", 0.0, 1.0))


FILLED = Gaps.of(GAPS)
PLAIN = Member(Candidate("scaled", "identity", "log-nca"), np.empty((0, 3, 3)))
KERNEL, _ = class_kernel_ridge(
    OOBMetrics({"scaled": VIEWS["scaled"].of(X)}, [PLAIN], np.ones(1), np.arange(40), [np.ones((1, 40), dtype=bool)]),
    TrainingSet(X, y, ClassEncoding(3)),
    np.arange(40),
    20,
)
VALUES = {
    "freemetric:recipe": [
        Recipe(),
        replace(
            Recipe(),
            candidates=("steps/diagonal", "scaled/full/nca"),
            n_steps=5,
            temperature={"log-nca": 0.5, "nca": 0.1},
        ),
        replace(Recipe(), complementary_bags=False, subsample=0.25, n_neighbors=(1, 4), calibration="none"),
    ],
    "freemetric:replicas": [
        Replicas(
            rng.random((2, 1, 3)),
            OOBVotes(rng.random((5, 4, 3)).astype(np.float32), np.arange(5, dtype=np.int32)),
            {"energy": rng.random((6, 2))},
            {"step": np.arange(3), "map": rng.random((3, 1, 3))},
        ),
        Replicas(np.empty((0, 1, 3)), OOBVotes.none(5, 4, 3), {}, {}),
    ],
    "freemetric:oob-indices": [
        OOBIndices.of(rng.permutation(50)[:11], [rng.random((4, 11)) < 0.5, rng.random((2, 11)) < 0.5]),
        OOBIndices.of(np.arange(3), []),
    ],
    "freemetric:candidate": [
        Candidate("scaled", "full", "nca", 1e-3, 0.5, 64),
        Candidate("steps", "identity", "log-nca"),
    ],
    "freemetric:member": [
        Member(Candidate("scaled", "full", "nca", 1e-3), rng.random((4, 2, 3))),
        Member(Candidate("scaled", "diagonal", "log-nca"), rng.random((4, 1, 3))),
        Member(Candidate("quantiles", "identity", "log-nca"), np.empty((0, 3, 3))),
    ],
    "freemetric:classification-head": [
        ClassificationHead(1.5, np.array([-1.0, 0.0, 1e-300])),
        ClassificationHead(
            1.0,
            np.zeros(3),
            0.25,
            np.ones(len(CLASS_DENSITIES)),
            [kind.of(X, y, 3) for kind in CLASS_DENSITIES.values()],
        ),
    ],
    "freemetric:class-encoding": [ClassEncoding(3)],
    "freemetric:multi-target-encoding": [SEVERAL],
    "freemetric:multi-output-head": [MultiOutputHead(SEVERAL, [plain_head(part) for part in SEVERAL.encodings])],
    "freemetric:multi-label-encoding": [MultiLabelEncoding((2, 3, 1))],
    "freemetric:multi-label-head": [
        MultiLabelHead(
            MultiLabelEncoding((3, 2)),
            [
                ClassificationHead(1.5, np.zeros(3), 0.1, np.ones(1), [CLASS_DENSITIES["naive-bayes"].of(X, y, 3)]),
                ClassificationHead(1.0, np.zeros(2)),
            ],
        )
    ],
    "freemetric:training-set": [
        TrainingSet(X, np.array([y, y % 2]), MultiLabelEncoding((3, 2))),
        TrainingSet(X, y, ClassEncoding(3)),
        TrainingSet(X[::-1], y, ClassEncoding(3), rng.random(40) + 0.1, rng.permutation(100)[:40]),
        TrainingSet(X[:, ::2], y.astype(np.int8), ClassEncoding(3)),
        TrainingSet(FILLED(GAPS), y, ClassEncoding(3)).with_gaps(FILLED),
    ],
    "freemetric:gaps": [FILLED, Gaps.of(X)],
    "freemetric:vector-index": [
        VectorIndex.of([X[:30], X[30:]], np.arange(40)),
        VectorIndex.of([X], np.array(["x" * i for i in range(40)]), "faiss"),
    ],
    **{
        f"view:{name}": [VIEWS[name].of(X), VIEWS[name].of(X * 0 + 1), VIEWS[name].of(np.exp(X))]
        for name in ("scaled", "logs", "quantiles", "steps", "whitened", "axes")
    },
    "view:products": [Products.of(X), Products.of(X * 0 + 1)],
    **{f"trend:{name}": [crossed_trend(TRENDS[name], MANY, MANY[:, 0] ** 2)[0]] for name in TRENDS},
    **{
        f"density:{name}": [CLASS_DENSITIES[name].of(X, y, 3), CLASS_DENSITIES[name].of(X * 0 + 1, y, 4)]
        for name in CLASS_DENSITIES
    },
    "density:kernel-ridge": [KERNEL],
}

PARAMETER_OBJECTS = {
    "energy:nca": [NCAEnergy()],
    "energy:log-nca": [LogNCAEnergy()],
    "energy:neighbor-likelihood": [NeighborLikelihoodEnergy(), NeighborLikelihoodEnergy(0.5, n_neighbors=8)],
    "energy:regression": [RegressionEnergy(), RegressionEnergy("pinball", quantile=0.9)],
    "energy:lmnn": [LMNNEnergy(), LMNNEnergy(1, 0.2)],
    "energy:knn-error": [KNNErrorEnergy(5)],
    "energy:balanced-error": [BalancedErrorEnergy()],
    "energy:f-beta": [FBetaEnergy(), FBetaEnergy(2.0, 5, positive=1)],
    "energy:ranking": [RankingEnergy(), RankingEnergy("ndcg", 5)],
    "energy:pair": [PairEnergy(np.array([[0, 1], [2, 3]]), np.array([1, -1]), "auc")],
    "energy:triplet": [TripletEnergy([[0, 1, 2]], margin=0.5)],
    "energy:multi-label": [MultiLabelEnergy()],
    "energy:sparsity": [Sparsity(), Sparsity(0.1)],
    "energy:diagonal": [Diagonal(NCAEnergy())],
    "energy:confinement": [Confinement()],
    "energy:sum": [NCAEnergy() + LogNCAEnergy(), NCAEnergy() + 1e-4 * Confinement()],
    "energy:scaled": [2.0 * Diagonal(NCAEnergy() + Confinement())],
    "energy:mini-batch": [MiniBatch(NCAEnergy() + 1e-4 * Confinement(), 8)],
    "mc:annealing": [QUICK, mc.Annealing(mc.Adaptive(), mc.MatrixMove(), n_steps=4, tol=np.float32(0.5))],
    "mc:tempering": [mc.ParallelTempering((0.0, 1e-3), "element", n_steps=3), mc.ParallelTempering()],
    "mc:adaptive": [mc.Adaptive(0.5, speed=0.1, window=3)],
    "mc:constant": [mc.Constant(), mc.Constant(1e-4)],
    "mc:geometric": [mc.Geometric(0.1, 0.9)],
    "mc:linear": [mc.Linear(1.0, 0.5, 7)],
    "mc:element": [mc.ElementMove(), mc.ElementMove(0.3, n_moves="samples", target_acceptance=None)],
    "mc:matrix": [mc.MatrixMove()],
    "mc:stretch-rotate": [mc.StretchRotateMove()],
    "mc:hamiltonian": [mc.HamiltonianMove()],
    "mc:langevin": [mc.LangevinMove(), mc.LangevinMove(0.1, friction=0, target_acceptance=None)],
    "mc:penalty": [mc.PenaltyMove(), mc.PenaltyMove(mc.ElementMove(0.3), n_batches=4)],
}


def transformers():
    """scikit-learn's, fitted, by tag."""
    columns = make_column_transformer((MinMaxScaler(), [0, -1]), ("passthrough", [1]), remainder=RobustScaler())
    return {
        "sklearn:ColumnTransformer": [columns.fit(X), clone(columns).set_params(remainder="drop").fit(X)],
        "sklearn:Pipeline": [make_pipeline(MinMaxScaler(), RobustScaler()).fit(X)],
        "sklearn:make_column_selector": [make_column_selector("a", dtype_include=np.number, dtype_exclude=["object"])],
        "sklearn:SimpleImputer": [
            SimpleImputer(add_indicator=True).fit(GAPS),
            SimpleImputer(strategy="constant", fill_value="none").fit(TEXTS),
        ],
        "sklearn:MissingIndicator": [MissingIndicator().fit(GAPS), MissingIndicator(features="all").fit(GAPS)],
        "sklearn:OneHotEncoder": [
            OneHotEncoder().fit(TEXTS),
            OneHotEncoder(min_frequency=10, drop="first", sparse_output=False).fit(TEXTS),
            OneHotEncoder(drop="if_binary", dtype=np.float32).fit(TEXTS),
            OneHotEncoder(categories=[["small", "large", "huge"]]).fit(TEXTS[:, 1:]),
            OneHotEncoder().fit(y[:, None]),
            OneHotEncoder().fit(np.array([[1, None], [2, "a"], [np.nan, "b"]], dtype=object)),
            OneHotEncoder(handle_unknown="ignore").fit(np.array([[1.5], [np.nan], [-0.5]] * 3)),
            OneHotEncoder().fit(y[:, None] == 1),
        ],
        "sklearn:OrdinalEncoder": [
            OrdinalEncoder().fit(TEXTS),
            OrdinalEncoder(categories=[["small", "large"]], dtype=np.int8).fit(TEXTS[:, 1:].astype("U5")),
            OrdinalEncoder(max_categories=2, encoded_missing_value=-1).fit(np.vstack([TEXTS, [[None, None]]])),
        ],
        "sklearn:MinMaxScaler": [MinMaxScaler().fit(X), MinMaxScaler((-1, 1), clip=True).fit(X)],
        "sklearn:Normalizer": [Normalizer().fit(X), Normalizer("max").fit(X)],
        "sklearn:MaxAbsScaler": [MaxAbsScaler().fit(X)],
        "sklearn:StandardScaler": [StandardScaler().fit(X), StandardScaler(with_mean=False, with_std=False).fit(X)],
        "sklearn:RobustScaler": [RobustScaler(quantile_range=(10.0, 90.0)).fit(X)],
        "sklearn:QuantileTransformer": [
            QuantileTransformer(n_quantiles=10, random_state=np.random.RandomState(3)).fit(X),
            QuantileTransformer(n_quantiles=10, output_distribution="normal").fit(X),
        ],
        "sklearn:FunctionTransformer": [FunctionTransformer().fit(X)],
    }


def searches():
    """Searches that were loaded before, because a fit sets attributes in another order; and splitters of rows."""
    knn, few = MetricKNeighborsClassifier(LEARNERS["rca"](), 3), {"n_neighbors": [1, 3]}
    kinds = [
        model_selection.GridSearchCV(knn, few, cv=model_selection.KFold(2)),
        model_selection.RandomizedSearchCV(knn, {"n_neighbors": stats.randint(1, 9)}, n_iter=2, random_state=0, cv=2),
        *(
            halving(knn, few, cv=2, **more)
            for halving, more in zip(
                HALVING, ({"random_state": 0}, {"n_candidates": 2, "random_state": 0}), strict=True
            )
        ),
    ]
    found = {f"sklearn:{type(search).__name__}": [loaded_again(search.fit(X, y > 0))] for search in kinds}
    for name in SPLITTERS.split():
        cls = getattr(model_selection, name)
        given = {"random_state": 1, "shuffle": True}
        known = {key: value for key, value in given.items() if key in inspect.signature(cls).parameters}
        found[f"sklearn:{name}"] = [cls(), cls(**known)]
    return found


def loaded_again(model):
    held = io.BytesIO()
    freemetric.save(model, held)
    held.seek(0)
    return freemetric.load(held)


def learners():
    """Fitted learners and classifiers, by tag."""
    seeds = {
        name: {"random_state": 0} if "random_state" in cls().get_params() else {} for name, cls in LEARNERS.items()
    }
    made = {f"freemetric:{name}": [cls(**seeds[name]).fit(X, y)] for name, cls in LEARNERS.items()}
    made["freemetric:mlkr"] = [MLKR(2, random_state=0).fit(X, X[:, 0] ** 2), MLKR(1).fit(X, X[:, 1:3])]
    made["freemetric:kernelized"] = [
        Kernelized(LEARNERS["rca"](2), random_state=0).fit(X, y),
        Kernelized(MLKR(1), "poly", gamma=0.5, max_exact=0, n_landmarks=9, random_state=0).fit(X, X[:, 0] ** 2),
        Kernelized(LEARNERS["euclidean"](), "precomputed", n_landmarks=9, max_exact=0).fit(X @ X.T),
    ]
    weights = np.where(y == 0, 2.0, 0.5)
    many = FreeEnergyClassifier(8, recipe=Recipe(candidates=["scaled/full", "steps/diagonal"]), random_state=0)
    short = FreeEnergyClassifier(recipe=replace(Recipe(), n_replicas=8, n_steps=4), random_state=0)
    return made | {
        "freemetric:free-energy-classifier": [many.fit(X, y, weights), short.fit(X, np.array(["a", "b", "c"])[y])],
        "freemetric:free-energy-selector": [FreeEnergySelector(n_replicas=2, random_state=0).fit(X, y)],
        "freemetric:metric-k-neighbors-classifier": [
            MetricKNeighborsClassifier(QUICK_DMLFE, n_folds=2, random_state=0).fit(X, np.where(y == 2, -1, y)),
            MetricKNeighborsClassifier(make_pipeline(StandardScaler(), LEARNERS["rca"]()), 3).fit(X, y),
        ],
        "freemetric:metric-retriever": [
            MetricRetriever(random_state=0).fit(X, y).remove([3]),
            MetricRetriever("cosine").fit(X, ids=[f"item {i}" for i in range(40)]),
        ],
        "freemetric:metric-k-neighbors-regressor": [
            MetricKNeighborsRegressor(MLKR(2), n_folds=2, random_state=0).fit(X, X[:, 0] ** 2),
            MetricKNeighborsRegressor(LEARNERS["euclidean"](), 3, weights="distance").fit(X, X[:, 1:3]),
        ],
        **tuples(),
        **regressors(weights, [many.ensemble_, short.ensemble_]),
        **tables(),
        **under_names_of_metric_learn(),
    }


def under_names_of_metric_learn():
    """Its estimators of points, of tuples, and of indices with the points kept inside."""
    rows = np.arange(40).reshape(-1, 2)
    signs = np.where(np.arange(20) % 2, 1, -1)
    given = {"ITML": (rows, signs), "MMC": (rows, signs), "SDML": (rows, signs), "LSML": (rows.reshape(-1, 4),)}
    given["SCML"] = (np.arange(39).reshape(-1, 3),)
    options = {"RCA_Supervised": {"n_chunks": 9}, "SCML": {"n_basis": 5}, "SCML_Supervised": {"n_basis": 5}}
    made = {}
    for name in set(metric_learn.__all__) - {"Constraints"}:
        cls, tag = getattr(metric_learn, name), f"metric-learn:{name.lower().replace('_', '-')}"
        looked_up = cls(preprocessor=X, **options.get(name, {})).fit(*given.get(name, (np.arange(40), y)))
        made[tag] = [looked_up] if name in given else [looked_up, clone(looked_up).fit(X, y)]
    return made


def tuples():
    """Classifiers of pairs, triplets and quadruplets, with samples and with indices."""
    rows = np.arange(40).reshape(-1, 2)
    signs = np.where(np.arange(20) % 3, 1, -1)
    itml, scaled = LEARNERS["itml"](random_state=0), make_pipeline(MinMaxScaler(), LEARNERS["sdml"]())
    compared = np.column_stack([rows, rows[::-1]])
    return {
        "freemetric:pair-classifier": [
            PairClassifier(itml, preprocessor=X).fit(rows, signs),
            PairClassifier(scaled, n_folds=2).fit(X[rows], signs, calibrate={"strategy": "f_beta", "beta": 2.0}),
            PairClassifier(itml).fit(X[rows], signs, calibrate=None),
        ],
        "freemetric:triplet-classifier": [TripletClassifier(LEARNERS["lmnn"]()).fit(X[compared[:, :3]])],
        "freemetric:quadruplet-classifier": [
            QuadrupletClassifier(LEARNERS["lsml"](), preprocessor=X).fit(compared, signs, weights=X[:20, 0])
        ],
    }


def regressors(weights, ensembles):
    """Models of regression, and what they are made of, beside ensembles of classification."""
    usual = FreeEnergyRegressor(6, recipe=Recipe(candidates=["scaled/full", "steps/diagonal"]), random_state=0).fit(
        X, X[:, 0] - 0.5
    )
    skewed = FreeEnergyRegressor(4, scale="log", random_state=0).fit(X, np.exp(3 * X[:, 1]), weights)
    return {
        "freemetric:free-energy-regressor": [usual, skewed],
        "freemetric:ensemble": [*ensembles, usual.ensemble_, skewed.ensemble_],
        "freemetric:training-set": [*VALUES["freemetric:training-set"], usual.ensemble_.training_set],
        "freemetric:regression-head": [usual.ensemble_.head, skewed.ensemble_.head],
        "freemetric:target-encoding": [usual.ensemble_.head.encoding, skewed.ensemble_.head.encoding],
        "freemetric:scale": [usual.ensemble_.head.scale, skewed.ensemble_.head.scale],
    }


def tables():
    """Models of tables with names, gaps, dates and a column that is left out."""
    days = np.datetime64("2024-01-31") + rng.integers(0, 900, 27)
    rows = {"size": GAPS[:27, 0], "colour": TEXTS[:, 0], "day": days, "one": np.ones(27)}
    frame = pd.DataFrame(rows).astype({"colour": "category"})
    named = TableClassifier(MetricKNeighborsClassifier(LEARNERS["rca"](), 3), drop=["one"], missing=("?",))
    numbered = TableClassifier(MetricKNeighborsClassifier(LEARNERS["euclidean"](), 1), random_state=1)
    made = [named.fit(frame, TEXTS[:, 1]), numbered.fit(frame[["size", "colour"]].to_numpy(), y[:27] == 0)]
    priced = TableRegressor(MetricKNeighborsRegressor(LEARNERS["euclidean"](), 3)).fit(frame, X[:27, 0])
    models = [model.model_ for model in (*made, priced)]
    return {
        "freemetric:table-classifier": made,
        "freemetric:table-regressor": [priced],
        "freemetric:table-model": models,
    }


QUICK_DMLFE = LEARNERS["dmlfe"](sampler=QUICK, random_state=0)


def walks():
    """A walk that is kept while it goes on."""
    chain = chains()[1]
    trace = {"energy": [chain.state.energy] * chain.step}
    return [KeptWalk("0f", chain, [np.eye(3)] * (chain.step + 1), trace, Lowest(0.5, np.eye(3)))]


def recordings():
    """A run with a known reference and maps, and a trace without either."""
    settings = TemperingSettings(n_steps=6, n_rungs=3, n_rounds=1)
    run = temper(energies.NCAEnergy().bind(X, y), np.eye(3), 0.1, (0.01, 0.1), settings, random_state=0)
    trace = {"temperature": np.tile([0.1, 0.2], (6, 1)), "energy": np.arange(12.0).reshape(6, 2)}
    return [run, Recording.from_trace(trace)]


def chains():
    """Runs in the middle: at their beginning and later, of replicas that go alone and that change places."""
    energy = energies.NCAEnergy().bind(X, y)
    samplers = [QUICK, mc.ParallelTempering((0.0, 1e-3), n_steps=5), mc.Annealing(mc.Adaptive(), n_steps=5)]
    samplers.append(mc.Annealing(move="langevin", n_steps=5))
    made = []
    for sampler in samplers:
        A = np.repeat(np.eye(3)[None], sampler.n_replicas, axis=0)
        chain = sampler.begin(np.random.default_rng(0), energy, A)
        made.append(chain)
        for _ in range(2):
            chain, _ = sampler.advance(chain, energy)
        made.append(chain)
    return made
