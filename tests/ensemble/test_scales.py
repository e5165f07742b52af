"""Scales of a regression target."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from freemetric.ensemble.tasks.scales import Scale


@pytest.mark.parametrize("name", ["linear", "log", "asinh"])
def test_a_scale_goes_back(rng, name):
    y = np.exp(rng.standard_normal(50))
    if name == "asinh":
        y[:5] = [0, 0, 0, -0.1, -3]
    scale = Scale.of(name, y)
    z = scale(y)
    assert_allclose([z.mean(), z.std()], [0, 1], atol=1e-12)
    assert_allclose(scale.back(z), y)


def test_asinh_is_a_logarithm_far_from_zero():
    y = np.r_[np.zeros(10), np.geomspace(1, 1000, 90)]
    scale = Scale.of("asinh", y)
    decades = np.diff(scale(np.array([100.0, 1e3, 1e4])))
    assert decades[0] == pytest.approx(decades[1], rel=1e-4)
    assert decades[0] == pytest.approx(np.log(10) / scale.unit, rel=1e-4)
