import time

import numpy as np
import pytest

from freemetric.bench.race import OPTIMISERS, race
from freemetric.energies import NCAEnergy


@pytest.mark.slow
@pytest.mark.parametrize("name", OPTIMISERS)
def test_every_optimiser_lowers_the_energy_within_its_time(name, iris):
    if name == "CMA-ES":
        pytest.importorskip("cma", reason="CMA-ES needs cma")
    race(*iris, seconds=0.1, optimisers=[name])  # whatever is loaded on first use
    start = time.perf_counter()
    ((seconds, lowest),) = race(*iris, seconds=1.0, optimisers=[name]).values()
    assert time.perf_counter() - start < 10
    assert (np.diff(seconds) > 0).all()
    assert (np.diff(lowest) < 0).all()
    assert lowest[-1] < NCAEnergy().bind(*iris)(np.eye(4)[None])[0]
