"""How accurate the free-energy classifier is on the paper's data sets.

    make bench-accuracy  # the tables of the committed records
    python benchmarks/classification/accuracy.py --run FILE
    python benchmarks/classification/accuracy.py --ours FILE  # tables with these
    python benchmarks/classification/accuracy.py --ours FILE --save

A run makes five repeats of two halves of the sets with fewer than 3,000 samples, and
one of the six larger ones. It can be stopped, and goes on where it was. ``--save`` puts
the records of ours into benchmarks/records/ours. "honest" chooses k without the test
half; "paper" takes the best k of every test half, "one-k" that of all halves of a set.
"""

import sys
from dataclasses import replace
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

from command import (
    SMALL,
    arguments_of,
    committed,
    on_common_splits,
    print_table,
    save_ours,
    sets_of,
)
from records_tables import by_set, differences, print_means, print_sets, print_versions

from freemetric.experiments import dataset_info, dataset_names
from freemetric.experiments.measures import mean_errors
from freemetric.experiments.methods import PAPER_LEARNERS
from freemetric.experiments.protocol import PROTOCOLS
from freemetric.experiments.runner import plan, run
from freemetric.experiments.statistics import posthoc, summarise

OURS = "free-energy"
SHOWN = (OURS, "rf", "hist-boosting", "svm", "logistic", "nca", "euclidean")
NCA5 = "nca, k = 5"
RANKED = (OURS, "rf", *PAPER_LEARNERS)


def with_five_neighbors(records):
    """Add NCA with k = 5, the default of scikit-learn's k-NN."""
    added = []
    for record in records:
        if record.job.method == "nca":
            job = replace(record.job, method=NCA5)
            error = record.errors[4]
            added.append(
                replace(record, job=job, errors=[error], honest_error=error, brier=None)
            )
    return [*records, *added]


def groups(records):
    """Return records by the title of their data sets: the smaller ones, and all."""
    small = [r for r in records if dataset_info(r.job.dataset).rows < SMALL]
    n_small, n_all = (len({r.job.dataset for r in some}) for some in (small, records))
    return {
        f"{n_small} sets under {SMALL:,} samples": small,
        f"all {n_all} sets": records,
    }


def print_mean_errors(records):
    rows = []
    for protocol in ("honest", "paper"):
        for title, some in groups(records).items():
            means = mean_errors(some, protocol).mean()
            rows.append([f"{protocol}, {title}", *(f"{e:.2f}" for e in means)])
    methods = dict.fromkeys(record.job.method for record in records)
    print_table(["mean error in %", *methods], rows)


def print_differences(records):
    """Print ours less every other method on both groups of data sets."""
    columns = {
        f"honest, {title}": differences(by_set(some, "error"), OURS, "error")
        for title, some in groups(records).items()
    }
    others = next(iter(columns.values()))
    rows = [
        [other, *(column[other] for column in columns.values())] for other in others
    ]
    print_table([f"{OURS} against", *columns], rows)


def print_ranks(records):
    """Print average ranks by every protocol, and Nemenyi's critical difference."""
    errors = {protocol: mean_errors(records, protocol) for protocol in PROTOCOLS}
    tests = {protocol: posthoc(table, OURS) for protocol, table in errors.items()}
    honest = summarise(errors["honest"]).table
    rows = []
    for method in honest["rank"].sort_values(kind="stable").index:
        ranks = [f"{test.ranks[method]:.2f}" for test in tests.values()]
        rows.append([method, *ranks, f"{honest['mean'][method]:.2f}"])
    heads = [f"{protocol}: rank" for protocol in tests]
    print_table([f"{tests['honest'].n_sets} sets", *heads, "honest: error in %"], rows)
    print(f"\nNemenyi's critical difference: {tests['honest'].nemenyi:.2f}")


def print_tables(records):
    """Print all tables."""
    compared = on_common_splits(records, SHOWN)
    compared = sorted(compared, key=lambda record: SHOWN.index(record.job.method))
    with_nca5 = with_five_neighbors(compared)
    print_versions(compared, OURS)
    print_mean_errors(with_nca5)
    print_differences(with_nca5)
    for title, some in groups(compared).items():
        with_chances = [r for r in some if r.job.method in SHOWN[:3]]
        print_means(
            with_chances, ["brier", "log_loss"], f"probabilities, {title}: mean"
        )
    print_ranks(on_common_splits(records, RANKED))
    print_sets(compared, "error")


def main():
    arguments = arguments_of(__doc__).parse_args()
    if arguments.run:
        methods = arguments.methods or dict.fromkeys((*SHOWN, *RANKED))
        jobs = []
        for name in sets_of(arguments, dataset_names()):
            is_small = dataset_info(name).rows < SMALL
            jobs += plan([name], methods, arguments.repeats if is_small else 1)
        run(jobs, arguments.run, folder=arguments.folder, n_jobs=arguments.jobs)
        return
    records = committed("paper", OURS, arguments.ours)
    if arguments.save:
        save_ours("paper", OURS, records)
    print_tables(records)


if __name__ == "__main__":
    main()
