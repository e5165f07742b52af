"""Checks of training data, warnings about them, and the units of the features.

A learner whose start, steps or penalties assume features of order one learns from X / u, and its map is divided by u:
one factor for all features, 1 for features in [0, 1].
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn import get_config
from sklearn.base import is_regressor
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from ..exceptions import warn_of_data
from ..metrics.training_set import equal_rows
from ..printable import counted, printable, verb

FOR_REGRESSION = "for regression use MLKR, DMLFE(energy='regression') or FreeEnergyRegressor"
NUMERIC = ("int", "float", "double", "bool", "decimal")  # in the names of types
MANY_COPIES = 0.1  # share of rows
MOST_COMPARED = 200_000  # rows among which copies are looked for
PLAINLY = {  # messages of libraries, and what they mean
    "inhomogeneous shape": "The rows of X have different lengths; every sample needs all of the features.",
    "Expected unique column names": "Columns of X have the same name; give every column its own.",
}


def check_samples(estimator: Any, X: Any, *y: Any, **options: Any) -> Any:
    """scikit-learn's ``validate_data``, with one-line messages about texts and missing values.

    A sparse X becomes dense, within scikit-learn's ``working_memory``.
    """
    if not y and options.get("reset") is False and _is_as_in_fit(estimator, X):
        return X
    if options.get("y_numeric") and y:
        _check_no_words(estimator, y[0])
    try:
        return validate_data(estimator, dense(X) if issparse(X) else X, *y, **options)
    except Exception as problem:  # libraries of frames have their own kinds
        if "float() argument must be" in str(problem):  # kind and words are scikit-learn's contract
            raise TypeError(f"X holds objects that are not numeric: {problem}.") from problem
        for words, plainly in PLAINLY.items():
            if words in str(problem):
                raise ValueError(plainly) from problem
        message = _in_one_line(X, problem)
        if message is None:
            raise
        kind = "Regressor" if options.get("y_numeric") or is_regressor(estimator) else "Classifier"
        remedy = f"freemetric.Table{kind} takes tables as they are: names, dates, gaps"
        raise ValueError(f"{message}; {remedy}.") from problem


def _is_as_in_fit(estimator, X):
    """Whether ``validate_data`` would return X as it is; asking it takes a quarter of the time of one prediction."""
    is_plain = type(X) is np.ndarray and X.dtype == np.float64 and X.ndim == 2 and len(X) > 0
    if not is_plain or hasattr(estimator, "feature_names_in_"):
        return False
    with np.errstate(over="ignore", invalid="ignore"):
        return X.shape[1] == getattr(estimator, "n_features_in_", None) and bool(np.isfinite(X.sum()))


def check_factors(estimator: Any, X: Any) -> Any:
    """Validate samples that a map will multiply: as ``check_samples``, but sparse ones stay sparse."""
    if issparse(X):
        return validate_data(estimator, X, accept_sparse=("csr", "csc"), dtype=np.float64, reset=False)
    return check_samples(estimator, X, dtype=np.float64, reset=False)


def dense(X: Any) -> np.ndarray:
    """Make an array of a sparse matrix; ValueError where it would be larger than scikit-learn's ``working_memory``."""
    size, most = X.shape[0] * X.shape[1] * 8 / 2**20, get_config()["working_memory"]
    if size > most:
        what = f"A sparse X of shape {X.shape} takes {size:,.0f} MiB when dense, more than working_memory, {most} MiB"
        raise ValueError(f"{what}: sklearn.decomposition.TruncatedSVD makes fewer features, or give fewer rows.")
    return X.toarray()


def _check_no_words(estimator, y):
    """ValueError where y has texts that are not numeric."""
    values = np.asarray(y)
    for value in values.ravel().tolist() if values.dtype.kind in "OSUT" else ():
        try:
            float(value if isinstance(value, str) else 0)
        except ValueError:
            what = f"{type(estimator).__name__} learns from numeric targets, and y has {printable(value)!r}"
            raise ValueError(f"{what}: encode it, or use a learner of classes.") from None


def _in_one_line(X, problem):
    """The reason why a table is not numeric; None for other problems."""
    first = str(problem).partition("\n")[0].rstrip(".")
    if "NaN" in first and first.startswith("Input X"):
        return first
    others = []
    if hasattr(X, "columns") and hasattr(X, "dtypes"):
        columns = zip(X.columns, X.dtypes, strict=True)
        others = [str(name) for name, kind in columns if not any(word in str(kind).lower() for word in NUMERIC)]
    if others:
        return f"X has columns that are no numbers: {few([repr(name) for name in others])}"
    return first if first.startswith("could not convert string") else None


