"""Records as tables: the mean of a measure by data set and method.

Tables are pandas DataFrames (data sets x methods) with the title of their measure in
``attrs["measure"]``. This module needs the extra ``bench``.
"""

from collections import defaultdict
from functools import partial

import numpy as np

from ..exceptions import require
from .protocol import PROTOCOLS

pd = require("pandas", "bench")

ERROR = "error in %"
OF_SPREAD = "in % of the standard deviation"


def mean_errors(records, protocol="honest"):
    """Return the mean test error in % of every method on every data set.

    Parameters
    ----------
    records : list of Record
        Those of one comparison.
    protocol : {"honest", "paper", "one-k"}, default="honest"
        How k is chosen: without the test samples; the best of every test half; the
        best for the mean over all halves of a data set.

    Returns
    -------
    errors : DataFrame of shape (n_sets, n_methods)
        NaN where a split has failed, so that no method profits from failing.

    Examples
    --------
    >>> from freemetric.experiments.measures import mean_errors
    >>> from freemetric.experiments.records import Job, Record
    >>> errors = [2.0, 1.0], [1.0, 4.0]
    >>> records = [
    ...     Record(Job("iris", "nca", 0, fold), errors[fold], 1, errors[fold][0])
    ...     for fold in range(2)
    ... ]
    >>> mean_errors(records, "honest").loc["iris", "nca"].item()
    1.5
    >>> mean_errors(records, "paper").loc["iris", "nca"].item()
    1.0
    """
    if protocol not in PROTOCOLS:
        names = ", ".join(map(repr, PROTOCOLS))
        raise ValueError(f"Unknown protocol {protocol!r}; known: {names}.")
    table = _by_cell(records, partial(_mean_error, protocol))
    table.attrs["measure"] = ERROR
    return table


def _mean_error(protocol, records):
    if protocol == "one-k":
        return curve(records).min()
    if protocol == "paper":
        return np.mean([record.paper_error for record in records])
    return np.mean([record.honest_error for record in records])


def curve(records):
    """Return the mean error for k = 1, 2, ... over splits of one method."""
    shortest = min(len(record.errors) for record in records)
    return np.mean([record.errors[:shortest] for record in records], axis=0)


def best_neighbors(records):
    """Return the k of lowest mean error, a DataFrame; of methods that have a k."""
    with_k = [record for record in records if len(record.errors) > 1]
    return _by_cell(with_k, lambda cell: curve(cell).argmin() + 1)


def _mean(of, records):
    return np.array([of(record) for record in records], dtype=float).mean()


def _by_cell(records, value):
    """A value of the records of every data set and method, in the records' order."""
    cells = defaultdict(list)
    for record in records:
        cells[record.job.dataset, record.job.method].append(record)
    values = {}
    for key, cell in cells.items():
        failed = any(record.failure for record in cell)
        values[key] = np.nan if failed else float(value(cell))
    index = pd.MultiIndex.from_tuples(values, names=["dataset", "method"])
    table = pd.Series(list(values.values()), index, dtype=float).unstack()
    datasets, methods = (
        list(dict.fromkeys(names)) for names in zip(*values, strict=True)
    )
    return table.reindex(index=datasets, columns=methods)


# Measures of a record: None where it does not have one.


def _field(name):
    return lambda record: getattr(record, name)


def _unexplained(record):
    return None if record.r2 is None else 100 * (1 - record.r2)


def _relative(name, unit):
    def percent(record):
        value, size = getattr(record, name), getattr(record, unit)
        return None if value is None or not size else 100 * value / size

    return percent


def _width90(record):
    is_complete = record.width and record.spread
    return 100 * record.width[1] / record.spread if is_complete else None


MEASURES = {
    "error": (ERROR, _field("honest_error")),
    "brier": ("Brier score", _field("brier")),
    "log_loss": ("log loss", _field("log_loss")),
    "unexplained": ("unexplained variance, 1 - R2, in %", _unexplained),
    "mae": (f"mean absolute error {OF_SPREAD}", _relative("mae", "spread")),
    "rmse": (f"root mean squared error {OF_SPREAD}", _relative("rmse", "spread")),
    "pinball": (f"pinball loss {OF_SPREAD}", _relative("pinball", "spread")),
    "excess": (
        "excess over the noise in % of its variance",
        _relative("excess", "noise"),
    ),
    "width90": (f"width of 90 % intervals {OF_SPREAD}", _width90),
}
"""Title and function of a record, by name; lower is better in all of them."""


def mean_measure(records, measure):
    """Return the mean of a measure of every method on every data set.

    Parameters
    ----------
    records : list of Record
        Those of one comparison.
    measure : str
        Name in ``MEASURES``.

    Returns
    -------
    table : DataFrame of shape (n_sets, n_methods)
        NaN where a split has failed or lacks the measure.

    Examples
    --------
    >>> from freemetric.experiments.measures import mean_measure
    >>> from freemetric.experiments.records import Job, Record
    >>> records = [Record(Job("boston", "knn", 0, fold), r2=0.75) for fold in range(2)]
    >>> mean_measure(records, "unexplained").loc["boston", "knn"].item()
    25.0
    """
    title, of = MEASURES[measure]
    table = _by_cell(records, partial(_mean, of))
    table.attrs["measure"] = title
    return table
