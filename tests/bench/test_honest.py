import numpy as np
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import MinMaxScaler

from freemetric import NCA, Euclidean
from freemetric.bench import HonestKNN


def test_with_one_choice_it_is_plain_k_nn(wine):
    X, y = wine
    honest = HonestKNN(Euclidean(), most_neighbors=1).fit(X[::2], y[::2])
    scaler = MinMaxScaler().fit(X[::2])
    knn = KNeighborsClassifier(1).fit(scaler.transform(X[::2]), y[::2])
    np.testing.assert_array_equal(honest.predict(X[1::2]), knn.predict(scaler.transform(X[1::2])))


def test_k_is_not_fooled_by_a_metric_that_memorised_its_patterns(rng):
    # Pure noise in many dimensions: NCA separates its own patterns perfectly, so k = 1 looks perfect among them.
    X, y = 0.3 * rng.standard_normal((60, 40)), np.repeat([0, 1], [40, 20])
    learned = NCA().fit(X, y).transform(X)
    neighbour = KNeighborsClassifier(1).fit(learned, y).kneighbors(n_neighbors=1, return_distance=False)[:, 0]
    assert (y[neighbour] == y).mean() > 0.95
    assert HonestKNN(NCA()).fit(X, y).n_neighbors_ > 5
