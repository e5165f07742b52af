import numpy as np
import pytest

from freemetric.kernels import reference
from freemetric.metrics import index
from freemetric.metrics.index import Shortlist


@pytest.mark.parametrize("n_places", [300, 1500])
def test_a_gpu_looks_at_all_places(n_places, monkeypatch, rng):
    monkeypatch.setattr(index, "MANY_PLACES", 1000)  # cells for the larger number
    matrices, seen = {"scaled": np.diag([4.0, 1.0, 0.25])}, {"scaled": rng.standard_normal((n_places, 3))}
    some = Shortlist.of(matrices, seen)
    assert (some.cells is not None) == (n_places > 1000)
    queries = {"scaled": rng.standard_normal((20, 3))}
    monkeypatch.setattr(index, "kernels_for", lambda device: reference)  # stands in for a GPU
    found = some.nearest(queries, 7, "cuda")
    apart = ((queries["scaled"][:, None] - seen["scaled"]) ** 2 * np.diag(matrices["scaled"])).sum(axis=2)
    truth = np.argsort(apart, axis=1)[:, :7]
    assert found.dtype == np.int32
    np.testing.assert_array_equal(found, truth)
