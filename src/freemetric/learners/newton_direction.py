"""Where Newton's method steps for the graphical lasso, as long as the signs of the elements stay what they are."""

import numpy as np
from numpy.typing import NDArray

EXACT = 1e-4  # of the squared length of the residual, as the metric of the problem measures it
MOST = 50  # conjugate gradients

Array = NDArray[np.float64]


def newton_direction(M: Array, W: Array, slope: Array, free: NDArray[np.bool_]) -> Array:
    """The D (d, d) that minimises tr(slope D) + tr(W D W D) / 2 among those that are zero where not ``free``, nearly.

    W is the inverse of M. Without zeros D = -M slope M; with them conjugate gradients need a few more products of
    matrices, as that is their preconditioner, and care little how near M is to a singular matrix.
    """
    D, residual = np.zeros_like(M), np.where(free, -slope, 0.0)
    along = better = np.where(free, M @ residual @ M, 0.0)
    length = (residual * better).sum()
    enough = EXACT * length
    for _ in range(MOST):
        if not length > enough:
            break
        bent = np.where(free, W @ along @ W, 0.0)
        step = length / (along * bent).sum()
        D, residual = D + step * along, residual - step * bent
        better = np.where(free, M @ residual @ M, 0.0)
        before, length = length, (residual * better).sum()
        along = better + length / before * along
    return (D + D.T) / 2
