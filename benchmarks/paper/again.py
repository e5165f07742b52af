"""The paper's records made again by the code of today, beside the committed ones.

    python benchmarks/paper/again.py --share 0.1              # of every method a tenth
    python benchmarks/paper/again.py --methods scml --sets iris wine --jobs 16
    python benchmarks/paper/again.py --share 1 --jobs 16 --commit HASH --save

A run can be stopped, and goes on where it was: ``--run`` names its file. ``--save``
puts the new records in the place of the committed ones of the same fits. ``--commit``
names the commit where the code lies outside of its repository.
"""

import argparse
import sys
import zlib
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

import numpy as np
from command import DATA, RECORDS, ROOT, print_table

from freemetric.experiments import dataset_info
from freemetric.experiments.records import read_records, write_records
from freemetric.experiments.runner import make_record, run

__all__ = ["committed_by_job", "make_record"]
NAMES = ("paper", "readings")
"""The files of benchmarks/records/others that hold records of the paper."""


def is_chosen(job, share):
    """Return whether a fit is in the sample; the same fits at every call."""
    text = f"{job.dataset} {job.method} {job.repeat} {job.fold}"
    return zlib.crc32(text.encode()) % 1000 < 1000 * share


def committed_by_job():
    """Return all committed records of the paper, by what was fitted."""
    files = (RECORDS / f"others/{name}.jsonl.gz" for name in NAMES)
    return {record.job: record for file in files for record in read_records(file)}


def jobs_of(committed, arguments):
    """Return the fits to make again, the cheap ones first."""
    chosen = [
        job
        for job in committed
        if is_chosen(job, arguments.share)
        and job.method in (arguments.methods or [job.method])
        and job.dataset in (arguments.sets or [job.dataset])
        and dataset_info(job.dataset).rows <= arguments.most_rows
    ]
    return sorted(chosen, key=lambda job: committed[job].seconds)


def differences(committed, made):
    """Return rows about every method: how many fits agree, and by how much not."""
    groups = defaultdict(list)
    for record in made:
        groups[record.job.method].append((committed[record.job], record))
    rows = []
    for method, pairs in sorted(groups.items()):
        same = sum(old.errors == new.errors for old, new in pairs)
        same_k = sum(old.honest_k == new.honest_k for old, new in pairs)
        best = [new.paper_error - old.paper_error for old, new in pairs]
        honest = [new.honest_error - old.honest_error for old, new in pairs]
        means = [f"{np.mean(values):+.3f}" for values in (best, honest)]
        largest = f"{max(map(abs, best)):.2f}"
        rows.append([method, len(pairs), same, same_k, *means, largest])
    return rows


def save(made):
    """Put records in the place of the committed ones of the same fits."""
    new = {record.job: record for record in made}
    for name in NAMES:
        path = RECORDS / f"others/{name}.jsonl.gz"
        write_records(path, [new.get(old.job, old) for old in read_records(path)])


def with_commit(record, commit):
    """Return a record that names the commit which made it."""
    known = record.versions.get("commit", commit)
    return replace(record, versions={"commit": known, **record.versions})


def show(record, number, total):
    if number % 50 == 0 or number == total:
        print(f"{number} of {total}", file=sys.stderr, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--run", metavar="FILE", type=Path, default=ROOT / "out/again.jsonl")
    add("--share", type=float, default=1.0, help="share of the committed records")
    add("--methods", nargs="+", metavar="NAME")
    add("--sets", nargs="+", metavar="NAME")
    add("--most-rows", type=int, default=10**9, help="of the data sets")
    add("--folder", type=Path, default=DATA if DATA.is_dir() else None)
    add("--jobs", type=int, default=1, help="fits at a time")
    add("--device", default="cpu")
    add("--commit", help="the commit of the code, where git cannot tell")
    add("--save", action="store_true", help="replace the committed records")
    arguments = parser.parse_args()
    committed = committed_by_job()
    jobs = jobs_of(committed, arguments)
    arguments.run.parent.mkdir(parents=True, exist_ok=True)
    options = {"folder": arguments.folder, "n_jobs": arguments.jobs}
    made = run(jobs, arguments.run, device=arguments.device, on_fit=show, **options)
    failed = [record for record in made if record.failure]
    for record in failed:
        print(record.job, record.failure, file=sys.stderr)
    made = [record for record in made if not record.failure]
    head = ["method", "fits", "same errors", "same k", "best k", "honest", "largest"]
    print_table(head, differences(committed, made))
    if arguments.save:
        save([with_commit(record, arguments.commit or "") for record in made])


if __name__ == "__main__":
    main()
