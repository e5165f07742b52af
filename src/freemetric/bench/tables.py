"""Tables of results, also beside the published ones, and of comparisons on users' files."""

from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import numpy as np

from ..extras import require
from ..printable import counted
from ..tabular import Comparison
from ..tabular.text_table import TextTable
from .stats import DECIMALS, checked, critical_difference, friedman, listed, measure_of, posthoc, summarise

pd = require("pandas")


def published_errors() -> Any:
    """Read the published error rates in %: a DataFrame of 36 data sets and 13 methods.

    They are means over five runs of two-fold cross-validation, at the best of 1 to 40 neighbours. The means, medians
    and ranks printed below the rows stand partly under the wrong method, so statistics are recomputed from the rows.

    Examples
    --------
    >>> from freemetric.bench.tables import published_errors
    >>> published_errors().loc["iris", ["Euclidean", "NCA", "DMLFE"]].tolist()
    [3.87, 4.53, 2.8]
    """
    with files("freemetric.bench").joinpath("data/published_errors.csv").open() as file:
        return pd.read_csv(file, index_col="name").drop(columns="number").rename_axis("dataset")


def error_table(errors: Any) -> TextTable:
    """Errors per data set, the best in bold, with mean, median and average rank below: the paper's Table 3.

    The last three rows count only data sets with a result of every method, and are missing if there is none.

    Parameters
    ----------
    errors : DataFrame of shape (n_sets, n_methods)
        Error in %, or the result of :func:`freemetric.bench.results.mean_measure`; NaN where a method has no result.

    Examples
    --------
    >>> from freemetric.bench.tables import error_table, published_errors
    >>> print(error_table(published_errors()[["RF", "NCA", "DMLFE"]]).markdown().splitlines()[-3])
    | **Mean** | **14.42** | 15.36 | 14.81 |
    """
    measure, errors = measure_of(errors), checked(errors)
    measure = measure[0].upper() + measure[1:]
    if not errors.notna().all(axis=1).any():
        return _decimals(errors, "Data set", f"{measure}. No data set has a result of every method.")
    summary = summarise(errors)
    body = pd.concat([errors, summary.table.T.rename(str.capitalize)])
    caption = f"{measure}. Mean, median and rank over {_sets(summary)}."
    return _decimals(body, "Data set", caption, footer=3)


def neighbour_table(best_k: Any) -> TextTable:
    """Mean, median and average rank of the number of neighbours with the lowest error: the paper's Table 5.

    Parameters
    ----------
    best_k : DataFrame of shape (n_sets, n_methods)
        Best number of neighbours, NaN where a method has no result.

    Examples
    --------
    >>> import pandas as pd
    >>> from freemetric.bench.tables import neighbour_table
    >>> best_k = pd.DataFrame({"NCA": [5, 9], "DMLFE": [1, 7]}, index=["iris", "wine"])
    >>> print(neighbour_table(best_k).csv())
    Measure,NCA,DMLFE
    Mean,7.00,4.00
    Median,7.00,4.00
    Rank,2.00,1.00
    <BLANKLINE>
    """
    summary = summarise(best_k)
    caption = f"Number of neighbours with the lowest error, over {_sets(summary)}."
    return _decimals(summary.table.T.rename(str.capitalize), "Measure", caption)


def posthoc_table(errors: Any, control: str, alpha: float = 0.05) -> TextTable:
    """Tests of every other method against the control: the paper's Table 4, with ranks, p-values and Holm's test.

    A cell is "rejected", in bold, where the equality of a method with the control is rejected.

    Parameters
    ----------
    errors : DataFrame of shape (n_sets, n_methods)
        Error in %, NaN where a method has no result.
    control : str
        Column that the others are compared with.
    alpha : float, default=0.05
        Level of significance.

    Examples
    --------
    >>> from freemetric.bench.tables import posthoc_table, published_errors
    >>> print(posthoc_table(published_errors(), "DMLFE").csv().splitlines()[1])
    RF,4.58,1.21,0.38,not rejected,not rejected,not rejected,0.19,not rejected
    """
    result = posthoc(errors, control, alpha)
    columns = ("Method", "Rank", "Difference", "Wilcoxon p", "Wilcoxon", "Nemenyi", "Bonferroni-Dunn", "Holm p", "Holm")
    order = ("rank", "difference", "wilcoxon_p", "wilcoxon", "nemenyi", "bonferroni_dunn", "holm_p", "holm")
    written = {**dict.fromkeys(order[:2], "{:.2f}".format), **dict.fromkeys(("wilcoxon_p", "holm_p"), "{:.2g}".format)}
    outcome = {True: "rejected", False: "not rejected"}
    cells = (result.table[name].map(written.get(name, outcome)) for name in order)
    rows = tuple(zip(map(str, result.table.index), *cells, strict=True))
    bold = frozenset((i, j) for i, row in enumerate(rows) for j, cell in enumerate(row) if j and cell == "rejected")
    caption = (
        f"Tests against {control} (rank {result.ranks[control]:.2f}) at alpha = {alpha:g}, over {_sets(result)}. "
        f"Critical differences: Nemenyi {result.nemenyi:.2f}, Bonferroni-Dunn {result.bonferroni_dunn:.2f}."
    )
    return TextTable(columns, rows, caption, bold)


