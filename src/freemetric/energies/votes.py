"""Errors and F-scores of the votes of nearest neighbours, each sample left out."""

import numpy as np
from numpy.typing import NDArray

from .base import Array, Energy
from .nearest import BoundNearest


class VotingEnergy(Energy):
    """An energy of leave-one-out votes; subclasses have ``loss(confusion)``, (R, C, C)
    to (R,).
    """

    def __init__(self, n_neighbors=3):
        self.n_neighbors = n_neighbors

    def bind(self, X, y, *, sample_weight=None, device="cpu"):
        return BoundNearest(self, X, y, sample_weight, device)

    def of_neighbors(
        self, rows: NDArray[np.intp], weights: Array, y: NDArray, sizes: NDArray
    ) -> Array:
        """Energies (R,) of neighbours (R, N, K) and weights (R, N) of mean one: of the
        confusion of predictions.
        """
        (R, N) = weights.shape
        C = len(sizes)
        votes = np.zeros((R, N, C))
        replica = np.arange(R)[:, None]
        sample = np.arange(N)
        for nearest in np.moveaxis(rows, 2, 0):
            votes[replica, sample, y[nearest]] += weights[replica, nearest]
        # Sums that are equal on paper differ by rounding where their terms come in
        # another order.
        predicted = (votes >= votes.max(axis=2, keepdims=True) * (1 - 1e-12)).argmax(
            axis=2
        )
        cells = (replica * C + y) * C + predicted
        return self.loss(
            np.bincount(cells.ravel(), weights.ravel(), minlength=R * C * C).reshape(
                R, C, C
            )
        )

    def loss(self, confusion: NDArray) -> Array:
        """Energies (R,) of confusion matrices (R, C, C): weights of the samples by true
        and predicted class.
        """
        raise NotImplementedError


class KNNErrorEnergy(VotingEnergy):
    """The leave-one-out error of k nearest neighbours: the share of samples that the
    others misclassify.

    E(A) = 1/N sum_i [class of i != most frequent class of the k samples nearest to i
    under A, without i]. Of classes with equally many votes the first one wins, as in
    scikit-learn. With weights the mean and the votes are weighted.

    E is piecewise constant: it has no gradient, and it does not change with the scale
    of A. Use element or matrix moves. An evaluation costs O(N^2 p) time and O(N p)
    memory.

    Parameters
    ----------
    n_neighbors : int, default=3
        k; all other samples vote where there are fewer.

    References
    ----------
    E. Fix, J. L. Hodges, Discriminatory analysis, nonparametric
    discrimination: consistency properties, USAF School of Aviation Medicine, 1951.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from freemetric.energies import KNNErrorEnergy
    >>> X, y = load_iris(return_X_y=True)
    >>> KNNErrorEnergy(5).bind(X, y)(np.eye(4)[None]).round(3)
    array([0.033])
    """

    def loss(self, confusion):
        return 1 - np.trace(confusion, axis1=1, axis2=2) / confusion.sum(axis=(1, 2))


class BalancedErrorEnergy(VotingEnergy):
    """One minus the balanced accuracy of leave-one-out votes: the mean over classes of
    their errors.

    A class counts as much as any other, however few samples it has. Votes are those of
    :class:`KNNErrorEnergy`.

    Parameters
    ----------
    n_neighbors : int, default=3
        Neighbours that vote.

    References
    ----------
    K. H. Brodersen, C. S. Ong, K. E. Stephan, J. M. Buhmann, The balanced
    accuracy and its posterior distribution, ICPR 2010.

    Examples
    --------
    >>> import numpy as np
    >>> from freemetric.energies import BalancedErrorEnergy
    >>> X, y = np.array([[0.0], [1.0], [2.0], [2.5], [9.0]]), np.array([0, 0, 0, 1, 1])
    >>> energy = BalancedErrorEnergy(1).bind(X, y)
    >>> energy(np.ones((1, 1, 1))).round(3)  # a third of class 0, half of class 1
    array([0.417])
    """

    def loss(self, confusion):
        hits = np.diagonal(confusion, axis1=1, axis2=2)
        return 1 - (hits / confusion.sum(axis=2)).mean(axis=1)


class FBetaEnergy(VotingEnergy):
    r"""One minus the F-score of leave-one-out votes.

    .. math:: F_\beta = \frac{(1 + \beta^2) TP}{(1 + \beta^2) TP + \beta^2 FN + FP}

    of one class, or its mean over all classes. Recall counts beta times as much as
    precision. Votes are those of :class:`KNNErrorEnergy`.

    Parameters
    ----------
    beta : float, default=1.0
        Positive.
    n_neighbors : int, default=3
        Neighbours that vote.
    positive : int or None, default=None
        Number of the class whose score it is, in sorted order; None is the mean over
        all classes.

    References
    ----------
    C. J. van Rijsbergen, Information Retrieval, Butterworths, 1979.

    Examples
    --------
    >>> import numpy as np
    >>> from freemetric.energies import FBetaEnergy
    >>> X, y = np.array([[0.0], [1.0], [2.0], [2.5], [9.0]]), np.array([0, 0, 0, 1, 1])
    >>> energy = FBetaEnergy(n_neighbors=1, positive=1).bind(X, y)
    >>> energy(np.ones((1, 1, 1)))  # one hit, one miss, one false alarm
    array([0.5])
    """

    def __init__(self, beta=1.0, n_neighbors=3, *, positive=None):
        self.beta = beta
        self.n_neighbors = n_neighbors
        self.positive = positive

    def bind(self, X, y, *, sample_weight=None, device="cpu"):
        if not self.beta > 0:
            raise ValueError(f"beta must be positive; got {self.beta!r}.")
        n_classes = len(np.unique(y))
        if self.positive is not None and self.positive not in range(n_classes):
            raise ValueError(
                f"positive is None or the number of a class, 0 to {n_classes - 1}; "
                f"got {self.positive!r}."
            )
        return super().bind(X, y, sample_weight=sample_weight, device=device)

    def loss(self, confusion):
        hits = np.diagonal(confusion, axis1=1, axis2=2)
        square = self.beta**2
        scores = (
            (1 + square)
            * hits
            / (square * confusion.sum(axis=2) + confusion.sum(axis=1))
        )
        return 1 - (
            scores.mean(axis=1) if self.positive is None else scores[:, self.positive]
        )
