"""What teaches every learner, what it gives, and its memory and time by size.

    python benchmarks/speed/learners_size.py  # the committed records
    python benchmarks/speed/learners_size.py --run out/learners_size.jsonl

The problem is that of scale.py, 30 features and 4 classes. Every fit has a process of
its own with one thread, and the defaults of the learner; a small fit before it loads
compiled kernels. Seconds are those of the processor. Memory is what the fit adds to the
peak (Linux). A fit may add 4 GB of address space and take ``--limit`` seconds of the
processor; what was stopped with 1e5 samples is not tried with 1e6. Records are resumed.
"""

import inspect
import json
import os
import resource
import subprocess
import sys
import time
import warnings
from pathlib import Path

FOLDER = Path(__file__).parents[1]
sys.path += [str(FOLDER), str(FOLDER / "scale")]

from command import RECORDS, ROOT, arguments_of, print_table
from scale_problem import problem

COMMITTED = RECORDS / "learners_size.jsonl"
SIZES = (10_000, 100_000, 1_000_000)
CONSTRAINTS = {"itml": "pairs", "scml": "triplets", "lsml": "quadruplets"}
"""Learners that are also tried with a million constraints, on 10,000 samples."""
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")
MILLION = 1_000_000
MOST_BYTES = 4 * 10**9
TEACHERS = ("pairs", "triplets", "quadruplets", "chunks", "sample_weight")
TARGETS = {
    "euclidean": "nothing",
    "pca": "nothing",
    "covariance": "nothing",
    "mlkr": "targets",
    "distance-matching": "distances, targets",
}
"""What ``y`` is, where it is not labels."""
MAP = ("pair_distance", "get_metric", "get_mahalanobis_matrix", "transform")


def kinds():
    """Return the classes of all learners by name."""
    from freemetric.learners import BEYOND_CLASSES, LEARNERS

    return LEARNERS | BEYOND_CLASSES


def arguments_for(name, n):
    """Return what a learner is fitted to."""
    import numpy as np

    X, y = problem(n, seed=0)
    X = X.astype(np.float64)
    if name in ("mlkr", "distance-matching"):
        return {"X": X, "y": X[:, 0] ** 2 + X[:, 1]}
    return {"X": X, "y": y}


def many_constraints(name, n_samples=10_000):
    """Return samples and a million pairs, triplets or quadruplets of them."""
    import numpy as np

    from freemetric.learners.oasis import draw_triplets

    given = arguments_for(name, n_samples)
    y = given.pop("y")
    rng = np.random.default_rng(0)
    kind = CONSTRAINTS[name]
    if kind == "pairs":
        pairs = rng.integers(n_samples, size=(MILLION, 2))
        same = y[pairs[:, 0]] == y[pairs[:, 1]]
        return given | {"pairs": pairs, "pair_labels": np.where(same, 1, -1)}
    triplets = draw_triplets(rng, y, MILLION)
    if kind == "triplets":
        return given | {"triplets": triplets}
    return given | {"quadruplets": triplets[:, [0, 1, 0, 2]]}


def memory(field):
    """Return a field of the process's status in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(s.split()[1]) for s in lines if s.startswith(field))


def measure(name, size, limit):
    """Return the record of a fit, here and now."""
    warnings.simplefilter("ignore")
    learner = kinds()[name]()
    if "random_state" in learner.get_params():
        learner.set_params(random_state=0)
    learner.fit(**arguments_for(name, 200))
    is_many = size == "constraints"
    given = many_constraints(name) if is_many else arguments_for(name, int(size))
    Path("/proc/self/clear_refs").write_text("5")  # the peak is counted from here
    before = memory("VmRSS")
    resource.setrlimit(resource.RLIMIT_AS, (memory("VmSize") + MOST_BYTES,) * 2)
    start = time.process_time()
    most = int(start) + limit
    resource.setrlimit(resource.RLIMIT_CPU, (most, resource.RLIM_INFINITY))
    try:
        learner.fit(**given)
    except MemoryError as error:
        return {"failure": f"memory: {error}"}
    except ValueError as error:
        return {"failure": f"refused: {error}"}
    seconds = time.process_time() - start
    return {"seconds": seconds, "megabytes": (memory("VmHWM") - before) / 1e6}


def record_of(name, size, limit):
    """Return the record that another process makes."""
    command = [sys.executable, __file__, "--one", name, str(size), str(limit)]
    environment = {**os.environ, **dict.fromkeys(THREADS, "1")}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    commit = ["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"]
    about = subprocess.run(commit, capture_output=True, text=True).stdout.strip()
    record = {"learner": name, "size": size, "commit": about, "limit": limit}
    if done.returncode == 0:
        return record | json.loads(done.stdout)
    return record | {"failure": f"time: stopped after {limit} s"}


def read(path):
    lines = path.read_text().splitlines() if path.exists() else []
    found = map(json.loads, lines)
    return {(record["learner"], str(record["size"])): record for record in found}


def run(path, names, sizes, limit):
    """Append the records that a file lacks, small sizes first."""
    path.parent.mkdir(parents=True, exist_ok=True)
    jobs = [(name, size) for size in sizes for name in names]
    for name, size in jobs:
        if size == "constraints" and name not in CONSTRAINTS:
            continue
        found = read(path)
        before = found.get((name, "100000"), {}) if str(size) == "1000000" else {}
        stopped = "failure" in before
        if (name, str(size)) in found or stopped:
            continue
        record = record_of(name, size, limit)
        with path.open("a") as file:
            file.write(json.dumps(record) + os.linesep)


def cell(record):
    if record is None:
        return "—"
    if "failure" in record:
        return record["failure"].split(":")[0]
    seconds = record["seconds"]
    digits = f"{seconds:.0f}" if seconds >= 100 else f"{seconds:.2g}"
    return f"{digits} s, {record['megabytes']:.0f} MB"


def row(name, records):
    """Return a line of the table: by what it is taught, what it gives, its cost."""
    learner = kinds()[name]()
    taken = inspect.signature(learner.fit).parameters
    teachers = [TARGETS.get(name, "labels"), *(t for t in TEACHERS if t in taken)]
    gives = ["distance, map" if all(hasattr(learner, m) for m in MAP) else "similarity"]
    if hasattr(learner, "partial_fit"):
        gives.append("`partial_fit`")
    costs = [cell(records.get((name, str(size)))) for size in (*SIZES, "constraints")]
    teachers = [f"`{t}`" if t in taken else t for t in teachers]
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
    names = arguments.methods or list(kinds())
    if arguments.run:
        sizes = arguments.sets or (SIZES[0], "constraints", *SIZES[1:])
        run(arguments.run, names, sizes, arguments.limit)
    records = read(arguments.run or COMMITTED)
    head = ["learner", "taught by", "gives", "1e4", "1e5", "1e6", "1e6 constraints"]
    print_table(head, [row(name, records) for name in names])


if __name__ == "__main__":
    main()
