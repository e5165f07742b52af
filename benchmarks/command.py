"""What the scripts of this folder share: arguments, a run that resumes, and tables."""

import argparse
import json
import sys
from collections import defaultdict
from functools import cache
from pathlib import Path

from joblib import Parallel, delayed, parallel_config

from freemetric.experiments import dataset_info, dataset_names
from freemetric.experiments.records import (
    append_record,
    provenance,
    read_records,
    write_records,
)

HERE = Path(__file__).parent
ROOT = HERE.parent
RECORDS = HERE / "records"
DATA = ROOT.parent / "shared/data"
SMALL = 3000  # samples of the largest of the smaller data sets


def arguments_of(document):
    """Return a parser of the arguments that most scripts have."""
    parser = argparse.ArgumentParser(description=document.splitlines()[0])
    add = parser.add_argument
    add("--run", metavar="FILE", type=Path, help="fit what this file lacks")
    add("--ours", metavar="FILE", type=Path, help="records of ours to show instead")
    add("--save", action="store_true", help="commit the records of ours that are shown")
    folder = DATA if DATA.is_dir() else None
    add("--folder", type=Path, default=folder, help="data sets are looked for here")
    add("--jobs", type=int, default=1, help="fits at a time")
    add("--methods", nargs="+", metavar="NAME")
    add("--sets", nargs="+", metavar="NAME")
    add("--repeats", type=int, default=5)
    add("--quick", action="store_true", help="a tenth of the data sets")
    return parser


def sets_of(arguments, names):
    """Return the data sets of a run."""
    return arguments.sets or list(names)[:: 10 if arguments.quick else 1]


@cache
def records_in(path):
    """Return the records of a file, which is read once, a tuple."""
    return tuple(read_records(path))


def committed(name, ours, instead=None):
    """Return the committed records of a comparison, or others of our method."""
    path = instead or RECORDS / f"ours/{name}.jsonl.gz"
    records = [record for record in records_in(path) if record.job.method == ours]
    return [*records, *records_in(RECORDS / f"others/{name}.jsonl.gz")]


def save_ours(name, ours, records):
    """Write the records of our method to the folder of committed ones."""
    records = sorted((r for r in records if r.job.method == ours), key=lambda r: r.job)
    write_records(RECORDS / f"ours/{name}.jsonl.gz", records)


@cache
def small_sets():
    """Return the names of the paper's data sets with fewer than 3,000 samples."""
    return tuple(name for name in dataset_names() if dataset_info(name).rows < SMALL)


def run_jobs(jobs, path, record_of, n_jobs=1):
    """Make the records of all jobs that have none in a file yet.

    Parameters
    ----------
    jobs : list of Job
        What to fit.
    path : Path
        File of records; new ones are added to it.
    record_of : callable
        Returns the record of a job.
    n_jobs : int, default=1
        Fits at a time.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    done = {record.job for record in read_records(path)} if path.exists() else set()
    left = [job for job in jobs if job not in done]
    if left and n_jobs == 1:
        record_of(left[0])  # compiles, and is not counted
    work = (delayed(record_of)(job) for job in left)
    with parallel_config("loky", inner_max_num_threads=1):
        made = Parallel(n_jobs, return_as="generator_unordered", batch_size=1)(work)
        for number, record in enumerate(made, 1):
            append_record(path, record)
            if record.failure:
                print(record.job, record.failure, file=sys.stderr)
            if number % 50 == 0:
                print(f"{number} of {len(left)}", file=sys.stderr)


def read_lines(path):
    """Return the records of a file of JSON lines, none where there is no file."""
    lines = path.read_text().splitlines() if path.exists() else []
    return [json.loads(line) for line in lines]


def run_lines(jobs, path, measure):
    """Add a line of JSON for every job that a file lacks: the job, its commit, results.

    A job is a dict, the keywords of ``measure``, which returns a dict of results.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    made_by = {key: provenance().get(key, "") for key in ("commit", "machine")}
    done = read_lines(path)
    for job in jobs:
        if any(job.items() <= record.items() for record in done):
            continue
        record = {**job, **made_by, **measure(**job)}
        with path.open("a") as file:
            file.write(json.dumps(record) + "\n")


def print_table(head, rows, title=""):
    """Print a table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    if title:
        print(f"\n{title}")
    print()
    for line in lines:
        print("|", " | ".join(map(str, line)), "|")


def on_common_splits(records, methods=None):
    """Return the records of the splits on which all methods have a result."""
    wanted = set(methods or {record.job.method for record in records})
    records = [r for r in records if r.job.method in wanted and not r.failure]
    found = defaultdict(set)
    for record in records:
        found[split_of(record)].add(record.job.method)
    return [record for record in records if found[split_of(record)] == wanted]


def split_of(record):
    """Return what names the split of a record."""
    return record.job.dataset, record.job.repeat, record.job.fold
