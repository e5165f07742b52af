"""Fit time and added peak memory of every learner, beside metric-learn's where it has the same one.

    make bench-learners

Every fit runs in a process of its own, on one thread, on features scaled to [0, 1], after a small warm-up fit that
loads compiled kernels. Seconds are the processor's, which others on the machine do not change. Ours and theirs take
turns in one run. metric-learn 0.7.0 needs scikit-learn 1.7.2 and has an environment of its own.

Learners of numbers have a table of their own, with the objective that both say they minimise: the squared error of
kernel regression that leaves one out, as a share of the variance of y.
"""

import argparse
import json
import os
import subprocess
import sys
import time
import warnings
from pathlib import Path

SETS = ("wine", "breast_cancer", "digits[:1000]", "2000x30", "5000x30")
NUMBER_SETS = ("diabetes", "friedman 500x30", "friedman 2000x30")
OF_NUMBERS = ("mlkr",)
PEERS = {
    "rca": "RCA()",  # with the classes as chunks, as ours; RCA_Supervised() raises on wine
    "lfda": "LFDA()",
    "itml": "ITML_Supervised()",
    "lmnn": "LMNN()",
    "scml": "SCML_Supervised()",
    "nca": "NCA()",
    "mlkr": "MLKR()",
}
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")


def load(name):
    from sklearn.datasets import (
        load_breast_cancer,
        load_diabetes,
        load_digits,
        load_wine,
        make_classification,
        make_friedman1,
    )
    from sklearn.preprocessing import MinMaxScaler

    if name.startswith("friedman"):
        n, d = map(int, name.split()[1].split("x"))
        X, y = make_friedman1(n, d, noise=1.0, random_state=0)
    elif name == "digits[:1000]":
        X, y = load_digits(return_X_y=True)
        X, y = X[:1000], y[:1000]
    elif "x" in name:
        n, d = map(int, name.split("x"))
        X, y = make_classification(n, d, n_informative=10, n_classes=3, random_state=0)
    else:
        loaders = {"wine": load_wine, "breast_cancer": load_breast_cancer, "diabetes": load_diabetes}
        X, y = loaders[name](return_X_y=True)
    return MinMaxScaler().fit_transform(X), y


def fit_once(library, learner, data):
    """In the worker: seconds and MB of one fit, as JSON."""
    warnings.simplefilter("ignore")
    if library == "freemetric":
        from freemetric import LEARNERS, MLKR

        model = {**LEARNERS, "mlkr": MLKR}[learner]()
    else:
        import metric_learn

        model = eval(PEERS[learner], vars(metric_learn))
    if "random_state" in model.get_params():
        model.set_params(random_state=0)
    if library == "freemetric":
        model.fit(*load("diabetes" if learner in OF_NUMBERS else "wine"))
    X, y = load(data)
    Path("/proc/self/clear_refs").write_text("5")  # Linux: the peak is counted from here
    before = memory("VmRSS")
    seconds = one_fit(model, X, y)
    if seconds < 0.2:  # the best of several: a few milliseconds are mostly noise
        seconds = min(one_fit(model, X, y) for _ in range(10))
    megabytes = memory("VmHWM") - before
    error = left_out_error(model.transform(X), y) if learner in OF_NUMBERS else None
    print(json.dumps({"seconds": seconds, "megabytes": megabytes, "error": error}))


def one_fit(model, X, y):
    start = time.process_time()
    model.fit(X, y)
    return time.process_time() - start


def left_out_error(Z, y):
    """What kernel regression in the learned space leaves of the variance of y, in double precision."""
    import numpy as np
    from scipy.spatial.distance import cdist
    from scipy.special import softmax

    D = cdist(Z, Z, "sqeuclidean")
    np.fill_diagonal(D, np.inf)
    return ((y - softmax(-D, axis=1) @ y) ** 2).mean() / y.var()


def memory(field):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field)) / 1024


def measure(python, library, learner, data, limit):
    command = [python, __file__, "--one", library, learner, data]
    try:
        done = subprocess.run(command, env={**os.environ, **ONE_THREAD}, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode:
        raise SystemExit(f"{library} {learner} on {data} failed: {done.stderr.strip().splitlines()[-1]}")
    return json.loads(done.stdout)


def cell(result, limit):
    if result is None:
        return f"over {limit} s"
    error = "" if result["error"] is None else f", leaves {result['error']:.4f}"
    return f"{result['seconds']:.3g} s, {max(result['megabytes'], 0):.0f} MB{error}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--one", nargs=3, metavar=("LIBRARY", "LEARNER", "DATA"), help="measure one fit (internal)")
    parser.add_argument("--peer", metavar="PYTHON", help="interpreter of an environment with metric-learn")
    parser.add_argument("--learners", nargs="+", help="only these")
    parser.add_argument("--sets", nargs="+", choices=(*SETS, *NUMBER_SETS), help="only these")
    parser.add_argument("--limit", type=int, default=60, help="seconds after which a fit is given up")
    arguments = parser.parse_args()
    if arguments.one:
        return fit_once(*arguments.one)
    from freemetric import LEARNERS

    for learners, sets in ((LEARNERS, SETS), (OF_NUMBERS, NUMBER_SETS)):
        table(
            [name for name in learners if name in (arguments.learners or learners)],
            [name for name in sets if name in (arguments.sets or sets)],
            arguments,
        )


def table(learners, sets, arguments):
    if not learners or not sets:
        return
    print("| learner | " + " | ".join(sets) + " |\n|---|" + "---|" * len(sets), flush=True)
    for learner in learners:
        ours, theirs, ratios = [], [], []
        for data in sets:
            mine = measure(sys.executable, "freemetric", learner, data, arguments.limit)
            ours.append(cell(mine, arguments.limit))
            if arguments.peer and learner in PEERS:
                peer = measure(arguments.peer, "metric-learn", learner, data, arguments.limit)
                theirs.append(cell(peer, arguments.limit))
                seconds = arguments.limit if peer is None else peer["seconds"]
                ratios.append(f"{'> ' if peer is None else ''}{seconds / mine['seconds']:.1f} x" if mine else "-")
        print(f"| **{learner}** | " + " | ".join(ours) + " |", flush=True)
        if theirs:
            print(
                "| metric-learn's | " + " | ".join(theirs) + " |\n| faster by | " + " | ".join(ratios) + " |",
                flush=True,
            )


if __name__ == "__main__":
    main()
