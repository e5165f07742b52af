"""What training data must be, and what is worth a warning."""

import warnings

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.multiclass import check_classification_targets

from ..exceptions import DataWarning, callers_stacklevel
from ..metrics.training_set import equal_rows
from ..printable import counted, printable, verb
from .units import ranges

FOR_NUMBERS = "MLKR and DMLFE(energy='regression') learn a metric from numbers, FreeEnergyRegressor predicts them"
MANY_COPIES = 0.1  # share of rows
MOST_COMPARED = 200_000  # rows among which copies are looked for


def check_labels(y: ArrayLike) -> tuple[NDArray, NDArray[np.intp]]:
    """Classes and class numbers of the labels, or an error."""
    if np.asarray(y).dtype.kind not in "biuUS":  # integers and strings are labels without a closer look
        _check_classes(y)
    classes, y = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(f"A metric is learned from at least two classes; y has only 1 class, {classes.tolist()}.")
    return classes, y


def _check_classes(y):
    try:
        check_classification_targets(y)
    except ValueError as problem:
        if "continuous" not in str(problem):
            raise
        said = str(problem).partition(" Maybe")[0]
        raise ValueError(f"{said} Classes are needed here; {FOR_NUMBERS}.") from None


def known_labels(y: ArrayLike, classes: ArrayLike) -> tuple[NDArray, NDArray[np.intp]]:
    """These classes and class numbers of the labels, or an error."""
    known, labels = np.unique(classes), np.asarray(y)
    if len(known) < 2:
        raise ValueError(f"A metric is learned from at least two classes; classes has only 1, {known.tolist()}.")
    unknown = np.setdiff1d(labels, known)
    if len(unknown):
        raise ValueError(f"y has labels that are not among the classes: {_few(unknown.tolist())}.")
    return known, np.searchsorted(known, labels)


def labelled(y: NDArray, others_help: bool = False) -> NDArray[np.bool_]:
    """Which rows have a label: those that are not -1, unless -1 is one of two classes.

    The one place that says what -1 means: scikit-learn's sign for unlabelled rows, for every estimator alike.
    """
    unlabelled = y == -1 if np.issubdtype(np.asarray(y).dtype, np.number) else np.zeros(len(y), dtype=bool)
    if not unlabelled.any() or len(np.unique(y)) <= 2:
        return np.ones(len(y), dtype=bool)
    if not others_help:
        n = int(unlabelled.sum())
        gone = f"{counted(n, 'unlabelled row')} (y = -1) {verb(n, 'is', 'are')} left out"
        said = f"{gone}; if -1 is a class, give it another name."
        warnings.warn(said, DataWarning, stacklevel=callers_stacklevel())
    return ~unlabelled


def check_varying(y: NDArray) -> None:
    """ValueError where no number of y (N,) or (N, m) varies."""
    if not (y.min(axis=0) < y.max(axis=0)).any():
        raise ValueError(f"y is {y.flat[0]:g} for every row: a metric is learned from numbers that differ.")


def check_n_components(n_components: int | None, X: NDArray) -> None:
    if n_components is not None and n_components > X.shape[1]:
        raise ValueError(f"n_components={n_components} is larger than the number of features, {X.shape[1]}.")


def warn_about(X: NDArray, y: NDArray, classes: NDArray, names: NDArray | None = None) -> None:
    """One warning for each trait of the data that will make the metric worse; features by name where they have one."""
    for message in _complaints(X, y, classes, names):
        warnings.warn(message, DataWarning, stacklevel=callers_stacklevel())


def warn_about_patterns(X: NDArray, names: NDArray | None = None) -> None:
    """The same for patterns without classes."""
    for message in _complaints_of_patterns(X, names):
        warnings.warn(message, DataWarning, stacklevel=callers_stacklevel())


def _complaints(X, y, classes, names):
    lonely = classes[np.bincount(y, minlength=len(classes)) == 1].tolist()
    if lonely:
        yield f"Classes with a single pattern, which has no neighbour of its own class: {_few(lonely)}."
    yield from _complaints_of_patterns(X, names)


def _complaints_of_patterns(X, names):
    N, d = X.shape
    constant = np.flatnonzero(ranges(X) == 0)
    if len(constant):
        named = constant if names is None else [printable(names[i]) for i in constant]
        yield f"Constant features, which no distance can use: {_few(named)}."
    copies = _count_copies(X) if N <= MOST_COMPARED else 0
    if copies > MANY_COPIES * N:
        what = f"{copies} of {N} rows {verb(copies, 'is a copy of another', 'are copies of others')}"
        yield f"{what}: fine where they were observed independently; else errors that leave one row out are too low."
    if d > N:
        yield f"Fewer patterns ({N}) than features ({d}): many maps fit them perfectly; n_components may help."


def _count_copies(X):
    """Rows that equal an earlier one."""
    first, of_row = equal_rows(X)
    return len(of_row) - len(first)


def _few(items, most=5):
    return ", ".join(map(str, items[:most])) + (f" and {len(items) - most} more" if len(items) > most else "")
