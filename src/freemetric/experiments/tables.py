"""Tables of results in Markdown, HTML and CSV, also the paper's.

This module needs the extra ``bench``.
"""

import csv
import re
from dataclasses import dataclass
from html import escape
from io import StringIO

import numpy as np

from ..exceptions import require
from .measures import ERROR
from .statistics import checked, listed, posthoc, summarise

pd = require("pandas", "bench")


@dataclass(frozen=True)
class Table:
    """A table of texts.

    Attributes
    ----------
    columns : tuple of str
        Headings.
    rows : tuple of tuple of str
        Cells; "" where there is no value.
    caption : str
        A sentence about it.
    bold : frozenset of (int, int)
        Row and column of the cells in bold.
    """

    columns: tuple
    rows: tuple
    caption: str = ""
    bold: frozenset = frozenset()

    def markdown(self):
        """Return the table in Markdown, below its caption."""
        rows = self._cells(lambda text: re.sub(r"([|*\\])", r"\\\1", text), "**{}**")
        lines = [" | ".join(row) for row in rows]
        lines.insert(1, "|".join(["---"] * len(self.columns)))
        table = "".join(f"| {line} |\n" for line in lines)
        return f"{self.caption}\n\n{table}" if self.caption else table

    def html(self):
        """Return the table in HTML, with its caption."""
        head, *body = self._cells(escape, "<b>{}</b>")
        lines = [f"<caption>{escape(self.caption)}</caption>" if self.caption else ""]
        lines += [_html_row("th", head), *(_html_row("td", row) for row in body)]
        return "<table>\n{}\n</table>\n".format("\n".join(filter(None, lines)))

    def csv(self):
        """Return the table as comma-separated values, without its caption."""
        text = StringIO()
        csv.writer(text, lineterminator="\n").writerows([self.columns, *self.rows])
        return text.getvalue()

    def _cells(self, escape, bold):
        """Headings and rows, escaped and in bold."""
        cells = [[escape(text) for text in row] for row in (self.columns, *self.rows)]
        for row, column in self.bold:
            cells[row + 1][column] = bold.format(cells[row + 1][column])
        return cells


def _html_row(tag, cells):
    return f"<tr>{''.join(f'<{tag}>{cell}</{tag}>' for cell in cells)}</tr>"


def error_table(errors):
    """Return errors by data set with mean, median and rank below: the paper's Table 3.

    Parameters
    ----------
    errors : DataFrame of shape (n_sets, n_methods)
        Errors or another measure, NaN where a method has no result.

    Returns
    -------
    table : Table
        The best of every row in bold. The last three rows count data sets with a
        result of every method, and are missing without any.

    Examples
    --------
    >>> from freemetric.experiments.paper import published_errors
    >>> from freemetric.experiments.tables import error_table
    >>> published = published_errors()[["RF", "NCA", "DMLFE"]]
    >>> print(error_table(published).markdown().splitlines()[-3])
    | Mean | **14.42** | 15.36 | 14.81 |
    """
    measure = errors.attrs.get("measure", ERROR)
    errors = checked(errors)
    if not errors.notna().all(axis=1).any():
        caption = f"No data set has a result of every method ({measure})."
        return _decimals(errors, "Data set", caption)
    summary = summarise(errors)
    body = pd.concat([errors, summary.table.T.rename(str.capitalize)])
    caption = f"Mean, median and rank of the {measure} over {_sets(summary)}."
    return _decimals(body, "Data set", caption)


def neighbor_table(best_k):
    """Return mean, median and rank of the best number of neighbours: Table 5.

    Parameters
    ----------
    best_k : DataFrame of shape (n_sets, n_methods)
        Result of :func:`~freemetric.experiments.measures.best_neighbors`.

    Returns
    -------
    table : Table
        Three rows.
    """
    summary = summarise(best_k)
    caption = f"Number of neighbours with the lowest error, over {_sets(summary)}."
    return _decimals(summary.table.T.rename(str.capitalize), "Measure", caption)


def posthoc_table(errors, control, alpha=0.05):
    """Return tests of every other method against the control: the paper's Table 4.

    Parameters
    ----------
    errors : DataFrame of shape (n_sets, n_methods)
        Errors, NaN where a method has no result.
    control : str
        Method that the others are compared with.
    alpha : float, default=0.05
        Level of significance.

    Returns
    -------
    table : Table
        A test is "rejected", in bold, where equality with the control is rejected.

    Examples
    --------
    >>> from freemetric.experiments.paper import published_errors
    >>> from freemetric.experiments.tables import posthoc_table
    >>> posthoc_table(published_errors(), "DMLFE").rows[0][:5]
    ('RF', '4.58', '1.21', '0.38', 'not rejected')
    """
    result = posthoc(errors, control, alpha)
    columns: tuple = (
        "Method",
        "Rank",
        "Difference",
        "Wilcoxon p",
        "Wilcoxon",
        "Nemenyi",
    )
    columns += ("Bonferroni-Dunn", "Holm p", "Holm")
    rows = tuple(_test_row(row) for row in result.table.itertuples())
    bold = frozenset(
        (i, j + 1)
        for i, row in enumerate(rows)
        for j, cell in enumerate(row[1:])
        if cell == "rejected"
    )
    caption = (
        f"Tests against {control} (rank {result.ranks[control]:.2f}) at alpha = "
        f"{alpha:g}, over {_sets(result)}. Critical differences: Nemenyi "
        f"{result.nemenyi:.2f}, Bonferroni-Dunn {result.bonferroni_dunn:.2f}."
    )
    return Table(columns, rows, caption, bold)


def _test_row(row):
    outcome = {True: "rejected", False: "not rejected"}
    return (
        str(row.Index),
        f"{row.rank:.2f}",
        f"{row.difference:.2f}",
        f"{row.wilcoxon_p:.2g}",
        outcome[row.wilcoxon],
        outcome[row.nemenyi],
        outcome[row.bonferroni_dunn],
        f"{row.holm_p:.2g}",
        outcome[row.holm],
    )


def _decimals(body, corner, caption):
    """Table of values with two decimals, the lowest of each row in bold."""
    values = body.to_numpy()
    rows = []
    for name, row in zip(body.index, values, strict=True):
        rows.append((str(name), *("" if np.isnan(v) else f"{v:.2f}" for v in row)))
    lowest = values == np.nanmin(values, axis=1, keepdims=True, initial=np.inf)
    bold = frozenset((i, j + 1) for i, j in np.argwhere(lowest).tolist())
    return Table((corner, *map(str, body.columns)), tuple(rows), caption, bold)


def _sets(result):
    left_out = listed(result.left_out)
    without = f" (left out for lack of a result: {left_out})" if left_out else ""
    return f"{result.n_sets} data sets{without}"
