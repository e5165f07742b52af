"""Weights of samples and copies of rows: weights are importance, a copy of a row is a row."""

import warnings

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import GridSearchCV, cross_validate, train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.utils.class_weight import compute_sample_weight

import freemetric
from freemetric import DMLFE, NCA, FreeEnergyClassifier, MetricKNeighborsClassifier, Recipe
from freemetric.energies import Diagonal, NCAEnergy
from freemetric.exceptions import DataWarning
from freemetric.kernels import reference
from freemetric.learners.training_rows import canonical_order
from freemetric.mc import Annealing, Constant, ElementMove

SAMPLER = Annealing(Constant(1e-4), n_steps=8)
ESTIMATORS = [
    NCA(max_iter=8),
    DMLFE(sampler=SAMPLER, random_state=0),
    DMLFE(energy="log-nca", sampler=Annealing(Constant(1e-3), ElementMove(0.3), n_steps=3), random_state=0),
    FreeEnergyClassifier(8, random_state=0),
]
every_estimator = pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def answer(estimator, X):
    return estimator.predict_proba(X) if hasattr(estimator, "predict_proba") else estimator.components_


def fitted(estimator, *args, **kwargs):
    return clone(estimator).fit(*args, **kwargs)


@pytest.mark.filterwarnings("ignore:.* rows (are copies|is a copy)")
@every_estimator
def test_copies_are_rows_and_weights_are_not_counts(estimator, wine, rng):
    X, y = wine
    times = rng.integers(1, 4, len(y))
    copied = np.repeat(np.arange(len(y)), times)
    weighted = answer(fitted(estimator, X, y, sample_weight=times), X)
    plain = answer(fitted(estimator, X, y), X)
    copies = answer(fitted(estimator, X[copied], y[copied]), X)
    assert np.abs(weighted - plain).max() > 1e-3
    assert np.abs(weighted - copies).max() > 1e-3


@pytest.mark.filterwarnings("ignore:.* rows (are copies|is a copy)")
@every_estimator
def test_the_order_of_copies_does_not_matter(estimator, wine, rng):
    X, y = wine
    rows = np.append(np.arange(len(y)), rng.integers(0, len(y), 60))
    order = rng.permutation(len(rows))
    first, second = (answer(fitted(estimator, X[some], y[some]), X) for some in (rows, rows[order]))
    np.testing.assert_array_equal(first, second)


@every_estimator
def test_equal_weights_and_the_order_of_rows_do_not_matter(estimator, wine, rng):
    X, y = wine
    order = rng.permutation(len(y))
    plain = answer(fitted(estimator, X, y), X)
    np.testing.assert_array_equal(answer(fitted(estimator, X[order], y[order]), X), plain)
    np.testing.assert_allclose(answer(fitted(estimator, X, y, sample_weight=np.full(len(y), 3.0)), X), plain)


@every_estimator
def test_a_class_of_no_weight_is_no_class(estimator, wine):
    X, y = wine
    model = fitted(estimator, X, y, sample_weight=y != 1)
    np.testing.assert_array_equal(model.classes_, [0, 2])
    np.testing.assert_array_equal(answer(model, X), answer(fitted(estimator, X[y != 1], y[y != 1]), X))


@every_estimator
@pytest.mark.parametrize(
    ("weights", "problem"),
    [
        (np.zeros(178), "zero"),
        (np.append(-1.0, np.ones(177)), "[Nn]egative"),
        (np.append(np.nan, np.ones(177)), "NaN"),
        (np.ones(100), "sample_weight.shape == \\(100,\\)"),
        (np.r_[1.0, np.zeros(177)], "at least two classes"),
    ],
)
def test_what_weights_cannot_be(estimator, wine, weights, problem):
    with pytest.raises(ValueError, match=problem):
        fitted(estimator, *wine, sample_weight=weights)


def weighted_energy(X, y, w, A):
    order = np.argsort(y, kind="stable")
    bounds = np.searchsorted(y[order], np.arange(y.max() + 2))
    return reference.energy(reference.prepare(X[None, order], bounds, weights=w[None, order]), A[None])[0]