def beside_published(errors: Any, published: Any = None, threshold: float = 0.5) -> TextTable:
    """Our errors beside the published ones, for the methods and data sets that both tables have, and their means.

    Parameters
    ----------
    errors : DataFrame of shape (n_sets, n_methods)
        Error in %, NaN where a method has no result.
    published : DataFrame or None, default=None
        The other table; None takes the paper's.
    threshold : float, default=0.5
        Differences of more points than this are flagged, in bold.

    Examples
    --------
    >>> import pandas as pd
    >>> from freemetric.bench.tables import beside_published
    >>> print(beside_published(pd.DataFrame({"NCA": [4.4, 2.01]}, index=["iris", "wine"])).csv())
    Data set,Method,Ours,Published,Difference,Flag
    iris,NCA,4.40,4.53,-0.13,
    wine,NCA,2.01,1.01,+1.00,larger than 0.5
    Mean,NCA,3.21,2.77,+0.43,
    <BLANKLINE>
    """
    errors, published = checked(errors), checked(published_errors() if published is None else published)
    sets = [name for name in errors.index if name in published.index]
    methods = [method for method in errors if method in published]
    cells = [(name, method, errors.at[name, method], published.at[name, method]) for name in sets for method in methods]
    pairs = pd.DataFrame(cells, columns=["dataset", "method", "ours", "published"]).dropna()
    if pairs.empty:
        raise ValueError("The two tables have no result in common.")
    means = pairs.groupby("method", sort=False)[["ours", "published"]].mean().reset_index().assign(dataset="Mean")
    both = pd.concat([pairs, means]).assign(difference=lambda t: (t["ours"] - t["published"]).round(DECIMALS))
    flagged = both["difference"].abs() > threshold
    flags = np.where(flagged, f"larger than {threshold:g}", "")
    rows = tuple(
        (str(row.dataset), str(row.method), f"{row.ours:.2f}", f"{row.published:.2f}", f"{row.difference:+.2f}", flag)
        for row, flag in zip(both.itertuples(), map(str, flags), strict=True)
    )
    alone = [name for name in [*errors.columns, *errors.index] if name not in methods and name not in sets]
    caption = f"Error in % beside the published one; differences above {threshold:g} points are flagged."
    caption += f" Without published values: {listed(alone)}." if alone else ""
    bold = frozenset((i, 4) for i, flag in enumerate(flagged) if flag)
    return TextTable(("Data set", "Method", "Ours", "Published", "Difference", "Flag"), rows, caption, bold, len(means))


def has_ranks(comparison: Comparison) -> bool:
    """Whether a comparison on users' files has enough files and methods for ranks."""
    return comparison.errors().notna().all(axis=1).sum() > 1 and len(comparison.methods) > 1


def rank_tables(comparison: Comparison) -> Iterator[TextTable]:
    """Errors of files with average ranks, then tests against the first method, which need the extra ``bench``."""
    yield error_table(comparison.errors())
    yield posthoc_table(comparison.errors(), comparison.methods[0])


def ranks_as_json(comparison: Comparison) -> dict[str, Any]:
    """Average ranks over files, critical differences and Friedman's p-value as JSON values; {} without ranks."""
    if not has_ranks(comparison):
        return {}
    errors = comparison.errors()
    summary = summarise(errors)
    k, n = len(comparison.methods), summary.n_sets
    tests = ("nemenyi", "bonferroni-dunn")
    return {
        "ranks": {name: float(rank) for name, rank in summary.table["rank"].items()},
        "critical_difference": {test: critical_difference(k, n, test=test) for test in tests},
        "friedman_p": friedman(errors).p_value if k > 2 else None,
    }


def _decimals(body, corner, caption, footer=0):
    """Table of the values in `body` with two decimals, the lowest of each row in bold."""
    values = body.to_numpy()
    rows = tuple(
        (str(name), *(None if np.isnan(v) else f"{v:.2f}" for v in row))
        for name, row in zip(body.index, values, strict=True)
    )
    lowest = values == np.nanmin(values, axis=1, keepdims=True, initial=np.inf)
    bold = frozenset((i, j + 1) for i, j in np.argwhere(lowest).tolist())
    return TextTable((corner, *map(str, body.columns)), rows, caption, bold, footer)


def _sets(result):
    without = f" (left out for lack of a result: {listed(result.left_out)})" if result.left_out else ""
    return f"{counted(result.n_sets, 'data set')}{without}"
