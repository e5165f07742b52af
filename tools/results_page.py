"""Tables and figures of the README and of docs, from the records of benchmarks.

    make results                              # benchmarks/tables, then the pages
    python tools/results_page.py accuracy     # this file of tables, then the pages
    python tools/results_page.py --pages      # the pages alone

A file of benchmarks/tables holds what one command prints. A page shows excerpts of
these files, each between the comments ``<!-- table NAME -->`` and ``<!-- end -->``.
sentences.py has the figures in sentences. Commands run two at a time.
"""

import argparse
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from sentences import printed_table, with_figures

ROOT = Path(__file__).parents[1]
TABLES = ROOT / "benchmarks/tables"
TOPICS = ("paper", "classification", "regression", "scale", "physics")
PAGES = tuple(
    ROOT / name
    for name in (
        "README.md",
        "docs/results.md",
        "docs/paper.md",
        "docs/explanation/ensemble.md",
        "docs/explanation/learners.md",
        *(f"benchmarks/{topic}/README.md" for topic in TOPICS),
    )
)

COMMANDS = {
    "accuracy": "classification/accuracy.py",
    "outside": "classification/outside.py",
    "mixed": "classification/mixed.py",
    "regression": "regression/regression.py",
    "regression_noise": "regression/regression.py --noise",
    "synthetic": "classification/synthetic.py",
    "scale": "scale/scale.py",
    "parts": "classification/parts.py",
    "effort": "classification/effort.py",
    "explain_shares": "classification/explain_shares.py",
    "learners_size": "speed/learners_size.py",
    "basins": "physics/basins.py",
    "cooling": "physics/cooling.py",
    "paper_honest": "paper/paper.py honest",
    "paper_one_k": "paper/paper.py one-k",
    "paper_published": "paper/paper.py published",
    "paper_tests": "paper/paper.py tests",
    "paper_ranks": "paper/paper.py ranks",
    "paper_neighbors": "paper/paper.py neighbors",
    "paper_readings": "paper/paper.py readings",
}
"""The script and its arguments for every file of benchmarks/tables."""


@dataclass(frozen=True)
class Excerpt:
    """Rows and columns of a table, which is found by the beginning of its header.

    Attributes
    ----------
    file : str
        File of benchmarks/tables, without its ending.
    header : str
        Beginning of the first line of the table.
    columns : tuple of int or None
        Which columns, in which order; None for all.
    rows : str
        Regular expression that a row must begin with, its cells joined by " | ".
    names : dict of int to str
        Other headings of columns.
    """

    file: str
    header: str
    columns: tuple | None = None
    rows: str = ""
    names: dict = field(default_factory=dict)

    def lines(self):
        """Return the excerpt in Markdown."""
        text = (TABLES / f"{self.file}.md").read_text(encoding="utf-8")
        head, *body = printed_table(text, self.header)
        columns = self.columns or range(len(head))
        kept = [[self.names.get(i, head[i]) for i in columns]]
        for row in body:
            if re.match(self.rows, " | ".join(row)):
                kept.append([row[i] for i in columns])
        first, *others = (f"| {' | '.join(row)} |" for row in kept)
        return "\n".join([first, "|" + "---|" * len(columns), *others])


IN_MIXED = "freemetric|(tabm|realmlp|catboost-td)-bagged|catboost [|]|autogluon|forest"
SETS = "The paper's sets under 3,000 samples"

EXCERPTS = {
    "learners-size": Excerpt("learners_size", "learner"),
    "errors": Excerpt("accuracy", "mean error in %"),
    "against": Excerpt("accuracy", "free-energy against"),
    "ranks": Excerpt("accuracy", "35 sets"),
    "probabilities": Excerpt("accuracy", "probabilities, 29 sets", (0, 1, 2, 5)),
    "outside": Excerpt("outside", "all splits: mean", (0, 1, 2, 3, 4, 6)),
    "networks": Excerpt("outside", "58 splits, with networks: mean", (0, 1, 2, 4, 6)),
    "mixed-classification": Excerpt(
        "mixed", "classification: mean", (0, 1, 2, 4, 6), IN_MIXED
    ),
    "mixed-regression": Excerpt("mixed", "regression: mean", (0, 1, 3, 5), IN_MIXED),
    "shares": Excerpt("explain_shares", "tables | number"),
    "parts": Excerpt("parts", "all groups, without", names={0: "without"}),
    "effort": Excerpt("effort", "tables |"),
    "synthetic": Excerpt("synthetic", "points above Bayes |"),
    "synthetic-behind": Excerpt("synthetic", "N | problem"),
    "regression": Excerpt("regression", "mean over"),
    "intervals": Excerpt("regression", "intervals |"),
    "regression-losses": Excerpt("regression", "where it loses"),
    "noise": Excerpt("regression_noise", "median excess"),
    "coverage": Excerpt("regression_noise", "coverage of 90 % intervals |"),
    "scale-seconds": Excerpt("scale", "seconds of a fit"),
    "scale-excess": Excerpt("scale", "points above the Bayes error"),
    "basins": Excerpt("basins", "set |", (0, 3, 4, 5, 7, 8, 9, 11), "mean"),
    "cooling": Excerpt("cooling", "problem |"),
    "published": Excerpt("paper_published", "Data set", (1, 2, 3, 4), "Mean"),
    "honest-summary": Excerpt("paper_honest", "Data set", rows="Mean|Median|Rank"),
    "one-k-summary": Excerpt("paper_one_k", "Data set", rows="Mean|Median|Rank"),
    "paper-tests": Excerpt("paper_tests", "Method", (0, 1, 2, 3, 5, 7)),
    "paper-ranks": Excerpt("paper_ranks", "Method"),
    "table-5": Excerpt("paper_neighbors", "Method"),
    "readings": Excerpt("paper_readings", "error in %"),
}
"""Tables of the pages by the names in their comments."""

MARKERS = re.compile(r"(<!-- table ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def filled(text, excerpts):
    """Return a page with its tables as they should be."""

    def excerpt(found):
        return f"{found[1]}\n{excerpts[found[2]].lines()}\n\n{found[3]}"

    return MARKERS.sub(excerpt, text)


def current(page):
    """Return the content of a page with the tables and figures of today."""
    text = filled(page.read_text(encoding="utf-8"), EXCERPTS)
    return with_figures(text, page.relative_to(ROOT).as_posix())


def printed(name):
    """Return a file of benchmarks/tables: its command, and what that prints."""
    words = f"benchmarks/{COMMANDS[name]}".split()
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    options = {"cwd": ROOT, "env": environment, "capture_output": True, "text": True}
    done = subprocess.run([sys.executable, *words], check=True, **options)
    lines = [line.rstrip() for line in done.stdout.strip().splitlines()]
    return f"Printed by `python {' '.join(words)}`\n\n" + "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", choices=[*COMMANDS, []])
    parser.add_argument("--pages", action="store_true", help="fill the pages alone")
    arguments = parser.parse_args()
    TABLES.mkdir(exist_ok=True)
    names = arguments.names or COMMANDS
    names = [] if arguments.pages else list(names)
    with ThreadPoolExecutor(2) as pool:
        for name, text in zip(names, pool.map(printed, names), strict=True):
            (TABLES / f"{name}.md").write_text(text, encoding="utf-8")
    for page in PAGES:
        page.write_text(current(page), encoding="utf-8")


if __name__ == "__main__":
    main()
