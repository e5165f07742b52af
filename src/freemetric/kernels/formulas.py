"""Formulas that all backends share, for numpy and torch alike: samples under maps, what
the chances of neighbours cost, and gradients.

The chances P (..., n, L) say how likely each of L neighbours of n samples is. With the
squared distances D and weights w (..., n) of sum one, W = dE/dD, for P = softmax(log w
- D).

The row sums of W vanish. The gradient of a map A is then 2 A S, S = sum_ij W_ij (x_i -
x_j)(x_i - x_j)^T. Expanded, S = X^T diag(s) X - B - B^T with B = X^T (W X) and s_j =
sum_i W_ij."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

LEAST_VARIANCE = 1e-2  # neighbours that agree by chance are not certain beyond
LANES = 16  # numbers of the longest vectors


@dataclass(frozen=True)
class Similarity:
    """Neighbours are right as far as they are similar: a sample costs 1 - p, or -log(p
    + log_floor).

    p is the expected similarity of a sample and its neighbour.

    Parameters
    ----------
    kind : {"class", "target", "labels"}
        "class": 1 in the same class, else 0; y (1, N). "target": exp(-(y_i - y_j)^2); y
        (B, N). "labels": the Jaccard similarity of two sets of labels; y (1, N, m) or
        (B, N, m) holds zeros and ones.
    log_floor : float, default=0.0
        Where it is positive, the logarithm of p + log_floor is taken.
    """

    kind: str
    log_floor: float = 0.0


@dataclass(frozen=True)
class Loss:
    """Neighbours predict y (B, m, N), of mean zero and variance one, by their mean; a
    sample costs the loss of that.

    Parameters
    ----------
    name : {"squared", "log_likelihood", "absolute", "pinball"}
        The loss.
    quantile : float, default=0.5
        Level of the pinball loss.
    """

    name: str
    quantile: float = 0.5


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


def filled_up(A: NDArray, axes: tuple[int, ...] = (2,)) -> NDArray[np.float32]:
    """A stack in float32 with zeros behind the last two dimensions: loops over features
    run in whole vectors.
    """
    room = [(0, -A.shape[axis] % LANES if axis in axes else 0) for axis in range(3)]
    return np.pad(A.astype(np.float32), room)


def similarity(kind: str, own: Any, others: Any, xp: Any = np) -> Any:
    """Similarity of samples whose targets are ``own`` and ``others``, which broadcast;
    ``xp`` is numpy or torch.
    """
    if kind == "class":
        return own == others
    if kind == "target":
        return xp.exp(-((own - others) ** 2))
    both = (own * others).sum(axis=-1)
    either = (own + others).sum(axis=-1) - both
    are_empty = either == 0
    return (both + are_empty) / (either + are_empty)


def similarity_cost(
    cost: Similarity, P: Any, similar: Any, weights: Any, xp: Any = np
) -> tuple[Any, Any]:
    """Energies (...) and W (..., n, L) of neighbours that are as similar (..., n, L) as
    that.
    """
    hit = (P * similar).sum(axis=-1)
    if cost.log_floor > 0:
        costs = -xp.log(hit + cost.log_floor)
        slope = weights / (hit + cost.log_floor)
    else:
        costs = (P * (1 - similar)).sum(axis=-1)  # 1 - hit would lose digits
        slope = weights
    energies = (weights * costs).sum(axis=-1)
    return energies, slope[..., None] * P * (similar - hit[..., None])


def prediction_cost(
    loss: Loss, P: NDArray, near: NDArray, y: NDArray, weights: NDArray, scale: NDArray
) -> tuple[NDArray, NDArray]:
    """Energies (R,) and W (R, N, L) of predictions of y (R, m, N) by neighbours with
    targets near (R, m, N, L).
    """
    means = np.einsum("rnl,rmnl->rmn", P, near)
    apart = near - means[..., None]
    spreads = np.einsum("rnl,rmnl->rmn", P, apart**2)
    energies, by_mean, by_variance = mean_loss(loss, y, weights, means, spreads, scale)
    pull = by_mean[..., None] * apart
    pull += by_variance[..., None] * (apart**2 - spreads[..., None])
    return energies, -P * pull.sum(axis=1)


def mean_loss(
    loss: Loss,
    y: NDArray,
    weights: NDArray,
    means: NDArray,
    spreads: NDArray,
    scale: NDArray,
) -> tuple[NDArray, NDArray, NDArray]:
    """Energies (R,) of predictions, and their derivatives (R, m, N) by means and by
    variances.

    y, means and spreads, the variances around the means, are (R, m, N), weights (R, N)
    and scale (R, m)."""
    each = np.broadcast_to(weights[:, None], y.shape)
    costs, by_mean, by_variance = losses(
        loss, each, y - means, LEAST_VARIANCE + spreads
    )
    share = each / (scale[..., None] * y.shape[1])
    return (share * costs).sum(axis=(1, 2)), share * by_mean, share * by_variance


def losses(
    loss: Loss, weights: NDArray, r: NDArray, v: NDArray
) -> tuple[NDArray, NDArray, NDArray]:
    """Losses of residuals r with variances v (..., N), and their derivatives by mean
    and by variance.
    """
    if loss.name == "squared":
        return r**2, -2 * r, np.zeros_like(r)
    if loss.name == "log_likelihood":
        costs = (np.log(v / LEAST_VARIANCE) + r**2 / v) / 2
        return costs, -r / v, (1 - r**2 / v) / (2 * v)
    if loss.name == "absolute":
        return np.abs(r), -np.sign(r), np.zeros_like(r)
    # The quantile is mean + c * deviation with the best c for all. One sample lies on
    # this line and stays there:
    # its slope is what makes dE/dc zero.
    deviations = np.sqrt(v)
    lines, by_line = r / deviations, weights * deviations
    on = quantile_index(lines, by_line, loss.quantile)[..., None]
    c = np.take_along_axis(lines, on, axis=-1)
    u = r - c * deviations
    pull = np.where(u > 0, loss.quantile, loss.quantile - 1)
    costs = pull * u
    rest = (by_line * pull).sum(axis=-1, keepdims=True)
    own = np.take_along_axis(pull, on, axis=-1)
    own = own - rest / np.take_along_axis(by_line, on, axis=-1)
    np.put_along_axis(pull, on, own, axis=-1)
    return costs, -pull, -pull * c / (2 * deviations)


def quantile_index(values: NDArray, weights: NDArray, quantile: float) -> NDArray:
    """Where in values (..., N) the smallest value is up to which there is this share of
    the weight.
    """
    order = np.argsort(values, axis=-1, kind="stable")
    sofar = np.take_along_axis(weights, order, axis=-1).cumsum(axis=-1)
    reached = sofar >= quantile * sofar[..., -1:]
    return np.take_along_axis(order, reached.argmax(axis=-1)[..., None], axis=-1)[
        ..., 0
    ]


def constant_loss(loss: Loss, y: NDArray, weights: NDArray) -> NDArray:
    """What the best constant prediction of y (B, m, N) costs, (B, m); the unit of some
    losses, one for others.
    """
    if loss.name not in ("absolute", "pinball"):
        return np.ones(y.shape[:2])
    quantile = loss.quantile if loss.name == "pinball" else 0.5
    each = np.broadcast_to(weights[:, None], y.shape)
    best = quantile_index(y, each, quantile)[..., None]
    u = y - np.take_along_axis(y, best, axis=-1)
    costs = np.maximum(quantile * u, (quantile - 1) * u)
    if loss.name == "absolute":
        costs = 2 * costs
    total = (each * costs).sum(axis=-1) / each.sum(axis=-1)
    return np.where(total > 0, total, 1.0)
