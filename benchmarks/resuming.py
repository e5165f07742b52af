"""What benchmarks share: records as JSON lines, which a stopped one goes on with, one thread, tables of Markdown."""

import json
import warnings


def read(path):
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def run_missing(path, jobs, measure):
    """Append what ``measure(**job)`` gives for jobs, dicts, that the file lacks: one dict or several for a job."""
    known = [record["job"] for record in read(path)]
    for job in jobs:
        if job in known:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of samples that are copies, and of rare classes
            found = measure(**job)
        lines = [json.dumps({"job": job, **line}) + "\n" for line in ([found] if isinstance(found, dict) else found)]
        with path.open("a") as file:
            file.writelines(lines)


def one_thread_each():
    """Seconds are those of one core; before numpy is imported."""
    import os

    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
        os.environ[variable] = "1"


def markdown(table, first):
    """Print a frame as a table of Markdown, with its index under the heading ``first``."""
    print(f"| {first} | {' | '.join(table.columns)} |\n|{'---|' * (len(table.columns) + 1)}")
    for name, row in table.iterrows():
        print(f"| {name} | {' | '.join(cell if isinstance(cell, str) else f'{cell:.3f}' for cell in row)} |")


def print_rows(head, rows):
    """Print rows of cells as a table of Markdown."""
    print(f"\n| {' | '.join(map(str, head))} |\n|{'---|' * len(head)}")
    for row in rows:
        print(f"| {' | '.join(map(str, row))} |", flush=True)
