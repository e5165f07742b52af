import gc
import weakref
from dataclasses import replace

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.datasets import load_wine, make_classification
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.neighbors import KNeighborsClassifier

from freemetric import FreeEnergyClassifier, Recipe
from freemetric.energies import CallableEnergy, Diagonal, LogNCAEnergy, NCAEnergy
from freemetric.exceptions import DataWarning
from freemetric.mc import Annealing, Constant, ElementMove, ParallelTempering


@pytest.fixture(scope="module")
def model(wine):
    X, y = wine
    return FreeEnergyClassifier(12, random_state=0).fit(X[::2], y[::2])


def nearest_classes(Z, y, query, k, without=None):
    D = np.linalg.norm(Z - query, axis=1)
    if without is not None:
        D[without] = np.inf
    return y[np.argsort(D, kind="stable")[:k]]


def test_prediction_by_brute_force(model, wine):
    X, y = wine
    query, train, labels = X[1], X[::2], y[::2]
    mixed = np.zeros(3)
    for member, weights in zip(model.members_, model.ensemble_.weights, strict=True):
        view, form = model.views_[member.candidate.view], member.candidate.form
        V, q = view(train), view(query[None])[0]
        maps = [np.eye(V.shape[1])] if form == "identity" else member.maps
        for A in maps:
            A = np.diag(A[0]) if form == "diagonal" else A
            votes = np.eye(3)[nearest_classes(V @ A.T, labels, A @ q, 40)].cumsum(axis=0)
            mixed += weights @ (votes / np.arange(1, 41)[:, None]) / len(maps)
    assert mixed.sum() == pytest.approx(1)
    head = model.ensemble_.head
    Z = head.slope * np.log(mixed + 0.05) + head.bias
    for strength, density in zip(head.strengths, head.densities, strict=True):
        Z -= strength * density(query[None])[0]
    expected = np.exp(Z) / np.exp(Z).sum()
    np.testing.assert_allclose(model.predict_proba(query[None])[0], expected, atol=1e-5)


def test_selection_says_what_was_tried(model):
    table = model.selection_
    assert set(table) == {
        "view", "form", "energy", "temperature", "confinement", "bag_size", "n_replicas", "n_neighbors", "oob_error",
        "oob_brier", "weight",
    }  # fmt: skip
    assert len({len(column) for column in table.values()}) == 1
    assert table["weight"].sum() == pytest.approx(1)
    one_k = table["n_neighbors"] == 1
    assert table["n_replicas"][one_k].sum() == 12
    kinds = set(zip(table["view"][one_k], table["form"][one_k], strict=True))
    assert {tuple(name.split("/")[:2]) for name in Recipe().candidates} <= kinds
    used = table["weight"] > 0
    assert set(table["n_neighbors"][used]) <= {1, 2, 3, 5, 8, 13, 20, 32}
    by_k = [table["weight"][table["n_neighbors"] == k].sum() for k in range(1, 41)]
    assert model.n_neighbors_ == np.argmax(by_k) + 1


def test_the_best_kind_is_tried_at_other_temperatures(wine):
    recipe = Recipe(candidates=["scaled/diagonal", "scaled/full"], first_share=0.5)
    model = FreeEnergyClassifier(36, recipe=recipe, random_state=0).fit(*wine)
    first = model.selection_["n_neighbors"] == 1
    table = {name: column[first] for name, column in model.selection_.items()}
    assert len(table["view"]) == 4
    assert table["form"][2] == table["form"][3]
    np.testing.assert_allclose(table["temperature"], [1e-3, 1e-3, 1e-3 / 3, 3e-3])
    np.testing.assert_allclose(table["confinement"], 0.3 * table["temperature"])


def test_a_given_temperature_and_confinement_are_kept(wine):
    model = FreeEnergyClassifier(6, recipe=Recipe(temperature=5e-4, confinement=1e-4), random_state=0).fit(*wine)
    learned = model.selection_["form"] != "identity"
    assert set(model.selection_["temperature"][learned]) == {5e-4}
    assert set(model.selection_["confinement"][learned]) == {1e-4}
    assert (model.temperature_, model.confinement_) == (5e-4, 1e-4)


