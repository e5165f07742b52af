"""Tables of docs/results.md and docs/paper.md, from the committed records of benchmarks.

    make results                                         # benchmarks/tables, then the pages
    python tools/results_page.py accuracy scale          # these files of benchmarks/tables, then the pages
    python tools/results_page.py --pages                 # the pages alone

A file of benchmarks/tables holds what one command prints. A page shows excerpts of these files, each between the
comments ``<!-- table NAME -->`` and ``<!-- end -->``. Tests compare both with what stands in the repository.
"""

import argparse
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[1]
TABLES = ROOT / "benchmarks" / "tables"
PAGES = (ROOT / "docs" / "results.md", ROOT / "docs" / "paper.md")

RECORDS = "benchmarks/paper/records.jsonl.gz"
CHOOSING = "promoters hepatitis heart-c soybean anneal german wine ionosphere heart dermatology balance pima vowel segment"
CONFIRMING = "zoo breast horse vote card tic-tac-toe iris glass glass-g2 newthyroid sonar liver breast-w vehicle yeast"
COMPARED = (
    "dca,dml-eig,dmlfe,dmlmj,euclidean,free-energy,itml,lfda,lmnn,nca,pca,rca,rf,scml"
)
TUNED_ON = "iris,wine,glass,sonar,ionosphere,balance,vehicle,heart,pima,vowel"  # DMLFE's defaults were chosen on these
UNCERTAIN = "anneal,breast,card,german,heart-c,horse,krkopt,promoters,soybean,tic-tac-toe"  # their encoding
OTHERS_ON_ALL_SPLITS = "forest-500 forest-tuned extra-trees extra-trees-tuned lightgbm lightgbm-tuned catboost modern-nca"

COMMANDS = {
    "accuracy": "benchmarks/accuracy.py",
    "ablation": "benchmarks/accuracy.py --ablation",
    "ablation_choosing": f"benchmarks/accuracy.py --ablation --datasets {CHOOSING}",
    "ablation_confirming": f"benchmarks/accuracy.py --ablation --datasets {CONFIRMING}",
    "outside": "benchmarks/outside.py --show",
    "outside_all_splits": f"benchmarks/outside.py --show --methods {OTHERS_ON_ALL_SPLITS}",
    "outside_confirming": f"benchmarks/outside.py --show --sets {CONFIRMING}",
    "mixed": "benchmarks/mixed.py",
    "regression": "benchmarks/regression.py",
    "regression_noise": "benchmarks/regression.py --noise",
    "regression_choices": "benchmarks/regression_choices.py",
    "regression_confirmed": "benchmarks/regression_choices.py --confirmed",
    "zoo": "benchmarks/bayes.py",
    "choices": "benchmarks/choosing.py --show",
    "scale": "benchmarks/scale.py --show benchmarks/scale.jsonl",
    "wide": "benchmarks/wide.py",
    "paper_honest": f"-m freemetric bench table {RECORDS} errors --protocol honest --methods {COMPARED}",
    "paper_one_k": f"-m freemetric bench table {RECORDS} errors --protocol one-k --methods {COMPARED}",
    "paper_published": f"-m freemetric bench table {RECORDS} published --protocol one-k --without {UNCERTAIN}",
    "paper_tests": f"-m freemetric bench table {RECORDS} posthoc --control free-energy --methods {COMPARED}",
    "paper_tests_dmlfe": f"-m freemetric bench table {RECORDS} posthoc --control dmlfe --methods {COMPARED}",
    "paper_tests_unseen": f"-m freemetric bench table {RECORDS} posthoc --control dmlfe --without {TUNED_ON}",
    "paper_tests_published_setting": f"-m freemetric bench table {RECORDS} posthoc --protocol one-k "
    "--control dmlfe-paper",
}
"""What Python is called with for every file of benchmarks/tables."""


@dataclass(frozen=True)
class Excerpt:
    """Rows and columns of a table, which is found by the beginning of its header.

    Attributes
    ----------
    file : str
        File of benchmarks/tables, without its ending.
    header : str
        Beginning of the table's first cell.
    columns : tuple of int, optional
        Which columns, and in which order; all by default.
    rows : str, optional
        Regular expression that a row must begin with, its cells joined by " | "; all rows by default.
    names : dict of int to str, optional
        Other words for the header of a column.
    """

    file: str
    header: str
    columns: tuple[int, ...] | None = None
    rows: str = ""
    names: dict[int, str] = field(default_factory=dict)

    def lines(self) -> str:
        """The excerpt as markdown."""
        head, *body = printed_table(
            (TABLES / f"{self.file}.md").read_text(encoding="utf-8"), self.header
        )
        columns = self.columns or range(len(head))
        kept = [[self.names.get(i, head[i]) for i in columns]]
        kept += [
            [row[i] for i in columns]
            for row in body
            if re.match(self.rows, " | ".join(row))
        ]
        rule = "|" + "---|" * len(columns)
        first, *others = (f"| {' | '.join(row)} |" for row in kept)
        return "\n".join([first, rule, *others])


def printed_table(text: str, header: str) -> list[list[str]]:
    """Cells of the first table whose header begins like this, without the line under the header."""
    start = re.search(rf"^\| {re.escape(header)}", text, re.MULTILINE)
    if start is None:
        raise ValueError(f"No table begins with {header!r}.")
    head, _, *body = text[start.start() :].split("\n\n")[0].rstrip().splitlines()
    return [[cell.strip() for cell in line[1:-1].split(" |")] for line in (head, *body)]


