"""Splits with strata and groups, parts of them for learning curves, and means over splits."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import t as student

from ..magnitudes import spread
from ..printable import counted, verb
from .methods import stratified_sample
from .table import InputError, Table, few, note, quoted

Pair = tuple[NDArray[np.intp], NDArray[np.intp]]

SHARES = (1 / 16, 1 / 8, 1 / 4, 1 / 2)
"""Of the training rows, in a learning curve; all of them are the comparison itself."""
FEWEST = 20  # rows that are worth learning from
SURE = 0.95


def grouped_splits(y: NDArray, groups: NDArray, folds: int, repeats: int, seed: int) -> Iterator[Pair]:
    """Stratified splits in which rows of a group are test rows together; with at least as many groups as folds.

    Groups are assigned one by one, the larger first, else in random order: each goes to the fold where its classes are
    rarest. scikit-learn's StratifiedGroupKFold orders groups by their content and may give the same folds for every
    seed.
    """
    counts = np.zeros((groups.max() + 1, y.max() + 1))
    np.add.at(counts, (groups, y), 1)
    for repeat in range(repeats):
        fold_of = _folds_of_groups(np.random.default_rng([seed, repeat]), counts, folds)[groups]
        for fold in range(folds):
            yield np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)


def _folds_of_groups(rng, counts, folds):
    shares = counts / counts.sum(axis=0)
    order = rng.permutation(len(counts))
    size = np.log2(counts.sum(axis=1)[order]).astype(int)  # roughly, so that the order stays random
    fold_of, full = np.zeros(len(counts), dtype=np.intp), np.zeros((folds, counts.shape[1]))
    for group in order[np.argsort(-size, kind="stable")]:
        crowd = full @ shares[group]
        fold = np.lexsort((rng.random(folds), full.sum(axis=1), crowd))[0]  # an empty fold is filled before all others
        fold_of[group] = fold
        full[fold] += shares[group]
    return fold_of


def group_numbers(table: Table, name: str, present: NDArray[np.bool_], folds: int) -> NDArray[np.intp]:
    """Encoded groups of the labelled rows; a row without a value is a group of its own."""
    where, texts = f"{table.source}: column {quoted(name)}", table.texts(name)[present]
    alone = [f"\0{row}" if text is None else text for row, text in enumerate(texts)]
    values, groups = np.unique(np.array(alone, dtype=object), return_inverse=True)
    n_groups, n_alone = len(values), sum(text is None for text in texts)
    if n_groups < 2:
        raise InputError(f"{where}: all rows are of one group; two groups or more are needed")
    if n_groups < folds:
        raise InputError(f"{where}: {n_groups} groups are fewer than {folds} folds; {n_groups} folds are the most")
    if n_alone:
        who = f"{counted(n_alone, 'row')} {verb(n_alone, 'has', 'have')} no value in column {quoted(name)}"
        note(f"{table.source}: {who}; each is a group of its own")
    return groups


def check_grouped(source: str, y: NDArray, classes: Sequence[str], splits: list[Pair]) -> None:
    """InputError where the training rows of a split are all of one class."""
    for train, _ in splits:
        left = np.unique(y[train])
        if len(left) < 2:
            only = f"without one of its folds only the class {quoted(classes[left[0]])} is left to learn from"
            raise InputError(f"{source}: {only}; the classes lie in too few groups, and more folds may help")


def note_lonely_classes(source: str, y: NDArray, groups: NDArray, classes: Sequence[str]) -> None:
    """Warn of classes that can be tested but not learned at once."""
    names = [name for c, name in enumerate(classes) if len(np.unique(groups[y == c])) == 1]
    if names:
        word = "class lies" if len(names) == 1 else "classes lie"
        note(f"{source}: the {word} in one group alone, so that no test can know it: {few(names)}")


def shares(n_train: int, n_classes: int) -> list[float]:
    """The shares that leave rows enough, two of every class at least."""
    return [share for share in SHARES if share * n_train >= max(FEWEST, 2 * n_classes)]


def some_of(
    train: NDArray[np.intp], y: NDArray, groups: NDArray | None, share: float, seed: int, number: int
) -> NDArray[np.intp]:
    """About this share of the training rows, stratified or in whole groups; smaller shares are parts of larger ones.

    ``y`` and ``groups`` are of all rows; ``number`` is that of the split.
    """
    rng, size = np.random.default_rng([seed, number]), round(share * len(train))
    if groups is None:
        return train[stratified_sample(rng, y[train], size)]
    place = rng.permutation(groups.max() + 1)[groups[train]]  # groups in random order
    order = np.argsort(place, kind="stable")
    two_classes = np.flatnonzero(y[train][order] != y[train][order[0]])[0] + 1
    last = place[order[max(size, two_classes) - 1]]
    return train[place <= last]


class Estimate(NamedTuple):
    """A mean over n splits and its standard error, NaN for one split."""

    mean: float
    error: float
    n: int

    @property
    def margin(self) -> float:
        """One-sided 95 % margin of the mean."""
        return float(student.ppf(SURE, self.n - 1) * self.error) if self.n > 1 else np.nan


def estimate(values: ArrayLike, folds: int) -> Estimate:
    r"""Mean and standard error of the values of J splits, without those that are NaN.

    Splits share training rows, so that the variance of the mean exceeds :math:`\sigma^2 / J`. By Nadeau and Bengio it
    is about

    .. math:: \left(\frac1J + \frac{n_{test}}{n_{train}}\right) \sigma^2, \qquad
              \frac{n_{test}}{n_{train}} = \frac1{folds - 1}.

    References
    ----------
    C. Nadeau and Y. Bengio, Inference for the generalization error, Machine Learning 52, 239-281 (2003).

    Examples
    --------
    >>> print("{:.2f} {:.2f} {}".format(*estimate([9, 11, 10, 10, float("nan")], 5)))
    10.00 0.58 4
    """
    known = np.asarray(values, dtype=np.float64)
    known = known[~np.isnan(known)]
    if len(known) < 2:
        return Estimate(float(known[0]) if len(known) else np.nan, np.nan, len(known))
    error = np.sqrt(1 / len(known) + 1 / (folds - 1)) * spread(known, ddof=1)
    return Estimate(float(known.mean()), float(error), len(known))


def would_more_help(half: ArrayLike, full: ArrayLike, n_half: float, n_full: float, folds: int) -> str:
    """In words whether more rows would help, from the errors in % of the same splits with half and with all rows.

    A one-sided t test at 95 %, with the standard error of ``estimate``.

    Examples
    --------
    >>> would_more_help([9.0, 8.0, 8.5], [5.0, 4.5, 4.0], 50, 100, 3).split(": ")[1]
    'more rows should help'
    """
    fall = estimate(np.subtract(half, full), folds)
    way, change = "fell" if fall.mean >= 0 else "rose", f"{abs(fall.mean):.2f} \u00b1 {fall.error:.2f}"
    seen = f"from {n_half:.0f} to {n_full:.0f} rows the error {way} by {change} points"
    if fall.mean > fall.margin:
        return f"{seen}: more rows should help"
    if not np.any(full):
        return f"{seen}: no error is left"
    most = max(fall.mean + fall.margin, 0)
    doubt = f"; that twice as many gain up to {most:.2f} points cannot be ruled out" if most else ""
    return f"{seen}, no more than chance: more rows are not seen to help{doubt}"
