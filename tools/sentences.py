"""Figures in the sentences of the pages, from the tables of benchmarks/tables.

``make results`` puts them into the pages; a test fails where a page has others. A
figure that stands in no table is computed here from those that do.
"""

import re
from dataclasses import dataclass
from functools import partial
from pathlib import Path

ROOT = Path(__file__).parents[1]
TABLES = ROOT / "benchmarks/tables"
FIGURE = r"([-+]?\d[\d.,e-]*\d|\d)"


@dataclass(frozen=True)
class Sentence:
    """A sentence with figures.

    Attributes
    ----------
    page : str
        Path of the page.
    text : str
        The sentence with ``{}`` in the place of every figure. Any white space may
        stand where it has a blank.
    figures : tuple of callable
        Functions that return the figures as texts, in their order.
    """

    page: str
    text: str
    figures: tuple

    def filled(self, page):
        """Return the content of the page with the figures of today."""
        words = [re.escape(part) for part in self.text.split("{}")]
        pattern = FIGURE.join(words).replace(r"\ ", r"\s+")
        found = re.findall(pattern, page)
        if len(found) != 1:
            raise ValueError(f"{self.page} has {len(found)} times: {self.text}")
        match = re.search(pattern, page)
        for number, figure in reversed(list(enumerate(self.figures, 1))):
            page = page[: match.start(number)] + figure() + page[match.end(number) :]
        return page


def printed_table(text, header):
    """Return the cells of the first table whose header begins like this."""
    start = re.search(rf"^\| {re.escape(header)}", text, re.MULTILINE)
    if start is None:
        raise ValueError(f"No table begins with {header!r}.")
    head, _, *body = text[start.start() :].split("\n\n")[0].rstrip().splitlines()
    return [[cell.strip() for cell in line[1:-1].split(" |")] for line in (head, *body)]


def content(file):
    return (TABLES / f"{file}.md").read_text(encoding="utf-8")


def cell(file, header, row, column=1, after=""):
    """Return a function of a cell, found by its row's first cell and its column.

    Parameters
    ----------
    file, header : str
        File of benchmarks/tables, and the beginning of the table's header.
    row : str
        First cell of the row.
    column : str or int
        Heading, or number of the column.
    after : str
        Text of the file that the table follows.
    """

    def read():
        text = content(file)
        head, *body = printed_table(text[text.index(after) :], header)
        number = column if isinstance(column, int) else head.index(column)
        return next(c[number] for c in body if c[0] == row).strip("*")

    return read


def found(file, pattern):
    """Return a function of what a file says in a line."""
    return lambda: re.search(pattern, content(file))[1]


def rounded(figure, digits):
    """Return a function of a figure with fewer digits."""
    return lambda: f"{float(figure()):.{digits}f}"


def smallest_lead():
    """Return the smallest lead in error on the splits of the stronger methods."""
    leads = [row[1].split(",")[0] for row in rivals()]
    return f"{min(abs(float(lead)) for lead in leads):.2f}"


def largest_p():
    """Return the largest p-value after Holm's correction, on the same splits."""
    return max((row[1].rpartition(" ")[2] for row in rivals()), key=float)


def rivals():
    return printed_table(content("outside"), "all splits: free-energy against")[1:]


def sets_behind():
    """Return the number of sets where another method has a lower mean error."""
    head, *body = printed_table(content("accuracy"), "error in % | training")
    ours = head.index("free-energy")
    return str(sum(not row[ours].startswith("**") for row in body))


def largest_difference(*methods):
    """Return a function of the largest difference from the published means."""

    def read():
        rows = printed_table(content("paper_published"), "Data set")
        means = [row for row in rows if row[0] == "Mean" and row[1] in methods]
        return f"{max(abs(float(row[4].strip('*'))) for row in means):.2f}"

    return read


