"""Interface of a task: classification, regression, and each further one in its own file."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ..learners.training_rows import TrainingRows
from ..metrics import TrainingSet
from .settings import Recipe


class Head(ABC):
    """Makes predictions of mixed votes (n, n_cells) and of global models of the data: class densities or trends."""

    most_changed: ClassVar[float]  # share of the votes that a shortlist may change

    @abstractmethod
    def wholes(self, X: NDArray) -> Any:
        """Outputs of the global models for samples X (n, d)."""

    @abstractmethod
    def left_out(self, training_set: TrainingSet) -> Callable[[NDArray, NDArray], Any]:
        """A function of X (n, d) and numbers (n,): ``wholes`` without the part that these training samples had."""

    @abstractmethod
    def answers(self, shares: NDArray, wholes: Any) -> NDArray:
        """Predictions (n, m) of mixed votes (n, n_cells)."""

    @abstractmethod
    def check(self, training_set: TrainingSet) -> None:
        """ValueError unless it belongs to this training set."""

    def to_state(self) -> dict[str, Any]:
        """What a file holds of it."""
        return dict(vars(self))

    @classmethod
    @abstractmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:
        """The head that a file holds; ValueError where its parts do not fit together."""


class OOBResult(NamedTuple):
    """Weights of the candidates, the head, and attributes, from out-of-bag votes."""

    weights: NDArray  # (n_candidates, n_neighbors)
    head: Head
    attributes: dict[str, Any]  # fitted attributes that are made of out-of-bag predictions


class EnsembleTask(ABC):
    """Strata, energy, scores and head of a target; shares (..., N, n_cells) are those of out-of-bag votes."""

    energy: ClassVar[str]  # the default energy, by name
    score_words: ClassVar[str]  # name of the score in logs
    columns: ClassVar[tuple[str, str]]  # names of errors and scores in tables
    saved: ClassVar[Mapping[str, type]]  # classes that model files hold, by their tags
    classes_are: ClassVar[Any] = ()  # the type of its classes: an array, or a list with one for each output

    @classmethod
    def takes(cls, y: NDArray) -> bool:
        """Whether it is the task of numeric targets y (n,) or (n, m)."""
        return False

    @classmethod
    def of(cls, rows: TrainingRows, recipe: Recipe, scale: str) -> tuple["EnsembleTask", TrainingSet]:
        """The task of these rows with numeric targets, and the training set that they make."""
        raise NotImplementedError

    @abstractmethod
    def strata(self, y: NDArray) -> list[NDArray]:
        """Sample numbers of each stratum; bags hold a part of each."""

    def scores(self, shares: NDArray, y: NDArray, weights: NDArray | None = None) -> NDArray:
        """Scores (...), the mean deviations; the lower the better."""
        return np.average(self.deviations(shares, y), axis=-1, weights=weights)

    @abstractmethod
    def deviations(self, shares: NDArray, y: NDArray) -> NDArray:
        """Deviations (..., N) of the samples: the terms of scores."""

    @abstractmethod
    def errors(self, shares: NDArray, y: NDArray, weights: NDArray | None = None) -> NDArray:
        """Errors (...) to report beside scores."""

    @abstractmethod
    def error_of(self, score: float, n_scored: float) -> float:
        """The standard error of a score of so many samples."""

    @abstractmethod
    def result(self, population: Any, recipe: Recipe, n_rows: int | None) -> OOBResult:
        """Weights of the candidates and the head, from the out-of-bag votes of a search, a ``Population``.

        ``n_rows`` were given to fit; None leaves out attributes with an entry for each.
        """

    def recalibrated(self, ensemble: Any, oob_indices: Any, shortlist: int | None, recipe: Recipe) -> Any:
        """The ensemble with a head for predictions that look at so many training samples; None: at all of them."""
        return ensemble
