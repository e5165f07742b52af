"""Tables that people have by accident, and attackers on purpose."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse

USUAL = "as it should be"


class Given(NamedTuple):
    """Samples and classes of a fit, and samples to predict."""

    X: Any
    y: Any
    asked: Any


def hostile() -> dict[str, Given]:
    """Every input by its name."""
    X = np.random.default_rng(0).normal(size=(40, 3))
    y = np.arange(40) % 2
    X[:, 0] += y
    fits = {
        name: Given(given, y[: _length(given)], given)
        for name, given in _patterns(X).items()
    }
    labels = {f"y {name}": Given(X, given, X) for name, given in _classes(y).items()}
    asked = {
        f"asked {name}": Given(X, y, given)
        for name, given in _patterns(X).items()
        if name in ASKED
    }
    return fits | labels | asked


ASKED = {
    "a cell of nan",
    "a cell of inf",
    "a cell of 1e+300",
    "times 1e-300",
    "times 1e+100",
    "times 1e+300",
    "no row",
}
ASKED |= {
    "one row",
    "one column",
    "a vector",
    "None",
    "ragged lists",
    "words",
    "complex numbers",
    "large integers",
}
ASKED |= {"sparse", "a frame", "objects of all sorts", "dates"}


def _length(given):
    shape = getattr(given, "shape", None)
    return shape[0] if shape else 40


def _with(X, row, column, value):
    changed = X.copy()
    changed[row, column] = value
    return changed


def _patterns(X):
    numbers = {
        USUAL: X,
        **{
            f"a cell of {value:g}": _with(X, 3, 1, value)
            for value in (np.nan, np.inf, -np.inf, 1e9, 1e100, 1e300)
        },
        **{
            f"times {unit:g}": X * unit
            for unit in (1e-320, 1e-300, 1e-100, 1e-20, 1e20, 1e100, 1e150, 1e300)
        },
        "nothing but NaN": np.full_like(X, np.nan),
        "a column of NaN": _with(X, slice(None), 1, np.nan),
        "1e12 and a little": 1e12 + X,
        "constants": np.ones_like(X),
        "zeros": np.zeros_like(X),
        "a constant column": _with(X, slice(None), 1, 7.0),
        "columns twice": np.hstack([X, X]),
        "copies of one row": np.repeat(X[:1], 40, axis=0),
        "every row twice": np.vstack([X[:20], X[:20]]),
        "columns that add up": np.column_stack([X, X.sum(axis=1)]),
        "more columns than rows": np.random.default_rng(1).normal(size=(6, 60)),
    }
    shapes = {
        "one row": X[:1],
        "two rows": X[:2],
        "no row": X[:0],
        "no column": X[:, :0],
        "one column": X[:, :1],
        "a vector": X[:, 0],
        "a cube": X[:, :, None],
        "a number": np.float64(3),
        "None": None,
        "ragged lists": [[1.0, 2.0], [1.0]] * 20,
        "lists": X.tolist(),
    }
    types = {
        "texts": X.astype(str),
        "words": np.full((40, 3), "red"),
        "objects that are numbers": X.astype(object),
        "objects with None": _with(X.astype(object), 3, 1, None),
        "objects of all sorts": _with(X.astype(object), 3, 1, {}),
        "complex numbers": X + 1j,
        "truth values": X > 0,
        "bytes": (X * 50).astype(np.int8),
        "large integers": np.full((40, 3), 2**63, dtype=np.uint64)
        + np.arange(40, dtype=np.uint64)[:, None],
        "half precision": X.astype(np.float16),
        "dates": np.datetime64("2020-01-01") + (X * 100).astype("timedelta64[D]"),
        "sparse": sparse.csr_array(X),
        "a frame": pd.DataFrame(X, columns=["a", "b", "c"]),
        "a frame of names": pd.DataFrame(
            {"a": X[:, 0], "b": ["red", "blue"] * 20, "c": [None, "x"] * 20}
        ),
        "a frame with one name twice": pd.DataFrame(X, columns=["a", "a", "b"]),
        "read-only rows": _read_only(X),
        "rows backwards": X[::-1, ::-1],
        "masked": np.ma.masked_greater(X, 1),
    }
    return numbers | shapes | types


def _read_only(X):
    X = X.copy()
    X.flags.writeable = False
    return X


def _classes(y):
    return {
        "of one class": np.zeros(40, int),
        "all different": np.arange(40),
        "of one row and the others": (np.arange(40) == 3).astype(int),
        "of texts": y.astype(str),
        "of objects": np.array(["a", "b"] * 20, dtype=object),
        "of all sorts": np.array([1, "b"] * 20, dtype=object),
        "with None": np.array([None, "b"] * 20, dtype=object),
        "with NaN": np.where(np.arange(40) == 3, np.nan, y),
        "of fractions": np.linspace(0, 1, 40),
        "None": None,
        "too short": y[:39],
        "of two columns": np.column_stack([y, y]),
        "of dates": np.datetime64("2020-01-01") + y,
        "unlabelled": np.full(40, -1),
        "of huge numbers": y * 2**62,
    }
