"""Properties over generated inputs: tables, files, weights and shapes.

A few examples each; ``make test-slow`` tries many, by ``--hypothesis-profile=many``.
"""

import io
import warnings

import numpy as np
import pandas as pd
import pytest

hypothesis = pytest.importorskip("hypothesis", reason="needs the extra `dev`")
from hypothesis import (  # noqa: E402
    assume,
    given,
    settings,
    strategies as st,
)
from hypothesis.extra.numpy import arrays  # noqa: E402
from scipy.spatial.distance import cdist  # noqa: E402

from freemetric.ensemble.neighbors import neighbor_means  # noqa: E402
from freemetric.ensemble.training_set import TrainingSet, equal_rows  # noqa: E402
from freemetric.ensemble.views import Logarithms, Quantiles, Scaled  # noqa: E402
from freemetric.exceptions import ModelFileError  # noqa: E402
from freemetric.experiments.records import Job, Record, as_line, parse  # noqa: E402
from freemetric.files import load, save  # noqa: E402
from freemetric.learners import LEARNERS  # noqa: E402
from freemetric.tables import TableEncoder  # noqa: E402

from .ensemble import brute_force  # noqa: E402

NUMBERS = st.floats(-1e6, 1e6, allow_subnormal=False)
SHAPES = st.tuples(st.integers(2, 12), st.integers(1, 5))
CELLS = {
    "numbers": st.one_of(NUMBERS, st.none(), st.just(float("nan"))),
    "counts": st.integers(-(10**12), 10**12),
    "truth": st.booleans(),
    "names": st.sampled_from(["red", "green", "", "NA", "1", "1,5", "$3", None]),
    "texts": st.text(max_size=6),
    "days": st.dates().map(str),
}


@st.composite
def frames(draw):
    """Tables of a few rows, whose columns hold anything that people write."""
    n = draw(st.integers(2, 12))
    columns = {}
    for number in range(draw(st.integers(1, 4))):
        kind = draw(st.sampled_from(sorted(CELLS)))
        cells = draw(st.lists(CELLS[kind], min_size=n, max_size=n))
        columns[f"{kind}{number}"] = cells
    return pd.DataFrame(columns)


def samples(shapes=SHAPES, elements=NUMBERS):
    return arrays(np.float64, shapes, elements=elements)


# --- tables ---------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore")
@settings(max_examples=max(5, settings().max_examples // 3))
@given(frames(), st.randoms(use_true_random=False))
def test_rows_of_a_table_are_encoded_one_by_one(frame, random):
    try:
        encoder = TableEncoder().fit(frame)
    except ValueError:
        return  # a table without a column of use, which is said
    encoded = encoder.transform(frame)
    assert encoded.shape == (len(frame), len(encoder.get_feature_names_out()))
    assert not np.isinf(encoded).any()
    order = random.sample(range(len(frame)), len(frame))
    np.testing.assert_array_equal(encoder.transform(frame.iloc[order]), encoded[order])
    reversed_columns = frame[frame.columns[::-1]]
    np.testing.assert_array_equal(encoder.transform(reversed_columns), encoded)


# --- views ----------------------------------------------------------------------------


@pytest.mark.parametrize("view", [Scaled, Logarithms, Quantiles])
@given(samples(elements=st.floats(-1e300, 1e300)))
def test_views_are_of_order_one_and_keep_the_order(view, X):
    V = view.fit(X)(X)
    assert V.shape == X.shape
    assert (V >= 0).all()
    assert (V <= 1 + 1e-9).all()
    for x, v in zip(X.T, V.T, strict=True):
        order = np.argsort(x, kind="stable")
        assert (np.diff(v[order]) >= -1e-9).all()


# --- weights and copies ---------------------------------------------------------------


@given(arrays(np.float64, SHAPES, elements=st.integers(-2, 2).map(float)))
def test_equal_rows_are_those_of_numpy(X):
    first, place = equal_rows(X)
    np.testing.assert_array_equal(X[first][place], X)
    assert len(first) == len(np.unique(X + 0.0, axis=0))


@st.composite
def weighted_rows(draw):
    """Rows on a coarse grid, many of them equal, their values and weights."""
    n = draw(st.integers(3, 10))
    X = draw(arrays(np.float64, (n, 2), elements=st.integers(0, 2).map(float)))
    values = draw(arrays(np.float64, (n, 1), elements=st.floats(-10, 10)))
    weights = draw(arrays(np.float64, n, elements=st.floats(0.01, 100)))
    return X, values, weights


@given(weighted_rows(), st.integers(1, 12), st.integers(0, 2))
def test_weighted_votes_are_those_of_loops(rows, n_neighbors, own):
    X, values, weights = rows
    query = np.array([[0.13, 1.71]])  # no two rows of the grid are as far from it
    training_set = TrainingSet.of(X, values, weights)
    places = X[training_set.row_of_point]
    found = neighbor_means(places, query, training_set, [n_neighbors])[0, 0]
    known = brute_force.votes(X, values, weights, query[0], n_neighbors)
    np.testing.assert_allclose(found, known, atol=1e-9)
    twice = TrainingSet.of(X, values, 7 * weights)
    again = neighbor_means(places, query, twice, [n_neighbors])[0, 0]
    np.testing.assert_allclose(again, known, atol=1e-9)


# --- shapes ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["covariance", "pca", "lda", "rca", "lfda", "anmm"])
@given(X=samples(), seed=st.integers(0, 99))
def test_a_learner_of_any_samples_has_a_map_or_says_why_not(name, X, seed):
    y = np.random.default_rng(seed).integers(0, 2, len(X))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model = LEARNERS[name]().fit(X, y)
        except ValueError:
            return  # too few samples of a class, or the same sample again and again
        Z = model.transform(X)
    assert Z.shape == (len(X), len(model.components_))
    assert np.isfinite(Z).all()
    distances = model.pair_distance(np.stack([X, X[::-1]], axis=1))
    np.testing.assert_allclose(
        distances, np.diag(cdist(Z, Z[::-1])), rtol=1e-6, atol=1e-6
    )


# --- files ----------------------------------------------------------------------------


@given(samples(), st.data())
def test_a_file_is_read_to_the_last_digit_or_refused(X, data):
    model = LEARNERS["pca"]()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X)
    file = io.BytesIO()
    save(model, file)
    content = file.getvalue()
    again = load(io.BytesIO(content))
    np.testing.assert_array_equal(again.transform(X), model.transform(X))
    place = data.draw(st.integers(0, len(content) - 1))
    new = data.draw(st.integers(0, 255))
    assume(content[place] != new)
    edited = content[:place] + bytes([new]) + content[place + 1 :]
    for wrong in (content[:place], edited):
        with pytest.raises(ModelFileError):
            load(io.BytesIO(wrong))


@given(
    st.builds(
        Record,
        st.builds(Job, st.text(), st.text(), st.integers(), st.integers(), st.text()),
        errors=st.lists(NUMBERS),
        honest_error=st.none() | NUMBERS,
        coverage=st.none() | st.lists(NUMBERS),
        failure=st.none() | st.text(),
        versions=st.dictionaries(st.text(), st.text()),
    )
)
def test_a_record_is_one_line_that_is_read_again(record):
    line = as_line(record)
    assert line.count("\n") == 1
    assert parse(line) == record
