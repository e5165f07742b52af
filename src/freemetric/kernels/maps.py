"""Samples under maps, or under weights of the features; for numpy and torch alike.

With W_ij = dE/dD_ij, whose row sums vanish, the gradient of a map A is 2 A S, S =
sum_ij W_ij (x_i - x_j)(x_i - x_j)^T. Expanded, S = X^T diag(s) X - B - B^T with B = X^T
(W X) and s_j = sum_i W_ij."""

from typing import Any


def images(X: Any, A: Any, diagonal: bool) -> Any:
    """Z (..., N, p) of samples X (..., N, d) under maps A (..., p, d), or under weights
    of the features (..., 1, d).
    """
    return X * A if diagonal else X @ A.swapaxes(-1, -2)


def slopes(X: Any, A: Any, diagonal: bool, half: Any) -> Any:
    """dE/dA = 2 A S, or of a diagonal map 2 A times the diagonal of S; ``half`` is
    diag(s) X - 2 W X.
    """
    if diagonal:
        return 2 * A * (X * half).sum(axis=-2)[..., None, :]
    S = X.swapaxes(-1, -2) @ half
    return A @ (S + S.swapaxes(-1, -2))
