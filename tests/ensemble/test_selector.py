"""FreeEnergySelector: what it finds, what its attributes mean, and the contract of a selector."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

import freemetric
from freemetric import FreeEnergySelector
from freemetric.energies import NeighborLikelihoodEnergy, RegressionEnergy
from freemetric.ensemble import selector as module


def exclusive_or(n=150, d=16, seed=0):
    """Two features decide by the sign of their product; the others are noise."""
    X = np.random.default_rng(seed).standard_normal((n, d))
    return X, (X[:, 3] * X[:, 7] > 0).astype(int)


@pytest.fixture(scope="module")
def fitted():
    return FreeEnergySelector(n_replicas=3, random_state=0).fit(*exclusive_or())


def test_finds_features_that_only_matter_together(fitted):
    X, y = exclusive_or()
    assert fitted.get_support(indices=True).tolist() == [3, 7]
    alone = SelectKBest(f_classif, k=2).fit(X, y).get_support(indices=True)
    assert set(alone) != {3, 7}  # no score of single features finds them


def test_attributes_belong_together(fitted):
    d = 16
    assert sorted(fitted.ranking_) == list(range(1, d + 1))
    assert set(np.argsort(fitted.ranking_)[:2]) == {3, 7}
    counts, temperatures = fitted.path_["n_features"], fitted.path_["temperature"]
    assert (counts[0], counts[-1]) == (d, 1)
    assert (np.diff(counts) < 0).all()
    assert (np.diff(temperatures) < 0).all()
    assert temperatures[[0, -1]] == pytest.approx([1e-3, 1e-4])
    # every replica keeps as many features as there are left
    assert fitted.stability_.sum() == pytest.approx(fitted.n_features_)
    assert ((fitted.stability_ >= 0) & (fitted.stability_ <= 1)).all()
    assert (fitted.stability_[fitted.support_] >= fitted.threshold).all()
    assert (fitted.stability_[~fitted.support_] < fitted.threshold).all()
    # features of the first ranks freeze last, at the lowest temperatures
    assert (np.diff(fitted.freezing_temperatures_[np.argsort(-fitted.ranking_)]) <= 1e-12).all()
    assert temperatures[-1] * (1 - 1e-12) <= fitted.freezing_temperatures_.min() < fitted.freezing_temperatures_.max()
    assert fitted.freezing_temperatures_.max() <= temperatures[0] * (1 + 1e-12)


def test_the_error_out_of_bag_is_that_of_new_samples(fitted):
    """Of two features it is low, of one it is a guess, of all 16 it is higher."""
    error = dict(zip(fitted.path_["n_features"], fitted.path_["oob_error"], strict=True))
    assert error[2] < 0.2
    assert abs(error[1] - 0.5) < 0.15
    assert error[16] > error[2]
    X, y = exclusive_or()
    T, t = exclusive_or(2000, seed=1)
    tested = 1 - KNeighborsClassifier(5).fit(fitted.transform(X), y).score(fitted.transform(T), t)
    assert abs(tested - error[2]) < 0.1


@pytest.mark.slow
def test_noise_alone_has_no_error_below_chance():
    """The samples that choose the features do not measure them: selection on noise is not rewarded."""
    rng = np.random.default_rng(0)
    fitted = FreeEnergySelector(n_replicas=5, random_state=0).fit(rng.standard_normal((120, 20)), np.arange(120) % 2)
    assert fitted.path_["oob_error"].min() > 0.38  # 180 draws: a standard error of 0.04


@pytest.mark.slow
def test_a_number_of_features():
    X, y = exclusive_or(60)
    fitted, five, strict = (
        FreeEnergySelector(n_replicas=2, random_state=0, **options).fit(X, y)
        for options in ({}, {"n_features_to_select": 5}, {"threshold": 1.0})
    )
    np.testing.assert_array_equal(five.ranking_, fitted.ranking_)  # the walks are the same
    np.testing.assert_array_equal(five.support_, fitted.ranking_ <= 5)
    assert five.n_features_ >= 5
    assert five.transform(X).shape == (60, 5)
    assert strict.support_.sum() <= fitted.support_.sum()
    assert strict.support_[np.argmin(strict.ranking_)]


def test_targets_of_regression():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((100, 10))
    y = X[:, 2] ** 2 + X[:, 5] + 0.1 * rng.standard_normal(100)
    for energy in (NeighborLikelihoodEnergy(n_neighbors=32), RegressionEnergy()):
        model = FreeEnergySelector(2, energy=energy, n_replicas=2, random_state=0).fit(X, y)
        assert model.get_support(indices=True).tolist() == [2, 5]
        error = dict(zip(model.path_["n_features"], model.path_["oob_error"], strict=True))
        assert error[2] < 0.4 < error[1]  # one minus the R2 of two features that matter, and of one
    both = FreeEnergySelector(3, energy=energy, n_replicas=2, random_state=0).fit(X, np.column_stack([y, X[:, 9]]))
    assert both.get_support(indices=True).tolist() == [2, 5, 9]


@pytest.mark.slow
def test_threads_and_units_do_not_matter(fitted):
    few = exclusive_or(60)
    one, threads = (FreeEnergySelector(n_replicas=3, n_jobs=n, random_state=0).fit(*few) for n in (None, 2))
    np.testing.assert_array_equal(threads.ranking_, one.ranking_)
    np.testing.assert_array_equal(threads.path_["oob_error"], one.path_["oob_error"])
    X, y = exclusive_or()
    units = clone(fitted).fit(X * 2.0 ** np.arange(-8, 8) + 4.0, np.array(["no", "yes"])[y])
    assert units.get_support(indices=True).tolist() == [3, 7]


@pytest.mark.slow
def test_in_pipelines_searches_and_files(fitted, tmp_path):
    pd = pytest.importorskip("pandas")
    X, y = exclusive_or()
    pipeline = make_pipeline(FreeEnergySelector(n_replicas=3, random_state=0), KNeighborsClassifier())
    search = GridSearchCV(pipeline, {"freeenergyselector__n_features_to_select": [1, 2]}, cv=2).fit(X, y)
    assert search.best_params_ == {"freeenergyselector__n_features_to_select": 2}
    frame = pd.DataFrame(X, columns=[f"f{i}" for i in range(16)])
    named = clone(fitted).fit(frame, y)
    assert named.get_feature_names_out().tolist() == ["f3", "f7"]
    assert named.set_output(transform="pandas").transform(frame).columns.tolist() == ["f3", "f7"]
    named.save(tmp_path / "selector.fm")
    loaded = freemetric.load(tmp_path / "selector.fm")
    np.testing.assert_array_equal(loaded.transform(frame), named.transform(frame))
    np.testing.assert_array_equal(loaded.path_["oob_error"], named.path_["oob_error"])


def test_a_constant_feature_and_unlabelled_rows_are_no_problem():
    X, y = exclusive_or()
    X[:, 0] = 3.0
    y = np.where(np.arange(150) % 20 == 0, -1, y)
    with pytest.warns(freemetric.exceptions.DataWarning, match="unlabelled"):
        model = FreeEnergySelector(n_replicas=3, random_state=0).fit(X, y)
    assert model.get_support(indices=True).tolist() == [3, 7]
    assert model.stability_[0] <= 0.5


def test_the_levels_fall_to_one():
    counts, temperatures = module._levels(1, 0.1)
    assert (counts.tolist(), temperatures.tolist()) == ([1], [0.1])
    counts, temperatures = module._levels(7, 1.0)
    assert counts.tolist() == [7, 5, 4, 3, 2, 1]
    np.testing.assert_allclose(temperatures[1:] / temperatures[:-1], 0.1 ** (1 / 5))


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"n_features_to_select": 17}, "n_features_to_select=17 is larger than n_features=16"),
        ({"threshold": 0}, "threshold"),
        ({"energy": "knn-error"}, "has no gradient"),
        ({"energy": "nothing"}, "Unknown energy 'nothing'"),
        ({"temperature": 0.0}, "temperature"),
    ],
)
def test_says_what_is_wrong(parameters, said):
    with pytest.raises(ValueError, match=said):
        FreeEnergySelector(n_replicas=2, **parameters).fit(*exclusive_or())


def test_damaged_files_are_refused(fitted):
    for name, value in (("support_", np.zeros(16, dtype=bool)), ("ranking_", np.arange(3)), ("stability_", None)):
        damaged = clone(fitted)
        vars(damaged).update({**vars(fitted), name: value})
        with pytest.raises(ValueError, match=name):
            damaged.check_state()
