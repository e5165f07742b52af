"""What teaches every learner, what it gives, and its memory and time by size.

    python benchmarks/speed/learners_size.py  # the committed records
    python benchmarks/speed/learners_size.py --run out/learners_size.jsonl

The problem is that of scale.py, 30 features and 4 classes. Every fit has a process of
its own with one thread, and the defaults of the learner, after a small one that loads
compiled kernels. Seconds are those of the processor, memory is what the fit adds to the
peak (Linux), at most 4 GB. What takes over ``--limit`` seconds with 1e5 samples is not
tried with 1e6.
"""

import inspect
import json
import sys
import warnings
from functools import partial
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

from command import RECORDS, arguments_of, print_table, read_lines, run_lines
from fits import cost_of, in_a_process
from taught import KINDS, arguments_for, constraints_of, many_constraints

COMMITTED = RECORDS / "learners_size.jsonl"
SIZES = ("10000", "100000", "1000000")
MOST_BYTES = 4 * 10**9
TEACHERS = ("pairs", "triplets", "quadruplets", "chunks", "sample_weight")
TARGETS = dict.fromkeys(("euclidean", "pca", "covariance"), "nothing")  # or labels
TARGETS |= {"mlkr": "targets", "distance-matching": "distances, targets"}
MAP = ("pair_distance", "get_metric", "get_mahalanobis_matrix", "transform")


def measure(name, size, limit):
    """Return the results of a fit, here and now."""
    warnings.simplefilter("ignore")
    learner = KINDS[name]()
    if "random_state" in learner.get_params():
        learner.set_params(random_state=0)
    learner.fit(**arguments_for(name, 200))
    given = arguments_for(name, int(size)) if size in SIZES else many_constraints(name)
    try:
        return cost_of(lambda: learner.fit(**given), limit, MOST_BYTES)
    except (MemoryError, ValueError) as error:
        reason = "memory" if isinstance(error, MemoryError) else "refused"
        return {"failure": f"{reason}: {error}"}


def measured(learner, size, limit):
    """Return the results of a fit in a process of its own."""
    found = in_a_process(__file__, learner, size, limit, python=sys.executable)
    return {"limit": limit, **(found or {"failure": f"time: over {limit} s"})}


def read(path):
    """Return the records of a file by learner and size."""
    return {(r["learner"], r["size"]): r for r in read_lines(path)}


def run(path, names, sizes, limit):
    """Append the records that a file lacks, size by size."""
    for size in sizes:
        failed = {key for key, record in read(path).items() if "failure" in record}
        jobs = [
            {"learner": name, "size": size}
            for name in names
            if constraints_of(name) or size != "constraints"
            if size != SIZES[2] or (name, SIZES[1]) not in failed
        ]
        run_lines(jobs, path, partial(measured, limit=limit))


def cell(record):
    if record is None:
        return "—"
    if "failure" in record:
        return record["failure"].split(":")[0]
    seconds = record["seconds"]
    digits = ".0f" if seconds >= 100 else ".2g"
    shown = "under 0.01" if seconds < 0.01 else f"{seconds:{digits}}"
    return f"{shown} s, {record['megabytes']:.0f} MB"


def row(name, records):
    """Return a line of the table: by what it is taught, what it gives, its cost."""
    learner = KINDS[name]()
    taken = inspect.signature(learner.fit).parameters
    teachers = [
        TARGETS.get(name, "labels"),
        *(f"`{t}`" for t in TEACHERS if t in taken),
    ]
    gives = ["distance, map" if all(hasattr(learner, m) for m in MAP) else "similarity"]
    if hasattr(learner, "partial_fit"):
        gives.append("`partial_fit`")
    costs = [cell(records.get((name, size))) for size in (*SIZES, "constraints")]
    kind = f"`{type(learner).__name__}`"
    return [kind, ", ".join(teachers), ", ".join(gives), *costs]


def main():
    parser = arguments_of(__doc__)
    parser.add_argument("--limit", type=int, default=300, help="most seconds of a fit")
    parser.add_argument("--one", nargs=3, help="fit one, print its record")
    arguments = parser.parse_args()
    if arguments.one:
        name, size, limit = arguments.one
        print(json.dumps(measure(name, size, int(limit))))
        return
    names = arguments.methods or list(KINDS)
    if arguments.run:
        sizes = arguments.sets or (SIZES[0], "constraints", *SIZES[1:])
        run(arguments.run, names, sizes, arguments.limit)
    records = read(arguments.run or COMMITTED)
    head = ["learner", "taught by", "gives", "1e4", "1e5", "1e6", "1e6 constraints"]
    print_table(head, [row(name, records) for name in names])


if __name__ == "__main__":
    main()
