import numpy as np
import pytest

from freemetric import DCA, GMML, ITML, LDML, LMNN, LSML, MMC, RCA, SCML, SDML, DMLeig
from freemetric.exceptions import DataWarning
from freemetric.learners.side_information import (
    check_chunks,
    check_pairs,
    check_tuples,
    draw_pairs,
)

BAD = {
    r"chunks must be 3 integers, .* got int64 of shape \(2,\)": (
        lambda: check_chunks([0, 1], 3)
    ),
    "chunks has no chunk": lambda: check_chunks([-1, -1], 2),
    "pairs needs pair_labels": lambda: check_pairs([[0, 1]], None, 3),
    r"pair_labels must be 1 values of \+1 or -1": lambda: check_pairs([[0, 1]], [2], 3),
    r"pairs must be .* of shape \(n, 2\)": lambda: check_pairs([[0, 1, 2]], [1], 3),
    r"pairs\[0\] = \[0, 3\] points outside X, which has 3 rows": (
        lambda: check_pairs([[0, 3]], [1], 3)
    ),
    r"triplets must be integers of shape \(n, 3\)": (
        lambda: check_tuples([[0.0, 1.0, 2.0]], 3, 3, "triplets")
    ),
    "requires y": lambda: RCA().fit(np.eye(3)),
    "different names pairs of chunks": (
        lambda: DCA().fit(np.eye(3), [0, 0, 1], different=[(0, 1)])
    ),
    r"pairs of chunks out of \[0, 1\]": (
        lambda: DCA().fit(np.eye(3), chunks=[0, 0, 1], different=[(0, 5)])
    ),
    "at least two chunks": lambda: DCA().fit(np.eye(3), chunks=[0, 0, 0]),
}


@pytest.mark.parametrize("message", BAD)
def test_bad_side_information_is_named(message):
    with pytest.raises(ValueError, match=message):
        BAD[message]()


def test_pairs_are_distinct_and_half_of_them_similar(rng):
    y = np.repeat([0, 1, 2], [30, 10, 3])
    pairs, similar = draw_pairs(rng, rng.random((43, 2)), y, 60)
    assert len({frozenset(pair) for pair in pairs.tolist()}) == 60
    assert (pairs[:, 0] != pairs[:, 1]).all()
    np.testing.assert_array_equal(y[pairs[:, 0]] == y[pairs[:, 1]], similar)
    assert similar.sum() == 30


def test_all_pairs_where_fewer_exist_than_wanted(rng):
    message = "Only 2 similar and 4 dissimilar pairs exist; 2 of each are used"
    with pytest.warns(DataWarning, match=message):
        pairs, similar = draw_pairs(rng, np.eye(4), np.array([0, 0, 1, 1]), 100)
    assert sorted(map(tuple, pairs[similar].tolist())) == [(0, 1), (2, 3)]


def test_similar_pairs_are_uniform(rng):
    y = np.repeat([0, 1], [3, 5])  # 3 and 10 pairs
    first = [draw_pairs(rng, np.eye(8), y, 2)[0][0].min() < 3 for _ in range(700)]
    assert np.mean(first) == pytest.approx(3 / 13, abs=0.05)  # not 3 / 8 or 1 / 2


@pytest.mark.parametrize("prior", ["identity", "covariance"])
@pytest.mark.parametrize("learner", [ITML, SDML, LDML, MMC, LSML])
@pytest.mark.filterwarnings(
    "ignore:.* unlabelled rows?:freemetric.exceptions.DataWarning"
)
def test_tuples_are_rows_of_what_was_given(learner, prior, wine):
    X, y = wine
    some = np.where(np.arange(len(y)) % 3 == 0, y, -1)
    options = {} if learner is MMC else {"prior": prior}
    if learner is ITML:
        options["bounds"] = (0.1, 2.0)
    if learner is not MMC:
        options["n_constraints"] = 60
    model = learner(random_state=0, **options).fit(X, some)
    whole = learner(random_state=0, **options).fit(X[some >= 0], y[some >= 0])
    name = "quadruplets_" if learner is LSML else "pairs_"
    drawn = getattr(model, name)
    assert (some[drawn] >= 0).all()
    assert learner is MMC or len(drawn) == 60
    if prior == "identity":
        np.testing.assert_array_equal(X[drawn], X[some >= 0][getattr(whole, name)])
    labels = some[drawn].reshape(-1, 2)
    signs = np.tile([1, -1], len(drawn)) if learner is LSML else model.pair_labels_
    np.testing.assert_array_equal(labels[:, 0] == labels[:, 1], signs == 1)
    assert not {"_rows", "_unit"} & set(vars(model))
    given = {"quadruplets": drawn}
    if learner is not LSML:
        given = {"pairs": drawn, "pair_labels": signs}
    again = learner(random_state=1, **options).fit(X, **given)
    assert not hasattr(again, "classes_")
    M = model.get_mahalanobis_matrix()
    atol = 0.02 * np.abs(M).max()
    np.testing.assert_allclose(again.get_mahalanobis_matrix(), M, atol=atol)


# Tuples where samples are expected, and the other way round


@pytest.mark.parametrize(
    ("learner", "width", "classifier"),
    [(kind(), 2, "Pair") for kind in (DMLeig, GMML, ITML, LDML, MMC, SDML)]
    + [(SCML(), 3, "Triplet"), (LMNN(), 3, "Triplet"), (LSML(), 4, "Quadruplet")],
    ids=repr,
)
def test_tuples_of_samples_are_for_the_classifiers_of_tuples(
    learner, width, classifier, rng
):
    with pytest.raises(ValueError, match=rf"{classifier}Classifier\(\w+\(\)\)\.fit"):
        learner.fit(rng.random((20, width, 3)), np.ones(20))


def test_index_pairs_taken_as_samples_are_not_silent(rng):
    pairs = rng.integers(30, size=(40, 2))
    signs = np.where(np.arange(40) % 2, 1, -1)
    with pytest.warns(DataWarning, match="as index pairs have; they are taken as samp"):
        ITML(random_state=0).fit(pairs, signs)


@pytest.mark.filterwarnings("error::freemetric.exceptions.DataWarning")
@pytest.mark.parametrize("change", ["labels", "floats", "three columns"])
def test_samples_that_are_no_index_pairs_give_no_warning(change, rng):
    X = np.column_stack([np.arange(60), rng.permutation(60)])
    signs = np.where(np.arange(60) % 2, 1, -1)
    if change == "labels":
        signs = signs + 1
    if change == "floats":
        X = X / 2
    if change == "three columns":
        X = np.column_stack([X, rng.permutation(60)])
    GMML().fit(X, signs)


@pytest.mark.parametrize(
    ("pairs", "got"),
    [((20, 2, 3), r"float64 of shape \(20, 2, 3\)"), ((20, 2), r"float64 of shape")],
)
def test_coordinates_are_no_indices(pairs, got, rng):
    X, labels = rng.random((50, 3)), np.ones(20)
    with pytest.raises(ValueError, match=rf"pairs must be integers .* got {got}"):
        GMML().fit(X, pairs=rng.random(pairs), pair_labels=labels)
