"""Readings of the paper against its table: mean errors of k-NN after every configuration that the paper describes.

    python benchmarks/readings.py       # from benchmarks/paper/readings.jsonl.gz and records.jsonl.gz

``freemetric bench run FOLDER --methods dmlfe-identity,dmlfe-small-steps,dmlfe-algorithm-1`` makes further records. The
protocol is ``one-k``, the paper's: one best k for all halves of a set, chosen on the test halves.
"""

from pathlib import Path

import pandas as pd

from freemetric.bench.results import load_compact, mean_errors
from freemetric.bench.tables import published_errors

PAPER = Path(__file__).parent / "paper"
EIGHTEEN = (
    *("iris", "wine", "glass", "glass-g2", "zoo", "newthyroid", "hepatitis", "heart", "sonar", "promoters"),
    *("breast", "liver", "ionosphere", "dermatology", "vote", "balance", "breast-w", "pima"),
)
"""Sets on which many readings were tried."""
METHODS = ("euclidean", "dmlfe-paper", "dmlfe-identity", "dmlfe-algorithm-1", "dmlfe-small-steps", "dmlfe")


def errors():
    """Errors in % by data set and method, with the published ones of DMLFE and Euclidean k-NN."""
    records = [r for name in ("records", "readings") for r in load_compact(PAPER / f"{name}.jsonl.gz")]
    ours = mean_errors([r for r in records if r.job.method in METHODS], "one-k")[list(METHODS)].dropna()
    paper = published_errors()[["Euclidean", "DMLFE"]].add_prefix("published ")
    return ours.join(paper, how="inner")


def main():
    table = errors()
    parts = {"18 sets": table.loc[list(EIGHTEEN)], "10 others": table.drop(list(EIGHTEEN)), "all": table}
    means = pd.DataFrame({f"{name} ({len(part)})": part.mean() for name, part in parts.items()})
    apart = table.sub(table["published DMLFE"], axis=0).abs().mean().rename("mean distance from published DMLFE")
    print(pd.concat([means, apart], axis=1).round(2).to_string())


if __name__ == "__main__":
    main()
