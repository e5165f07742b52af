"""What the parts of a fitted free-energy model share: attributes, checks, and texts of docstrings."""

from collections.abc import Callable
from inspect import isfunction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..learners.parameters import DESCRIPTIONS, described
from ..printable import counted

SAMPLES = """Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Samples."""
WINE = """>>> from sklearn.datasets import load_wine
    >>> from freemetric import FreeEnergyClassifier
    >>> X, y = load_wine(return_X_y=True)"""
FIT = "model = FreeEnergyClassifier(n_replicas=10, random_state=0).fit"
TEXTS = DESCRIPTIONS | {
    "samples": SAMPLES,
    "groups": """groups : array-like of shape (n_features,) or None, default=None
        Name of the group of every feature; those of one group, such as the columns of a one-hot encoding, are taken
        together. None: every feature on its own.""",
    "itself": """Returns
    -------
    self : object
        The estimator.""",
    "wine": WINE,
    "fitted_wine": f"{WINE}\n    >>> {FIT}(X, y)",
    "wine_halves": f"{WINE}\n    >>> {FIT}(X[::2], y[::2])",
    "wrong_label": f"{WINE}\n    >>> y[7] = 2  # it is 0",
    "scored": f"""{SAMPLES}
    y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        Their labels or targets.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        Importance of the samples.""",
}
"""Texts that docstrings of several methods hold by name, in braces."""

OOB_PREDICTIONS = ("oob_decision_function_", "oob_prediction_")  # with an entry for every row given to fit


class FittedEnsemble:
    """Attributes that the mixins of a model rely on. Names in braces in docstrings of methods stand for ``TEXTS``."""

    recipe: Any
    device: str
    n_jobs: int | None
    random_state: Any
    classes_: NDArray
    ensemble_: Any
    n_features_in_: int
    oob_indices_: Any
    oob_decision_function_: NDArray
    shortlist_: int
    _energy: Any
    _n_looked_at: Any
    _samples: Callable[[ArrayLike], NDArray]  # validated, without gaps
    _score_of: Callable[[Any], Callable[..., float]]  # a function (predictions, y, weights) of a scorer
    _known_targets: Callable[[ArrayLike], NDArray]  # as the training set has them: class numbers, or on the scale
    _problem_again: Callable[..., Any]  # the task of some training samples, and the training set that they make
    _oob_losses: Callable[..., NDArray]  # (n,) of samples by out-of-bag predictions among fitted attributes

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for member in vars(cls).values() if cls.__module__.startswith("freemetric.") else ():  # not of users' classes
            if isfunction(member):
                member.__doc__ = described(member.__doc__, TEXTS, {})

    def _check_keeps_rows(self):
        """ValueError where the training samples are elsewhere, such as in Dask's partitions."""
        if hasattr(self, "to_local"):
            whose = type(self).__name__
            raise ValueError(f"The rows of {whose} are in partitions; to_local() returns a model with them.")

    @property
    def _n_rows_given(self):
        return next(len(vars(self)[name]) for name in OOB_PREDICTIONS if name in vars(self))

    def _groups(self, groups):
        """Names of the groups of features, in their order, and the columns of training samples in each.

        ``groups`` has the name of each feature's group; None: every feature on its own.
        """
        names, d = getattr(self, "feature_names_in_", None), self.n_features_in_
        names = np.asarray(groups) if groups is not None else np.arange(d) if names is None else names
        if names.shape != (d,):
            raise ValueError(f"groups must name a group for each of {counted(d, 'feature')}, got shape {names.shape}.")
        order = names[np.sort(np.unique(names, return_index=True)[1])]
        of_columns = names[self.ensemble_.training_set.owner]
        return order, [np.flatnonzero(of_columns == name) for name in order]
