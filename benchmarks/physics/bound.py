"""A PAC-Bayes bound on the Gibbs classifier from its free energy.

    python benchmarks/physics/bound.py  # table of the records
    python benchmarks/physics/bound.py --figure docs/images/bound.png

One half of a set was for training. Half of that, S0, held the neighbours; the other
half, S1 of n samples, decided about maps A onto a plane. The loss of a sample is the
probability that its stochastic neighbour in S0 has another class. It lies in [0, 1],
and given S0 the samples of S1 count as independent. With a normal prior and the Gibbs
posterior at beta = g n, Catoni's bound holds with probability 1 - delta [1]:

    risk <= (1 - exp((log Z - log(1 / delta)) / n)) / (1 - exp(-g)),

where Z is the prior's mean of exp(-beta loss): a ladder that switches the loss on gave
it. A union bound pays for the choice of g. Two standard errors are taken off log Z.
NOTES.md names the commit whose code makes the records.

[1] O. Catoni, PAC-Bayesian supervised classification, IMS Lecture Notes 56, 2007.
"""

import argparse
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

from command import RECORDS, print_table, read_lines

COMMITTED = RECORDS / "physics/bound.jsonl"
DELTA = 0.05
HEAD = ["set", "n", "g", "Gibbs, S1", "Gibbs, test", "bound", "out-of-bag"]
HEAD += ["ensemble, test", "largest class", "warning", "the bound says"]
SHOWN = {"bound": "v", "largest class": "_", "Gibbs, test": "o", "out-of-bag": "s"}


def row(record):
    """Return the best bound of a set beside the errors."""
    best = min(record["strengths"], key=lambda found: found["bound"])
    vacuous = best["bound"] >= record["largest_class"]
    numbers = [best["train"], best["test"], best["bound"]]
    numbers += [record["out_of_bag"], record["ensemble"], record["largest_class"]]
    words = [f"{number:.1f}" for number in numbers]
    doubt = "yes" if best["problems"] else "no"
    says = "no more than the largest class" if vacuous else "something"
    return [record["set"], record["samples"], best["g"], *words, doubt, says]


def draw(rows, path):
    """Draw the bound of every set beside the errors."""
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
    for name, marker in SHOWN.items():
        values = [float(cells[HEAD.index(name)]) for cells in rows]
        ax.scatter([cells[0] for cells in rows], values, marker=marker, label=name)
    ax.tick_params("x", rotation=30)
    ax.set(ylabel="error in %", ylim=(0, None))
    ax.legend(frameon=False, ncols=4, loc="lower center", bbox_to_anchor=(0.5, 1))
    figure.savefig(path, dpi=100)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--figure", metavar="FILE", type=Path)
    arguments = parser.parse_args()
    rows = [row(record) for record in read_lines(COMMITTED)]
    print_table(HEAD, rows, f"Errors in %, bounds with probability {1 - DELTA:g}")
    if arguments.figure:
        draw(rows, arguments.figure)


if __name__ == "__main__":
    main()