def test_a_given_k_is_the_only_one(wine):
    model = FreeEnergyClassifier(6, recipe=Recipe(n_neighbors=7), random_state=0).fit(*wine)
    assert set(model.selection_["n_neighbors"][model.selection_["weight"] > 0]) == {7}
    assert model.n_neighbors_ == 7
    P = model.predict(wine[0])
    np.testing.assert_array_equal(P, model.classes_[model.decisions(wine[0])[:, 6]])


@pytest.mark.slow
def test_out_of_bag_error_predicts_the_test_error():
    X, y = load_wine(return_X_y=True)
    gaps = []
    for seed in range(4):
        X1, X2, y1, y2 = train_test_split(X, y, test_size=0.5, stratify=y, random_state=seed)
        model = FreeEnergyClassifier(20, random_state=seed).fit(X1, y1)
        gaps.append(model.oob_score_ - model.score(X2, y2))
    assert abs(np.mean(gaps)) < 0.04


def test_irrelevant_features_are_found_out(rng):
    X, y = make_classification(300, 12, n_informative=4, n_redundant=0, shuffle=False, class_sep=1.5, random_state=3)
    model = FreeEnergyClassifier(10, random_state=0).fit(X, y)
    weights = model.distance_weights_
    assert weights.sum() == pytest.approx(1)
    assert weights[:4].mean() > 2 * weights[4:].mean()
    assert (model.distance_weights_std_ >= 0).all()


def test_distance_weights_of_one_diagonal_metric_by_hand(wine):
    X, y = wine
    model = FreeEnergyClassifier(1, recipe=Recipe(candidates=["scaled/diagonal"], temperature=1e-3), random_state=0)
    with pytest.warns(DataWarning, match="never out of bag"):
        model.fit(X, y)
    w = model.members_[0].maps[0, 0]
    by_hand = w**2 * model.views_["scaled"](X).var(axis=0)
    np.testing.assert_allclose(model.distance_weights_, by_hand / by_hand.sum())


def test_embedding_has_the_mean_squared_distance(wine):
    X, y = wine
    model = FreeEnergyClassifier(6, recipe=Recipe(candidates=["scaled/full"], temperature=1e-3), random_state=0).fit(
        X, y
    )
    Z = model.embed(X[:5])
    V, covariance = model.views_["scaled"](X), np.cov(model.views_["scaled"](X), rowvar=False)
    expected = 0.0
    for A in model.members_[0].maps:
        scale = 2 * np.trace(A @ covariance @ A.T)
        expected += ((A @ (V[0] - V[1])) ** 2).sum() / scale / 6
    assert ((Z[0] - Z[1]) ** 2).sum() == pytest.approx(expected, rel=1e-6)


def test_units_of_features_do_not_matter(wine):
    X, y = wine
    units = np.logspace(-3, 3, 13)
    plain = FreeEnergyClassifier(6, random_state=0).fit(X[::2], y[::2])
    scaled = FreeEnergyClassifier(6, random_state=0).fit(X[::2] * units + 7, y[::2])
    assert (plain.predict(X[1::2]) == scaled.predict(X[1::2] * units + 7)).mean() > 0.97


def test_probabilities_and_predictions_agree(wine):
    X, y = wine
    names = np.array(["a", "b", "c"])[y]
    model = FreeEnergyClassifier(6, random_state=0).fit(X, names)
    P = model.predict_proba(X)
    np.testing.assert_allclose(P.sum(axis=1), 1)
    np.testing.assert_array_equal(model.classes_[P.argmax(axis=1)], model.predict(X))