SMALL, ALL = "honest, 29 sets under 3,000 samples", "honest, all 35 sets"
mean = partial(cell, "accuracy", "mean error in %")
rank = partial(cell, "accuracy", "35 sets")
of_set = partial(cell, "accuracy", "error in % | training")
seconds = partial(cell, "scale", "seconds of a fit", "free-energy")
one_k = partial(cell, "paper_one_k", "Data set", "Mean")
honest = partial(cell, "paper_honest", "Data set", "Mean")
published_setting = partial(cell, "paper_ranks", "Method")
library_setting = partial(
    cell, "paper_ranks", "Method", after="DMLFE in the library's setting"
)
README = {
    "| **FreeEnergyClassifier**, not tuned | **{}** | **{}** | {} |": "free-energy",
    "| eight averaged ModernNCA networks | {} | {} | {} |": "modern-nca-bagged",
    "| forest of 500 trees | {} | {} | {} |": "forest-500",
    "| CatBoost | {} | {} | {} |": "catboost",
    "| SVM, tuned | {} | | {} |": "svm",
    "| LightGBM, tuned | {} | {} | {} |": "lightgbm-tuned",
    "| scikit-learn's boosting | {} | {} | {} |": "hist-boosting",
}
"""Rows of the README's comparison, and the methods of benchmarks/tables/outside.md."""
BEHIND = {
    "zoo": "logistic regression",
    "glass": "forest",
    "vowel": "SVM",
    "pima": "logistic regression",
    "vote": "forest",
    "satimage": "boosting",
    "vehicle": "SVM",
    "pendigits": "SVM",
    "breast-w": "SVM",
}
"""Data sets on which another method is ahead, and this method."""


def row_of_readme(name):
    """Return functions of error, Brier score if there is one, and seconds."""
    of = partial(cell, "outside", "all splits: mean", name)
    brier = () if name == "svm" else (rounded(of("Brier score"), 3),)
    return (of("error in %"), *brier, of("seconds"))


def best_other(name):
    """Return a function of the lowest error of the other methods on a data set."""

    def read():
        head, *body = printed_table(content("accuracy"), "error in % | training")
        row = next(row for row in body if row[0] == name)
        others = [
            float(value.strip("*"))
            for method, value in zip(head[3:], row[3:], strict=True)
            if method != "free-energy"
        ]
        return f"{min(others):.2f}"

    return read


def most_memory():
    """Return the largest memory of ours, in GB."""
    rows = printed_table(content("scale"), "peak GB")
    ours = next(row for row in rows if row[0] == "free-energy")
    return f"{max(map(float, ours[1:])):.1f}"


ON_ALL = "All sets, honest, without the ensemble"
ON_UNSEEN = "Sets that did not choose the defaults of DMLFE, honest"


def p_of_dmlfe(name, sets):
    """Return a function of the p-value of a method against DMLFE."""
    return cell("paper_tests", "Method", name, "Wilcoxon p", after=sets)


