"""Near rows against a comparison of all pairs."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from freemetric.ensemble.neighbors import MANY, Shortlist, nearest_rows


def recall(found, known):
    shared = [len(np.intersect1d(*pair)) for pair in zip(found, known, strict=True)]
    return np.sum(shared) / known.size


@pytest.mark.parametrize("n_axes", [1, 3, 40])
def test_nearest_rows_come_in_the_order_of_distance(rng, n_axes):
    Q, Z = rng.normal(size=(20, n_axes)), rng.normal(size=(300, n_axes))
    known = np.argsort(cdist(Q, Z), axis=1)[:, :12]
    assert (nearest_rows(Q, Z, 12) == known).mean() > 0.98


def test_there_are_no_more_rows_than_there_are(rng):
    Z = rng.normal(size=(5, 2))
    assert (np.sort(nearest_rows(Z, Z, 50), axis=1) == np.arange(5)).all()


def test_a_shortlist_compares_all_of_few_rows(rng):
    Z, Q = rng.normal(size=(2000, 6)), rng.normal(size=(50, 6))
    found = Shortlist(Z).nearest(Q, 64)
    known = np.argsort(cdist(Q, Z), axis=1)[:, :64]
    assert recall(found, known) > 0.999


@pytest.mark.parametrize("n_axes", [2, 8])
def test_cells_hold_nearly_all_near_rows(rng, n_axes):
    middles = 3 * rng.normal(size=(30, n_axes))
    Z = middles[rng.integers(0, 30, MANY + 4000)] + rng.normal(
        size=(MANY + 4000, n_axes)
    )
    Q = Z[:200] + 0.1 * rng.normal(size=(200, n_axes))
    shortlist = Shortlist(Z)
    assert shortlist.centres is not None
    found = shortlist.nearest(Q, 64)
    assert all(len(np.unique(row)) == 64 for row in found)
    assert recall(found, np.argsort(cdist(Q, Z), axis=1)[:, :64]) > 0.95
