"""How methods are compared."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from sklearn.base import BaseEstimator

from .folds import Pair, grouped_splits, stratified_splits
from .limits import Limits
from .pipelines import classifier


@dataclass(frozen=True)
class Settings:
    """How to compare methods on tables.

    Attributes
    ----------
    folds, repeats : int
        Folds of a cross-validation, and how often it is done with other folds.
    seed : int
        Of folds and methods.
    parameters : dict of dict or None
        Parameters of methods, by method.
    device : str
        Where methods compute that can choose.
    limits : Limits
        What one fit may take.
    groups : str or None
        Column whose rows of one value are never parted between training and test; no feature.
    scoring : tuple of str
        scikit-learn's scorers to tell beside ``scores.SCORES``.
    learning_curve : bool
        Whether methods learn from halves, quarters, ... of the training rows, too: in the first repeat, which costs
        about as much again as that repeat.
    """

    folds: int = 5
    repeats: int = 2
    seed: int = 0
    parameters: dict[str, dict] | None = None
    device: str = "cpu"
    limits: Limits = field(default_factory=Limits)
    groups: str | None = None
    scoring: tuple[str, ...] = ()
    learning_curve: bool = False

    def splits(self, y: np.ndarray, groups: np.ndarray | None = None) -> Iterator[Pair]:
        """Training and test rows of every split."""
        if groups is not None:
            return grouped_splits(y, groups, self.folds, self.repeats, self.seed)
        return stratified_splits(y, self.folds, self.repeats, self.seed)

    def classifier(self, method: str, number: int) -> BaseEstimator:
        """The unfitted classifier of a method for one split."""
        given = (self.parameters or {}).get(method)
        return classifier(method, self.seed + number, parameters=given, device=self.device)