@pytest.mark.slow
def test_probabilities_are_calibrated():
    chances, truths = [], []
    for seed in range(4):
        X, y = make_classification(1200, 6, n_informative=4, flip_y=0.3, random_state=seed)
        model = FreeEnergyClassifier(12, random_state=0).fit(X[:400], y[:400])
        chances.append(model.predict_proba(X[400:])[:, 1])
        truths.append(y[400:])
    P, y = np.concatenate(chances), np.concatenate(truths)
    for low, high in ((0.0, 0.35), (0.35, 0.65), (0.65, 1.0)):
        inside = (low <= P) & (high > P)
        assert inside.sum() > 200
        assert abs(P[inside].mean() - y[inside].mean()) < 0.08


def test_results_do_not_depend_on_threads(wine):
    X, y = wine
    one, two = (FreeEnergyClassifier(4, n_jobs=n, random_state=0).fit(X, y) for n in (1, 2))
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))


def test_low_rank_and_another_sampler(wine):
    sampler = Annealing(Constant(2e-3), ElementMove(0.3), n_steps=5)
    model = FreeEnergyClassifier(6, recipe=Recipe(n_components=3, energy="nca", sampler=sampler), random_state=0).fit(
        *wine
    )
    learned = [member for member in model.members_ if member.candidate.learns]
    assert learned
    assert all(member.maps.shape[1:] == (3, 13) for member in learned)
    assert model.temperature_ == 2e-3
    assert model.oob_score_ > 0.9


@pytest.mark.parametrize("energy", [LogNCAEnergy(), "nca"])
def test_energies_of_ones_own(wine, energy):
    model = FreeEnergyClassifier(4, recipe=Recipe(energy=energy), random_state=0).fit(*wine)
    assert model.oob_score_ > 0.9


def test_a_callable_energy_moves_full_maps_of_scaled_features_only(wine):
    def lopsided(A):
        return 1e-2 * ((A - np.diag(np.arange(13.0))) ** 2).sum(axis=(1, 2))

    sampler = Annealing(Constant(1e-4), ElementMove(0.5), n_steps=3)
    model = FreeEnergyClassifier(4, recipe=Recipe(energy=lopsided, sampler=sampler), random_state=0).fit(*wine)
    learned = model.selection_["form"] != "identity"
    assert set(model.selection_["view"][learned]) == {"scaled"}
    assert set(model.selection_["form"][learned]) == {"full"}


def test_few_patterns_clip_the_number_of_neighbors(iris):
    X, y = iris[0][::15], iris[1][::15]
    model = FreeEnergyClassifier(36, recipe=Recipe(n_neighbors=30), random_state=0).fit(X, y)
    assert model.n_neighbors_ == 9


def test_nobody_out_of_bag(iris):
    model = FreeEnergyClassifier(1, recipe=Recipe(candidates=["scaled/full"], subsample=0.99), random_state=0)
    with pytest.warns(DataWarning, match="150 of 150 samples were never out of bag"):
        model.fit(*iris)
    assert np.isnan(model.oob_score_)
    assert model.score(*iris) > 0.9


def test_only_plain_neighbors(iris):
    X, y = iris
    model = FreeEnergyClassifier(recipe=Recipe(candidates=["scaled/identity"], n_neighbors=5)).fit(X[::2], y[::2])
    assert model.snapshots_ is None
    assert model.trace_ == {}
    plain = KNeighborsClassifier(5).fit(X[::2], y[::2]).score(X[1::2], y[1::2])
    assert model.score(X[1::2], y[1::2]) == pytest.approx(plain, abs=0.03)


def test_a_large_set_is_learned_and_scored_on_parts_of_it():
    recipe = Recipe(most_learned_on=100, most_scored=150, cheap_bag=50, affordable_bag=50)
    X, y = make_classification(900, 6, n_informative=4, random_state=0)
    model = FreeEnergyClassifier(recipe=recipe, random_state=0).fit(X, y)
    first = model.selection_["n_neighbors"] == 1
    assert model.selection_["n_replicas"][first].sum() == 30  # 60 * 50 / 100
    assert np.isfinite(model.oob_decision_function_[:, 0]).sum() == 150
    assert model.score(X, y) > 0.85


