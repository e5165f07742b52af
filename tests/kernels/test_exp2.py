import numpy as np
from numba import njit

from freemetric.kernels.numba.exp2 import mantissa, nearest_integer, power


@njit
def powers_of_two(h, out):
    for i in range(len(h)):
        n = nearest_integer(h[i])
        out[i] = mantissa(h[i] - n) * power(n)


def test_powers_of_two_are_accurate_over_float32s_range():
    h = np.linspace(-125, 100, 100_001, dtype=np.float32)
    out = np.empty_like(h)
    powers_of_two(h, out)
    np.testing.assert_allclose(out, 2.0 ** h.astype(float), rtol=3e-7)


def test_what_is_too_small_is_zero():
    h = np.array([-1e30, -1e9, -1000, -128], dtype=np.float32)
    out = np.ones_like(h)
    powers_of_two(h, out)
    np.testing.assert_array_equal(out, 0)
