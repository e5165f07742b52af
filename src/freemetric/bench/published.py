"""The error rates the paper published: 13 methods on 36 data sets."""

from importlib.resources import files
from typing import Any

from ..extras import require

pd = require("pandas")


def published_errors() -> Any:
    """Read the published table of error rates.

    Only the 36 rows are kept. The means, medians and ranks printed below them stand partly under the wrong method, so
    statistics are recomputed from the rows.

    Returns
    -------
    DataFrame of shape (36, 13)
        Error in %: mean over five runs of two-fold cross-validation, at the best of 1 to 40 neighbours.

    Examples
    --------
    >>> from freemetric.bench.published import published_errors
    >>> errors = published_errors()
    >>> errors.shape
    (36, 13)
    >>> errors.loc["iris", ["Euclidean", "NCA", "DMLFE"]].tolist()
    [3.87, 4.53, 2.8]
    """
    with files("freemetric.bench").joinpath("data/published_errors.csv").open() as file:
        return pd.read_csv(file, index_col="name").drop(columns="number").rename_axis("dataset")
