"""A model knows its own rows again, from a few numbers, in any order and number."""

import numpy as np
import pandas as pd
import pytest

from freemetric.tabular.model import KEPT, remembered, share_known


def rows(n, seed):
    rng = np.random.default_rng(seed)
    return pd.DataFrame({"a": rng.random(n), "b": pd.Series(rng.choice(["x", "y", np.nan], n), dtype=object)})


@pytest.mark.parametrize("n", [10, KEPT - 1, KEPT, 5000])
def test_shares(n):
    own, others = rows(n, 0), rows(n, 1)
    kept = remembered(own)
    assert len(kept) == min(n, KEPT)
    assert share_known(own[::-1], kept) == 1
    assert share_known(others, kept) == 0
    assert abs(share_known(pd.concat([own, others]), kept) - 0.5) < 0.1
    assert share_known(own, []) == 0
