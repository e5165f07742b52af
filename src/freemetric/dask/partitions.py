"""Dask arrays and dataframes as blocks of samples, checked on their workers."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import validate_data

from ..extras import require
from ..learners.validation import has_columns
from ..printable import counted

Block = Any  # a delayed array
MERGED_TOGETHER = 8  # results of partitions, so that no worker holds all of them


def is_dask(X: Any) -> bool:
    """Whether X is a Dask collection."""
    return bool(require("dask", "dask").is_dask_collection(X))


def in_partitions(X: Any) -> Any:
    """A Dask collection as it is; an array or a frame of this process as one partition."""
    if is_dask(X):
        return X
    if hasattr(X, "iloc"):
        return require("dask.dataframe", "dask").from_pandas(X, npartitions=1, sort=False)
    return require("dask.array", "dask").from_array(np.asarray(X), chunks=-1)


def feature_blocks(estimator: Any, X: Any, reset: bool) -> list[Block]:
    """Delayed arrays (n, d) of numbers, one for each partition of X; the estimator learns or checks its features."""
    X, given = in_partitions(X), type(X).__name__
    if not hasattr(X, "to_delayed") or X.ndim != 2:
        raise ValueError(f"X must be an array of two dimensions or a dataframe, of Dask or not; got {given}.")
    if hasattr(X, "columns"):
        others = [name for name, dtype in X.dtypes.items() if getattr(dtype, "kind", "O") not in "biuf"]
        if others:
            raise ValueError(f"X has columns that are no numbers: {', '.join(map(repr, others[:5]))}.")
        if any(str(dtype).startswith("Sparse") for dtype in X.dtypes):
            raise ValueError("X has sparse columns; dense numbers are needed.")
        seen: Any = require("pandas", "dask").DataFrame(columns=X.columns)
        parts = X.to_delayed()
    else:
        if np.dtype(X.dtype).kind not in "biuf":
            raise ValueError(f"X has dtype {X.dtype}; numbers are needed.")
        seen = np.empty((0, X.shape[1]))
        parts = X.rechunk({1: -1}).to_delayed().ravel() if X.numblocks[1] > 1 else X.to_delayed().ravel()
    validate_data(estimator, seen, reset=reset, skip_check_array=True)
    checked = require("dask", "dask").delayed(features_of, pure=False)
    return [checked(part, number, estimator.n_features_in_) for number, part in enumerate(parts)]


def target_blocks(y: Any, read: Callable[[Any, int], NDArray], several: bool = False) -> list[Block]:
    """Delayed arrays (n,), or (n, m) if y may have ``several`` columns, one for each partition of y.

    ``read`` is ``labels_of`` or ``targets_of``.
    """
    y, given = in_partitions(y), type(y).__name__
    if not hasattr(y, "to_delayed") or not (y.ndim == 1 or (several and has_columns(y))):
        raise ValueError(f"y must be an array of one dimension or a series, of Dask or not; got {given}.")
    if y.ndim == 2 and not hasattr(y, "columns"):
        y = y.rechunk({1: -1})
    known = require("dask", "dask").delayed(read, pure=False)
    return [known(part, number) for number, part in enumerate(np.ravel(y.to_delayed()))]


def known_lengths(X: Any, blocks: list[Block]) -> list[int]:
    """Rows of every partition; counted where Dask does not know them."""
    chunks = getattr(X, "chunks", [[np.nan]])[0]
    if not np.isnan(chunks).any():
        return list(chunks)
    dask = require("dask", "dask")
    return list(dask.compute(*(dask.delayed(len)(block) for block in blocks)))


def check_not_lost(*kept: Any) -> None:
    """RuntimeError if a cluster has lost persisted data; Dask's own error names a cancelled key only."""
    try:
        futures_of = require("distributed", "dask").futures_of
    except ImportError:  # without a cluster results are kept in this process
        return
    if any(future.status in ("cancelled", "lost") for future in futures_of(kept)):
        raise RuntimeError(
            "The cluster no longer has the training samples of this model: it was restarted or its client was closed; "
            "fit the model again, or keep to_local(), which needs no cluster, before a restart."
        )


def merged_in_steps(found: list[Block], merge: Callable) -> Block:
    """One delayed result of many, merged few at a time."""
    together = require("dask", "dask").delayed(merge, pure=False)
    while len(found) > 1:
        found = [together(found[a : a + MERGED_TOGETHER]) for a in range(0, len(found), MERGED_TOGETHER)]
    return found[0]


def features_of(part: Any, number: int, n_features: int) -> NDArray[np.floating]:
    """A partition as an array (n, d) of floats, float32 or float64; ValueError if it is something else."""
    if hasattr(part, "toarray") or hasattr(part, "todense"):
        raise ValueError(f"X is sparse in partition {number}; dense numbers are needed.")
    X = _without_gaps(part)
    X = X if X.dtype == np.float32 else X.astype(np.float64)
    if X.shape[1:] != (n_features,):
        raise ValueError(
            f"X has shape {X.shape} in partition {number}; this model needs {counted(n_features, 'feature')}."
        )
    if not np.isfinite(X).all():
        raise ValueError(f"X contains NaN or infinity in partition {number}.")
    return X


def labels_of(part: Any, number: int) -> NDArray:
    """A partition as labels (n,) or (n, m); ValueError if one is missing."""
    y = np.asarray(part)
    labels = y.ravel().tolist()
    is_missing = part.isna() if hasattr(part, "isna") else [label is None or label != label for label in labels]
    if np.any(is_missing):
        raise ValueError(f"y has no label for some rows in partition {number}.")
    return y


def targets_of(part: Any, number: int) -> NDArray[np.float64]:
    """A partition as numeric targets (n,); ValueError if one is missing or no number."""
    try:
        y = _without_gaps(part).astype(np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"y has something that is no number in partition {number}.") from None
    if not np.isfinite(y).all():
        raise ValueError(f"y contains NaN or infinity in partition {number}.")
    return y


def _without_gaps(part):
    """An array; missing values of pandas' extension types are NaN."""
    values = np.asarray(part)
    is_pandas = values.dtype == object and hasattr(part, "to_numpy")
    return part.to_numpy(np.float64, na_value=np.nan) if is_pandas else values
