"""Where the free-energy regressor stands: public tables, and problems of known noise.

    make bench-regression  # the tables of the committed records
    python benchmarks/regression/regression.py --run FILE
    python benchmarks/regression/regression.py --noise --run FILE  # synthetic problems
    python benchmarks/regression/regression.py --ours FILE --save

Five repeats of two halves of 33 tables; synthetic problems of 200, 2,000 and 20,000
samples, drawn for every fit. Everything is chosen on the training samples.
"""

import sys
from collections import defaultdict
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

import pandas as pd
from command import (
    arguments_of,
    committed,
    on_common_splits,
    print_table,
    save_ours,
    sets_of,
)
from records_tables import (
    by_set,
    print_against,
    print_losses,
    print_means,
    print_sets,
    print_versions,
    seconds,
)

from freemetric.experiments import dataset_names
from freemetric.experiments.methods import REGRESSORS
from freemetric.experiments.runner import plan, run
from freemetric.experiments.scores import INTERVALS

OURS = "free-energy-regressor"
METHODS = [name for name in REGRESSORS if name != "constant"]
REPEATS = {200: 5, 2000: 2, 20_000: 1}  # of a synthetic problem, by its samples
MEASURES = ["unexplained", "mae", "pinball"]
BEHIND = 0.5  # points of R2 that are worth a line


def jobs_of(arguments):
    """Return the jobs of a run, the first repeat of everything first."""
    methods = arguments.methods or METHODS
    if not arguments.noise:
        sets = sets_of(arguments, dataset_names("regression"))
        return sorted(plan(sets, methods, arguments.repeats), key=lambda j: j.repeat)
    jobs = []
    for size, repeats in REPEATS.items():
        names = sets_of(arguments, dataset_names("synthetic"))
        names = [f"{name}-{size}" for name in names]
        jobs += plan(names, methods, min(repeats, arguments.repeats))
    return jobs


def share(field, place):
    """Return a function of a record: a coverage in %."""
    return lambda record: 100 * getattr(record, field)[place]


def width(place):
    """Return a function of a record: a width in % of the standard deviation."""
    return lambda record: 100 * record.width[place] / record.spread


def print_intervals(records):
    """Print coverage and width of intervals of 80, 90 and 95 %."""
    values = [*(share("coverage", k) for k in range(3)), *(width(k) for k in range(3))]
    means = [by_set(records, value).mean() for value in values]
    rows = []
    for method in means[0].index:
        cells = [f"{mean[method]:.1f}" for mean in means[:3]]
        cells += [f"{mean[method]:.0f}" for mean in means[3:]]
        rows.append([method, *cells])
    nominal = [f"{100 * interval:.0f} %" for interval in INTERVALS]
    head = [f"{what} of {n}" for what in ("coverage", "width") for n in nominal]
    print_table(["intervals", *head], rows)


def print_tables(records):
    """Print the tables of the public sets."""
    records = on_common_splits(records)
    print_versions(records, OURS)
    print_means(records, MEASURES)
    print_against(records, OURS, MEASURES)
    print_intervals(records)
    print_losses(records, OURS, "unexplained", BEHIND)
    print_sets(records, "unexplained")


def print_noise_tables(records):
    """Print the tables of the synthetic problems."""
    print_versions(records, OURS)
    by_size = defaultdict(list)
    for record in records:
        by_size[int(record.job.dataset.rpartition("-")[2])].append(record)
    by_size = {size: on_common_splits(by_size[size]) for size in sorted(by_size)}
    tables = {
        "median excess in % of the noise variance": ("excess", "median"),
        "coverage of 90 % intervals": (share("coverage", 1), "mean"),
        "seconds": (seconds, "mean"),
    }
    for title, (value, mean) in tables.items():
        found = {size: by_set(some, value).agg(mean) for size, some in by_size.items()}
        table = pd.DataFrame(found).T.map("{:.1f}".format)
        rows = [[f"N = {n:,}", *row] for n, row in table.iterrows()]
        print_table([title, *table], rows)
    for some in by_size.values():
        print_sets(some, "excess")
    print_where_noise_varies(by_size[2000])


def print_where_noise_varies(records):
    """Print the coverage where there is least noise, and where there is most."""
    records = [record for record in records if record.coverage_quiet is not None]
    parts = {"least noise": "coverage_quiet", "most noise": "coverage_loud"}
    tables = {part: by_set(records, share(field, 1)) for part, field in parts.items()}
    methods = tables["least noise"]
    rows = [
        [name, part, *(f"{value:.1f}" for value in table.loc[name])]
        for name in methods.index
        for part, table in tables.items()
    ]
    print_table(["coverage of 90 % intervals, N = 2,000", "where", *methods], rows)


def main():
    parser = arguments_of(__doc__)
    parser.add_argument("--noise", action="store_true", help="the synthetic problems")
    arguments = parser.parse_args()
    if arguments.run:
        jobs = jobs_of(arguments)
        run(jobs, arguments.run, folder=arguments.folder, n_jobs=arguments.jobs)
        return
    name = "noise" if arguments.noise else "regression"
    records = committed(name, OURS, arguments.ours)
    if arguments.save:
        save_ours(name, OURS, records)
    (print_noise_tables if arguments.noise else print_tables)(records)


if __name__ == "__main__":
    main()