IN_THE_ABLATION = (
    "default|another seed|plain k-NN only|scaled full only|diagonal only|best candidate only|k = 5|no calibration|"
    "calibration without bias|votes alone|without"
)
LARGE = "free-energy [|]|forest, 100|extra trees|boosting|NCA|DMLFE"  # rows of the tables about scaling
IN_MIXED = "freemetric|(tabm|realmlp|catboost-td)-bagged|catboost [|]|autogluon|forest|lightgbm"
STANDINGS = (0, 1, 3, 5, 6, 7, 8, 9, 10)

EXCERPTS = {
    "errors": Excerpt("accuracy", "mean error in %"),
    "against": Excerpt("accuracy", "free-energy against"),
    "ranks": Excerpt(
        "accuracy", "35 sets", (0, 1, 2, 3, 5, 7), names={2: "Nemenyi p, honest"}
    ),
    "probabilities": Excerpt("accuracy", "mean | free-energy", (0, 1, 2, 3, 4)),
    "outside": Excerpt("outside", "mean over 29 sets", (0, 1, 2, 3, 4, 6)),
    "mixed-classification": Excerpt(
        "mixed", "classification, all: mean", (0, 1, 2, 4, 6), IN_MIXED
    ),
    "mixed-regression": Excerpt(
        "mixed", "regression, all: mean", (0, 1, 3, 5), IN_MIXED
    ),
    "ablation": Excerpt(
        "ablation",
        "21 sets",
        (0, 1, 2, 4),
        IN_THE_ABLATION,
        {4: "Brier, against the default"},
    ),
    "choices": Excerpt(
        "choices", "date", (1, 4, 5, 6, 7), ".* [|] better [|] confirm [|]"
    ),
    "zoo": Excerpt("zoo", "points above Bayes |", rows="mean|lowest"),
    "zoo-behind": Excerpt("zoo", "N | problem"),
    "regression": Excerpt("regression", "all, 33 sets", STANDINGS),
    "regression-losses": Excerpt(
        "regression", "where it loses", (0, 2, 3, 4, 5), names={0: "set"}
    ),
    "regression-parts": Excerpt("regression_choices", "recipe", (0, 1, 2, 3, 4, 5, 7)),
    "noise": Excerpt(
        "regression_noise", "excess in % of the noise variance |", rows="median"
    ),
    "coverage": Excerpt(
        "regression_noise", "coverage of 90 % intervals | extra", rows="N"
    ),
    "coverage-by-noise": Excerpt(
        "regression_noise",
        "coverage of 90 % intervals | N",
        (0, 2, 3, 4, 5, 6, 7, 8, 9),
        ".* [|] 2,000 [|]",
    ),
    "scale-excess": Excerpt(
        "scale", "points above the Bayes error, 2 threads", (0, 1, 3, 5, 7), LARGE
    ),
    "scale-seconds": Excerpt(
        "scale", "seconds of a fit, 2 threads", (0, 1, 3, 5, 7), LARGE
    ),
    "wide": Excerpt(
        "wide",
        "test error in %",
        (0, 1, 3, 4, 5, 6),
        "six of 600|one of|a sphere|all of|spectra|bits|blocks of 2",
    ),
    "published": Excerpt("paper_published", "Data set", (1, 2, 3, 4), r"\*\*Mean"),
    "honest-summary": Excerpt(
        "paper_honest", "Data set", rows=r"\*\*", names={0: "honest"}
    ),
    "one-k-summary": Excerpt(
        "paper_one_k", "Data set", rows=r"\*\*", names={0: "one-k"}
    ),
    "paper-tests": Excerpt("paper_tests", "Method", (0, 1, 2, 3, 5, 7)),
}
"""Tables of the pages by the names in their comments."""

MARKERS = re.compile(r"(<!-- table ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def filled(text: str, excerpts: dict[str, Excerpt]) -> str:
    """A page with its tables as they should be."""
    return MARKERS.sub(
        lambda found: f"{found[1]}\n{excerpts[found[2]].lines()}\n\n{found[3]}", text
    )


def printed(name: str) -> str:
    """A file of benchmarks/tables: its command, and what it prints."""
    command = COMMANDS[name]
    paths = os.pathsep.join(
        filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH")])
    )
    done = subprocess.run(
        [sys.executable, *command.split()],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": paths, "COLUMNS": "400", "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    lines = [line.rstrip() for line in done.stdout.strip().splitlines()]
    return f"Printed by `python {command}`\n\n" + "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "names",
        nargs="*",
        choices=[*COMMANDS, []],
        help="files of benchmarks/tables; all by default",
    )
    parser.add_argument("--pages", action="store_true", help="fill the pages alone")
    arguments = parser.parse_args()
    TABLES.mkdir(exist_ok=True)
    for name in [] if arguments.pages else arguments.names or COMMANDS:
        (TABLES / f"{name}.md").write_text(printed(name), encoding="utf-8")
    for page in PAGES:
        page.write_text(
            filled(page.read_text(encoding="utf-8"), EXCERPTS), encoding="utf-8"
        )


if __name__ == "__main__":
    main()