def check_labels(y: ArrayLike, classes: ArrayLike | None = None) -> tuple[NDArray, NDArray[np.intp]]:
    """Classes, those of y or the given ones, and the class index of every label; ValueError for fewer than two."""
    if classes is None and np.asarray(y).dtype.kind not in "biuUS":  # integers and strings are always labels
        _check_no_targets(y)
    known, labels = np.unique(y if classes is None else classes), np.asarray(y)
    if len(known) < 2:
        where = "y has only 1 class" if classes is None else "classes has only 1"
        raise ValueError(f"A metric is learned from at least two classes; {where}, {known.tolist()}.")
    if classes is not None and len(unknown := np.setdiff1d(labels, known)):
        raise ValueError(f"y has labels that are not among the classes: {few(unknown.tolist())}.")
    return known, np.searchsorted(known, labels)


def check_label_columns(Y: Any) -> tuple[list[NDArray], NDArray[np.intp]]:
    """Classes of every column of labels Y (n, m), and class indices (n, m); ValueError where all are constant."""
    if issparse(Y):
        raise ValueError("A sparse y is not supported; y.toarray() has the same labels.")
    columns = [np.asarray(column.tolist()) if column.dtype == object else column for column in Y.T]
    for column in columns:
        _check_no_targets(column)
    classes, indices = zip(*(np.unique(column, return_inverse=True) for column in columns), strict=True)
    if all(len(known) < 2 for known in classes):
        raise ValueError("A metric is learned from at least two classes; every column of y has only 1 class.")
    return list(classes), np.column_stack(indices)


def has_columns(y: Any) -> bool:
    """Whether y has several columns."""
    try:
        shape = y.shape if hasattr(y, "shape") else np.asarray(y).shape
    except ValueError:  # rows of different lengths, of which validation speaks
        return False
    return len(shape) == 2 and shape[1] > 1


def _check_no_targets(y):
    """ValueError where y holds targets of regression."""
    try:
        check_classification_targets(y)
    except ValueError as problem:
        if "continuous" not in str(problem):
            raise
        reason = str(problem).partition(" Maybe")[0]
        raise ValueError(f"{reason} Classes are needed here; {FOR_REGRESSION}.") from None


def labelled(y: NDArray, others_help: bool = False) -> NDArray[np.bool_]:
    """Which rows have a label: those that are not -1, unless -1 is one of two classes."""
    unlabelled = y == -1 if np.issubdtype(np.asarray(y).dtype, np.number) else np.zeros(len(y), dtype=bool)
    if not unlabelled.any() or len(np.unique(y)) <= 2:
        return np.ones(len(y), dtype=bool)
    if not others_help:
        n = int(unlabelled.sum())
        gone = f"{counted(n, 'unlabelled row')} (y = -1) {verb(n, 'is', 'are')} left out"
        warn_of_data(f"{gone}; if -1 is a class, give it another name.")
    return ~unlabelled


def check_n_components(n_components: int | None, X: NDArray) -> None:
    if n_components is not None and n_components > X.shape[1]:
        raise ValueError(f"n_components={n_components} is larger than the number of features, {X.shape[1]}.")


def clip_count(value: Any, most: int, name: str) -> Any:
    """``value``, None included, or ``most`` with a warning where the data allow no more."""
    if value is None or value <= most:
        return value
    warn_of_data(f"{name}={value} is more than the data allow; {most} is used.")
    return most


def warn_of_classes(X: NDArray, y: NDArray, classes: NDArray, names: NDArray | None = None) -> None:
    """Warn of traits of samples and class indices that make the metric worse."""
    lonely = classes[np.bincount(y, minlength=len(classes)) == 1].tolist()
    if lonely:
        warn_of_data(f"Classes with a single sample, which has no neighbour of its own class: {few(lonely)}.")
    warn_of_samples(X, names)


def warn_of_samples(X: NDArray, names: NDArray | None = None) -> None:
    """Warn of traits of the samples that make the metric worse."""
    N, d = X.shape
    constant = np.flatnonzero(ranges(X) == 0)
    if len(constant):
        named = constant if names is None else [printable(names[i]) for i in constant]
        warn_of_data(f"Constant features, which no distance can use: {few(named)}.")
    copies = N - len(equal_rows(X)[0]) if N <= MOST_COMPARED else 0
    if copies > MANY_COPIES * N:
        what = f"{copies} of {N} rows {verb(copies, 'is a copy of another', 'are copies of others')}"
        why = "fine where they were observed independently; else errors that leave one row out are too low"
        warn_of_data(f"{what}: {why}.")
    if d > N:
        warn_of_data(f"Fewer samples ({N}) than features ({d}): many maps fit them perfectly; n_components may help.")


