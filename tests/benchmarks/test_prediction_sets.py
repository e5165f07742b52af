"""Tables of coverage count what they say."""

import numpy as np
import pytest

prediction_sets = pytest.importorskip(
    "prediction_sets", reason="benchmarks are not part of an installed package"
)


@pytest.fixture
def problem(rng):
    X = rng.normal(size=(160, 2))
    return X, (X[:, 0] + rng.normal(size=160) > 0.8).astype(int)


def test_hits_are_counted_for_every_class(problem):
    hits, tested, sizes = prediction_sets.measured(*problem, repeats=1, n_replicas=4)
    np.testing.assert_array_equal(
        tested, np.bincount(problem[1])
    )  # both halves are tested once
    for kind in prediction_sets.KINDS:
        assert (hits[kind] <= tested).all()
        assert 0.8 < hits[kind].sum() / tested.sum() <= sizes[kind] <= 2
    assert (hits["class"] / tested).min() > 0.75
