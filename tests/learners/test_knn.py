import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from freemetric import NCA, RCA, Euclidean, MetricKNeighborsClassifier
from freemetric.exceptions import DataWarning


@pytest.mark.parametrize("k", [1, 7])
def test_with_a_given_k_it_is_k_nn_in_the_learned_space(wine, k):
    X, y = wine
    model = MetricKNeighborsClassifier(RCA(), k).fit(X[::2], y[::2])
    space = RCA().fit(X[::2], y[::2])
    knn = KNeighborsClassifier(k).fit(space.transform(X[::2]), y[::2])
    np.testing.assert_allclose(model.predict_proba(X[1::2]), knn.predict_proba(space.transform(X[1::2])), atol=1e-3)


def test_k_is_the_best_for_metrics_that_did_not_see_the_fold(wine):
    X, y = wine
    model = MetricKNeighborsClassifier(RCA(), most_neighbors=9, random_state=0).fit(X, y)
    from sklearn.model_selection import StratifiedKFold, cross_val_score

    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    for k in (1, 5, 9):
        plain = make_pipeline(RCA(), KNeighborsClassifier(k))
        sizes = np.array([len(test) for _, test in folds.split(X, y)])
        error = 1 - np.average(cross_val_score(plain, X, y, cv=folds), weights=sizes)
        assert model.selection_["error"][k - 1] == pytest.approx(error, abs=0.012)  # ties may be decided differently
    assert model.n_neighbors_ == model.selection_["error"].argmin() + 1


def test_k_is_not_fooled_by_a_metric_that_memorised_its_samples(rng):
    # Pure noise in many dimensions: NCA separates its own samples, so k = 1 looks perfect among them.
    X, y = 0.3 * rng.standard_normal((60, 60)), np.repeat([0, 1], [40, 20])
    learned = NCA().fit(X, y).transform(X)
    neighbour = KNeighborsClassifier(1).fit(learned, y).kneighbors(n_neighbors=1, return_distance=False)[:, 0]
    assert (y[neighbour] == y).mean() > 0.95
    assert MetricKNeighborsClassifier(NCA(), random_state=0).fit(X, y).n_neighbors_ > 5


def test_a_pipeline_is_a_learner_too(wine):
    X, y = wine
    model = MetricKNeighborsClassifier(make_pipeline(MinMaxScaler(), NCA()), random_state=0).fit(1000 * X, y)
    assert model.score(1000 * X, y) > 0.95


def test_small_classes_and_string_labels(rng):
    X, y = rng.random((30, 2)), np.array(["a"] * 14 + ["b"] * 14 + ["c"] * 2)
    model = MetricKNeighborsClassifier(Euclidean(), random_state=0).fit(X, y)
    assert set(model.predict(X)) <= {"a", "b", "c"}
    assert model.predict_proba(X).shape == (30, 3)


def test_k_is_clipped_with_one_warning(iris):
    X, y = iris[0][::15], iris[1][::15]
    with pytest.warns(DataWarning, match="n_neighbors=30 is more than the data allow; 10 is used"):
        assert MetricKNeighborsClassifier(Euclidean(), 30).fit(X, y).n_neighbors_ == 10


def test_the_learners_parameters_enter_a_grid_search(iris):
    model = MetricKNeighborsClassifier(RCA(), random_state=0)
    search = GridSearchCV(model, {"learner__n_components": [1, 4]}, cv=3).fit(*iris)
    assert search.best_score_ > 0.9


def test_what_is_no_learner_is_named(iris):
    with pytest.raises(ValueError, match="'learner' parameter of MetricKNeighborsClassifier"):
        MetricKNeighborsClassifier("nca").fit(*iris)


@pytest.mark.parametrize("n_neighbors", [3, "auto"])
def test_messages_name_the_classes_as_the_user_does(wine, n_neighbors):
    X, y = wine
    labels = np.array(["Common", "Usual", "Rare1"])[np.append(y[y < 2], 2)]
    X = np.vstack([X[y < 2], X[y == 2][:1]])
    with pytest.warns(DataWarning, match="of its own class: Rare1"):
        model = MetricKNeighborsClassifier(RCA(), n_neighbors, random_state=0).fit(X, labels)
    assert model.learner_.classes_.tolist() == model.classes_.tolist()
