"""The free-energy classifier among trees, boosting and networks of other libraries.

    python benchmarks/classification/outside.py  # the tables of the records
    python benchmarks/classification/outside.py --run FILE --methods catboost

The paper's sets with fewer than 3,000 samples, and the halves of accuracy.py. Records
of tuned methods and of ModernNCA are of version 0.3.0, whose code made them.
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

from command import (
    RECORDS,
    arguments_of,
    committed,
    on_common_splits,
    run_jobs,
    sets_of,
    small_sets,
)
from outside_methods import METHODS, are_here
from records_tables import print_against, print_means, print_versions

from freemetric.experiments.protocol import load_source, seed_of, split
from freemetric.experiments.records import read_records
from freemetric.experiments.runner import fitted_record, plan

OURS = "free-energy"
BESIDE = ("rf", "hist-boosting", "svm")
FULL = ("forest-500", "extra-trees", "lightgbm", "catboost", "forest-tuned")
FULL += ("extra-trees-tuned", "lightgbm-tuned", "modern-nca", "modern-nca-bagged")
NETWORKS = ("catboost", "realmlp-bagged", "tabm-bagged", "xrfm-bagged")
MEASURES = ["error", "brier", "log_loss"]


def record_of(job, folder):
    """Return the record of a fit."""
    halves = split(load_source(job.dataset, folder), job.repeat, job.fold)
    estimator = METHODS[job.method](seed_of(job.repeat, job.fold))
    return fitted_record(job, estimator, halves)


def main():
    arguments = arguments_of(__doc__).parse_args()
    if arguments.run:
        sets = sets_of(arguments, small_sets())
        methods = are_here(arguments.methods or METHODS)
        jobs = plan(sets, methods, arguments.repeats)
        run_jobs(
            jobs,
            arguments.run,
            lambda job: record_of(job, arguments.folder),
            arguments.jobs,
        )
        return
    records = [
        record
        for record in committed("paper", OURS, arguments.ours)
        if record.job.method in (OURS, *BESIDE) and record.job.dataset in small_sets()
    ]
    records += read_records(RECORDS / "others/outside.jsonl.gz")
    print_versions(records, OURS)
    for title, methods in {
        "all splits": (OURS, *BESIDE, *FULL),
        "58 splits, with networks": (OURS, *NETWORKS),
    }.items():
        some = [
            record
            for method in methods
            for record in records
            if record.job.method == method
        ]
        some = on_common_splits(some)
        print_means(some, MEASURES, f"{title}: mean")
        print_against(some, OURS, MEASURES, f"{title}: ")


if __name__ == "__main__":
    main()
