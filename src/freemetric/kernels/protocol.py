"""What goes into and comes out of every backend; ``reference`` defines what it computes.

X is a stack (B, N, d) of data sets. For classification the samples are sorted by class, all with the same class
``bounds`` (C + 1,); for regression they come in any order, with targets y (B, m, N) of mean zero and variance one,
and ``scale`` (B, m) is what a constant costs. ``weights`` (B, N) are positive, or None for equal ones; only their
ratios matter. A is a stack (R, p, d) of maps or, where ``diagonal``, (R, 1, d) of feature weights. B = R pairs map r
with data set r; with B = 1 all maps have the same data. ``lists`` say which neighbours of a sample count, and only
their own backend can read them; without them all count.
"""

from typing import NamedTuple

from numpy.typing import NDArray


class Trials(NamedTuple):
    """Trials of single elements, (R, n) each: A[r, row, column] changes by delta if the energy rises no more."""

    rows: NDArray
    columns: NDArray
    deltas: NDArray
    allowed: NDArray


class Loss(NamedTuple):
    """A loss of regression: "squared", "log_likelihood", "absolute", or "pinball" at a quantile."""

    name: str
    quantile: float = 0.5


Places = tuple[NDArray, NDArray]  # how many samples lie at every place, (M,), and what they vote for, (M, n_cells)
