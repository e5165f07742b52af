"""Do cells of one column and print a line of JSON for each: ``python -m tests.usual.run loky < cells.json``.

The process is started with an installed freemetric in front of the path; its first line says which one it and its
workers have found.
"""

import json
import sys
import time
import traceback
import warnings
from contextlib import nullcontext

import numpy as np
from joblib import Parallel, delayed, parallel_config
from joblib.externals.loky import get_reusable_executor
from joblib.externals.loky.process_executor import BrokenProcessPool

import freemetric

from .estimators import subject
from .matrix import BACKENDS, USES, WAYS, Cell
from .ways import strict


def done(cell: Cell) -> dict:
    """What became of a cell: scores, or what was raised."""
    try:
        return {"cell": cell, "scores": np.ravel(_scores(cell)).tolist()}
    except Exception as problem:
        if isinstance(problem, BrokenProcessPool):  # the next cell gets new workers
            get_reusable_executor().shutdown(kill_workers=True)
        failure = {
            "type": type(problem).__name__,
            "message": str(problem),
            "traceback": traceback.format_exc(),
        }
        return {"cell": cell, **failure}


def _scores(cell):
    if cell.use in WAYS:
        WAYS[cell.use][1]()
        return 1.0
    with _backend(cell.column), warnings.catch_warnings():
        strict()
        return USES[cell.use][0](subject(cell.estimator))


def _backend(column):
    """What users write for it: nothing for loky, which is joblib's own choice, and then estimators take threads."""
    return (
        nullcontext()
        if column == "loky"
        else parallel_config(backend=BACKENDS.get(column, "sequential"))
    )


def _place():
    return freemetric.__file__


if __name__ == "__main__":
    with _backend(sys.argv[1]):
        print(
            json.dumps(
                {"places": Parallel(n_jobs=2)(delayed(_place)() for _ in range(2))}
            ),
            flush=True,
        )
    for wanted in json.load(sys.stdin):
        start = time.perf_counter()
        print(
            json.dumps(
                done(Cell(*wanted)) | {"seconds": round(time.perf_counter() - start, 3)}
            ),
            flush=True,
        )
