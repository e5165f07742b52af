"""Conformal prediction from out-of-bag scores: over all samples, by class, by group, and under covariate shift."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.validation import check_array

from ..exceptions import warn_of_data
from ..metrics.averaged_metric import FARTHEST
from .oob import numbers_of, some_of

COVERAGES = ("class", "marginal")
MOST_COMPARED = 16_384  # samples of either population whose densities are compared
FEWEST_NEAREST = 10  # samples that a ratio of densities is counted among
ROUNDING = 1e-12  # of sums of weights
SHOWN = 5  # names in a warning


def check_alpha(alpha: float, missing: str = "sets without the true class", name: str = "alpha") -> None:
    """ValueError unless it is a share of errors."""
    if not (isinstance(alpha, float | np.floating) and 0 < alpha < 1):
        raise ValueError(f"{name} is the share of {missing}, between 0 and 1; got {alpha!r}.")


SmallCell = tuple[int | None, Any, int]  # number of a class or None for all, a group, and its few samples


class Conditions(NamedTuple):
    """Groups and weights of n scored samples and of m new ones; one group and weights of one where none are given."""

    labels: list[Any]  # of the groups
    groups: NDArray[np.intp]  # (n,) group numbers of the scored samples
    new_groups: NDArray[np.intp]  # (m,)
    weights: NDArray[np.float64]  # (n,) density ratios of the scored samples
    new_weights: NDArray[np.float64]  # (m,)

    @classmethod
    def none(cls, n: int, m: int) -> "Conditions":
        """One group, and weights of one."""
        return cls([None], np.zeros(n, dtype=np.intp), np.zeros(m, dtype=np.intp), np.ones(n), np.ones(m))

    @classmethod
    def of(cls, model: Any, X: NDArray, rows: NDArray, groups: Any, shift: ArrayLike | None) -> "Conditions":
        """Those of samples X (m, d), and of the samples in these rows (n,) of the table given to fit.

        ``groups`` is a pair, of the rows given to fit and of X, or None. ``shift`` are samples of the population that X
        is from, or None where it is that of fit.
        """
        training_set, n, m = model.ensemble_.training_set, len(rows), len(X)
        labels, known, new, weights, new_weights = cls.none(n, m)
        if groups is not None:
            labels, everyone, new = _group_numbers(groups, model._n_rows_given, m)
            known = everyone[rows]
        if shift is not None:
            scored = training_set.X[numbers_of(rows, training_set.rows)]
            both = (some[some_of(len(some), MOST_COMPARED)] for some in (training_set.X, model._samples(shift)))
            ratios = DensityRatios(*map(model.ensemble_.embed, both))
            weights, new_weights = (ratios(model.ensemble_.embed(some)) for some in (scored, X))
        return cls(labels, known, new, weights, new_weights)


def _group_numbers(groups, n_given, n_new):
    """Labels of the groups, and the numbers of those of the rows given to fit and of new ones."""
    if not (isinstance(groups, tuple | list) and len(groups) == 2):
        raise ValueError("groups is a pair: the groups of the rows given to fit, and the groups of the rows of X.")
    named = (("the rows given to fit", groups[0], n_given), ("the rows of X", groups[1], n_new))
    given, new = (_column(values, whose, n) for whose, values, n in named)
    numbers = {label: number for number, label in enumerate(dict.fromkeys(given))}
    unknown = [label for label in dict.fromkeys(new) if label not in numbers]
    if unknown:
        names = _few([*map(repr, unknown)])
        raise ValueError(f"groups of the rows of X has {names}, and no row given to fit is of that group.")
    found = (np.array([numbers[label] for label in some], dtype=np.intp) for some in (given, new))
    return list(numbers), *found


def _column(values, whose, n):
    column = check_array(values, ensure_2d=False, dtype=None, ensure_all_finite=False, ensure_min_samples=0)
    if column.shape != (n,):
        shape = f"{len(column)} values" if column.ndim == 1 else f"{column.ndim} dimensions"
        raise ValueError(f"groups of {whose} has {shape}, and there are {n} such rows.")
    labels = column.tolist()
    for label in labels:
        same = label == label  # neither NaN is equal to itself, nor pandas' NA
        if label is None or not (isinstance(same, bool | np.bool_) and same):
            raise ValueError(f"groups of {whose} has missing values; name their group.")
    return labels


def _few(labels):
    return ", ".join(labels[:SHOWN]) + (f" and {len(labels) - SHOWN} more" if len(labels) > SHOWN else "")


class DensityRatios:
    r"""Density ratios of two populations, from neighbour counts.

    Among the k nearest samples of both populations to x, a are of the new one, with n' samples, and b of the old one,
    with n:

    .. math:: w(x) = \frac{(a + 1) / n'}{(b + 1) / n}.

    k is the square root of the number of all samples (n, p) and (n', p), in a space where distances are Euclidean. A
    sample of either population is among its own neighbours, so that w is one function for both. Costs one search.
    """

    def __init__(self, old: NDArray, new: NDArray):
        old, new = (np.clip(Z, -FARTHEST, FARTHEST) for Z in (old, new))
        self.n_old, self.n_new = len(old), len(new)
        k = min(max(FEWEST_NEAREST, round(np.sqrt(len(old) + len(new)))), len(old) + len(new))
        self.search = NearestNeighbors(n_neighbors=k).fit(np.concatenate([old, new]))

    def __call__(self, Z: NDArray) -> NDArray[np.float64]:
        """Ratios (m,) at the points Z (m, p)."""
        if not len(Z):
            return np.empty(0)
        nearest = self.search.kneighbors(np.clip(Z, -FARTHEST, FARTHEST), return_distance=False)
        n_new = (nearest >= self.n_old).sum(axis=1)
        return (n_new + 1) / (nearest.shape[1] - n_new + 1) * (self.n_old / self.n_new)


def p_values(
    scores: NDArray, typical: NDArray, weights: NDArray | None = None, own: NDArray | None = None
) -> NDArray[np.float64]:
    """Share of samples, the new one among them, whose score is at most that of the new one.

    ``scores`` (m, ...) are those of new samples, ``typical`` (n,) those of samples with a known target. With weights
    (n,), and ``own`` (m,) of the new samples, shares of the weight.
    """
    order = np.argsort(typical, kind="stable")
    reached = np.append(0.0, np.cumsum(np.ones(len(typical)) if weights is None else weights[order]))
    mass = 1.0 if own is None else own.reshape(-1, *[1] * (scores.ndim - 1))
    return (mass + reached[np.searchsorted(typical[order], scores, side="right")]) / (reached[-1] + mass)


def prediction_sets(
    probabilities: NDArray, truth: NDArray, typical: NDArray, alpha: float, by_class: bool, given: Conditions
) -> tuple[NDArray[np.bool_], list[SmallCell]]:
    """Classes (m, C) whose p-value is above alpha, and the cells too small to exclude any.

    ``typical`` (n,) are out-of-bag probabilities of the true classes ``truth`` (n,). A sample is compared with those of
    its group, and a class with those of this class where ``by_class``.
    """
    sets, small = np.ones(probabilities.shape, dtype=bool), list[SmallCell]()
    columns = range(probabilities.shape[1]) if by_class else [None]
    for number in np.unique(given.new_groups):
        new, known = given.new_groups == number, given.groups == number
        for c in columns:
            cell, wanted = (known, slice(None)) if c is None else (known & (truth == c), slice(c, c + 1))
            own, weights = given.new_weights[new], given.weights[cell]
            sets[new, wanted] = p_values(probabilities[new, wanted], typical[cell], weights, own) > alpha
            if cell.sum() + 1 < 1 / alpha:
                small.append((c, given.labels[number], int(cell.sum())))
    return sets, small


def warn_of_small_cells(what: str, small: Sequence[SmallCell], classes: NDArray | None, grouped: bool) -> None:
    """Name the classes and groups with too few out-of-bag samples, in one line."""
    names = []
    for number, group, n in small:
        parts = [] if number is None or classes is None else [f"class {classes[number]}"]
        names.append(f"{' of '.join([*parts, *([f'group {group}'] if grouped else [])]) or 'all samples'} ({n})")
    if names:
        warn_of_data(f"{what}: {_few(names)}.")


def error_limits(errors: NDArray, alpha: float, given: Conditions) -> tuple[NDArray[np.float64], list[SmallCell]]:
    """Lower and upper limits (m, 2) of the errors of new samples, and groups with too few errors (n,) for finite ones.

    A limit leaves out a share alpha / 2 of the weight of the errors of the group, the new sample among them, which may
    be anywhere: it is infinite where its own weight is more than that.
    """
    limits, small = np.empty((len(given.new_groups), 2)), list[SmallCell]()
    for number in np.unique(given.new_groups):
        new, cell = given.new_groups == number, given.groups == number
        order = np.argsort(errors[cell], kind="stable")
        inside, weights = errors[cell][order], given.weights[cell][order]
        needed = (1 - alpha / 2) * (weights.sum() + given.new_weights[new]) * (1 - ROUNDING)
        limits[new, 1] = np.append(inside, np.inf)[np.searchsorted(np.cumsum(weights), needed)]
        limits[new, 0] = np.append(inside[::-1], -np.inf)[np.searchsorted(np.cumsum(weights[::-1]), needed)]
        if len(inside) + 1 < 2 / alpha:
            small.append((None, given.labels[number], len(inside)))
    return limits, small
