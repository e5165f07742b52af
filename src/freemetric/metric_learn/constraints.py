"""Pairs, triplets and chunks out of labels, some of which may be unknown."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from ..exceptions import warn_once
from ..learners.scml import nearest_triplets
from ..learners.side_information import count_pairs, draw_dissimilar, draw_similar
from ..learners.validation import check_labels
from ..sklearn_compat import generator

PER_CLASS_PAIR = 20  # constraints of each kind by default
Pairs = tuple[NDArray, NDArray, NDArray, NDArray]


class Constraints:
    """Draws pairs, triplets and chunks from the labels of points.

    Parameters
    ----------
    partial_labels : array-like of int of shape (n_samples,)
        Labels; negative ones are unknown.

    Examples
    --------
    >>> from freemetric.metric_learn import Constraints
    >>> constraints = Constraints([0, 0, 1, 1, -1])
    >>> a, b, c, d = constraints.positive_negative_pairs(2, random_state=0)
    >>> sorted(zip(a.tolist(), b.tolist()))
    [(0, 1), (2, 3)]
    """

    def __init__(self, partial_labels: ArrayLike) -> None:
        self.partial_labels = np.asanyarray(partial_labels, dtype=int)
        self._rows = np.flatnonzero(self.partial_labels >= 0)

    def _classes(self):
        """Class numbers 0..C-1 of the points with a label."""
        return np.unique(self.partial_labels[self._rows], return_inverse=True)[1]

    def positive_negative_pairs(
        self,
        n_constraints: int,
        same_length: bool = False,
        random_state: Any = None,
    ) -> Pairs:
        """Draw random pairs of one class, and random pairs of two.

        Parameters
        ----------
        n_constraints : int
            Number of pairs of each kind; fewer, with a warning, if there are not so
            many. All are different.
        same_length : bool, default=False
            Return as many pairs of one kind as of the other.
        random_state : int, RandomState or None, default=None
            Seed.

        Returns
        -------
        a, b, c, d : ndarray of int
            Points a[i] and b[i] have the same label, c[i] and d[i] different ones.
        """
        rng = generator(random_state)
        y = self._classes()
        counts = [min(n_constraints, count) for count in count_pairs(y)]
        for count, kind in zip(counts, ("positive", "negative"), strict=True):
            if count < n_constraints:
                what = f"Only generated {count} {kind} constraints"
                _warn(f"{what} (requested {n_constraints})")
        if same_length:
            counts = [min(counts)] * 2
        similar = draw_similar(rng, y, counts[0])
        dissimilar = draw_dissimilar(rng, y, counts[1])
        return *self._rows[similar.T], *self._rows[dissimilar.T]

    def generate_knntriplets(
        self, X: ArrayLike, k_genuine: int, k_impostor: int
    ) -> NDArray:
        """Combine every point with its neighbours of its class and of other classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The points of the labels.
        k_genuine : int
            Number of neighbours of the same class; fewer, with a warning, if a class is
            smaller.
        k_impostor : int
            Number of neighbours of other classes; likewise.

        Returns
        -------
        triplets : ndarray of shape (n_triplets, 3)
            Indices of a point, a neighbour of its class and one of another class.
        """
        rows = self._rows
        warn_of_few(self.partial_labels, k_genuine, k_impostor)
        points = np.asarray(X)[rows]
        return rows[nearest_triplets(points, self._classes(), k_genuine, k_impostor)]

    def chunks(
        self, n_chunks: int = 100, chunk_size: int = 2, random_state: Any = None
    ) -> NDArray:
        """Draw random disjoint groups of points of one class.

        Parameters
        ----------
        n_chunks : int, default=100
            Number of groups.
        chunk_size : int, default=2
            Number of points in a group.
        random_state : int, RandomState or None, default=None
            Seed.

        Returns
        -------
        chunks : ndarray of int of shape (n_samples,)
            The group of each point, -1 where it is in none.
        """
        rng = check_random_state(random_state)
        shuffled = self._rows[rng.permutation(len(self._rows))]
        labels = self.partial_labels[shuffled]
        groups = []
        for label in np.unique(labels):
            members = shuffled[labels == label]
            n_grouped = len(members) // chunk_size * chunk_size
            groups += list(members[:n_grouped].reshape(-1, chunk_size))
        if len(groups) < n_chunks:
            raise ValueError(
                f"Not enough possible chunks of {chunk_size} elements in each class to "
                f"form expected {n_chunks} chunks - maximum number of chunks is "
                f"{len(groups)}"
            )
        result = np.full(len(self.partial_labels), -1)
        for number, which in enumerate(rng.permutation(len(groups))[:n_chunks]):
            result[groups[which]] = number
        return result


def warn_of_few(partial_labels: NDArray, k_genuine: int, k_impostor: int) -> None:
    """Warn about each class that has too few neighbours, in metric-learn's words."""
    labels, counts = np.unique(partial_labels[partial_labels >= 0], return_counts=True)
    for label, count in zip(labels, counts, strict=True):
        others = counts.sum() - count
        start = f"The class {label} has"
        end = "which is not sufficient to generate"
        if k_genuine + 1 > count:
            _warn(
                f"{start} {count} elements, {end} {k_genuine + 1} genuine neighbors as "
                f"specified by k_genuine. Will generate {count - 1} genuine neighbors "
                "instead.\n"
            )
        if k_impostor > others:
            _warn(
                f"{start} {others} elements of other classes, {end} {k_impostor} "
                "impostor neighbors as specified by k_impostor. Will generate "
                f"{others} impostor neighbors instead.\n"
            )


def _warn(message):
    warn_once(message, UserWarning)


def partial_labels(y: ArrayLike) -> NDArray[np.int_]:
    """Class numbers; -1 for negative labels, if two other classes are left."""
    labels = np.asarray(y)
    is_labelled = np.ones(len(labels), dtype=bool)
    is_numeric = np.issubdtype(labels.dtype, np.number)
    if is_numeric and len(np.unique(labels[labels >= 0])) > 1:
        is_labelled = labels >= 0
    numbers = np.full(len(labels), -1)
    numbers[is_labelled] = check_labels(labels[is_labelled])[1]
    return numbers


def drawn(
    y: ArrayLike,
    n_constraints: int | None,
    random_state: Any,
    same_length: bool = False,
) -> Pairs:
    """Pairs as ``Constraints`` draws them; None: 20 n_classes^2 of each kind."""
    numbers = partial_labels(y)
    if n_constraints is None:
        n_constraints = PER_CLASS_PAIR * (numbers.max() + 1) ** 2
    constraints = Constraints(numbers)
    return constraints.positive_negative_pairs(n_constraints, same_length, random_state)
