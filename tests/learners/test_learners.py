"""What every metric learner must do, whatever its mathematics."""

import copy
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import mahalanobis
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.utils import get_tags

from freemetric import DMLFE, LEARNERS, LFDA, LMNN, NCA, RCA, Covariance, Euclidean, FreeEnergyClassifier
from freemetric.exceptions import DataWarning

SUPERVISED = [NCA(), DMLFE(random_state=0), FreeEnergyClassifier(12, random_state=0)]


def made(name):
    learner = LEARNERS[name]()
    return learner.set_params(random_state=0) if "random_state" in learner.get_params() else learner


@pytest.fixture(params=LEARNERS, ids=str)
def learner(request):
    return made(request.param)


@pytest.fixture(scope="module", params=LEARNERS, ids=str)
def fitted(request, iris):
    """A learner that has learned from iris; tests leave it as it is."""
    return made(request.param).fit(*iris)


@pytest.fixture(params=SUPERVISED, ids=lambda e: type(e).__name__)
def supervised(request):
    return clone(request.param)


def test_everything_public_follows_from_components(fitted, iris):
    X, learner = iris[0], fitted
    A, M = learner.components_, learner.get_mahalanobis_matrix()
    np.testing.assert_allclose(learner.transform(X), X @ A.T)
    np.testing.assert_allclose(M, A.T @ A)
    expected = mahalanobis(X[0], X[90], M)
    assert learner.get_metric()(X[0], X[90]) == pytest.approx(expected)
    assert learner.get_metric()(X[0], X[90], squared=True) == pytest.approx(expected**2)
    np.testing.assert_allclose(learner.pair_distance([[X[0], X[90]]]), [expected])
    np.testing.assert_allclose(learner.pair_score([[X[0], X[90]]]), [-expected])


def test_get_metric_outlives_a_refit(fitted, iris, wine):
    X, learner = iris[0], copy.deepcopy(fitted)
    metric = learner.get_metric()
    before = metric(X[0], X[90])
    learner.fit(*wine)
    assert metric(X[0], X[90]) == before


def test_pairs_of_a_wrong_shape_are_named(fitted):
    with pytest.raises(ValueError, match=r"pairs must have shape \(n_pairs, 2, 4\); got \(3, 2, 5\)"):
        fitted.pair_distance(np.zeros((3, 2, 5)))


def test_feature_names_and_set_output(learner, iris):
    X, y = iris
    frame = pd.DataFrame(X, columns=list("abcd"))
    out = learner.set_output(transform="pandas").fit(frame, y).transform(frame)
    prefix = type(learner).__name__.lower()
    assert list(out.columns) == [f"{prefix}{i}" for i in range(len(learner.components_))]
    assert list(learner.feature_names_in_) == list("abcd")
    polars = pytest.importorskip("polars")
    assert isinstance(learner.set_output(transform="polars").transform(frame), polars.DataFrame)
    with pytest.raises(ValueError, match="feature names"):
        learner.transform(frame[list("bacd")])


def test_any_dtype_order_or_frame_gives_the_same_metric(learner, iris):
    X, y = iris[0][::2], iris[1][::2]
    X = np.round(100 * X)
    expected = clone(learner).fit(X, y).components_
    for same in (X.astype(np.float32), X.astype(int), np.asfortranarray(X), pd.DataFrame(X), X.tolist()):
        np.testing.assert_array_equal(clone(learner).fit(same, y).components_, expected)


def test_the_order_of_rows_does_not_matter(learner, wine):
    X, y = wine[0][::2], wine[1][::2]
    order = np.random.default_rng(0).permutation(len(y))
    M, shuffled = (clone(learner).fit(X[some], y[some]).get_mahalanobis_matrix() for some in (slice(None), order))
    np.testing.assert_allclose(shuffled, M, rtol=0, atol=1e-3 * np.abs(M).max())  # MCML stops within its tolerance


def test_in_a_pipeline_and_a_grid_search(learner, iris):
    X, y = iris
    pipeline = make_pipeline(MinMaxScaler(), learner, KNeighborsClassifier())
    search = GridSearchCV(pipeline, {"kneighborsclassifier__n_neighbors": [3, 7]}, cv=2).fit(X, y)
    assert search.best_score_ > (0.85 if isinstance(learner, Covariance) else 0.9)  # it knows no classes


def test_same_seed_same_result_whatever_n_jobs(supervised, wine):
    X, y = wine

    def result(estimator):
        fitted = estimator.fit(X, y)
        return fitted.components_ if hasattr(fitted, "components_") else fitted.members_[-1].maps

    first = result(supervised)
    if "n_jobs" in supervised.get_params():
        supervised.set_params(n_jobs=3)
    np.testing.assert_array_equal(result(clone(supervised)), first)


def test_string_labels(supervised, iris):
    X, y = iris
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    supervised.fit(X, names)
    assert supervised.classes_.tolist() == ["setosa", "versicolor", "virginica"]
    if hasattr(supervised, "predict"):
        assert set(supervised.predict(X)) == set(names)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_nan_and_infinity_are_errors(supervised, iris, bad):
    X, y = iris
    X = X.copy()
    X[3, 2] = bad
    if np.isnan(bad) and get_tags(supervised).input_tags.allow_nan:
        pytest.skip("it takes gaps")
    with pytest.raises(ValueError, match="NaN" if np.isnan(bad) else "infinity"):
        supervised.fit(X, y)


