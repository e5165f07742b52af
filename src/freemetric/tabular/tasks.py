"""Where classes and numbers part: what is read, what is fitted."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sklearn.base import BaseEstimator

from .methods import FITTED, METHODS, Method
from .number_methods import FITTED_TO_NUMBERS, NUMBER_METHODS
from .pipelines import classifier, regressor
from .table import InputError, Table
from .targets import Target, classes_of, numbers_of


@dataclass(frozen=True)
class Task:
    """To predict classes, or numbers.

    Attributes
    ----------
    name, word : str
        What users call it, and what is predicted.
    methods : dict of Method
        Those that can do it, by name.
    fitted : tuple of str
        Those whose models can be saved.
    estimator : callable
        What makes an unfitted one by its name, seed and options.
    target : callable
        What reads a column of a table.
    """

    name: str
    word: str
    methods: Mapping[str, Method]
    fitted: tuple[str, ...]
    estimator: Callable[..., BaseEstimator]
    target: Callable[[Table, str], Target]

    def check_fitted(self, method: str) -> None:
        """An error of one line where a method cannot do it."""
        if method in self.fitted:
            return
        known = any(method in other.fitted for other in TASKS.values())
        what = f"method {method!r} cannot predict a {self.word}" if known else f"unknown method {method!r}"
        raise InputError(f"{what}; known: {', '.join(self.fitted)}")


TASKS: dict[str, Task] = {
    task.name: task
    for task in (
        Task("classify", "class", METHODS, FITTED, classifier, classes_of),
        Task("regress", "number", NUMBER_METHODS, FITTED_TO_NUMBERS, regressor, numbers_of),
    )
}
"""By name."""
