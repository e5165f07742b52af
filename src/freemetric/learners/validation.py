"""Training data: checks, labels, weights, order, units, and warnings about them."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array, check_X_y
from sklearn.utils.multiclass import check_classification_targets

from ..exceptions import warn_of_data
from ..sklearn_compat import check_sample_weight, dense, naming_texts, refuse_gaps

LARGEST = 1e75  # its fourth power is finite
SMALLEST = 1e-75
MOST_ORDERED = 200_000  # rows; no tie among more of them can matter
NEGLIGIBLE = 1e-12  # weight, relative to the mean
SINGLES = 3  # columns that tell most rows apart
MANY_COPIES = 0.1  # share of rows
ROUNDING = 1e-12  # of projections of equal rows
ORDINARY = (0.5, 1 + 1e-6)  # ranges of features scaled to [0, 1], of parts of them too
ALIKE = 0.05  # relative spread of standard deviations that are one and the same
UNBATCHED = 6_000  # samples: beyond, batches are faster, and end as well
BATCH = 2048  # samples
DWARFED = 1e5  # times the range of most others: float32 sees nothing else


def check_samples(
    estimator: Any, X: Any, *, ensure_min_samples: int = 1
) -> NDArray[np.float64]:
    """Samples (N, d) as a dense array of finite numbers, not too large or small."""
    with naming_texts(X):
        X = check_array(
            dense(X),
            dtype=np.float64,
            order="C",
            ensure_min_samples=ensure_min_samples,
            estimator=estimator,
        )
    check_magnitude(X)
    return X


def check_samples_and_targets(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    is_regression: bool = False,
    keeps_float32: bool = False,
) -> tuple[NDArray, NDArray]:
    """Samples as ``check_samples``, and as many labels or targets.

    With ``keeps_float32`` very many samples may stay in single precision.
    """
    refuse_gaps(y)
    with naming_texts(X):
        X, y = check_X_y(
            dense(X),
            y,
            dtype=[np.float64, np.float32] if keeps_float32 else np.float64,
            order="C",
            y_numeric=is_regression,
            multi_output=is_regression,
            ensure_min_samples=2,
            estimator=estimator,
        )
    if len(X) <= MOST_ORDERED:
        X = X.astype(np.float64, copy=False)
    check_magnitude(X)
    return X, y


def check_magnitude(X: NDArray) -> None:
    """ValueError where powers of distances would overflow or vanish."""
    largest = float(np.abs(X).max())
    if largest > LARGEST:
        what = f"X has values as large as {largest:.1e}, too large for distances"
        raise ValueError(f"{what}: look for wrong cells, or divide X by a constant.")
    widest = float(ranges(X).max())
    if 0 < widest < SMALLEST:
        what = f"No feature of X varies by more than {widest:.1e}, too little"
        raise ValueError(f"{what} for distances: multiply X by a constant.")


def rows_per_batch(
    batch_size: int | None, n_samples: int, *, usual: int = BATCH, most: int = UNBATCHED
) -> int | None:
    """Samples of a batch; None for no batches, as up to ``most`` samples."""
    if batch_size is None:
        return None if n_samples <= most else usual
    return None if n_samples <= batch_size else batch_size


def check_n_components(n_components: int | None, X: NDArray) -> None:
    """ValueError where there are fewer features than components."""
    d = X.shape[1]
    if n_components is not None and n_components > d:
        what = f"n_components={n_components} is larger than the number of features"
        raise ValueError(f"{what}, {d}.")


def clip_count(value: Any, most: int, name: str) -> Any:
    """``value``, or ``most`` with a warning where the data allow no more."""
    if value is None or value <= most:
        return value
    message = f"{name}={value} is more than the data allow; {most} is used."
    warn_of_data(message, topic=f"{name}={value}")
    return most


# Labels


def check_labels(y: ArrayLike) -> tuple[NDArray, NDArray[np.intp]]:
    """Classes, and the class index of every label."""
    labels = np.asarray(y)
    if labels.dtype.kind not in "biuUS":  # integers and strings are always labels
        check_classification_targets(labels)
    classes, indices = np.unique(labels, return_inverse=True)
    if len(classes) < 2:
        what = f"y has only 1 class, {classes.tolist()}"
        raise ValueError(f"A metric is learned from at least two classes; {what}.")
    return classes, indices


def has_label(y: NDArray) -> NDArray[np.bool_]:
    """Which rows have a label: all but -1, unless -1 is one of two classes."""
    if not np.issubdtype(y.dtype, np.number) or len(np.unique(y)) <= 2:
        return np.ones(len(y), dtype=bool)
    return y != -1


def labelled_data(
    X: NDArray, y: NDArray, keeps_unlabelled: bool = False
) -> tuple[NDArray, NDArray[np.intp], NDArray]:
    """Samples, class indices and classes; unlabelled rows are left out, or -1."""
    rows = np.flatnonzero(has_label(y))
    classes, indices = check_labels(y[rows])
    warn_of_copies(X)
    if len(rows) == len(X):
        return X, indices, classes
    if keeps_unlabelled:
        everyone = np.full(len(X), -1)
        everyone[rows] = indices
        return X, everyone, classes
    warn_of_unlabelled(len(X) - len(rows))
    return X[rows], indices, classes


def labelled_rows(X: NDArray, y: NDArray | None) -> NDArray:
    """Samples that have a class index; all without labels."""
    return X if y is None or y.min() >= 0 else X[y >= 0]


# Weights and order


def weighted_data(
    X: NDArray, y: NDArray, sample_weight: ArrayLike | None, keeps_order: bool = False
) -> tuple[NDArray, NDArray[np.intp], NDArray | None, NDArray]:
    """Labelled rows of positive weight: X, class indices, weights, classes.

    They are in an order that does not depend on the order of the rows of X. Weights
    have mean one, or are None where all are equal.
    """
    weights = check_weights(sample_weight, X)
    with_label = has_label(y)
    if not with_label.all():
        warn_of_unlabelled(int((~with_label).sum()))
    rows = np.flatnonzero(with_label & (weights > NEGLIGIBLE * weights.mean()))
    classes, indices = check_labels(y[rows])
    X, indices, weights = _in_order(X, indices, weights, rows, keeps_order)
    warn_of_copies(X)
    return X, indices, weights, classes


def regression_data(
    X: NDArray, y: NDArray, sample_weight: ArrayLike | None, keeps_order: bool = False
) -> tuple[NDArray, NDArray[np.float64], NDArray | None]:
    """Rows of positive weight as ``weighted_data``: X, targets, weights."""
    weights = check_weights(sample_weight, X)
    rows = np.flatnonzero(weights > NEGLIGIBLE * weights.mean())
    targets = y[rows].astype(np.float64)
    if not np.ptp(targets, axis=0).any():
        raise ValueError("y is constant: a metric is learned from targets that differ.")
    warn_of_copies(X)
    return _in_order(X, targets, weights, rows, keeps_order)


def check_weights(sample_weight: ArrayLike | None, X: NDArray) -> NDArray[np.float64]:
    """Weights (N,) of the rows of X, ones for None."""
    weights = check_sample_weight(
        sample_weight, X, dtype=np.float64, ensure_non_negative=True
    )
    if not weights.any():
        raise ValueError("sample_weight is zero for every row.")
    return weights


def _in_order(X, y, weights, rows, keeps_order):
    """The rows of X and their targets y and weights, in canonical order."""
    if keeps_order and len(rows) < len(X):
        what = "The energy names rows of X, some of which are left out"
        raise ValueError(f"{what}: they have no label or no weight.")
    taken = X if len(rows) == len(X) else X[rows]
    weights = weights[rows]
    if not keeps_order and len(rows) <= MOST_ORDERED:
        order = canonical_order(taken, y, weights)
        taken = taken[order]
        y = y[order]
        weights = weights[order]
    is_weighted = np.ptp(weights) > 0
    return taken, y, weights / weights.mean() if is_weighted else None


def canonical_order(
    X: NDArray, y: NDArray | None = None, weights: NDArray | None = None
) -> NDArray[np.intp]:
    """A permutation that brings rows into the same order, however they are ordered.

    Fits draw rows at random; so the draws do not depend on the order of the rows.
    """
    columns = [*X.T]
    if y is not None:
        columns += [*np.atleast_2d(y.T)]
    if weights is not None:
        columns += [weights]
    order = np.lexsort(columns[:SINGLES][::-1])
    first = X[order, :SINGLES]
    if (first[1:] == first[:-1]).all(axis=1).any():
        order = np.lexsort(columns[::-1])
    return order[np.random.default_rng(0).permutation(len(order))]


# Units


def ranges(X: NDArray) -> NDArray[np.float64]:
    """Largest less smallest value (d,) of every feature."""
    return (X.max(axis=0) - X.min(axis=0)).astype(np.float64)


def unit_of(X: NDArray) -> float:
    """What to divide X by, so that features are of order one.

    A learner whose start, steps or penalties assume such features learns from X / unit
    and divides its map by the unit: one factor for all features. It is 1 for features
    in [0, 1], else their common standard deviation or the largest range. A feature that
    dwarfs the others gives a warning.
    """
    spans = ranges(X)
    warn_of_dwarfs(spans)
    widest = float(spans.max())
    if widest == 0 or ORDINARY[0] < widest < ORDINARY[1]:
        return 1.0
    varying = spans > 0
    spreads = widest * (X[:, varying] / widest).std(axis=0, dtype=np.float64)
    wide = spans[varying]
    unlike = spreads.std() / spreads.mean()
    if unlike < min(ALIKE, wide.std() / wide.mean()):
        return float(spreads.mean())
    return widest


# Warnings


def warn_of_dwarfs(spans: NDArray) -> None:
    """Warn where one feature is so wide that distances consist of it alone."""
    if not spans.any():
        return
    usual = np.quantile(spans[spans > 0], 0.5, method="lower")
    if spans.max() > DWARFED * usual:
        times = spans.max() / usual
        what = f"Feature {spans.argmax()} spans {times:.1e} times as much as most"
        remedy = "scale the features, or look for a wrong cell"
        message = f"{what} others, distances consist of it alone: {remedy}."
        warn_of_data(message, topic="a wide feature")


def warn_of_unlabelled(n: int) -> None:
    """Warn of rows that are left out because they have no label."""
    remedy = "if -1 is a class, give it another name"
    message = f"Unlabelled rows (y = -1) are left out: {n}; {remedy}."
    warn_of_data(message, topic="unlabelled rows")


def warn_of_copies(X: NDArray) -> None:
    """Warn where many rows are copies of others."""
    copies = count_copies(X)
    if copies > MANY_COPIES * len(X):
        why = "errors that leave one row out may be too low"
        message = f"{copies} of {len(X)} rows are copies of others: {why}."
        warn_of_data(message, topic="copies")


def count_copies(X: NDArray) -> int:
    """How many rows equal another one; equal rows fall on one point of a line."""
    line = np.random.default_rng(0).standard_normal(X.shape[1])
    points = np.sort(X @ line)
    gaps = np.diff(points)
    return int((gaps <= ROUNDING * np.abs(points).max()).sum())
