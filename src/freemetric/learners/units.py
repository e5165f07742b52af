"""Units of the features: what is learned must not depend on them, and numbers must have squares.

A learner whose start, steps or penalties are numbers of their own, such as the identity from which NCA begins, takes
features of order one for granted. It learns from X / u, and its map is divided by u. One factor for all features
changes units and nothing else: a factor for each would be another method.

Who scaled the features has chosen a unit, and u is that: the standard deviation where features have one in common
rather than a range, and else the largest range. Features in [0, 1] are taken as they are, to the last bit, and
standardised ones nearly so.
"""

import warnings

import numpy as np
from numpy.typing import NDArray

from ..exceptions import DataWarning, callers_stacklevel

ORDINARY = (0.5, 1 + 1e-6)  # ranges of features that somebody scaled to [0, 1]: a part of their rows, with rounding
ALIKE = 0.05  # by which standard deviations may differ that are one and the same
LARGEST, SMALLEST = 1e75, 1e-75  # numbers whose fourth powers are still numbers
DWARFED = 1e5  # times the range of most others: float32 sees nothing else
MANY, FOLD = 500, 32  # rows from which on so many are looked at together


def ranges(X: NDArray) -> NDArray[np.float64]:
    """Largest less smallest value (d,) of every feature; infinite where that is no number."""
    lowest, highest = extremes(X)
    with np.errstate(over="ignore", invalid="ignore"):
        return (highest - lowest).astype(np.float64)


def extremes(X: NDArray) -> tuple[NDArray, NDArray]:
    """Smallest and largest value (d,) of every feature."""
    if len(X) >= MANY and X.flags.c_contiguous:  # numpy is slow where rows are short: long ones, made of many, are not
        whole = len(X) - len(X) % FOLD
        folded = X[:whole].reshape(-1, FOLD * X.shape[1])
        lowest, highest = (extreme(folded).reshape(FOLD, -1) for extreme in (_lowest, _highest))
        return _lowest(np.vstack([lowest, X[whole:]])), _highest(np.vstack([highest, X[whole:]]))
    return _lowest(X), _highest(X)


def _lowest(X):
    return np.minimum.reduce(X, axis=0)


def _highest(X):
    return np.maximum.reduce(X, axis=0)


def unit_of(X: NDArray) -> float:
    """What to divide X by: its largest range, or its mean standard deviation where features have that in common.

    1 where features are in [0, 1], or where nothing varies.
    """
    spans = ranges(X)
    widest = float(spans.max())
    if widest == 0 or ORDINARY[0] < widest < ORDINARY[1]:
        return 1.0
    varying = spans > 0
    spreads = widest * (X[:, varying] / widest).std(axis=0, dtype=np.float64)  # squares of X itself may be no numbers
    differ = variation(spreads)
    is_theirs = differ < ALIKE and differ < variation(spans[varying])
    return float(spreads.mean()) if is_theirs else widest


def variation(lengths: NDArray) -> float:
    """By how much lengths differ, as a share of their mean."""
    return float(lengths.std() / lengths.mean())


def check_not_huge(X: NDArray) -> None:
    """ValueError where distances between the rows of X would be too large for numbers."""
    _check_largest(max(float(X.max()), -float(X.min())))


def _check_largest(largest):
    if largest > LARGEST:
        what = f"X has values as large as {largest:.1e}, too large for powers of distances"
        raise ValueError(f"{what}: look for wrong cells, or divide X by a constant.")


def check_magnitude(X: NDArray) -> None:
    """ValueError where distances between the rows of X would be too large or too small for numbers."""
    lowest, highest = extremes(X)
    _check_largest(max(float(highest.max()), -float(lowest.min())))
    widest = float((highest - lowest).max())
    if 0 < widest < SMALLEST:
        what = f"No feature of X varies by more than {widest:.1e}, too little for powers of distances"
        raise ValueError(f"{what}: multiply X by a constant.")


def warn_of_dwarfs(X: NDArray) -> None:
    """A warning where one feature is so much wider than most others that distances consist of it alone."""
    spans = ranges(X)
    usual = np.quantile(spans[spans > 0], 0.5, method="lower") if spans.any() else 0.0
    if spans.max() > DWARFED * usual > 0:
        what = f"Feature {spans.argmax()} spans {spans.max() / usual:.1e} times as much as most others"
        why = "distances consist of it alone"
        warnings.warn(
            f"{what}, {why}: scale the features (MinMaxScaler), or look for a wrong cell.",
            DataWarning,
            stacklevel=callers_stacklevel(),
        )