def test_unknown_and_no_candidates(iris):
    with pytest.raises(ValueError, match="candidates: 'cubic/full' is unknown; a kind is a view"):
        FreeEnergyClassifier(recipe=Recipe(candidates=["cubic/full"])).fit(*iris)
    with pytest.raises(ValueError, match="candidates of Recipe are none"):
        FreeEnergyClassifier(recipe=Recipe(candidates=[])).fit(*iris)


def test_an_interrupted_fit_ends(wine):
    class Interrupted(Annealing):
        def iterate(self, rng, energy, A):
            for k, step in enumerate(super().iterate(rng, energy, A)):
                if k == 10:
                    raise KeyboardInterrupt
                yield step

    model = FreeEnergyClassifier(
        4, recipe=Recipe(sampler=Interrupted(Constant(3e-4)), candidates=["scaled/full"]), random_state=0
    )
    with pytest.raises(KeyboardInterrupt):
        model.fit(*wine)


def test_tempering_gives_its_coldest_replica(wine):
    sampler = ParallelTempering((1e-4, 1e-3), ElementMove(0.3), n_steps=4)
    model = FreeEnergyClassifier(4, recipe=Recipe(sampler=sampler, candidates=["scaled/diagonal"]), random_state=0).fit(
        *wine
    )
    assert model.trace_["temperature"].shape == (4, 4)
    assert set(model.trace_["temperature"].ravel()) == {1e-4}


@pytest.mark.parametrize("device", ["cpu", "reference"])
def test_documented_devices(iris, device):
    X, y = iris
    model = FreeEnergyClassifier(4, device=device, random_state=0).fit(X[::3], y[::3])
    assert model.score(X, y) > 0.9


def test_minus_one_is_unlabelled_where_others_are_labels(wine):
    X, y = wine
    labels = np.where(y == 0, -1, y)
    with pytest.warns(DataWarning, match=r"59 unlabelled rows \(y = -1\) are left out; if -1 is a class"):
        FreeEnergyClassifier(4, random_state=0).fit(X, labels)
    model = FreeEnergyClassifier(4, random_state=0).fit(X[y < 2], labels[y < 2])
    np.testing.assert_array_equal(model.classes_, [-1, 1])
    labels[::5] = -1
    with pytest.warns(DataWarning, match="unlabelled"):
        model = FreeEnergyClassifier(6, random_state=0).fit(X, np.where(labels == -1, -1, y))
    assert len(model.ensemble_.training_set) == (labels != -1).sum()
    assert np.isnan(model.oob_decision_function_[labels == -1]).all()


def test_a_recipe_is_a_parameter(iris):
    recipe = Recipe(
        n_replicas=6, cheap_bag=150, n_steps=3, candidates=("scaled/full",), calibration="none", n_neighbors=(3, 5)
    )
    model = clone(FreeEnergyClassifier(recipe=recipe, random_state=0)).fit(*iris)
    assert model.trace_["energy"].shape == (3, 12)  # bags of 75 samples: twice as many
    assert set(model.selection_["n_neighbors"][model.selection_["weight"] > 0]) <= {3, 5}
    assert model.ensemble_.head.slope == 1.0
    given = FreeEnergyClassifier(4, recipe=replace(recipe, candidates=["scaled/diagonal"]), random_state=0).fit(*iris)
    assert given.trace_["energy"].shape == (3, 4)
    assert set(given.selection_["form"]) == {"diagonal"}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"candidates": ("scaled/cubic",)}, "'scaled/cubic' is unknown"),
        ({"candidates": ()}, "candidates of Recipe are none"),
        ({"n_steps": 0}, "n_steps of Recipe is no positive whole number: 0"),
        ({"subsample": 1.0}, "subsample of Recipe is no share"),
        ({"calibration": "most"}, "calibration of Recipe is none of full, slope, none"),
        ({"caution": -1.0}, "caution of Recipe is no positive number"),
        (
            {"temperature": {"lnca": 1e-3}},
            "temperature of Recipe has other entries than numbers for some of log-nca, nca, neighbor-likelihood",
        ),
        ({"n_neighbors": (1, 2.5)}, "n_neighbors of Recipe are no positive whole numbers"),
    ],
)
def test_recipes_that_cannot_be(change, problem):
    with pytest.raises(ValueError, match=problem):
        Recipe(**change)


