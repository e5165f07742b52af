"""The number of features that a map uses, as a penalty."""

import numpy as np

from .base import Array, Energy


class Sparsity(Energy):
    r"""The number of features that a map uses, or the sum of the lengths of its
    columns; added to another energy.

    With :math:`a_j` the column of feature j, E(A) is

    .. math:: \sum_j |a_j| \quad\text{or, with a width } s, \quad
        \sum_j \frac{|a_j|^2}{|a_j|^2 + s^2}.

    The first is the group lasso: it shrinks all columns alike, and those that lower the
    other energy by less than the factor of the penalty go to zero. The second counts
    columns that are longer than about s, however long they are: a column either pays
    one, or is frozen in a well of width s around zero. At temperature T it stays there
    while factor > T. E is invariant under rotations of the learned space, and has a
    gradient; that of the lasso is set to zero at zero. It also takes weights (R, 1, d)
    of features. An evaluation costs O(p d).

    Parameters
    ----------
    width : float or None, default=None
        s; None is the group lasso.

    References
    ----------
    M. Yuan, Y. Lin, Model selection and estimation in regression with
    grouped variables, JRSS B 68, 2006. S. Geman, D. E. McClure, Statistical methods for
    tomographic image reconstruction, Bulletin of the ISI 52, 1987.

    Examples
    --------
    >>> import numpy as np
    >>> from freemetric.energies import NCAEnergy, Sparsity
    >>> A = np.array([[[3.0, 0.0], [4.0, 0.0]]])
    >>> Sparsity().bind(None, None)(A), Sparsity(0.1).bind(None, None)(A).round(3)
    (array([5.]), array([1.]))
    >>> NCAEnergy() + 0.01 * Sparsity(0.1)
    SumEnergy(first=NCAEnergy(),
              second=ScaledEnergy(energy=Sparsity(width=0.1), factor=0.01))
    """

    needs_targets = False

    def __init__(self, width=None):
        self.width = width

    def bind(self, X, y, *, sample_weight=None, device="cpu"):
        if self.width is not None and not self.width > 0:
            raise ValueError(f"width must be None or positive; got {self.width!r}.")
        return BoundSparsity(self.width)


class BoundSparsity:
    """The penalty of maps (R, p, d)."""

    def __init__(self, width: float | None) -> None:
        self.width = width

    def __call__(self, A: Array) -> Array:
        square = (A**2).sum(axis=1)
        return (
            np.sqrt(square) if self.width is None else square / (square + self.width**2)
        ).sum(axis=1)

    def value_and_grad(self, A: Array) -> tuple[Array, Array]:
        square = (A**2).sum(axis=1, keepdims=True)
        if self.width is None:
            lengths = np.sqrt(square)
            return self(A), A / np.where(lengths > 0, lengths, 1)
        return self(A), 2 * self.width**2 * A / (square + self.width**2) ** 2
