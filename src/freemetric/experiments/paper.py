"""The paper's published errors beside ours.

D. Stosic, D. Stosic, T. B. Ludermir, B. Stosic, Distance Metric Learning through
Minimization of the Free Energy, arXiv:2106.05495. This module needs the extra
``bench``.
"""

from importlib.resources import files

import numpy as np

from ..exceptions import require
from .measures import best_neighbors, mean_errors
from .statistics import complete_rows, friedman, posthoc, summarise
from .tables import Table

pd = require("pandas", "bench")

OUTCOME = {True: "rejected", False: "not rejected"}
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

CONTROL = "DMLFE"

PUBLISHED_NEIGHBORS = {
    "Euclidean": (9.77, 6, 2.77),
    "PCA": (11.97, 7.5, 4.33),
    "RCA": (10.93, 8.5, 3.97),
    "DCA": (16.63, 14, 6.87),
    "LFDA": (12.73, 8.5, 3.93),
    "DMLMJ": (13.4, 8, 5.6),
    "LMNN": (11.6, 8, 5),
    "ITML": (10.5, 5.5, 3.87),
    "NCA": (14.3, 14.15, 5.53),
    "DMLFE": (9.3, 8, 3.67),
}
"""Mean, median and rank of the best number of neighbours, as Table 5 prints them."""


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


def beside_published(errors):
    """Return our errors beside the published ones, and their means.

    Parameters
    ----------
    errors : DataFrame of shape (n_sets, n_methods)
        Errors in % by the names in the paper, from :func:`of_published_methods`.

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
    caption = f"Error in %; more than {FLAGGED} points from the published one in bold."
    columns = ("Data set", "Method", "Ours", "Published", "Difference")
    return Table(columns, tuple(rows), caption, frozenset((i, 4) for i in apart))


def differences_from_published(errors):
    """Return our errors minus the published ones, a column for every method.

    Parameters
    ----------
    errors : DataFrame of shape (n_sets, n_methods)
        Errors in % by the names in the paper, from :func:`of_published_methods`.

    Returns
    -------
    table : Table
        Data sets of both, and the means; differences above half a point are in bold.

    Examples
    --------
    >>> import pandas as pd
    >>> from freemetric.experiments.paper import differences_from_published
    >>> ours = pd.DataFrame({"NCA": [4.4, 2.01]}, index=["iris", "wine"])
    >>> differences_from_published(ours).rows
    (('iris', '-0.13'), ('wine', '+1.00'), ('Mean', '+0.43'))
    """
    apart = (errors - published_errors().reindex_like(errors)).dropna(how="all")
    apart.loc["Mean"] = apart.mean()
    apart = apart.round(2) + 0.0  # not -0.00
    texts = apart.map(lambda value: "" if np.isnan(value) else f"{value:+.2f}")
    bold = np.argwhere(apart.abs().to_numpy() > FLAGGED).tolist()
    return Table(
        ("Data set", *apart.columns),
        tuple(texts.itertuples(name=None)),
        f"Our error in % minus the published one; more than {FLAGGED} points in bold.",
        frozenset((row, column + 1) for row, column in bold),
    )


def ranks_beside_published(errors):
    """Return means, ranks and tests against DMLFE beside those of the published rows.

    Parameters
    ----------
    errors : DataFrame of shape (n_sets, n_methods)
        Errors in % by the names in the paper; "DMLFE" is among them.

    Returns
    -------
    table : Table
        A row for every method. Both halves are of the same data sets and methods.

    Examples
    --------
    >>> from freemetric.experiments.paper import (
    ...     published_errors,
    ...     ranks_beside_published,
    ... )
    >>> table = ranks_beside_published(published_errors()[["RF", "NCA", "DMLFE"]])
    >>> table.rows[1][:3]
    ('NCA', '15.36', '15.36')
    """
    ours, _ = complete_rows(errors, CONTROL)
    published = published_errors().loc[ours.index, list(ours)]
    both = ours, published
    means = [summarise(table).table for table in both]
    tests = [posthoc(table, CONTROL).table for table in both]
    rows = []
    for method in ours:
        cells = [f"{m.loc[method, 'mean']:.2f}" for m in means]
        cells += [f"{m.loc[method, 'rank']:.2f}" for m in means]
        if method != CONTROL:
            cells += [f"{t.loc[method, 'wilcoxon_p']:.2g}" for t in tests]
            cells += [OUTCOME[t.loc[method, "nemenyi"]] for t in tests]
        rows.append((method, *cells, *[""] * (8 - len(cells))))
    columns = ["Method"]
    for what in ("Mean error", "Rank", "Wilcoxon p", "Nemenyi"):
        columns += [what, "published"]
    p_values = [f"{friedman(table).p_value:.1g}" for table in both]
    caption = (
        f"Means, ranks and tests against {CONTROL} over {len(ours)} data sets, beside "
        "those of the published rows of the same sets and methods. Friedman's p is "
        f"{p_values[0]}, published {p_values[1]}."
    )
    return Table(tuple(columns), tuple(rows), caption)


def neighbors_beside_published(best_k):
    """Return the best numbers of neighbours beside the published ones: Table 5.

    Parameters
    ----------
    best_k : DataFrame of shape (n_sets, n_methods)
        Result of :func:`~freemetric.experiments.measures.best_neighbors`, by the names
        in the paper.

    Returns
    -------
    table : Table
        A row for every method.
    """
    summary = summarise(best_k)
    rows = []
    for method, found in summary.table.iterrows():
        cells = [f"{value:.2f}" for value in found]
        printed = PUBLISHED_NEIGHBORS.get(method)
        theirs = [f"{v:.2f}" for v in printed] if printed else [""] * 3
        pairs = zip(cells, theirs, strict=True)
        rows.append((method, *(cell for pair in pairs for cell in pair)))
    columns = ["Method"]
    for what in ("Mean k", "Median", "Rank"):
        columns += [what, "published"]
    caption = f"k with the lowest error over {summary.n_sets} data sets (paper: 30)."
    return Table(tuple(columns), tuple(rows), caption)


def of_published_methods(records, dmlfe="dmlfe-paper"):
    """Return one-k errors and best k by the names in the paper, two DataFrames.

    Parameters
    ----------
    records : list of Record
        Those of a comparison.
    dmlfe : {"dmlfe-paper", "dmlfe"}, default="dmlfe-paper"
        What is called "DMLFE": the published setting, or the library's defaults.

    Returns
    -------
    errors, best_k : DataFrame
        Of the methods that the paper has.
    """
    names = {our: name for our, name in PUBLISHED_NAMES.items() if name != CONTROL}
    names[dmlfe] = CONTROL
    kept = [record for record in records if record.job.method in names]
    tables = (mean_errors(kept, "one-k"), best_neighbors(kept))
    return tuple(_renamed(table, names) for table in tables)


def _renamed(table, names):
    """Columns by other names, in the order of these."""
    return table[[name for name in names if name in table]].rename(columns=names)


def _row(name, method, ours, published):
    return name, method, f"{ours:.2f}", f"{published:.2f}", f"{ours - published:+.2f}"