def warn_of_empty(X: NDArray, names: NDArray | None = None) -> None:
    """Warn of features without any value."""
    empty = np.flatnonzero(np.isnan(X).all(axis=0))
    if len(empty):
        named = empty if names is None else [printable(names[i]) for i in empty]
        warn_of_data(f"Features without any value, which no distance can use: {few(named)}.")


def few(items: Sequence | NDArray, most: int = 5) -> str:
    """The first items, and how many more there are."""
    return ", ".join(map(str, items[:most])) + (f" and {len(items) - most} more" if len(items) > most else "")


ORDINARY = (0.5, 1 + 1e-6)  # ranges of features scaled to [0, 1]: subsets of rows, rounding
ALIKE = 0.05  # by which standard deviations may differ that are one and the same
LARGEST, SMALLEST = 1e75, 1e-75  # their fourth powers are finite
DWARFED = 1e5  # times the range of most others: float32 sees nothing else
MANY, FOLD = 500, 32  # rows from which on so many are looked at together


def ranges(X: NDArray) -> NDArray[np.float64]:
    """Largest less smallest value (d,) of every feature; infinite where it overflows."""
    lowest, highest = extremes(X)
    with np.errstate(over="ignore", invalid="ignore"):
        return (highest - lowest).astype(np.float64)


def extremes(X: NDArray) -> tuple[NDArray, NDArray]:
    """Smallest and largest value (d,) of every feature."""
    low = high = X
    if len(X) >= MANY and X.flags.c_contiguous:  # numpy reduces short rows slowly, so they are concatenated
        whole = len(X) - len(X) % FOLD
        folded = X[:whole].reshape(-1, FOLD * X.shape[1])
        low = np.vstack([np.minimum.reduce(folded, axis=0).reshape(FOLD, -1), X[whole:]])
        high = np.vstack([np.maximum.reduce(folded, axis=0).reshape(FOLD, -1), X[whole:]])
    return np.minimum.reduce(low, axis=0), np.maximum.reduce(high, axis=0)


def unit_of(X: NDArray) -> float:
    """What to divide X by: its largest range, or the common standard deviation of its features.

    1 where features are in [0, 1], or where nothing varies.
    """
    spans = ranges(X)
    widest = float(spans.max())
    if widest == 0 or ORDINARY[0] < widest < ORDINARY[1]:
        return 1.0
    varying = spans > 0
    spreads = widest * (X[:, varying] / widest).std(axis=0, dtype=np.float64)  # squares of X itself may overflow
    differ, differ_in_range = (lengths.std() / lengths.mean() for lengths in (spreads, spans[varying]))
    return float(spreads.mean()) if differ < min(ALIKE, differ_in_range) else widest


def check_not_huge(X: NDArray) -> None:
    """ValueError where distances between the rows of X would overflow."""
    largest = max(float(X.max()), -float(X.min()))
    if largest > LARGEST:
        what = f"X has values as large as {largest:.1e}, too large for powers of distances"
        raise ValueError(f"{what}: look for wrong cells, or divide X by a constant.")


def check_magnitude(X: NDArray) -> None:
    """ValueError where distances between the rows of X would overflow or underflow."""
    lowest, highest = extremes(X)
    check_not_huge(np.append(lowest, highest))
    widest = float((highest - lowest).max())
    if 0 < widest < SMALLEST:
        what = f"No feature of X varies by more than {widest:.1e}, too little for powers of distances"
        raise ValueError(f"{what}: multiply X by a constant.")


def warn_of_dwarfs(X: NDArray) -> None:
    """Warn where one feature is so much wider than most others that distances consist of it alone."""
    spans = ranges(X)
    usual = np.quantile(spans[spans > 0], 0.5, method="lower") if spans.any() else 0.0
    if spans.max() > DWARFED * usual > 0:
        what = f"Feature {spans.argmax()} spans {spans.max() / usual:.1e} times as much as most others"
        remedy = "scale the features (MinMaxScaler), or look for a wrong cell"
        warn_of_data(f"{what}, distances consist of it alone: {remedy}.")
