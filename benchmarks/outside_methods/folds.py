"""Parts of the training rows that judge what was learned on the others."""

import warnings

import numpy as np
from sklearn.model_selection import StratifiedKFold


def inner_folds(y, n_folds, seed):
    """(learned on, judged by) of every fold, stratified; every class is in all parts that are learned on.

    A class of a single row never judges: without it, what is learned would not know the class.
    """
    y = np.asarray(y)
    lonely = np.isin(y, np.flatnonzero(np.bincount(y) == 1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of classes with fewer rows than folds
        splits = list(StratifiedKFold(n_folds, shuffle=True, random_state=seed).split(y, y))
    for train, judges in splits:
        kept = lonely[judges]
        yield np.sort(np.concatenate([train, judges[kept]])), judges[~kept]
