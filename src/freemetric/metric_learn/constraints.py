"""Pairs, triplets and chunks out of labels, some of which may be unknown."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from ..exceptions import callers_stacklevel
from ..learners.base import generator
from ..learners.scml import nearest_triplets
from ..learners.side_information import count_pairs, draw_dissimilar, draw_similar
from ..learners.validation import check_labels
from .base import DEPRECATED, renamed

PER_CLASS_PAIR = 20  # constraints of each kind by default


class Constraints:
    """Draws pairs, triplets and chunks from the labels of points.

    Parameters
    ----------
    partial_labels : array-like of int of shape (n_samples,)
        Labels; negative ones are unknown.

    Examples
    --------
    >>> from freemetric.metric_learn import Constraints
    >>> a, b, c, d = Constraints([0, 0, 1, 1, -1]).positive_negative_pairs(2, random_state=0)
    >>> sorted(zip(a.tolist(), b.tolist()))
    [(0, 1), (2, 3)]
    """

    def __init__(self, partial_labels: ArrayLike) -> None:
        self.partial_labels = np.asanyarray(partial_labels, dtype=int)
        self._known = np.flatnonzero(self.partial_labels >= 0)

    def _classes(self):
        """Class numbers 0..C-1 of the points with a label."""
        return np.unique(self.partial_labels[self._known], return_inverse=True)[1]

    def positive_negative_pairs(
        self,
        n_constraints: int,
        same_length: bool = False,
        random_state: Any = None,
        num_constraints: Any = DEPRECATED,
    ) -> tuple[NDArray, NDArray, NDArray, NDArray]:
        """Random pairs of one class, and random pairs of two.

        Parameters
        ----------
        n_constraints : int
            Number of pairs of each kind; fewer, with a warning, if there are not so many. All are different.
        same_length : bool, default=False
            Return as many pairs of one kind as of the other.
        random_state : int, RandomState or None, default=None
            Seed.
        num_constraints : int, default="deprecated"
            The old name of ``n_constraints``.

        Returns
        -------
        a, b, c, d : ndarrays of int
            Points a[i] and b[i] have the same label, c[i] and d[i] different ones.
        """
        wanted = renamed(n_constraints, num_constraints, "n_constraints")
        rng, y, known = generator(random_state), self._classes(), self._known
        counts = [min(wanted, count) for count in count_pairs(y)]
        for count, kind in zip(counts, ("positive", "negative"), strict=True):
            if count < wanted:
                message = f"Only generated {count} {kind} constraints (requested {wanted})"
                warnings.warn(message, stacklevel=callers_stacklevel())
        counts = [min(counts)] * 2 if same_length else counts
        similar, dissimilar = draw_similar(rng, y, counts[0]), draw_dissimilar(rng, y, counts[1])
        return *known[similar.T], *known[dissimilar.T]

    def generate_knntriplets(self, X: ArrayLike, k_genuine: int, k_impostor: int) -> NDArray:
        """Combine every point with its nearest neighbours of its class and of other classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The points of the labels.
        k_genuine : int
            Number of neighbours of the same class; fewer, with a warning, if a class is smaller.
        k_impostor : int
            Number of neighbours of other classes; likewise.

        Returns
        -------
        triplets : ndarray of shape (n_triplets, 3)
            Indices of a point, a neighbour of its class and one of another class.
        """
        known = self._known
        warn_of_few(self.partial_labels, k_genuine, k_impostor)
        return known[nearest_triplets(np.asarray(X)[known], self._classes(), k_genuine, k_impostor)]

    def chunks(
        self, n_chunks: int = 100, chunk_size: int = 2, random_state: Any = None, num_chunks: Any = DEPRECATED
    ) -> NDArray:
        """Random disjoint groups of points of one class.

        Parameters
        ----------
        n_chunks : int, default=100
            Number of groups.
        chunk_size : int, default=2
            Number of points in a group.
        random_state : int, RandomState or None, default=None
            Seed.
        num_chunks : int, default="deprecated"
            The old name of ``n_chunks``.

        Returns
        -------
        chunks : ndarray of int of shape (n_samples,)
            The group of each point, -1 where it is in none.
        """
        n_chunks = renamed(n_chunks, num_chunks, "n_chunks")
        if chunk_size < 1:
            raise ValueError(f"chunk_size must be at least 1; got {chunk_size}.")
        rng, known = check_random_state(random_state), self._known
        shuffled = known[rng.permutation(len(known))]
        members = [shuffled[self.partial_labels[shuffled] == label] for label in np.unique(self.partial_labels[known])]
        whole = [one[: len(one) // chunk_size * chunk_size] for one in members]
        groups = np.concatenate([shuffled[:0], *whole]).reshape(-1, chunk_size)
        if len(groups) < n_chunks:
            raise ValueError(
                f"Not enough possible chunks of {chunk_size} elements in each class to form expected {n_chunks} chunks "
                f"- maximum number of chunks is {len(groups)}"
            )
        result = np.full(len(self.partial_labels), -1)
        result[groups[rng.permutation(len(groups))[:n_chunks]]] = np.arange(n_chunks)[:, None]
        return result


def warn_of_few(partial_labels: NDArray, k_genuine: int, k_impostor: int) -> None:
    """Warn about each class that has fewer such neighbours, in the words of metric-learn."""
    labels, counts = np.unique(partial_labels[partial_labels >= 0], return_counts=True)
    for label, count in zip(labels, counts, strict=True):
        others = counts.sum() - count
        for kind, wanted, there, whose, given in (
            ("genuine", k_genuine + 1, count, "", count - 1),
            ("impostor", k_impostor, others, " of other classes", others),
        ):
            if wanted > there:
                what = f"The class {label} has {there} elements{whose}, which is not sufficient to generate {wanted}"
                why = f"{kind} neighbors as specified by k_{kind}. Will generate {given} {kind} neighbors instead."
                warnings.warn(f"{what} {why}\n", stacklevel=callers_stacklevel())


def partial_labels(y: ArrayLike) -> NDArray[np.int_]:
    """Class numbers, -1 for unknown labels: negative numbers, if two other classes are left."""
    labels = np.asarray(y)
    known = np.ones(len(labels), dtype=bool)
    if np.issubdtype(labels.dtype, np.number) and len(np.unique(labels[labels >= 0])) > 1:
        known = labels >= 0
    numbers = np.full(len(labels), -1)
    numbers[known] = check_labels(labels[known])[1]
    return numbers


def drawn(
    y: ArrayLike, n_constraints: int | None, random_state: Any, same_length: bool = False
) -> tuple[NDArray, NDArray, NDArray, NDArray]:
    """Rows of ``Constraints.positive_negative_pairs``; None: 20 times the number of classes squared of each kind."""
    numbers = partial_labels(y)
    n = PER_CLASS_PAIR * (numbers.max() + 1) ** 2 if n_constraints is None else n_constraints
    return Constraints(numbers).positive_negative_pairs(n, same_length, random_state)
