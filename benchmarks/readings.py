"""Readings of the paper against its table: mean errors of k-NN after every configuration that the paper describes.

    python benchmarks/readings.py                # from benchmarks/paper/readings.jsonl.gz and records.jsonl.gz
    python benchmarks/readings.py FOLDER ...     # make the records that are missing, a file each; --help lists options

Records of sets with more than 2,000 samples in a half were made with ``--most-samples 2000``, most of them with
``--device cuda``; those of dmlfe-paper learned on 1,000 of satimage and on all of page-blocks.
``freemetric bench pack FOLDER FILE`` makes one file of a folder. The protocol is ``one-k``, the paper's: one best k for
all halves of a set, chosen on the test halves.
"""

import os

if __name__ == "__main__":
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
        os.environ.setdefault(variable, "1")

import argparse
from pathlib import Path

import pandas as pd

from freemetric.bench.results import load_compact, mean_errors
from freemetric.bench.runner import RunOptions, plan, run
from freemetric.bench.tables import published_errors
from freemetric.datasets import info, list_datasets

PAPER = Path(__file__).parent / "paper"
EIGHTEEN = (
    *("iris", "wine", "glass", "glass-g2", "zoo", "newthyroid", "hepatitis", "heart", "sonar", "promoters"),
    *("breast", "liver", "ionosphere", "dermatology", "vote", "balance", "breast-w", "pima"),
)
"""Sets on which many readings were tried."""
READINGS = ("dmlfe-small-steps", "dmlfe-identity", "dmlfe-algorithm-1")
METHODS = ("euclidean", "dmlfe-paper", "dmlfe-identity", "dmlfe-algorithm-1", "dmlfe-small-steps", "dmlfe")


def errors():
    """Errors in % by data set and method, with the published ones of DMLFE and Euclidean k-NN."""
    records = [r for name in ("records", "readings") for r in load_compact(PAPER / f"{name}.jsonl.gz")]
    ours = mean_errors([r for r in records if r.job.method in METHODS], "one-k")[list(METHODS)].dropna()
    paper = published_errors()[["Euclidean", "DMLFE"]].add_prefix("published ")
    return ours.join(paper, how="inner")


def make(given):
    """Records that neither the folder nor the committed file has, the longest fits first."""
    for record in load_compact(PAPER / "readings.jsonl.gz"):
        if not record.job.path(given.folder).exists():
            record.write(given.folder)
    names = given.sets.split(",") if given.sets else list_datasets()
    jobs = plan(sorted(names, key=lambda name: -info(name).rows), given.methods.split(","), given.repeats)
    jobs = [job for job in jobs if not job.path(given.folder).exists()]
    options = RunOptions(data_home=given.data_home, device=given.device, most_samples=given.most_samples)
    report = run(jobs, given.folder, options, n_jobs=given.processes, on_fit=lambda *done: print(*done, flush=True))
    print(*report.problems, f"{report.fitted} fits", sep="\n", flush=True)


def show():
    table = errors()
    others = table.drop(list(EIGHTEEN))
    parts = {"18 sets": table.loc[list(EIGHTEEN)], "others": others, "all": table}
    means = pd.DataFrame({f"{name} ({len(part)})": part.mean() for name, part in parts.items()})
    apart = table.sub(table["published DMLFE"], axis=0).abs().mean().rename("mean distance from published DMLFE")
    print(pd.concat([means, apart], axis=1).round(2).to_string())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--data-home")
    parser.add_argument("--sets", help="names with commas between them; all by default")
    parser.add_argument("--methods", default=",".join(READINGS))
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--most-samples", type=int)
    given = parser.parse_args()
    make(given) if given.folder else show()