@pytest.mark.parametrize("estimator", [NCA(tol=1e-7, max_iter=200), DMLFE(random_state=0)])
def test_the_weighted_energy_is_what_is_minimised(estimator, rng):
    X, y = make_classification(150, 5, n_informative=3, flip_y=0.2, class_sep=0.7, random_state=0)
    X, w = MinMaxScaler().fit_transform(X), rng.exponential(1.0, 150) ** 2
    plain = fitted(estimator, X, y)
    weighted = fitted(estimator.set_params(init=plain.components_), X, y, sample_weight=w)  # no other valley
    reached = weighted_energy(X, y, w, weighted.components_)
    assert reached < weighted_energy(X, y, w, plain.components_) - 0.01
    trap = 1e-4 * (weighted.components_**2).sum() if isinstance(estimator, DMLFE) else 0.0
    assert weighted.energy_ == pytest.approx(reached + trap, rel=1e-4)


@pytest.mark.slow
def test_balanced_weights_help_the_rare_class():
    gains = []
    for seed in range(4):
        X, y = make_classification(600, 6, weights=[0.92], class_sep=0.8, flip_y=0, random_state=seed)
        X1, X2, y1, y2 = train_test_split(X, y, stratify=y, random_state=seed)
        model = FreeEnergyClassifier(14, random_state=0)
        balanced = fitted(model, X1, y1, sample_weight=compute_sample_weight("balanced", y1))
        gains.append(
            balanced_accuracy_score(y2, balanced.predict(X2))
            - balanced_accuracy_score(y2, fitted(model, X1, y1).predict(X2))
        )
    assert np.mean(gains) > 0.05


def test_votes_weigh(rng):
    X, y = rng.random((60, 3)), np.arange(60) % 2
    w = np.where(y == 1, 5.0, 1.0)
    model = FreeEnergyClassifier(2, recipe=Recipe(candidates=["scaled/identity"], n_neighbors=7)).fit(
        X, y, sample_weight=w
    )
    span = np.ptp(X, axis=0)
    for query in rng.random((5, 3)):
        nearest = np.argsort(np.linalg.norm((X - query) / span, axis=1))[:7]
        expected = np.bincount(y[nearest], w[nearest], minlength=2)
        votes = model.votes(query[None], 7)[0, -1]
        np.testing.assert_allclose(votes / votes.sum(), expected / expected.sum(), rtol=1e-5)


def test_rows_of_no_weight_out_of_bag(wine):
    X, y = wine
    w = np.ones(len(y))
    w[100:110] = 0
    P = FreeEnergyClassifier(16, random_state=0).fit(X, y, sample_weight=w).oob_decision_function_
    assert P.shape == (178, 3)
    assert np.isnan(P[100:110]).all()
    assert np.isfinite(np.delete(P, np.arange(100, 110), axis=0)).mean() > 0.95


def few_rows(rng, n):
    """Parity of three bits with a tenth of the labels wrong: eight distinct rows."""
    X = rng.integers(2, size=(n, 3)).astype(float)
    return X, (X.sum(axis=1) % 2 == 1) ^ (rng.random(n) < 0.1)


@pytest.mark.filterwarnings("ignore::freemetric.exceptions.DataWarning")
@pytest.mark.parametrize(
    "model",
    [
        FreeEnergyClassifier(16, random_state=0),
        MetricKNeighborsClassifier(NCA(max_iter=10), random_state=0),
        MetricKNeighborsClassifier(DMLFE(sampler=SAMPLER, random_state=0), random_state=0),
    ],
    ids=["free-energy", "nca", "dmlfe"],
)
def test_where_rows_are_few_their_copies_are_evidence(model, rng):
    model.fit(*few_rows(rng, 500))
    X, y = few_rows(rng, 4000)
    assert model.score(X, y) > 0.88  # Bayes: 0.90
    if hasattr(model, "oob_score_"):
        assert model.oob_score_ == pytest.approx(0.9, abs=0.04)


