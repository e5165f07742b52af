"""Training and test rows: strata of classes, and groups that are never parted."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import RepeatedKFold, RepeatedStratifiedKFold

from .table import InputError, Table, few, quoted

Pair = tuple[NDArray[np.intp], NDArray[np.intp]]


def stratified_splits(y: NDArray, folds: int, repeats: int, seed: int) -> Iterator[Pair]:
    """Training and test rows of every split, repeat by repeat."""
    return RepeatedStratifiedKFold(n_splits=folds, n_repeats=repeats, random_state=seed).split(y, y)


def random_splits(n: int, groups: NDArray | None, folds: int, repeats: int, seed: int) -> Iterator[Pair]:
    """The same where there are no classes."""
    if groups is not None:
        return grouped_splits(np.zeros(n, dtype=np.intp), groups, folds, repeats, seed)
    return RepeatedKFold(n_splits=folds, n_repeats=repeats, random_state=seed).split(np.empty((n, 1)))


def grouped_splits(y: NDArray, groups: NDArray, folds: int, repeats: int, seed: int) -> Iterator[Pair]:
    """As ``stratified_splits``, but rows of a group are test rows together.

    Groups get their folds one by one, the larger first, else in random order: each goes where its classes are rarest,
    so that classes have about the same shares everywhere. A new repeat draws a new order; scikit-learn's
    StratifiedGroupKFold orders groups by their content and may give the same folds for every seed.

    Parameters
    ----------
    y : ndarray of shape (n,)
        Numbers of classes.
    groups : ndarray of shape (n,)
        Numbers of groups, at least as many as folds.
    folds, repeats, seed : int
        How many, how often, and from which random numbers.

    Yields
    ------
    train, test : ndarray
        Numbers of rows.
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


def group_numbers(table: Table, name: str, present: NDArray[np.bool_]) -> tuple[NDArray[np.intp], int]:
    """Numbers of the groups of the labelled rows, and how many rows have none: each of those is a group alone."""
    texts = table.texts(name)[present]
    alone = [f"\0{row}" if text is None else text for row, text in enumerate(texts)]
    return np.unique(np.array(alone, dtype=object), return_inverse=True)[1], sum(text is None for text in texts)


def check_groups(source: str, name: str, groups: NDArray, folds: int) -> None:
    """InputError where there are fewer groups than folds."""
    n_groups, where = int(groups.max()) + 1, f"{source}: column {quoted(name)}"
    if n_groups < 2:
        raise InputError(f"{where}: all rows are of one group; two groups or more are needed")
    if n_groups < folds:
        raise InputError(f"{where}: {n_groups} groups are fewer than {folds} folds; {n_groups} folds are the most")


def check_grouped(source: str, y: NDArray, classes: Sequence[str], splits: list[Pair]) -> None:
    """InputError where the training rows of a split are all of one class."""
    for train, _ in splits:
        left = np.unique(y[train])
        if len(left) < 2:
            only = f"without one of its folds only the class {quoted(classes[left[0]])} is left to learn from"
            raise InputError(f"{source}: {only}; the classes lie in too few groups, and more folds may help")


def in_one_group(y: NDArray, groups: NDArray, classes: Sequence[str]) -> str:
    """In words the classes that can be tested but not learned at once, empty if there are none."""
    of_class = [np.unique(groups[y == c]) for c in range(len(classes))]
    names = [name for name, members in zip(classes, of_class, strict=True) if len(members) == 1]
    if not names:
        return ""
    word = "class lies" if len(names) == 1 else "classes lie"
    return f"the {word} in one group alone, so that no test can know it: {few(names)}"
