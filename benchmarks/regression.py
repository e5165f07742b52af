"""Where the free-energy regressor stands: 5 x 2 halves of public tables, and generated sets with known noise.

    python benchmarks/regression.py                                          # benchmarks/tables/regression.md
    python benchmarks/regression.py --noise                                  # those of the generated sets
    python benchmarks/regression.py --run FOLDER --jobs 16                   # fits what FOLDER lacks
    python benchmarks/regression.py --run FOLDER --noise --jobs 16           # the same for the generated sets
    python benchmarks/regression.py --show FOLDER --save FILE.jsonl.gz       # tables of a folder, packed into one file
    python benchmarks/regression.py --export FOLDER                          # sets as .npz, for --data-home elsewhere
    python benchmarks/regression.py --list                                   # sets, their packages, licences and roles

Everything is chosen on the training half. Tables use the splits that all methods shown have. Which sets defaults may be
chosen on, and which only confirm, is fixed in the registry: by turns in the order of their names.
"""

from resuming import one_thread_each

if __name__ == "__main__":  # tests import this, and have threads of their own
    one_thread_each()

import argparse
import sys
from itertools import product
from pathlib import Path

from freemetric.bench.records import BenchJob, read_all
from freemetric.bench.regression import METHODS, list_tables
from freemetric.bench.results import load_compact, save_compact
from freemetric.bench.runner import Limits, RunOptions, run
from freemetric.datasets import export_regression, list_regression, regression_info

HERE = Path(__file__).parent
COMMITTED = HERE / "regression" / "records.jsonl.gz"
NOISE = HERE / "regression" / "noise.jsonl.gz"
OURS = "free-energy-regressor"
REPEATS = 5
SIZES = {200: 5, 2000: 2, 20_000: 1}  # rows of a synthetic problem -> repeats, of two samples each
SHOW_EVERY = 20  # fits


def plan(sets, methods, repeats):
    """All fits, the first repeat of everything first: tables can then be looked at early."""
    order = product(range(repeats), sets, methods, range(2))
    return [BenchJob(name, method, repeat, fold) for repeat, name, method, fold in order]


def noise_plan(problems, sizes, methods, repeats):
    """The same for synthetic problems, the small sizes first."""
    jobs = []
    for size in sizes:
        jobs += plan([f"{name}-{size}" for name in problems], methods, min(repeats, SIZES.get(size, repeats)))
    return jobs


def show_progress(job, done, total):
    if done % SHOW_EVERY == 0 or done == total:
        print(f"{done} of {total} fits, the last {job.method} on {job.dataset}", flush=True)


def fit_missing(arguments):
    """Records in the folder; how many, and a line for everything that went wrong."""
    if arguments.noise:
        sets = arguments.sets or list_regression("generated")
        jobs = noise_plan(sets, arguments.sizes, arguments.methods, arguments.repeats)
    else:
        jobs = plan(arguments.sets or list_tables(), arguments.methods, arguments.repeats)
    options = RunOptions(
        "synthetic" if arguments.noise else "regression",
        data_home=arguments.data_home,
        limits=Limits(arguments.seconds),
        retry_failed=arguments.retry_failed,
    )
    report = run(jobs, arguments.run, options, n_jobs=arguments.jobs, on_fit=show_progress)
    print(*report.problems, sep="\n", end="\n" if report.problems else "", file=sys.stderr)
    print(f"{report.fitted} fitted, {report.found} found, {len(report.problems)} problems")
    return bool(report.fitted + report.found)


def read_records(path):
    """Of a folder, or of a compact file."""
    return read_all(path)[0] if Path(path).is_dir() else load_compact(path)


def is_asked(record, arguments):
    name, size = record.job.dataset, 0
    if arguments.noise:
        name, _, size = name.rpartition("-")
        if int(size) not in arguments.sizes:
            return False
    return record.job.method in arguments.methods and (not arguments.sets or name in arguments.sets)


def show(arguments):
    from regression_tables import noise_tables, tables  # these need pandas, a run does not

    source = arguments.show or (NOISE if arguments.noise else COMMITTED)
    if not source.exists():
        sys.exit(f"There are no records at {source.name}: --run FOLDER makes some, --show FOLDER reads them.")
    try:
        records = [record for record in read_records(source) if is_asked(record, arguments)]
    except ValueError as problem:
        sys.exit(str(problem))
    if not records:
        sys.exit(f"{source.name} has no such records.")
    if arguments.save:
        save_compact(records, arguments.save)
    (noise_tables if arguments.noise else tables)(records, OURS)


def export(folder, names):
    problems = export_regression(folder, names)
    print(*problems.values(), sep="\n", end="\n" if problems else "", file=sys.stderr)
    print(f"{len(names or list_tables()) - len(problems)} sets in {folder}")
    return not problems


def list_sets():
    print("| set | rows | features | target | package, licence | of R's | role |\n|---|---|---|---|---|---|---|")
    for name in [*list_tables(), *list_regression("generated")]:
        entry = regression_info(name)
        origin = f"{entry.origin}, {entry.origin_license}" if entry.origin else ""
        rows = "any" if entry.problem else entry.rows
        package = f"{entry.package}, {entry.license}"
        print(f"| {name} | {rows} | {entry.features} | {entry.target} | {package} | {origin} | {entry.role} |")


def arguments_of(words=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--run", metavar="FOLDER", type=Path, help="fit what this folder of records lacks")
    parser.add_argument("--show", metavar="RECORDS", type=Path, help="tables of a folder or a compact file")
    parser.add_argument("--noise", action="store_true", help="the generated sets instead of the tables")
    parser.add_argument("--save", metavar="FILE", type=Path, help="put all records shown into one file")
    parser.add_argument("--export", metavar="FOLDER", type=Path, help="write the sets as .npz")
    parser.add_argument("--data-home", metavar="FOLDER", type=Path, help="where exported sets are looked for first")
    parser.add_argument("--list", action="store_true", help="the sets, their packages, licences and roles")
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS), metavar="NAME")
    parser.add_argument("--sets", nargs="+", choices=list_regression(), metavar="NAME", help="only these")
    parser.add_argument("--sizes", nargs="+", type=int, default=list(SIZES), metavar="N", help="rows of generated sets")
    parser.add_argument("--repeats", type=int, default=REPEATS, help="most repeats")
    parser.add_argument("--jobs", type=int, default=1, help="fits at a time")
    parser.add_argument("--seconds", type=float, help="most seconds of one fit")
    parser.add_argument("--retry-failed", action="store_true", help="fit again what failed before")
    arguments = parser.parse_args(words)
    known = list_regression("generated") if arguments.noise else list_regression()
    if unknown := sorted(set(arguments.sets or ()) - set(known)):
        parser.error(f"--noise is about generated sets, and {unknown[0]} is none")
    return arguments


def main():
    arguments = arguments_of()
    if arguments.list:
        list_sets()
    elif arguments.export:
        sys.exit(not export(arguments.export, arguments.sets))
    elif arguments.run:
        sys.exit(not fit_missing(arguments))
    else:
        show(arguments)


if __name__ == "__main__":
    main()