RESULTS, PAPER = "docs/results.md", "docs/paper.md"
SENTENCES = [
    *(
        Sentence("README.md", text, row_of_readme(name))
        for text, name in README.items()
    ),
    Sentence("README.md", "Others win on {} of 35 sets", (sets_behind,)),
    *(
        Sentence(
            "README.md",
            f"| {name} | {{}} | {{}}, {other} |",
            (of_set(name, "free-energy"), best_other(name)),
        )
        for name, other in BEHIND.items()
    ),
    Sentence(
        "README.md",
        "a fit of 1,000, 10,000, 100,000 and 1,000,000 rows took {}, {}, {} and {} s, "
        "and at most {} GB.",
        (
            *(seconds(n) for n in ("1,000", "10,000", "100,000")),
            rounded(seconds("1,000,000"), 0),
            most_memory,
        ),
    ),
    Sentence(
        RESULTS,
        "has a mean error of {} %, a random forest {} %, a tuned SVM {} %, NCA with "
        "k-NN {} %.",
        tuple(mean(SMALL, name) for name in ("free-energy", "rf", "svm", "nca")),
    ),
    Sentence(
        RESULTS,
        "average rank among the methods of the paper is {} (forest {})",
        (rank("free-energy"), rank("rf")),
    ),
    Sentence(
        RESULTS,
        "it leads by {} points (bagged ModernNCA) or more, each with p at most {} "
        "after",
        (smallest_lead, largest_p),
    ),
    Sentence(RESULTS, "On {} of 35 sets another method is ahead", (sets_behind,)),
    Sentence(
        RESULTS,
        "Nemenyi's critical difference is {}.",
        (found("accuracy", r"Nemenyi's critical difference: ([\d.]+)"),),
    ),
    Sentence(
        PAPER,
        "means over 25 sets agree to {} points",
        (largest_difference("RF", "Euclidean", "PCA", "LMNN", "ITML"),),
    ),
    Sentence(
        PAPER,
        "ranks last of 13, {}; with the defaults of the library it ranks {}, behind "
        "the forest ({}) and SCML ({})",
        (
            published_setting("DMLFE", "Rank"),
            library_setting("DMLFE", "Rank"),
            library_setting("RF", "Rank"),
            library_setting("SCML", "Rank"),
        ),
    ),
    Sentence(
        PAPER,
        "`dmlfe-paper` has {} % (`one-k`), NCA by L-BFGS {} %, Euclidean k-NN {} %.",
        (published_setting("DMLFE"), one_k("nca"), one_k("euclidean")),
    ),
    Sentence(
        PAPER,
        "The lead of NCA has p = {} (Wilcoxon), that of Euclidean k-NN p = {}.",
        (
            published_setting("NCA", "Wilcoxon p"),
            published_setting("Euclidean", "Wilcoxon p"),
        ),
    ),
    Sentence(
        PAPER,
        "The published mean on these sets is {} %.",
        (cell("paper_ranks", "Method", "DMLFE", 2),),
    ),
    Sentence(
        PAPER,
        "in its place: rank {} behind the forest and SCML",
        (library_setting("DMLFE", "Rank"),),
    ),
    Sentence(
        PAPER,
        "Under `honest` its mean error is {} %, that of NCA {} % (Wilcoxon p = {}), "
        "and that of Euclidean k-NN {} % (p = {}).",
        (
            honest("dmlfe"),
            honest("nca"),
            p_of_dmlfe("nca", ON_ALL),
            honest("euclidean"),
            p_of_dmlfe("euclidean", ON_ALL),
        ),
    ),
    Sentence(
        PAPER,
        "chose its defaults p is {} against NCA and {} against Euclidean k-NN.",
        (p_of_dmlfe("nca", ON_UNSEEN), p_of_dmlfe("euclidean", ON_UNSEEN)),
    ),
    Sentence(
        PAPER,
        "Nemenyi's critical difference is {}, Bonferroni-Dunn's {}:",
        (
            found("paper_tests", r"Nemenyi ([\d.]+)"),
            found("paper_tests", r"Bonferroni-Dunn ([\d.]*\d)"),
        ),
    ),
    Sentence(
        PAPER,
        "DMLFE does need fewest neighbours in the mean, {}.",
        (rounded(cell("paper_neighbors", "Method", "DMLFE", "Mean k"), 1),),
    ),
    Sentence(
        PAPER,
        "has {} on the 18 sets, where {} is published",
        (
            cell("paper_readings", "error in %", "dmlfe-small-steps", "18 sets"),
            cell("paper_readings", "error in %", "published DMLFE", "18 sets"),
        ),
    ),
    Sentence(
        PAPER,
        "closer to the published errors than any reading, {} points against {}.",
        tuple(
            cell("paper_readings", "error in %", name, 3)
            for name in ("dmlfe", "dmlfe-small-steps")
        ),
    ),
]
"""All sentences with figures of the records, but those inside of tables."""


def with_figures(text, page):
    """Return the content of a page with the figures of today."""
    for sentence in SENTENCES:
        if sentence.page == page:
            text = sentence.filled(text)
    return text
