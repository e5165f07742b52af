"""What classifier and regressor have in common, as users of scikit-learn expect it."""

import pickle
from copy import deepcopy

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone, is_classifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from freemetric import FreeEnergyClassifier, FreeEnergyRegressor
from freemetric.ensemble.base import CANDIDATES
from freemetric.ensemble.pool import Pool
from freemetric.ensemble.trends import Noise


def answers(model, X):
    """All that a model says about samples, as one array."""
    if is_classifier(model):
        return model.predict_proba(X)
    return np.column_stack([model.predict(X), model.predict_interval(X)])


def out_of_bag(model):
    if is_classifier(model):
        return model.oob_decision_function_
    return model.oob_prediction_


def use(model, X):
    """Call every public method that looks at a fitted model."""
    answers(model, X)
    model.predict(X)
    pairs = np.stack([X[:2], X[2:4]], axis=1)
    if is_classifier(model):
        model.predict_log_proba(X)
        model.predict_set(X)
    else:
        model.predict_quantiles(X)
    model.transform(X)
    model.get_feature_names_out()
    model.kneighbors(X, 3)
    model.pair_score(pairs)
    model.get_metric()(X[0], X[1])
    model.get_mahalanobis_matrix()
    _ = model.feature_importances_
    model.partial_fit(X, model.predict(X))


# --- the same result ------------------------------------------------------------------


def test_a_seed_decides_whatever_the_number_of_threads(made):
    make, (X, y) = made
    expected = make().fit(X[::2], y[::2])
    for n_jobs in (1, 2):
        model = make(n_jobs=n_jobs).fit(X[::2], y[::2])
        assert_array_equal(answers(model, X), answers(expected, X))
        assert_array_equal(out_of_bag(model), out_of_bag(expected))
    other = make(random_state=1).fit(X[::2], y[::2])
    assert not np.array_equal(answers(other, X), answers(expected, X))


def test_samples_are_predicted_one_by_one_as_together(fitted):
    model, (X, _) = fitted
    together = answers(model, X[:9])
    one_by_one = np.vstack([answers(model, X[i : i + 1]) for i in range(9)])
    assert_allclose(one_by_one, together, rtol=1e-5)


@pytest.mark.slow
def test_other_forms_of_samples(made):
    make, (X, y) = made
    X = X.astype(np.float32)
    expected = answers(make().fit(X.astype(float), y), X.astype(float))
    for form in (sparse.csr_matrix, sparse.csc_array, np.asfortranarray):
        model = make().fit(form(X), y)
        assert_array_equal(answers(model, form(X)), expected)


def test_minus_zero_is_zero(made):
    make, (X, y) = made
    X = np.round(X, 1)
    minus = np.where(X == 0, -0.0, X)
    expected = answers(make().fit(X, y), minus)
    assert_array_equal(answers(make().fit(minus, y), X), expected)


# --- a fit is all or nothing ----------------------------------------------------------


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_a_fit_that_fails_leaves_the_model_as_it_was(made, monkeypatch, error):
    make, (X, y) = made
    names = [f"x{j}" for j in range(X.shape[1])]
    pandas = pytest.importorskip("pandas")
    model = make().fit(pandas.DataFrame(X, columns=names), y)
    before, expected = set(vars(model)), answers(model, X_of(model, X))

    def fail(*_, **__):
        raise error

    monkeypatch.setattr(Pool, "fit", fail)
    monkeypatch.setattr(Noise, "fit", fail)
    with pytest.raises(error):
        model.fit(X[:, :3], y)
    assert set(vars(model)) == before
    assert model.n_features_in_ == X.shape[1]
    assert_array_equal(answers(model, X_of(model, X)), expected)


def X_of(model, X):
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame(X, columns=model.feature_names_in_)


RESULTS = {"selection_", "oob_score_", "oob_prediction_"}
"""Attributes that are there to be read by users alone."""
PARTS = ("ensemble_", "pool_", "combination_", "noise_", "scale_")


