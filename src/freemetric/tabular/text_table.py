"""A table of text cells, shown as Markdown, LaTeX or CSV."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

QUOTED = re.compile('[",;\t\r\n]')
"""What makes a cell need quotes, whatever the delimiter: others may split the file at another one."""

LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
}


@dataclass(frozen=True)
class TextTable:
    """A table of text.

    Examples
    --------
    >>> table = TextTable(("data", "k_NN"), (("iris", "3.9"), ("50% wine", None)), bold=frozenset({(0, 1)}))
    >>> print(table.markdown(), end="")
    | data | k\\_NN |
    |:---|---:|
    | iris | **3.9** |
    | 50% wine | n/a |
    >>> print(table.csv(), end="")
    data,k_NN
    iris,3.9
    50% wine,
    >>> print(table.latex().splitlines()[7])
    50\\% wine & n/a \\\\
    """

    columns: tuple[str, ...]  # the first one holds the names of the rows
    rows: tuple[tuple[str | None, ...], ...]  # None is a missing value
    caption: str = ""  # stands above the table in Markdown and LaTeX
    bold: frozenset[tuple[int, int]] = frozenset()  # row and column of the cells in bold
    footer: int = 0  # last rows that are set apart by a rule in LaTeX and by bold names in Markdown

    def markdown(self) -> str:
        """Return the table in GitHub's Markdown."""
        header, *cells = self._cells(escape_markdown, "**{}**")
        for row in cells[len(cells) - self.footer :]:
            row[0] = f"**{row[0]}**"
        rule = f"|:---|{'---:|' * (len(self.columns) - 1)}"
        lines = [f"| {' | '.join(row)} |" for row in [header, *cells]]
        caption = [self.caption, ""] if self.caption else []
        return "\n".join([*caption, lines[0], rule, *lines[1:], ""])

    def latex(self) -> str:
        """Return the table as a LaTeX ``table`` that needs no package."""
        header, *lines = [" & ".join(row) + r" \\" for row in self._cells(escape_latex, r"\textbf{{{}}}")]
        if self.footer:
            lines.insert(len(lines) - self.footer, r"\hline")
        caption = [f"\\caption{{{escape_latex(self.caption)}}}"] if self.caption else []
        begin = [r"\begin{table}", *caption, r"\centering", f"\\begin{{tabular}}{{l{'r' * (len(self.columns) - 1)}}}"]
        end = [r"\hline", r"\end{tabular}", r"\end{table}", ""]
        return "\n".join([*begin, r"\hline", header, r"\hline", *lines, *end])

    def csv(self) -> str:
        """Return the cells as comma-separated values, missing ones empty."""
        return delimited(["" if cell is None else cell for cell in row] for row in [self.columns, *self.rows])

    def _cells(self, escape, emphasis):
        cells = [["n/a" if cell is None else escape(cell) for cell in row] for row in [self.columns, *self.rows]]
        for i, j in self.bold:
            cells[i + 1][j] = emphasis.format(cells[i + 1][j])
        return cells


def delimited(rows: Iterable[Iterable[str]], delimiter: str = ",") -> str:
    """Rows of cells as lines, as Python's csv reads them.

    A cell with a separator, a quote or the end of a line in it stands in quotes.
    """
    quoted = (['"' + cell.replace('"', '""') + '"' if QUOTED.search(cell) else cell for cell in row] for row in rows)
    return "".join(f"{delimiter.join(row)}\n" if row != [""] else '""\n' for row in quoted)  # an empty line is no row


def escape_markdown(text: str) -> str:
    return re.sub(r"([\\|*_])", r"\\\1", text)


def escape_latex(text: str) -> str:
    return "".join(LATEX.get(character, character) for character in text)
