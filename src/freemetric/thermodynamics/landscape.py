"""How alike two metrics are."""

import numpy as np

from ..mc.state import Array


def overlap(A: Array, B: Array) -> Array:
    r"""Overlap of the metrics of two maps, :math:`q = \langle M_A, M_B \rangle / (|M_A|
    |M_B|)` with M = A^T A.

    It is 1 for equal metrics up to a factor, 0 for metrics of different features, and
    does not see rotations of the learned space. Costs O(p^2 d) a pair, without making
    M.

    Parameters
    ----------
    A, B : ndarray of shape (..., p, d)
        Maps; leading dimensions are broadcast.

    Returns
    -------
    q : ndarray of shape (...)
        In [0, 1].

    Examples
    --------
    >>> import numpy as np
    >>> from freemetric.thermodynamics import overlap
    >>> maps = np.array([[[1.0, 0.0]], [[3.0, 0.0]], [[1.0, 1.0]]])
    >>> overlap(maps[:, None], maps).round(2)
    array([[1. , 1. , 0.5],
           [1. , 1. , 0.5],
           [0.5, 0.5, 1. ]])
    """
    A, B = np.asarray(A), np.asarray(B)
    size = np.sqrt(_product(A, A) * _product(B, B))
    # The map that is zero is like no other.
    return _product(A, B) / np.where(size > 0, size, 1.0)


def _product(A, B):
    """<M_A, M_B> = |A B^T|^2."""
    return ((A @ np.swapaxes(B, -1, -2)) ** 2).sum(axis=(-2, -1))
