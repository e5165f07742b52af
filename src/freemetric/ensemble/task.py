"""What a search and an ensemble ask of a task: classification, regression, and each further one in its own file."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

from numpy.typing import NDArray

from ..metrics import TrainingSet

if TYPE_CHECKING:
    from ..learners.training_rows import TrainingRows
    from .model import Ensemble
    from .oob import OOBIndices
    from .population import Population
    from .settings import Recipe


class Head(ABC):
    """What makes predictions of mixed votes (n, n_cells) and of what is known of the data as a whole."""

    most_changed: ClassVar[float]  # share of the votes that a shortlist may change

    @abstractmethod
    def wholes(self, X: NDArray) -> NDArray:
        """What is known of samples X (n, d) beside the votes of neighbours."""

    @abstractmethod
    def left_out(self, training_set: TrainingSet) -> Callable[[NDArray, NDArray], NDArray]:
        """A function of X (n, d) and numbers (n,): ``wholes`` without the part that these training samples had."""

    @abstractmethod
    def answers(self, shares: NDArray, wholes: NDArray) -> NDArray:
        """Predictions (n, m) of mixed votes (n, n_cells)."""

    @abstractmethod
    def check(self, training_set: TrainingSet) -> None:
        """ValueError unless it belongs to this training set."""

    @abstractmethod
    def to_state(self) -> dict[str, Any]:
        """What a file holds of it."""

    @classmethod
    @abstractmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:
        """The head that a file holds; ValueError where its parts do not fit together."""


class OOBResult(NamedTuple):
    """What out-of-bag votes say in the end."""

    weights: NDArray  # (n_candidates, n_neighbors)
    head: Head
    attributes: dict[str, Any]  # fitted attributes that are made of out-of-bag predictions


class Task(ABC):
    """Strata, energy, scores and head of a target; shares (..., N, n_cells) are those of out-of-bag votes."""

    energy: ClassVar[str]  # by name, that replicas sample where nothing else is said
    score_words: ClassVar[str]  # what scores are, for people
    columns: ClassVar[tuple[str, str]]  # what errors and scores are called in tables
    saved: ClassVar[Mapping[str, type]]  # the parts of it that model files hold, by their tags

    @classmethod
    def takes(cls, y: NDArray) -> bool:
        """Whether it is the task of numeric targets y (n,) or (n, m)."""
        return False

    @classmethod
    def of(cls, rows: "TrainingRows", recipe: "Recipe", scale: str, scoring: Any) -> tuple["Task", TrainingSet]:
        """The task of these rows with numeric targets, and the training set that they make."""
        raise NotImplementedError

    @abstractmethod
    def strata(self, y: NDArray) -> list[NDArray]:
        """Samples that a bag must hold a part of each of, (n,) numbers."""

    @abstractmethod
    def scores(self, shares: NDArray, y: NDArray, weights: NDArray | None = None) -> NDArray:
        """Scores (...), the lower the better."""

    @abstractmethod
    def deviations(self, shares: NDArray, y: NDArray) -> NDArray:
        """What scores are the means of, (..., N)."""

    @abstractmethod
    def errors(self, shares: NDArray, y: NDArray, weights: NDArray | None = None) -> NDArray:
        """What people would ask for instead of a score, (...)."""

    @abstractmethod
    def error_of(self, score: float, n_scored: float) -> float:
        """The standard error of a score of so many samples."""

    @abstractmethod
    def result(self, population: "Population", recipe: "Recipe", n_rows: int | None) -> OOBResult:
        """Weights of the candidates and the head, from the out-of-bag votes of a search.

        ``n_rows`` were given to fit; None leaves out attributes with an entry for each.
        """

    def recalibrated(
        self, ensemble: "Ensemble", oob_indices: "OOBIndices", shortlist: int | None, recipe: "Recipe"
    ) -> "Ensemble":
        """The ensemble with a head for predictions that look at so many training samples; None: at all of them."""
        return ensemble
