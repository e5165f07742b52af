"""Energies of pairs and triplets of samples: what someone said about similarity,
without classes.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata
from sklearn.utils.metaestimators import available_if

from .base import Array, Energy


class PairEnergy(Energy):
    r"""The cost of pairs that should be near, S, and of pairs that should be far from
    each other, F.

    With :math:`D_{ij} = |A x_i - A x_j|`, E(A) is

    - "contrastive": the mean of :math:`D^2` over S plus the mean of :math:`\max(0, m -
      D)^2` over F;
    - "auc": the share of all S x F in which the near pair is farther apart than the far
      one, ties counting half: one minus the area under the ROC curve. It has no
      gradient, and does not change with the scale of A.

    An evaluation costs O(n p d) time for n pairs. It reads no targets, so that
    ``DMLFE.fit(X)`` needs none.

    Parameters
    ----------
    pairs : array-like of shape (n_pairs, 2)
        Row numbers of X.
    labels : array-like of shape (n_pairs,)
        +1 for near, -1 for far; both must be there.
    loss : {"contrastive", "auc"}, default="contrastive"
        The cost.
    margin : float, default=1.0
        m, the distance beyond which far pairs cost nothing.

    References
    ----------
    R. Hadsell, S. Chopra, Y. LeCun, Dimensionality reduction by learning an
    invariant mapping, CVPR 2006.

    Examples
    --------
    >>> import numpy as np
    >>> from freemetric.energies import PairEnergy
    >>> X = np.array([[0.0, 0.0], [0.5, 9.0], [4.0, 0.0]])
    >>> energy = PairEnergy([[0, 1], [0, 2]], [1, -1], "auc").bind(X, None)
    >>> energy(np.array([np.eye(2), np.diag([1.0, 0.0])]))  # feature 1 misleads
    array([1., 0.])
    """

    names_rows, needs_targets, takes_weights = True, False, False

    def __init__(self, pairs, labels, loss="contrastive", *, margin=1.0):
        self.pairs = pairs
        self.labels = labels
        self.loss = loss
        self.margin = margin

    def bind(self, X, y, *, sample_weight=None, device="cpu"):
        check_loss(self, ("contrastive", "auc"))
        X, pairs = rows_named(X, self.pairs, 2, "pairs")
        near = np.asarray(self.labels) == 1
        if near.shape != (len(pairs),) or not np.isin(self.labels, (1, -1)).all():
            raise ValueError(
                f"labels must be {len(pairs)} numbers, +1 or -1, one for each pair."
            )
        if near.all() or not near.any():
            raise ValueError("PairEnergy needs pairs of both labels, +1 and -1.")
        pairs = np.concatenate([pairs[near], pairs[~near]])
        apart = X[pairs[:, 0]] - X[pairs[:, 1]]
        return BoundPairs(apart, int(near.sum()), self.loss, float(self.margin), len(X))


class BoundPairs:
    """The energy of differences (n, d) of pairs, of which the first ``n_near`` should
    be near.
    """

    def __init__(
        self, apart: Array, n_near: int, loss: str, margin: float, n_samples: int
    ) -> None:
        self.apart = apart
        self.n_near = n_near
        self.loss = loss
        self.margin = margin
        self.n_samples = n_samples

    def __call__(self, A: Array) -> Array:
        D = squares(self.apart, A)[0]
        n = self.n_near
        if self.loss == "contrastive":
            return self._contrast(D)[0]
        ranks = rankdata(D, axis=1)[:, :n]
        wins = ranks.sum(axis=1) - n * (n + 1) / 2  # Mann and Whitney's U
        return wins / (n * (len(self.apart) - n))

    @available_if(lambda self: self.loss == "contrastive")
    def value_and_grad(self, A: Array) -> tuple[Array, Array]:
        D, images = squares(self.apart, A)
        values, weights = self._contrast(D)
        return values, gradient_of_squares(self.apart, weights, images)

    def _contrast(self, D):
        """Energies (R,) of squared distances (R, n), and their derivatives."""
        near = D[:, : self.n_near]
        lengths = np.sqrt(D[:, self.n_near :])
        lack = np.maximum(0, self.margin - lengths)
        pull = np.full(near.shape, 1 / near.shape[1])
        push = -lack / np.where(lengths > 0, lengths, 1) / lengths.shape[1]
        return near.mean(axis=1) + (lack**2).mean(axis=1), np.hstack([pull, push])


class TripletEnergy(Energy):
    r"""The cost of triplets (a, b, c) in which a should be nearer to b than to c.

    With :math:`D_{ij} = |A x_i - A x_j|^2`, E(A) is the mean over triplets of

    - "hinge": :math:`\max(0, m + D_{ab} - D_{ac})`;
    - "error": one where :math:`D_{ab} > D_{ac}`, one half where they are equal, else
      zero. It has no gradient, and does not change with the scale of A.

    An evaluation costs O(n p d) time for n triplets. It reads no targets, so that
    ``DMLFE.fit(X)`` needs none.

    Parameters
    ----------
    triplets : array-like of shape (n_triplets, 3)
        Row numbers of X.
    loss : {"hinge", "error"}, default="hinge"
        The cost.
    margin : float, default=1.0
        m of the hinge.

    References
    ----------
    M. Schultz, T. Joachims, Learning a distance metric from relative
    comparisons, NIPS 2003.

    Examples
    --------
    >>> import numpy as np
    >>> from freemetric.energies import TripletEnergy
    >>> X = np.array([[0.0, 0.0], [0.5, 9.0], [4.0, 0.0]])
    >>> energy = TripletEnergy([[0, 1, 2]], "error").bind(X, None)
    >>> energy(np.array([np.eye(2), np.diag([1.0, 0.0])]))  # feature 1 misleads
    array([1., 0.])
    """

    names_rows, needs_targets, takes_weights = True, False, False

    def __init__(self, triplets, loss="hinge", *, margin=1.0):
        self.triplets = triplets
        self.loss = loss
        self.margin = margin

    def bind(self, X, y, *, sample_weight=None, device="cpu"):
        check_loss(self, ("hinge", "error"))
        X, triplets = rows_named(X, self.triplets, 3, "triplets")
        a, b, c = X[triplets.T]
        return BoundTriplets(a - b, a - c, self.loss, float(self.margin), len(X))


class BoundTriplets:
    """The energy of differences (n, d) from the first sample to the one that should be
    near, and to the other.
    """

    def __init__(
        self, similar: Array, others: Array, loss: str, margin: float, n_samples: int
    ) -> None:
        self.similar = similar
        self.others = others
        self.loss = loss
        self.margin = margin
        self.n_samples = n_samples

    def __call__(self, A: Array) -> Array:
        rise = squares(self.similar, A)[0] - squares(self.others, A)[0]
        costs = (
            np.maximum(0, self.margin + rise)
            if self.loss == "hinge"
            else np.heaviside(rise, 0.5)
        )
        return costs.mean(axis=1)

    @available_if(lambda self: self.loss == "hinge")
    def value_and_grad(self, A: Array) -> tuple[Array, Array]:
        near, images = squares(self.similar, A)
        far, images_of_far = squares(self.others, A)
        costs = np.maximum(0, self.margin + near - far)
        active = (costs > 0) / costs.shape[1]
        pull = gradient_of_squares(self.similar, active, images)
        push = gradient_of_squares(self.others, active, images_of_far)
        return costs.mean(axis=1), pull - push


def squares(apart: Array, A: Array) -> tuple[Array, Array]:
    """Squared lengths (R, n) of differences (n, d) in the spaces of maps A (R, p, d),
    and their images (R, n, p).
    """
    images = apart @ np.swapaxes(A, 1, 2)
    return (images**2).sum(axis=2), images


def gradient_of_squares(apart: Array, weights: Array, images: Array) -> Array:
    """The gradient (R, p, d) of sums of squared lengths with weights (R, n)."""
    return 2 * np.swapaxes(weights[:, :, None] * images, 1, 2) @ apart


def check_loss(energy: Any, losses: tuple[str, ...]) -> None:
    """ValueError where an energy has another loss, or a margin that is not positive."""
    if energy.loss not in losses:
        raise ValueError(
            f"Unknown loss {energy.loss!r}; "
            f"known losses: {', '.join(map(repr, losses))}."
        )
    if not energy.margin > 0:
        raise ValueError(f"margin must be positive; got {energy.margin!r}.")


def rows_named(
    X: ArrayLike, tuples: ArrayLike, size: int, name: str
) -> tuple[Array, NDArray[np.intp]]:
    """Samples (N, d) and tuples (n, size) of their row numbers; ValueError where these
    are none.
    """
    X, numbers = np.asarray(X, dtype=np.float64), np.asarray(tuples)
    if X.ndim != 2:
        raise ValueError(
            f"{name} are rows of one data set; "
            "ensembles and batches of samples have others."
        )
    if (
        numbers.ndim != 2
        or numbers.shape[1] != size
        or not len(numbers)
        or numbers.dtype.kind not in "iu"
    ):
        raise ValueError(
            f"{name} must be integers of shape (n, {size}); "
            f"got shape {numbers.shape}, {numbers.dtype}."
        )
    wrong = numbers[(numbers < 0) | (numbers >= len(X))]
    if wrong.size:
        raise ValueError(f"{name} name row {wrong[0]} of {len(X)}.")
    return X, numbers
