"""A tenth of the comparisons, fitted now and set against the committed records.

    make bench-quick
    python benchmarks/quick.py --jobs 2 --only paper mixed

Every tenth committed fit of ours and of a forest, and every fortieth with a part taken
out, is made again on the same split. A comparison differs where the mean change is more
than three standard errors and more than a tenth of a point: then the exit code is 1. A
fit that is expected to take longer than ten seconds is left out. Fits stand in
out/quick as they come, and a run goes on.
"""

import argparse
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE / name) for name in ("classification", "regression")]

import mixed
import numpy as np
import parts
from command import DATA, RECORDS, ROOT, print_table, run_jobs
from mixed_data import is_installed

from freemetric.experiments.measures import MEASURES
from freemetric.experiments.records import read_records
from freemetric.experiments.runner import make_record

SHARE = 10
LONGEST = 10.0  # seconds of a fit
N_ERRORS, LEAST = 3.0, 0.1  # standard errors and points that are no noise
COMPARISONS = {
    "paper": (make_record, ("free-energy", "rf"), "error"),
    "mixed": (lambda job, folder: mixed.record_of(job), ("freemetric", "forest"), None),
    "regression": (make_record, ("free-energy-regressor", "forest-500"), "unexplained"),
    "noise": (make_record, ("free-energy-regressor", "forest-500"), "excess"),
    "parts": (parts.record_of, ("free-energy",), None),
}
"""Functions of a job and a folder, methods, and measures of the comparisons."""


def value_of(record, measure):
    """Return the measure of a record; by default the error, or 1 - R2, in %."""
    if measure is None:
        measure = "error" if record.r2 is None else "unexplained"
    return MEASURES[measure][1](record)


def committed(name, method):
    """Return the committed records of a method that can be fitted here."""
    paths = [RECORDS / f"{folder}/{name}.jsonl.gz" for folder in ("ours", "others")]
    paths.append(RECORDS / f"{name}.jsonl.gz")
    records = [r for path in paths if path.exists() for r in read_records(path)]
    records = [r for r in records if r.job.method == method and not r.failure]
    if name == "mixed":
        records = [r for r in records if is_installed(r.job.dataset)]
    if name == "parts":
        here = {table for group in parts.tables_by_group().values() for table in group}
        records = [r for r in records if r.job.dataset in here]
    records = sorted((r for r in records if r.seconds < LONGEST), key=lambda r: r.job)
    return records[::4] if name == "parts" else records


def compared(before, now, measure):
    """Return the mean change over splits, its standard error, and the ratio of times.

    ``before`` and ``now`` are records by job.
    """
    jobs = [job for job in before if job in now and not now[job].failure]
    changes = [
        value_of(now[job], measure) - value_of(before[job], measure) for job in jobs
    ]
    error = np.std(changes, ddof=1) / np.sqrt(len(jobs)) if len(jobs) > 1 else np.inf
    seconds = [sum(some[job].seconds for job in jobs) for some in (now, before)]
    return np.mean(changes), error, seconds[0] / seconds[1]


def differs(change, error):
    """Return whether a mean change is more than noise."""
    return abs(change) > max(N_ERRORS * error, LEAST)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=COMPARISONS, default=COMPARISONS)
    parser.add_argument("--share", type=int, default=SHARE, help="one of so many fits")
    parser.add_argument("--folder", type=Path, default=DATA if DATA.is_dir() else None)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, default=ROOT / "out/quick")
    arguments = parser.parse_args()
    rows = []
    for name in arguments.only:
        record_of, methods, measure = COMPARISONS[name]
        for method in methods:
            records = committed(name, method)[:: arguments.share]
            if not records:
                print(f"{name}, {method}: no data here", file=sys.stderr)
                continue
            before = {record.job: record for record in records}
            path = arguments.out / f"{name}-{method}.jsonl"

            def fit(job, record_of=record_of):
                return record_of(job, arguments.folder)

            run_jobs(list(before), path, fit, arguments.jobs)
            now = {record.job: record for record in read_records(path)}
            change, error, ratio = compared(before, now, measure)
            verdict = "differs" if differs(change, error) else "as committed"
            cells = [f"{change:+.2f} ± {error:.2f}", f"{ratio:.2f}", verdict]
            rows.append([name, method, len(before), *cells])
    print_table(["comparison", "method", "fits", "change", "time ratio", ""], rows)
    sys.exit(any(row[-1] == "differs" for row in rows))


if __name__ == "__main__":
    main()