def test_weight_does_not_tell_its_own_class():
    # labels are noise: a heavy row that stayed at its place in part would vote for itself
    shares = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X, y = rng.random((150, 3)), rng.integers(0, 2, 150)
        w = np.where(rng.random(150) < 0.3, 50.0, 1.0)
        model = FreeEnergyClassifier(16, random_state=0).fit(X, y, sample_weight=w)
        out_of_bag = np.isfinite(model.oob_decision_function_[:, 0])
        right = model.classes_[model.oob_decision_function_[out_of_bag].argmax(axis=1)] == y[out_of_bag]
        shares.append(right[w[out_of_bag] > 1].mean())
    assert np.mean(shares) < 0.75  # some 45 heavy rows choose among many candidates: more than half, by chance


def test_weights_are_saved(wine, rng, tmp_path):
    X, y = wine
    model = FreeEnergyClassifier(8, random_state=0).fit(X, y, sample_weight=rng.integers(0, 3, len(y)))
    model.save(tmp_path / "model.fm")
    np.testing.assert_array_equal(freemetric.load(tmp_path / "model.fm").predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize(
    ("estimator", "name"),
    [(DMLFE(sampler=SAMPLER), "energy"), (FreeEnergyClassifier(4), "recipe__energy")],
    ids=["DMLFE", "classifier"],
)
def test_an_energy_that_cannot_weigh(estimator, name, wine):
    X, y = wine

    class Own:
        def bind(self, X, y, **options):
            return NCAEnergy().bind(X, y, **options)

    for energy in (Own(), NCAEnergy() + Diagonal(Own()), lambda A: (A**2).sum(axis=(1, 2))):
        model = clone(estimator).set_params(**{name: energy})
        with pytest.raises(ValueError, match="this energy cannot weigh samples"):
            model.fit(X, y, sample_weight=np.ones(len(y)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # copies
        clone(estimator).set_params(**{name: Own()}).fit(np.vstack([X, X]), np.append(y, y))


def test_the_canonical_order_is_that_of_the_rows_themselves(rng):
    X, y, w = rng.integers(0, 3, (40, 2)).astype(float), rng.integers(0, 2, 40), rng.integers(1, 3, 40).astype(float)
    table = np.column_stack([X, y, w])
    shuffled = rng.permutation(40)
    first = table[canonical_order(X, y, w)]
    second = table[shuffled][canonical_order(X[shuffled], y[shuffled], w[shuffled])]
    np.testing.assert_array_equal(first, second)
    scaled = canonical_order(X * 1000 + 7, y, w)
    np.testing.assert_array_equal(table[scaled], first)


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


@pytest.mark.usefixtures("routing")
class TestRouting:
    def test_weights_go_through_a_pipeline(self, wine, rng):
        X, y = wine
        w = rng.integers(0, 3, len(y))
        learner = NCA(max_iter=5).set_fit_request(sample_weight=True)
        pipeline = make_pipeline(learner, KNeighborsClassifier()).fit(X, y, sample_weight=w)
        np.testing.assert_array_equal(pipeline[0].components_, NCA(max_iter=5).fit(X, y, w).components_)

    def test_weights_go_through_a_search(self, wine, rng):
        X, y = wine
        w = rng.integers(0, 3, len(y))
        model = FreeEnergyClassifier(4, random_state=0)
        model.set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        search = GridSearchCV(model, {"recipe__subsample": [0.4, 0.5]}, cv=2).fit(X, y, sample_weight=w)
        best = FreeEnergyClassifier(4, random_state=0).set_params(**search.best_params_).fit(X, y, sample_weight=w)
        np.testing.assert_array_equal(search.predict_proba(X), best.predict_proba(X))

    def test_unused_weights_are_refused(self, wine):
        X, y = wine
        with pytest.raises(sklearn.exceptions.UnsetMetadataPassedError):
            cross_validate(NCA(), X, y, scoring=lambda *_: 0.0, params={"sample_weight": np.ones(len(y))})
