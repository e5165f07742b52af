"""Error against the number of training rows, and whether more of them would help."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .sampling import stratified_sample
from .uncertainty import estimate

SHARES = (1 / 16, 1 / 8, 1 / 4, 1 / 2)
"""Of the training rows; all of them are the comparison itself."""
FEWEST = 20  # rows that are worth learning from


def shares(n_train: int, n_classes: int) -> list[float]:
    """The shares that leave rows enough, two of every class at least."""
    return [share for share in SHARES if share * n_train >= max(FEWEST, 2 * n_classes)]


def some_of(
    train: NDArray[np.intp], y: NDArray, groups: NDArray | None, share: float, seed: int, number: int
) -> NDArray[np.intp]:
    """About this share of the training rows, of every class or in whole groups; a smaller share is part of a larger.

    Parameters
    ----------
    train : ndarray of shape (n_train,)
        Numbers of the training rows.
    y, groups : ndarray of shape (n,)
        Classes and groups of all rows; None where there are no groups.
    share : float
        Between 0 and 1.
    seed, number : int
        What to draw by: of everything, and of the split.

    Returns
    -------
    ndarray
        Numbers of rows.
    """
    rng, size = np.random.default_rng([seed, number]), round(share * len(train))
    if groups is None:
        return train[stratified_sample(rng, y[train], size)]
    place = rng.permutation(groups.max() + 1)[groups[train]]  # groups in random order
    order = np.argsort(place, kind="stable")
    two_classes = np.flatnonzero(y[train][order] != y[train][order[0]])[0] + 1
    last = place[order[max(size, two_classes) - 1]]
    return train[place <= last]


def would_more_help(half: ArrayLike, full: ArrayLike, n_half: float, n_full: float, folds: int) -> str:
    """In words whether more rows would help, by the errors in % of the same splits with half and with all rows.

    The fall of the error is compared with what chance makes of it: Student's t at 95 %, with a standard error that
    knows that splits share their training rows.

    Examples
    --------
    >>> would_more_help([9.0, 8.0, 8.5], [5.0, 4.5, 4.0], 50, 100, 3).split(": ")[1]
    'more rows should help'
    """
    fall = estimate(np.subtract(half, full), folds)
    way = "fell" if fall.mean >= 0 else "rose"
    seen = (
        f"from {n_half:.0f} to {n_full:.0f} rows the error {way} by {abs(fall.mean):.2f} \u00b1 {fall.error:.2f} points"
    )
    if fall.mean > fall.margin:
        return f"{seen}: more rows should help"
    if not np.any(full):
        return f"{seen}: no error is left"
    most = max(fall.mean + fall.margin, 0)
    doubt = f"; that twice as many gain up to {most:.2f} points cannot be ruled out" if most else ""
    return f"{seen}, no more than chance: more rows are not seen to help{doubt}"
