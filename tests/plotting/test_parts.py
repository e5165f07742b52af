import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from freemetric import LFDA, MetricKNeighborsClassifier
from freemetric.plotting.embedding import learned_samples
from freemetric.plotting.features import ImportancesDisplay
from freemetric.plotting.parts import space_of, training_rows

from .models import Classifier, Table

SCALED = make_pipeline(MinMaxScaler(), LFDA())
VOTING = make_pipeline(SCALED, KNeighborsClassifier())


@pytest.mark.parametrize(
    "model",
    [
        SCALED,
        make_pipeline(MinMaxScaler(), LFDA(), KNeighborsClassifier()),
        VOTING,
        MetricKNeighborsClassifier(SCALED, n_neighbors=3),
        GridSearchCV(VOTING, {"kneighborsclassifier__n_neighbors": [3]}, cv=2),
    ],
)
def test_the_map_is_found_with_what_stands_in_front(model, iris):
    X, y = iris
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    expected = LFDA().fit(MinMaxScaler().fit_transform(X), y)
    Z = learned_samples(model.fit(frame, y), frame)
    np.testing.assert_allclose(
        Z, MinMaxScaler().fit_transform(X) @ expected.components_.T
    )
    assert list(ImportancesDisplay.of(model, frame).names) == ["a", "b", "c", "d"]


def test_names_of_a_table_are_those_of_its_columns():
    frame = pd.DataFrame({"size": [1.0, 2, 3, 4], "colour": ["red", "blue"] * 2})
    model = Table().fit(frame, ["a", "b", "a", "b"])
    assert ImportancesDisplay.of(model).names == ["colour_blue", "colour_red", "size"]


def test_an_estimator_without_a_map_is_named():
    model = KNeighborsClassifier().fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(TypeError, match=r"metric learner.*KNeighborsClassifier"):
        space_of(model)
    with pytest.raises(NotFittedError):
        space_of(LFDA())


def test_rows_of_the_fit_are_recognised(rng):
    X = rng.normal(size=(30, 2))
    X[7] = X[3]  # a copy
    model = Classifier().fit(X, np.arange(30) % 2)
    part = space_of(model)
    np.testing.assert_array_equal(training_rows(part, X), np.arange(30))
    mixed = np.vstack([X[[5, 2]], rng.normal(size=(1, 2))])
    np.testing.assert_array_equal(training_rows(part, mixed), [5, 2, -1])


def test_rows_of_the_fit_are_recognised_by_what_they_have(rng):
    X = rng.normal(size=(30, 2))
    model = Classifier().fit(X, np.arange(30) % 2)
    X[4, 1] = np.nan  # the ensemble keeps it filled
    np.testing.assert_array_equal(training_rows(space_of(model), X), np.arange(30))
