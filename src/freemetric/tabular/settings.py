"""How methods are compared."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from sklearn.base import BaseEstimator

from .folds import Pair, grouped_splits, random_splits, stratified_splits
from .limits import Limits
from .task_choice import CLASSIFY
from .tasks import TASKS, Task


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
    task : {"classify", "regress"} or None
        Whether classes or numbers are predicted; None is what the target speaks for, as ``TableModel.fit`` sees it.
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
    task: str | None = None

    @property
    def kind(self) -> Task:
        """The task; that of classes while it is open."""
        return TASKS[self.task or CLASSIFY]

    def splits(self, y: np.ndarray, groups: np.ndarray | None = None) -> Iterator[Pair]:
        """Training and test rows of every split."""
        if y.dtype.kind == "f":
            return random_splits(len(y), groups, self.folds, self.repeats, self.seed)
        if groups is not None:
            return grouped_splits(y, groups, self.folds, self.repeats, self.seed)
        return stratified_splits(y, self.folds, self.repeats, self.seed)

    def estimator(self, method: str, number: int) -> BaseEstimator:
        """The unfitted classifier or regressor of a method for one split."""
        given = (self.parameters or {}).get(method)
        return self.kind.estimator(method, self.seed + number, parameters=given, device=self.device)
