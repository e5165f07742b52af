"""Out-of-bag votes on a GPU against those of the CPU."""

import numpy as np
import pytest

from freemetric.kernels import kernels_for
from freemetric.metrics import ClassEncoding
from freemetric.metrics.neighbor_votes import NeighborVotes
from freemetric.metrics.training_set import places_of


@pytest.mark.parametrize("where", ["cpu", "cuda"])
@pytest.mark.parametrize("copies", [1, 3])
def test_shares_are_those_of_the_cpu(rng, copies, where):
    torch = pytest.importorskip("torch", reason="the GPU kernels need torch")
    if where == "cuda" and not torch.cuda.is_available():
        pytest.skip("needs a CUDA GPU")
    X, y, K = np.repeat(1e3 + rng.standard_normal((60, 4)), copies, axis=0), rng.integers(0, 3, 60 * copies), 7
    places, own = places_of(X, y, ClassEncoding(3)), ClassEncoding(3).votes(y)
    maps, outside = rng.standard_normal((2, 4, 4)), [np.arange(0, 60, 2), np.arange(60)]
    scored = rng.permutation(len(X))[:60]
    true = np.zeros((60, K, 3), dtype=np.float32)
    for A, numbers in zip(maps, outside, strict=True):
        search = NeighborVotes(X[places.rows] @ A.T, places, K)
        search.add_left_out_shares(scored[numbers], own[scored[numbers]], numbers, true)
    votes = (places.counts, places.votes), places.of_row[scored], own[scored], K
    found = kernels_for("cuda").left_out_shares(
        lambda V, maps, ops: (ops.matmul(V, A.T) for A in maps), X[places.rows], maps, outside, votes, where
    )
    np.testing.assert_allclose(found, true, atol=1e-6)