def test_in_a_grid_search(iris):
    search = GridSearchCV(FreeEnergyClassifier(4, random_state=0), {"recipe__temperature": [1e-4, 1e-3]}, cv=2)
    assert search.fit(*iris).best_score_ > 0.9


def test_under_pandas_output(iris):
    with sklearn.config_context(transform_output="pandas"):
        assert FreeEnergyClassifier(8, random_state=0).fit(*iris).score(*iris) > 0.9


def test_a_diagonal_energy_is_that_of_the_diagonal_map(iris, rng):
    w = rng.random((2, 1, 4))
    full = LogNCAEnergy().bind(*iris)
    diagonal = Diagonal(LogNCAEnergy()).bind(*iris)
    np.testing.assert_allclose(diagonal(w), full(np.array([np.diag(v[0]) for v in w])))
    value, gradient = diagonal.value_and_grad(w)
    np.testing.assert_allclose(value, diagonal(w), rtol=1e-6)
    for j in range(4):
        h = np.zeros((2, 1, 4))
        h[:, 0, j] = 1e-2
        np.testing.assert_allclose(gradient[:, 0, j], (diagonal(w + h) - diagonal(w - h)) / 2e-2, rtol=0.02, atol=1e-4)


def test_a_diagonal_energy_without_gradient_has_none(iris):
    bound = Diagonal(CallableEnergy(lambda A: (A**2).sum(axis=(1, 2)))).bind(*iris)
    assert not hasattr(bound, "value_and_grad")
    assert bound(np.full((1, 1, 4), 2.0)) == 16


def test_what_predictions_share_is_made_once_and_dies_with_the_ensemble(wine):
    X, y = wine
    model = FreeEnergyClassifier(4, random_state=0).fit(X[::2], y[::2])
    kept = model.predict_proba(X)
    index = weakref.ref(model.ensemble_.computed["index"])
    model.predict(X)
    assert model.ensemble_.computed["index"] is index()
    again = model.fit(X[1::2], y[1::2]).predict_proba(X)
    gc.collect()
    assert index() is None
    assert np.abs(again - kept).max() > 0.01


def test_searches_for_votes_are_kept(wine, monkeypatch):
    X, y = wine
    model = FreeEnergyClassifier(4, random_state=0).fit(X, y)
    votes = model.votes(X)
    first = model.ensemble_.computed["searches"]
    assert first[0] == (None, "cpu")
    model.votes(X)
    assert model.ensemble_.computed["searches"] is first
    model.set_params(n_jobs=2).votes(X)
    assert model.ensemble_.computed["searches"] is not first
    monkeypatch.setattr("freemetric.ensemble.model.KEPT_BYTES", 0)
    np.testing.assert_array_equal(model.set_params(n_jobs=1).votes(X), votes)


def test_thermodynamics_have_the_energy_of_the_candidate_that_was_followed():
    """The weightiest of its temperature and trap; where there is none, the weightiest of all."""
    model = FreeEnergyClassifier()
    model.selection_ = {
        "view": np.array(["scaled"] * 3),
        "form": np.array(["full"] * 3),
        "temperature": np.array([1e-3, 1e-3, 3e-3]),
        "confinement": np.full(3, 3e-4),
        "weight": np.array([0.1, 0.3, 0.6]),
        "energy": np.array(["nca", "log-nca", "nca"]),
        "bag_size": np.array([10, 20, 30]),
    }
    model.snapshots_ = {"view": "scaled", "form": "full"}
    for temperature, size, energy in ((1e-3, 20, LogNCAEnergy), (9.0, 30, NCAEnergy)):
        model.temperature_, model.confinement_ = temperature, 3e-4
        found = model._best_energy()
        assert (type(found[0]), found[1]) == (energy, size)
