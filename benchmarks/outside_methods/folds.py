"""Parts of the training rows that score what was learned on the others."""

import warnings

import numpy as np
from sklearn.model_selection import StratifiedKFold


def inner_folds(y, n_folds, seed):
    """(learned on, scored on) of every fold, stratified; every class is in all parts that are learned on.

    A class of a single row is never held out: without it, what is learned would not know the class.
    """
    y = np.asarray(y)
    lonely = np.isin(y, np.flatnonzero(np.bincount(y) == 1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of classes with fewer rows than folds
        splits = list(StratifiedKFold(n_folds, shuffle=True, random_state=seed).split(y, y))
    for train, test in splits:
        kept = lonely[test]
        yield np.sort(np.concatenate([train, test[kept]])), test[~kept]
