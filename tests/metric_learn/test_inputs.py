"""Points and tuples in every form they come in, and what is said of other ones."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.exceptions import NotFittedError

from freemetric import metric_learn
from freemetric.metric_learn import (
    ITML,
    LFDA,
    LSML,
    MMC,
    NCA,
    RCA,
    SCML,
    Constraints,
    Covariance,
)
from freemetric.metric_learn.base import PreprocessorError
from freemetric.metric_learn.points import PointsLearner
from freemetric.metric_learn.starts import NonPSDError

rng = np.random.default_rng(0)
X = rng.random((60, 3))
y = np.arange(60) % 3
X[:, 0] += y
PAIRS = rng.permutation(60).reshape(-1, 2)
ALIKE = np.where(y[PAIRS[:, 0]] == y[PAIRS[:, 1]], 1, -1)


def forms(array):
    yield array.tolist()
    yield tuple(map(tuple, array.tolist()))
    yield pd.DataFrame(array) if array.ndim == 2 else np.asfortranarray(array)


@pytest.mark.parametrize(
    "preprocessor", [X, X.tolist(), pd.DataFrame(X), lambda i: X[i]]
)
def test_indices_are_looked_up(preprocessor):
    expected = ITML().fit(X[PAIRS], ALIKE)
    for pairs in (PAIRS, *forms(PAIRS)):
        for labels in (ALIKE, ALIKE.tolist(), ALIKE.astype(float)):
            model = ITML(preprocessor=preprocessor).fit(pairs, labels)
            assert_allclose(model.components_, expected.components_)
        assert_array_equal(model.predict(pairs), expected.predict(X[PAIRS]))


def test_arrays_may_be_nested_lists():
    expected = MMC().fit(X[PAIRS], ALIKE)
    for pairs in forms(X[PAIRS]):
        assert_allclose(MMC().fit(pairs, ALIKE).components_, expected.components_)


def test_tuples_may_be_given_whole_where_there_is_a_preprocessor():
    rows = PAIRS[:28].reshape(-1, 4)
    model = LSML(preprocessor=X).fit(rows)
    by_row = model.decision_function(rows)
    assert_array_equal(model.decision_function(X[rows]), by_row)


def test_points_as_indices_as_frames_and_sparse():
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    named = NCA(n_components=2).fit(frame, y)
    assert named.feature_names_in_.tolist() == ["a", "b", "c"]
    out = named.set_output(transform="pandas").transform(frame)
    assert out.columns.tolist() == ["nca0", "nca1"]
    looked_up = NCA(n_components=2, preprocessor=X).fit(np.arange(60), y)
    assert_array_equal(looked_up.components_, named.components_)
    assert_array_equal(looked_up.transform([4, 2]), X[[4, 2]] @ named.components_.T)
    assert_allclose(
        Covariance().fit(csr_array(X)).components_, Covariance().fit(X).components_
    )


LEARN_FROM_LABELS = [
    name
    for name in metric_learn.__all__
    if issubclass(getattr(metric_learn, name), PointsLearner) and name != "RCA"
]


@pytest.mark.parametrize("name", LEARN_FROM_LABELS)
@pytest.mark.filterwarnings("ignore")
def test_names_of_features_are_kept(name):
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    learner = getattr(metric_learn, name)()
    wanted = {"n_basis": 20, "max_iter": 50, "n_chunks": 10, "random_state": 0}
    learner.set_params(**{k: v for k, v in wanted.items() if hasattr(learner, k)})
    learner.fit(frame, y)
    assert learner.feature_names_in_.tolist() == ["a", "b", "c"]
    assert len(learner.transform(frame)) == len(X)
    assert not hasattr(learner.fit(X, y), "feature_names_in_")


@pytest.mark.parametrize("name", ["ITML", "MMC", "SDML"])
@pytest.mark.filterwarnings("ignore")
def test_predictions_are_signs_of_distances_below_the_threshold(name):
    model = getattr(metric_learn, name)().fit(X[PAIRS], ALIKE).set_threshold(0.4)
    is_near = model.pair_distance(X[PAIRS]) <= 0.4
    assert_array_equal(model.predict(X[PAIRS]), np.where(is_near, 1, -1))


def test_only_a_prior_must_be_definite():
    flat = np.diag([1.0, 1.0, 0.0])
    metric_learn.MMC(init=flat).fit(X[PAIRS], ALIKE)
    with pytest.raises(np.linalg.LinAlgError, match="strictly positive definite"):
        ITML(prior=flat).fit(X[PAIRS], ALIKE)


def test_unlabelled_points_are_in_no_pair():
    labels = np.where(np.arange(60) % 3 == 0, -1, y)
    constraints = metric_learn.Constraints(labels)
    assert set(constraints.partial_labels[::3]) == {-1}
    used = np.concatenate(constraints.positive_negative_pairs(50, random_state=0))
    assert (labels[used] >= 0).all()


BROKEN = np.full((4, 2, 3), np.nan)
THREE = X[rng.integers(60, size=(9, 3))]


@pytest.mark.parametrize(
    ("pairs", "labels", "said"),
    [
        (X[PAIRS][:, :, 0], ALIKE, "3D array .* expected by ITML. Found 2D array ins"),
        (X[PAIRS], ALIKE[:-1], "inconsistent numbers of samples"),
        (X[PAIRS], 2 * ALIKE, r"y must be \+1 for similar and -1 for dissimilar pairs"),
        (THREE, ALIKE[:9], r"Tuples of 2 element\(s\) expected by ITML"),
        (BROKEN, [1, 1, -1, -1], "contains NaN"),
    ],
)
def test_what_is_no_pair_is_said(pairs, labels, said):
    with pytest.raises(ValueError, match=said):
        ITML().fit(pairs, labels)


@pytest.mark.parametrize(
    ("preprocessor", "said"),
    [
        (X[:5], "The preprocessor failed: IndexError"),
        (lambda i: X[i] / 0 + {}, "TypeError"),
        (lambda i: X[i, 0], "Expected 2D array"),
    ],
)
@pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning")
def test_what_is_no_preprocessor_is_said(preprocessor, said):
    with pytest.raises(PreprocessorError, match=said):
        ITML(preprocessor=preprocessor).fit(PAIRS, ALIKE)


@pytest.mark.parametrize(("points", "preprocessor"), [(X[0], None), (X[None], X)])
def test_what_are_no_points_is_said(points, preprocessor):
    with pytest.raises(ValueError, match="2D array of formed points expected by LFDA"):
        LFDA(preprocessor=preprocessor).fit(points, y)


@pytest.mark.parametrize("cls", [ITML, SCML, LSML])
def test_nothing_is_reported_before_a_fit(cls):
    tuples = X[rng.integers(60, size=(9, {ITML: 2, SCML: 3, LSML: 4}[cls]))]
    model = cls()
    for asked in (model.predict, model.decision_function):
        with pytest.raises(NotFittedError):
            asked(tuples)
    with pytest.raises(NotFittedError):
        model.get_metric()


@pytest.mark.parametrize(
    ("matrix", "error", "said"),
    [
        (
            "diagonal",
            ValueError,
            "`prior` must be 'identity', 'covariance', 'random' or",
        ),
        (
            np.eye(2),
            ValueError,
            r"dimensionality \(2, 2\) of the given mahalanobis matr",
        ),
        (np.triu(np.ones((3, 3))), ValueError, "`prior` is not symmetric"),
        (np.diag([1, 1, -1.0]), NonPSDError, "Matrix is not positive semidefinite"),
        (np.diag([1, 1, 0.0]), np.linalg.LinAlgError, "strictly positive definite mat"),
    ],
)
def test_a_prior_must_be_a_metric(matrix, error, said):
    with pytest.raises(error, match=said):
        ITML(prior=matrix).fit(X[PAIRS], ALIKE)


def test_the_metric_is_a_function_of_vectors():
    model = RCA().fit(X, y)
    metric = model.get_metric()
    assert metric(X[0], X[1]) == pytest.approx(model.pair_distance(X[None, :2])[0])
    assert metric(X[0].tolist(), X[1:2], squared=True) == pytest.approx(
        metric(X[0], X[1]) ** 2
    )
    with pytest.raises(ValueError, match=r"A point is a vector; .* shape \(2, 3\)"):
        metric(X[:2], X[1:3])


def test_pairs_of_constraints_are_what_they_say():
    labels = np.array([0, 0, 0, 1, 1, -1, 2, -1])
    a, b, c, d = Constraints(labels).positive_negative_pairs(4, random_state=0)
    assert (labels[a] == labels[b]).all()
    assert (labels[c] != labels[d]).all()
    assert (labels[np.concatenate([a, b, c, d])] >= 0).all()
    for pairs in (np.column_stack([a, b]), np.column_stack([c, d])):
        assert len({frozenset(pair) for pair in pairs.tolist()}) == 4
    message = r"Only generated 4 positive constraints \(requested 9\)"
    with pytest.warns(UserWarning, match=message):
        a, b, c, d = Constraints(labels).positive_negative_pairs(9, same_length=True)
    assert len(a) == len(c) == 4


def test_chunks_of_constraints_are_drawn_from_every_class():
    labels = np.repeat([0, 1, -1], [7, 4, 5])
    chunks = Constraints(labels).chunks(5, 2, random_state=1)
    numbers, counts = np.unique(chunks[chunks >= 0], return_counts=True)
    assert (len(numbers), set(counts)) == (5, {2})
    for number in numbers:
        assert len(set(labels[chunks == number])) == 1
    assert (chunks[labels < 0] == -1).all()
    with pytest.raises(ValueError, match="maximum number of chunks is 5"):
        Constraints(labels).chunks(6, 2)


def test_triplets_of_constraints_count_rows_that_have_no_label():
    labels = np.array([-1, 0, 0, 1, 1])
    points = np.array([[9.0], [0.0], [1.0], [5.0], [6.0]])
    triplets = Constraints(labels).generate_knntriplets(points, 1, 1)
    assert sorted(triplets.tolist()) == [[1, 2, 3], [2, 1, 3], [3, 4, 2], [4, 3, 2]]