def test_one_class_is_an_error(supervised, iris):
    with pytest.raises(ValueError, match=r"at least two classes; y has only 1 class, \[1\]"):
        supervised.fit(iris[0], np.ones(150, dtype=int))


def test_more_components_than_features_is_an_error(supervised, iris):
    name = "recipe__n_components" if isinstance(supervised, FreeEnergyClassifier) else "n_components"
    with pytest.raises(ValueError, match="n_components=5 is larger than the number of features, 4"):
        supervised.set_params(**{name: 5}).fit(*iris)


def only_warning(estimator, X, y):
    """The text of the one DataWarning that a fit gives; its result must be finite."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        estimator.fit(X, y)
    A = estimator.predict_proba(X) if hasattr(estimator, "predict_proba") else estimator.components_
    assert np.isfinite(A).all()
    messages = [str(w.message) for w in caught if issubclass(w.category, DataWarning)]
    assert len(messages) == 1
    return messages[0]


def test_a_class_of_one_sample_is_a_warning(iris):
    X, y = iris
    y = np.where(np.arange(150) == 7, 3, y)
    for estimator in (NCA(), DMLFE(), FreeEnergyClassifier(12, random_state=0)):
        assert "Classes with a single sample, which has no neighbour of its own class: 3." in only_warning(
            estimator, X, y
        )


def test_constant_features_are_a_warning(iris):
    X, y = iris
    X = np.hstack([X, np.ones((150, 7))])
    for estimator in (NCA(), DMLFE(), FreeEnergyClassifier(12, random_state=0)):
        message = only_warning(estimator, X, y)
        assert message == "Constant features, which no distance can use: 4, 5, 6, 7, 8 and 2 more."


def test_constant_features_are_named_where_they_have_names(iris):
    X = pd.DataFrame(iris[0], columns=list("abcd")).assign(same=1.0, too=2.0)
    for estimator in (NCA(), RCA()):
        assert only_warning(estimator, X, iris[1]) == "Constant features, which no distance can use: same, too."


def test_the_order_in_memory_does_not_matter(learner, iris):
    X, y = iris
    plain = clone(learner).fit(X, y).components_
    np.testing.assert_array_equal(clone(learner).fit(np.asfortranarray(X), y).components_, plain)


def test_many_copies_are_a_warning(iris):
    X, y = iris
    for estimator in (LMNN(), LFDA()):  # others take copies for one sample
        message = only_warning(estimator, np.vstack([X, X]), np.append(y, y))
        assert message.startswith("150 of 300 rows are copies of others")


def test_fewer_samples_than_features_is_a_warning(rng):
    X, y = rng.random((12, 30)), np.repeat([0, 1], 6)
    for estimator in (NCA(), DMLFE(), FreeEnergyClassifier(12, random_state=0)):
        assert only_warning(estimator, X, y).startswith("Fewer samples (12) than features (30)")


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (NCA(init="best"), "'init' parameter of NCA"),
        (NCA(tol=-1), "'tol' parameter of NCA"),
        (DMLFE(confinement=-1), "'confinement' parameter of DMLFE"),
        (DMLFE(energy="ncaa"), "Unknown energy 'ncaa'"),
        (DMLFE(device="tpu"), "Unknown device 'tpu'"),
        (DMLFE(sampler="annealing"), "'sampler' parameter of DMLFE"),
        (DMLFE(init=np.eye(3)), r"init has shape \(3, 3\); expected \(<= 4, 4\)"),
        (DMLFE(n_components=2, init=np.eye(4)), r"init has shape \(4, 4\); expected \(2, 4\)"),
        (FreeEnergyClassifier(recipe="quick"), "'recipe' parameter of FreeEnergyClassifier"),
        (FreeEnergyClassifier(effort="much"), "'effort' parameter of FreeEnergyClassifier"),
        (FreeEnergyClassifier(device="tpu"), "Unknown device 'tpu'"),
    ],
    ids=repr,
)
def test_bad_parameters_are_named(estimator, message, iris):
    with pytest.raises(ValueError, match=message):
        estimator.fit(*iris)


def test_euclidean_is_euclidean(iris):
    X, _ = iris
    np.testing.assert_array_equal(Euclidean().fit(X).transform(X), X)


FOLDS = """
import numpy as np
from sklearn.model_selection import GridSearchCV, cross_val_score
from freemetric import LFDA, MetricKNeighborsClassifier

X = np.random.default_rng(0).random((60, 4))
y = X[:, 0] > 0.5
X[:, 2] = 1
model = MetricKNeighborsClassifier(LFDA(), 3)
cross_val_score(model, X, y)
GridSearchCV(model, {"n_neighbors": [1, 3]}).fit(X, y)
for _ in range(2):
    LFDA().fit(X, y)
"""


@pytest.mark.slow
def test_folds_do_not_repeat_a_warning(tmp_path):
    """Python shows a warning once for a line, but forgets it when filters change, as scikit-learn does in each fold."""
    script = tmp_path / "folds.py"
    script.write_text(FOLDS)
    printed = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True).stderr.splitlines()
    lines = [line for line in printed if "Constant features" in line]
    assert [line.split(": ")[0] for line in lines] == [f"{script}:{number}" for number in (10, 11, 13)]
    always = [sys.executable, "-W", "always", script]
    printed = subprocess.run(always, capture_output=True, text=True, check=True).stderr
    assert printed.count("Constant features") == 5 + 11 + 2