@pytest.mark.parametrize("kind", [FreeEnergyClassifier, FreeEnergyRegressor])
def test_every_attribute_is_read(kind, classified, regressed):
    """Without any of them some method fails."""
    X, y = classified if kind is FreeEnergyClassifier else regressed
    options = {"scale": "asinh"} if kind is FreeEnergyRegressor else {}
    options["estimators"] = [("trees", "default")]
    model = kind(2, candidates=["scaled/full"], random_state=0, **options).fit(X, y)
    names = [(name,) for name in vars(model) if name.endswith("_")]
    names += [
        (part, name)
        for part in PARTS
        for name in vars(getattr(model, part, model))
        if hasattr(model, part) and name not in ("index", "embedding", "feature_shares")
    ]
    names += [("training_set", name) for name in vars(model.ensemble_.training_set)]
    names += [("member", name) for name in vars(model.ensemble_.members[0])]
    use(deepcopy(model), X)
    unread = []
    for path in names:
        copy = deepcopy(model)
        owners = {
            "training_set": copy.ensemble_.training_set,
            "member": copy.ensemble_.members[0],
            **{part: getattr(copy, part, None) for part in PARTS},
        }
        owner = copy if len(path) == 1 else owners[path[0]]
        if hasattr(type(owner), path[-1]):  # a default of its class
            object.__setattr__(owner, path[-1], None)
        else:
            object.__delattr__(owner, path[-1])
        try:
            use(copy, X)
        except Exception:
            continue
        unread.append(path)
    assert {path[-1] for path in unread} <= RESULTS


# --- habits of scikit-learn -----------------------------------------------------------


