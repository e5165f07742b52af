"""Free-energy models of samples with gaps."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_wine
from sklearn.model_selection import cross_val_score
from sklearn.utils import get_tags

import freemetric
from freemetric import FreeEnergyClassifier, FreeEnergyRegressor, Recipe
from freemetric.exceptions import DataWarning
from freemetric.metrics.gaps import Gaps

PLAIN = Recipe(candidates=["scaled/identity"])


def with_gaps(X, share=0.2, seed=0):
    return np.where(np.random.default_rng(seed).random(X.shape) < share, np.nan, X)


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return with_gaps(X), y


@pytest.fixture(scope="module")
def classifier(wine):
    X, y = wine
    return FreeEnergyClassifier(n_replicas=4, random_state=0).fit(X[::2], y[::2])


@pytest.fixture(scope="module")
def diabetes():
    X, y = load_diabetes(return_X_y=True)
    return with_gaps(X), y


@pytest.fixture(scope="module")
def regressor(diabetes):
    X, y = diabetes
    return FreeEnergyRegressor(n_replicas=4, random_state=0).fit(X[::2], y[::2])


def expected_distances(known, Q, X):
    """Means (n, N) of squared distances over all values in ``known`` (M, d); features with two gaps count nothing."""
    out = np.zeros((len(Q), len(X)))
    for column, q, x in zip(known.T, Q.T, X.T, strict=True):
        column = column[~np.isnan(column)]
        span = np.ptp(column)
        for i, j in np.ndindex(out.shape):
            if np.isnan(q[i]) and np.isnan(x[j]):
                continue
            a, b = (column if np.isnan(v) else v for v in (q[i], x[j]))
            out[i, j] += np.mean(np.square((a - b) / span))
    return out


@pytest.mark.parametrize("in_fit", [True, False])
def test_neighbors_are_those_of_expected_distances(in_fit):
    X, y = load_wine(return_X_y=True)
    X, Q = X[::3, :5], with_gaps(X[1::20, :5], 0.3, seed=2)
    X = with_gaps(X) if in_fit else X
    model = FreeEnergyClassifier(recipe=PLAIN, random_state=0).fit(X, y[::3])
    distances, rows = model.kneighbors(Q, n_neighbors=len(X))
    wanted = expected_distances(X, Q, X)
    found = np.take_along_axis(wanted, rows, axis=1)
    # in units of the averaged metric; without gaps in fit, the variance is missing from all distances of a sample alike
    apart = found - found[:, :1] if not in_fit else found
    squares = distances**2 - distances[:, :1] ** 2 if not in_fit else distances**2
    unit = (apart * squares).sum() / (squares**2).sum()
    np.testing.assert_allclose(apart, unit * squares, atol=1e-8)


def test_models_without_gaps_have_none_of_this():
    X, y = load_wine(return_X_y=True)
    model = FreeEnergyClassifier(n_replicas=3, random_state=0).fit(X, y)
    training_set = model.ensemble_.training_set
    assert training_set.gaps is None
    np.testing.assert_array_equal(training_set.X, X[training_set.rows])
    samples = model._samples(X)
    np.testing.assert_array_equal(samples, X)


def test_predictions(wine, classifier, diabetes, regressor):
    X, y = wine
    assert classifier.score(X[1::2], y[1::2]) > 0.85
    assert classifier.predict_set(X[1::2]).any(axis=1).mean() > 0.8
    X, y = diabetes
    assert regressor.score(X[1::2], y[1::2]) > 0.2
    low, high = regressor.predict_interval(X[1::2], 0.2).T
    assert 0.7 < ((low <= y[1::2]) & (y[1::2] <= high)).mean() < 0.9
    assert cross_val_score(FreeEnergyClassifier(n_replicas=3, random_state=0), *wine, cv=2).mean() > 0.85


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_order_of_rows_does_not_matter(wine, classifier, n_jobs):
    X, y = wine
    order = np.random.default_rng(0).permutation(len(X[::2]))
    again = FreeEnergyClassifier(n_replicas=4, random_state=0, n_jobs=n_jobs).fit(X[::2][order], y[::2][order])
    np.testing.assert_array_equal(again.predict_proba(X), classifier.predict_proba(X))


def test_whether_a_value_is_missing_may_tell_everything():
    rng = np.random.default_rng(0)
    X, y = rng.random((150, 3)), np.arange(150) % 2
    X[y == 1, 1] = np.nan
    model = FreeEnergyClassifier(n_replicas=4, random_state=0).fit(X[:100], y[:100])
    assert model.score(X[100:], y[100:]) == 1
    assert model.feature_importances_[1] > 0.3 > 10 * model.feature_importances_[[0, 2]].max()
    assert model.distance_weights_.shape == (3,)
    assert model.distance_weights_.sum() == pytest.approx(1)
    assert model.permutation_importances(["a", "b", "a"]).names.tolist() == ["a", "b"]
    later = X[100:].copy()
    later[:, 1] = 0.5
    assert model.drift(X[100:], later, n_permutations=99).changed().tolist() == [1]
    found = model.counterfactual(X[100:110])
    assert (model.predict(found.X) == found.y).all()
    np.testing.assert_array_equal(found.y, 1 - y[100:110])
    np.testing.assert_array_equal(found.changed, [[False, True, False]] * 10)
    np.testing.assert_array_equal(np.isnan(found.X[:, 1]), found.y == 1)
    for rules in ({"monotone": {1: -1}}, {"fixed": [1]}):
        assert not model.counterfactual(X[100:104], **rules).changed[:, 1].any()


def test_other_methods_take_gaps(wine, classifier):
    X, y = wine
    Z = classifier.transform(X)
    assert Z.shape == (len(X), classifier.get_feature_names_out().size)
    u, v = X[:2]
    apart = np.linalg.norm(Z[0] - Z[1])
    assert classifier.pair_distance([[u, v]])[0] == pytest.approx(apart)
    assert classifier.get_metric()(u, v) == pytest.approx(apart)
    assert ((classifier.score_samples(X) > 0) & (classifier.outlier_score(X) <= 1)).all()
    assert classifier.votes(X[:4]).shape[0] == classifier.decisions(X[:4]).shape[0] == 4
    assert np.isfinite(classifier.data_values(X[1::2], y[1::2])).all()
    linear = FreeEnergyClassifier(2, recipe=Recipe(candidates=["scaled/diagonal"]), random_state=0).fit(X, y)
    complete = np.nan_to_num(X[:2])
    M, (a, b) = linear.get_mahalanobis_matrix(), complete
    assert M.shape == (13, 13)
    assert (a - b) @ M @ (a - b) == pytest.approx(linear.get_metric()(a, b, squared=True))


def test_what_was_forgotten_is_in_no_mean(wine, classifier):
    X, y = wine
    model = pickle.loads(pickle.dumps(classifier))
    rows = [0, 5, 40]
    model.forget(rows)
    known = np.delete(X[::2], rows, axis=0)
    gaps, training_set = model.ensemble_.training_set.gaps, model.ensemble_.training_set
    np.testing.assert_allclose(gaps.means, np.nanmean(known, axis=0), rtol=1e-12)
    np.testing.assert_allclose(gaps.spreads, np.nanstd(known, axis=0), rtol=1e-12)
    np.testing.assert_array_equal(training_set.given, X[::2][training_set.rows])
    np.testing.assert_array_equal(training_set.X, gaps(training_set.given))
    assert model.score(X[1::2], y[1::2]) > 0.85


def test_more_samples(wine):
    X, y = wine
    model = FreeEnergyClassifier(n_replicas=3, random_state=0).partial_fit(X[:100], y[:100], classes=[0, 1, 2])
    gaps = model.ensemble_.training_set.gaps
    model.partial_fit(X[100:130], y[100:130])
    assert model.ensemble_.training_set.gaps is gaps
    assert model.ensemble_.training_set.X.shape == (130, 26)
    more = np.random.default_rng(0).normal(1, 1e-3, (150, 13)) * X[:150]
    assert len(model.partial_fit(more, y[:150]).oob_decision_function_) == 280  # searched anew
    assert model.ensemble_.training_set.gaps is gaps


@pytest.mark.parametrize("which", ["classifier", "regressor"])
def test_files_and_pickles(which, request, tmp_path):
    model, (X, _) = request.getfixturevalue(which), request.getfixturevalue(["wine", "diabetes"][which[0] == "r"])
    wanted = model.predict(X)
    model.save(tmp_path / "model.fm")
    for again in (freemetric.load(tmp_path / "model.fm"), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(again.predict(X), wanted)
        assert again.ensemble_.training_set.gaps.features.tolist() == list(range(X.shape[1]))


def test_rows_of_no_weight_are_in_no_mean(wine):
    X, y = wine
    weights = np.ones(len(X))
    weights[::3] = 0
    both = [
        FreeEnergyClassifier(n_replicas=2, random_state=0).fit(X, y, sample_weight=weights),
        FreeEnergyClassifier(n_replicas=2, random_state=0).fit(X[weights > 0], y[weights > 0]),
    ]
    np.testing.assert_array_equal(*(model.ensemble_.training_set.gaps.means for model in both))
    np.testing.assert_array_equal(*(model.predict_proba(X) for model in both))


def test_what_is_refused(wine, classifier):
    X, y = wine
    assert get_tags(classifier).input_tags.allow_nan
    infinite = np.where(np.arange(13) == 2, np.inf, X)
    with pytest.raises(ValueError, match=r"^Input X contains infinity"):
        FreeEnergyClassifier().fit(infinite, y)
    with pytest.raises(ValueError, match=r"^Input X contains infinity"):
        classifier.predict(infinite)
    with pytest.raises(ValueError, match=r"^A certificate needs replicas that know their bags alone; gaps know"):
        classifier.risk_certificate()
    with pytest.raises(ValueError, match=r"^X has values as large as 1\.0e\+300"):
        FreeEnergyClassifier().fit(np.where(np.arange(13) == 2, 1e300, X), y)
    with pytest.raises(ValueError, match=r"Input y contains NaN"):
        FreeEnergyRegressor().fit(X, np.where(y, y, np.nan))


def test_features_without_any_value_are_named(wine):
    X, y = wine
    empty = np.where(np.arange(13) == 4, np.nan, X)
    with pytest.warns(DataWarning) as caught:
        model = FreeEnergyClassifier(n_replicas=2, random_state=0).fit(empty, y)
    said = [str(warning.message) for warning in caught]
    assert "Features without any value, which no distance can use: 4." in said
    assert model.score(X, y) > 0.8
    assert model.feature_importances_[4] == 0


def test_gaps_of_a_model_are_those_of_its_samples(classifier, wine):
    gaps = Gaps.of(wine[0][::2])
    np.testing.assert_allclose(classifier.ensemble_.training_set.gaps.means, gaps.means, rtol=1e-12)


@pytest.mark.slow
def test_displays_and_reports(wine, classifier, diabetes, regressor, tmp_path):
    pytest.importorskip("matplotlib")
    from freemetric import report
    from freemetric.display import EmbeddingDisplay, MetricDisplay, NeighborsCurveDisplay

    X, y = wine
    for display in (EmbeddingDisplay, NeighborsCurveDisplay):
        display.from_estimator(classifier, X, y)
    shown = MetricDisplay.from_estimator(classifier, X=X)
    assert np.isfinite(shown.matrix).all()
    assert shown.matrix.shape == (13, 13)
    NeighborsCurveDisplay.from_estimator(regressor, *diabetes)
    for model, rows in ((classifier, ()), (classifier, (X, y)), (classifier, (X[::2], y[::2])), (regressor, ())):
        report.write(model, tmp_path / "report.html", *rows)
        assert "missing" in (tmp_path / "report.html").read_text()
