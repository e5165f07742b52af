"""The paper's published errors beside ours.

D. Stosic, D. Stosic, T. B. Ludermir, B. Stosic, Distance Metric Learning through
Minimization of the Free Energy, arXiv:2106.05495. This module needs the extra
``bench``.
"""

from importlib.resources import files

import numpy as np

from ..exceptions import require
from .tables import Table

pd = require("pandas", "bench")

FLAGGED = 0.5  # points between our mean and the published one

PUBLISHED_NAMES = {
    "rf": "RF",
    "euclidean": "Euclidean",
    "pca": "PCA",
    "rca": "RCA",
    "dca": "DCA",
    "lfda": "LFDA",
    "dml-eig": "DMLeig",
    "dmlmj": "DMLMJ",
    "scml": "SCML",
    "lmnn": "LMNN",
    "itml": "ITML",
    "nca": "NCA",
    "dmlfe-paper": "DMLFE",
}
"""Names in the paper, by ours; "dmlfe" has other defaults than the published DMLFE."""


def published_errors():
    """Return the published error rates in %.

    They are means over five runs of two-fold cross-validation, at the best of 1 to 40
    neighbours. The means, medians and ranks printed below the rows stand partly under
    the wrong method, so statistics are recomputed from the rows.

    Returns
    -------
    errors : DataFrame of shape (36, 13)
        Data sets as rows, methods as columns.

    Examples
    --------
    >>> from freemetric.experiments.paper import published_errors
    >>> published_errors().loc["iris", ["Euclidean", "NCA", "DMLFE"]].tolist()
    [3.87, 4.53, 2.8]
    """
    with files(__package__).joinpath("data", "published_errors.csv").open() as file:
        table = pd.read_csv(file, index_col="name").drop(columns="number")
    return table.rename_axis("dataset")


def as_published(errors):
    """Return the methods that the paper has, under the names it gives them.

    Parameters
    ----------
    errors : DataFrame of shape (n_sets, n_methods)
        Errors by our names of methods.

    Returns
    -------
    errors : DataFrame
        Errors by the names in the paper.
    """
    known = [name for name in errors if name in PUBLISHED_NAMES]
    return errors[known].rename(columns=PUBLISHED_NAMES)


def beside_published(errors):
    """Return our errors beside the published ones, and their means.

    Parameters
    ----------
    errors : DataFrame of shape (n_sets, n_methods)
        Errors in % by the names in the paper, from :func:`as_published`.

    Returns
    -------
    table : Table
        Data sets and methods of both; differences above half a point are in bold.

    Examples
    --------
    >>> import pandas as pd
    >>> from freemetric.experiments.paper import beside_published
    >>> ours = pd.DataFrame({"NCA": [4.4, 2.01]}, index=["iris", "wine"])
    >>> beside_published(ours).rows[1]
    ('wine', 'NCA', '2.01', '1.01', '+1.00')
    """
    published = published_errors().stack().to_dict()
    ours = errors.stack().dropna().to_dict()
    pairs = {key: (ours[key], published[key]) for key in ours if key in published}
    if not pairs:
        raise ValueError("The two tables have no result in common.")
    rows = [_row(key[0], key[1], *pair) for key, pair in pairs.items()]
    for method in dict.fromkeys(method for _, method in pairs):
        of_method = [pair for key, pair in pairs.items() if key[1] == method]
        means = np.mean(of_method, axis=0)
        rows.append(_row("Mean", method, means[0], means[1]))
    apart = [i for i, row in enumerate(rows) if abs(float(row[4])) > FLAGGED]
    caption = f"Error in % beside the published one; {FLAGGED} points apart in bold."
    columns = ("Data set", "Method", "Ours", "Published", "Difference")
    return Table(columns, tuple(rows), caption, frozenset((i, 4) for i in apart))


def _row(name, method, ours, published):
    return name, method, f"{ours:.2f}", f"{published:.2f}", f"{ours - published:+.2f}"
