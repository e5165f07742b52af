"""Where Newton's method would step for the graphical lasso: coordinate descent over the elements that may move."""

import numpy as np

from ..kernels.compiling import njit


@njit(nogil=True, cache=True)
def newton_direction(S, M, W, penalty, rows, columns, n_sweeps):
    """The symmetric D (d, d) that minimises tr((S - W) D) + tr(W D W D) / 2 + sum of penalty |M + D|, nearly.

    W is the inverse of M. Only the elements (rows, columns), of the upper triangle, may differ from 0. U = D W is kept,
    so that an element costs O(d).
    """
    d = M.shape[0]
    D, U = np.zeros((d, d)), np.zeros((d, d))
    for _ in range(n_sweeps):
        moved = 0.0
        for k in range(rows.shape[0]):
            i, j = rows[k], columns[k]
            bend = W[i, i] * W[j, j] + (W[i, j] * W[i, j] if i != j else 0.0)
            slope = S[i, j] - W[i, j]
            for l in range(d):
                slope += W[i, l] * U[l, j]
            at = M[i, j] + D[i, j]
            wish = at - slope / bend
            to = np.sign(wish) * max(abs(wish) - penalty[i, j] / bend, 0.0)
            step = to - at
            if step != 0.0:
                moved += abs(step)
                add_step(D, U, W, i, j, step)
        if moved < 0.01 * np.abs(D).sum():
            break
    return D


@njit(nogil=True, cache=True)
def add_step(D, U, W, i, j, step):
    """Add to D_ij and D_ji, and to U what follows from it."""
    D[i, j] += step
    for l in range(W.shape[0]):
        U[i, l] += step * W[j, l]
    if i != j:
        D[j, i] += step
        for l in range(W.shape[0]):
            U[j, l] += step * W[i, l]