def test_it_is_cloned_and_searched_and_piped(made):
    make, (X, y) = made
    steps = Pipeline([("scale", StandardScaler()), ("model", make(2))])
    grid = {"model__n_neighbors": [3, (1, 5)]}
    search = GridSearchCV(steps, grid, cv=2).fit(X, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    params = make(n_neighbors=7, candidates=["scaled/full"]).get_params()
    assert clone(make(n_neighbors=7, candidates=["scaled/full"])).get_params() == params


def test_a_pickle_holds_no_more_than_it_needs(fitted):
    model, (X, _) = fitted
    expected = answers(model, X)
    use_of_caches = model.transform(X), model.feature_importances_
    assert {"index", "embedding"} <= set(vars(model.ensemble_))
    again = pickle.loads(pickle.dumps(model))
    assert not {"index", "embedding", "feature_shares"} & set(vars(again.ensemble_))
    assert_array_equal(answers(again, X), expected)
    assert_array_equal(again.transform(X), use_of_caches[0])


def test_transformed_samples_have_names(fitted):
    pandas = pytest.importorskip("pandas")
    model, (X, _) = fitted
    table = clone(model).set_params(n_replicas=2).set_output(transform="pandas")
    table.fit(X[::2], model.predict(X[::2]))
    Z = table.transform(X)
    assert isinstance(Z, pandas.DataFrame)
    assert list(Z.columns) == list(table.get_feature_names_out())
    assert Z.columns[0] == f"{type(model).__name__.lower()}0"


def test_a_plain_fit_tries_what_it_says(fitted):
    model, _ = fitted
    selection = model.selection_
    assert len({len(column) for column in selection.values()}) == 1
    pairs = zip(selection["view"], selection["form"], strict=True)
    assert {"/".join(pair) for pair in pairs} <= set(CANDIDATES)
    assert selection["weight"].sum() == pytest.approx(1)
    best = selection["oob_loss"].argmin()
    assert selection["weight"][best] == selection["weight"].max()
    total = sum(member.weights.sum() for member in model.ensemble_.members)
    assert total == pytest.approx(1)


def test_methods_refuse_what_is_not_fitted_or_does_not_fit(fitted):
    model, (X, _) = fitted
    for method in ("predict", "transform", "kneighbors", "pair_distance"):
        with pytest.raises(ValueError, match="not fitted"):
            getattr(clone(model), method)(X)
    with pytest.raises(ValueError, match=f"expecting {X.shape[1]} features"):
        model.predict(X[:, 1:])
    with pytest.raises(ValueError, match="n_neighbors must be an integer from 1 to"):
        model.kneighbors(X, len(X))
    with pytest.raises(ValueError, match=r"pairs must have shape \(n_pairs, 2, "):
        model.pair_distance(X)


# --- the distance ---------------------------------------------------------------------


def test_all_that_measures_says_the_same(fitted):
    model, (X, _) = fitted
    Z = model.transform(X)
    distances, rows = model.kneighbors(X[1:9:2], 3)
    pairs = np.stack([X[1:9:2], model.ensemble_.X[rows[:, 0]]], axis=1)
    assert_allclose(model.pair_distance(pairs), distances[:, 0], rtol=1e-6)
    assert_allclose(-model.pair_score(pairs), model.pair_distance(pairs))
    assert_array_equal(model.kneighbors(X[1:9:2], 3, return_distance=False), rows)
    known = np.linalg.norm(Z[0] - Z[1])
    metric = model.get_metric()
    assert metric(X[0], X[1]) == pytest.approx(known)
    assert metric(X[0], X[1], squared=True) == pytest.approx(known**2)


@pytest.mark.parametrize("factor", [1e-9, 1.0, 1e9])
def test_the_mahalanobis_matrix_is_that_of_the_distances(made, factor):
    make, (X, y) = made
    X = factor * X
    model = make(candidates=["scaled/diagonal", "scaled/full"]).fit(X, y)
    M = model.get_mahalanobis_matrix()
    pairs = np.stack([X[:50], X[50:100]], axis=1)
    difference = X[:50] - X[50:100]
    squares = np.einsum("ni,ij,nj->n", difference, M, difference)
    assert_allclose(np.sqrt(squares), model.pair_distance(pairs), rtol=1e-5)


@pytest.mark.parametrize("view", ["quantiles", "logs"])
def test_there_is_no_matrix_of_what_is_not_linear(made, view):
    make, (X, y) = made
    model = make(candidates=[f"{view}/full"]).fit(np.exp(X / X.std(axis=0)), y)
    with pytest.raises(ValueError, match=f"metrics of {view} vote"):
        model.get_mahalanobis_matrix()


@pytest.mark.parametrize("kind", [FreeEnergyClassifier, FreeEnergyRegressor])
def test_informative_features_are_important(kind, rng):
    X = rng.normal(size=(400, 6)) * [1, 100, 0.01, 1, 1, 1]
    y = np.sign(X[:, 0]) + np.sign(X[:, 2])
    importances = kind(12, random_state=0).fit(X, y).feature_importances_
    assert importances.sum() == pytest.approx(1)
    assert set(np.argsort(importances)[-2:]) == {0, 2}
    assert importances[[0, 2]].sum() > 0.6


# --- gaps and weights -----------------------------------------------------------------


def test_gaps_are_means_of_features(made, rng):
    make, (X, y) = made
    has_gap = rng.uniform(size=X.shape) < 0.1
    gaps = np.where(has_gap, np.nan, X)
    filled = np.where(has_gap, np.nanmean(gaps, axis=0), X)
    model, known = make().fit(gaps, y), make().fit(filled, y)
    assert_allclose(answers(model, gaps), answers(known, filled), rtol=1e-6)
    assert_allclose(model.transform(gaps), known.transform(filled), atol=1e-9)
    pairs = np.stack([gaps[:5], gaps[5:10]], axis=1)
    full = np.stack([filled[:5], filled[5:10]], axis=1)
    assert_allclose(model.pair_distance(pairs), known.pair_distance(full), atol=1e-9)
    nothing = np.column_stack([X, np.full(len(X), np.nan)])
    assert np.isfinite(answers(make().fit(nothing, y), nothing)).all()


def test_samples_of_weight_zero_are_left_out(made, rng):
    make, (X, y) = made
    counts = np.arange(len(X)) % 3 > 0
    wrong = np.where(counts, y, rng.permutation(y))
    model = make().fit(X, wrong, counts.astype(float))
    known = make().fit(X[counts], y[counts])
    assert_array_equal(answers(model, X), answers(known, X))
    assert_array_equal(out_of_bag(model), out_of_bag(known))
    with pytest.raises(ValueError, match="zero"):
        make().fit(X, y, np.zeros(len(X)))


@pytest.mark.slow
def test_the_scale_of_weights_does_not_matter(made, rng):
    make, (X, y) = made
    weights = rng.uniform(0.2, 3, len(X))
    weighted = answers(make().fit(X, y, weights), X)
    plain = answers(make().fit(X, y), X)
    for factor in (1e-200, 7.0, 1e200):
        model = make().fit(X, y, factor * weights)
        assert_allclose(answers(model, X), weighted, rtol=1e-3)
        model.fit(X, y, np.full(len(X), factor))
        assert_array_equal(answers(model, X), plain)


def test_weights_of_very_different_sizes_are_numbers(made):
    make, (X, y) = made
    weights = np.where(np.arange(len(X)) % 2, 1.0, 1e-100)
    assert np.isfinite(answers(make().fit(X, y, weights), X)).all()
