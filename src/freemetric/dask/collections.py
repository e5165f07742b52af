"""Arrays and dataframes, of Dask or not, as Dask arrays in blocks of samples."""

import numpy as np
from sklearn.utils import check_consistent_length

from ..exceptions import require

dask = require("dask", "dask")
array = require("dask.array", "dask")


def as_array(X, n_dimensions, name):
    """A Dask array whose chunks have known lengths and hold all columns."""
    kind = object
    if (
        hasattr(X, "columns") and X.ndim == 2
    ):  # gaps of pandas' own types are no numbers
        kind = np.float64
        X = X.astype(kind)
    if hasattr(X, "map_partitions"):
        empty = np.empty((0, *X.shape[1:]), dtype=kind)
        X = X.map_partitions(np.asarray, dtype=kind, meta=empty)
    elif not isinstance(X, array.Array):
        X = array.from_array(np.asarray(X), chunks=-1)
    if X.ndim != n_dimensions:
        raise ValueError(
            f"{name} must be an array of {n_dimensions} dimension(s) that is not "
            f"sparse; got {X.ndim}."
        )
    if np.isnan(X.chunks[0]).any():
        X = X.compute_chunk_sizes()
    return X if n_dimensions == 1 else X.rechunk({1: -1})


def header(X, n_features):
    """A table without samples that has the names of the features of X, if any."""
    if hasattr(X, "columns"):
        return require("pandas", "dask").DataFrame(columns=X.columns)
    return np.empty((0, n_features))


def blocks_of(X, y, sample_weight):
    """Delayed (X, y, weights) of every chunk of an array X that has samples."""
    if sample_weight is None:
        sample_weight = array.ones(X.shape[0])
    columns = [as_array(y, 1, "y"), as_array(sample_weight, 1, "sample_weight")]
    check_consistent_length(X, *columns)
    if X.shape[0] == 0:
        raise ValueError("X has no samples.")
    lengths = X.chunks[0]
    columns = [column.rechunk((lengths,)) for column in columns]
    blocks = [part.to_delayed().ravel() for part in (X, *columns)]
    every = zip(lengths, *blocks, strict=True)
    return [block for length, *block in every if length]


def merged_in_steps(found, merge):
    """One delayed result of many, few at a time, for the memory of the workers."""
    while len(found) > 1:
        steps = range(0, len(found), 8)
        found = [merge(found[start : start + 8]) for start in steps]
    return found[0]


def check_not_lost(kept):
    """RuntimeError where a cluster has lost what it kept for us.

    A worker that dies loses nothing: the others repeat its work.
    """
    try:
        from distributed import futures_of
    except ImportError:  # without a cluster, results are in this process
        return
    if any(future.status in ("cancelled", "lost") for future in futures_of(kept)):
        raise RuntimeError(
            "The cluster no longer has the training samples: it was restarted, or its "
            "client was closed. Fit the model again."
        )
