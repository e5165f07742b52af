"""What a search asks of a task."""

from typing import Protocol

from numpy.typing import NDArray


class Target(Protocol):
    """What a search asks of a target; shares (..., N, C) are what judges got of all votes."""

    energy: str  # by name, that replicas sample where nothing else is said
    score_words: str  # what scores are, for people
    columns: tuple[str, str]  # what errors and scores are called in tables

    def strata(self, y: NDArray) -> list[NDArray]:
        """Rows that a bag must hold a part of each of, (n,) row numbers."""

    def scores(self, shares: NDArray, y: NDArray, weights: NDArray | None = None) -> NDArray:
        """Scores (...), the lower the better."""

    def deviations(self, shares: NDArray, y: NDArray) -> NDArray:
        """What scores are the means of, (..., N)."""

    def errors(self, shares: NDArray, y: NDArray, weights: NDArray | None = None) -> NDArray:
        """What people would ask for instead of a score, (...)."""

    def error_of(self, score: float, n_judges: float) -> float:
        """The standard error of a score of so many judges."""
