"""Labels as weaker knowledge: what the twins ``..._Supervised`` draw from them."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..learners.validation import check_labels
from .constraints import Constraints

PER_CLASS_PAIR = 20  # constraints of each kind, where no number is asked for


def partial_labels(y: ArrayLike) -> NDArray[np.int_]:
    """Class numbers, -1 where a label is unknown: negative among numbers, if two others are left."""
    labels = np.asarray(y)
    known = np.ones(len(labels), dtype=bool)
    if np.issubdtype(labels.dtype, np.number) and len(np.unique(labels[labels >= 0])) > 1:
        known = labels >= 0
    numbers = np.full(len(labels), -1)
    numbers[known] = check_labels(labels[known])[1]
    return numbers


def drawn_pairs(y: ArrayLike, n_constraints: int | None, random_state: Any) -> tuple[NDArray, NDArray]:
    """Pairs (n, 2) of rows, and +1 for those of one class, -1 for the others.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels.
    n_constraints : int or None
        Pairs of each kind; None: 20 times the number of classes squared.
    random_state : int, RandomState or None
        Seed.

    Returns
    -------
    pairs, pair_labels : ndarrays
    """
    a, b, c, d = _drawn(y, n_constraints, random_state)
    pairs = np.vstack([np.column_stack([a, b]), np.column_stack([c, d])])
    return pairs, np.repeat([1, -1], [len(a), len(c)])


def drawn_quadruplets(y: ArrayLike, n_constraints: int | None, random_state: Any) -> NDArray:
    """Two rows of one class and two of different classes, (n, 4); None: 20 times the number of classes squared."""
    return np.column_stack(_drawn(y, n_constraints, random_state, same_length=True))


def _drawn(y, n_constraints, random_state, **options):
    numbers = partial_labels(y)
    n = PER_CLASS_PAIR * (numbers.max() + 1) ** 2 if n_constraints is None else n_constraints
    return Constraints(numbers).positive_negative_pairs(n, random_state=random_state, **options)
