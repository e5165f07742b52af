"""Fit time and added peak memory of every learner, beside metric-learn's where it has the same one.

    make bench-learners

Every fit runs in a process of its own, on one thread, on features scaled to [0, 1], after a small warm-up fit that
loads compiled kernels. Seconds are the processor's, which others on the machine change little; of fits below 0.2 s the
best of five batches counts. Ours and theirs take turns in one run. metric-learn 0.7.0 needs scikit-learn
1.7.2 and has an environment of its own.

Where both say that they minimise the same thing, its value in the end is there (``same_task.py``). MMC and LSML learn
from the same thousand pairs, or five hundred quadruplets, in both libraries, the others from labels. Learners of
numbers have a table of their own.
"""

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import same_task

SETS = ("wine", "breast_cancer", "digits[:1000]", "2000x30")
LARGER = ("5000x30", "20000x30")  # where they are asked for
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
    "covariance": "Covariance()",
    "mmc": "MMC()",
    "lsml": "LSML()",
}
OURS = {"mmc": {"regularization": 1e-6}}  # "auto" would shrink where theirs does not
FITS, BATCHES = 20, 5
ANSWER = 600  # seconds for the objective of what was learned
# metric-learn's SDML asks scikit-learn 1.7.2 for something that it no longer has, and raises
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


def work(library, limit):
    """In the worker: a line of JSON for every task that comes, each in a process of its own that is forked off."""
    learners = __import__({"freemetric": "freemetric", "metric-learn": "metric_learn"}[library])
    load("wine"), getattr(learners, "LEARNERS", None)  # imports what every process would import by itself
    for line in sys.stdin:
        child = os.fork()
        if not child:
            answer(learners, *json.loads(line), limit)
        ended = os.waitpid(child, 0)[1]
        if os.WIFSIGNALED(ended) and os.WTERMSIG(ended) == signal.SIGXCPU:
            print("null", flush=True)


def answer(learners, learner, data, limit):
    try:
        said = fit_once(learners, learner, data, limit)
    except Exception as problem:
        said = {"problem": str(problem).splitlines()[0]}
    print(json.dumps(said), flush=True)
    os._exit(0)


def fit_once(learners, learner, data, limit):
    """Seconds and MB of one fit, and what was minimised."""
    warnings.simplefilter("ignore")
    ours = learners.__name__ == "freemetric"
    model = _ours(learners, learner) if ours else eval(PEERS[learner], vars(learners))
    if "random_state" in model.get_params():
        model.set_params(random_state=0)
    if ours:
        model.fit(*load("diabetes" if learner in OF_NUMBERS else "wine"))
    X, y = load(data)
    given = ((X,), same_task.fit_options(learner, y)) if ours else (same_task.peer_input(learner, X, y), {})
    Path("/proc/self/clear_refs").write_text("5")  # Linux: the peak is counted from here
    before = memory("VmRSS")
    allow(limit)
    seconds = time_of(1, model, *given)
    if seconds < 0.2:  # many in one piece: clocks have ticks, and a few milliseconds are mostly noise
        n = FITS if seconds > 0.02 else 10 * FITS
        seconds = min(time_of(n, model, *given) for _ in range(BATCHES)) / n
    megabytes = memory("VmHWM") - before
    allow(ANSWER)
    error = same_task.objective(learner, model.components_, X, y)
    return {"seconds": seconds, "megabytes": megabytes, "error": error}


def _ours(learners, learner):
    return {**learners.LEARNERS, "mlkr": learners.MLKR}[learner](**OURS.get(learner, {}))


def time_of(n, model, arguments, options):
    start = time.process_time()
    for _ in range(n):
        model.fit(*arguments, **options)
    return time.process_time() - start


def allow(seconds):
    """Of the processor, from here; Linux ends the process then."""
    most = int(time.process_time()) + seconds
    resource.setrlimit(resource.RLIMIT_CPU, (most, resource.RLIM_INFINITY))


def memory(field):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field)) / 1024


def started(python, library, limit):
    command = [python, __file__, "--work", library, "--limit", str(limit)]
    return subprocess.Popen(
        command, env={**os.environ, **ONE_THREAD}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    )


def measure(worker, learner, data):
    worker.stdin.write(json.dumps([learner, data]) + "\n")
    result = json.loads(worker.stdout.readline())
    if result and "problem" in result:
        raise SystemExit(f"{worker.args[3]} {learner} on {data} failed: {result['problem']}")
    return result


def cell(result, limit):
    if result is None:
        return f"over {limit} s"
    error = "" if result["error"] is None else f", F = {result['error']:.4f}"
    return f"{result['seconds']:.3g} s, {max(result['megabytes'], 0):.0f} MB{error}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", metavar="LIBRARY", help="measure what is asked for (internal)")
    parser.add_argument("--peer", metavar="PYTHON", help="interpreter of an environment with metric-learn")
    parser.add_argument("--learners", nargs="+", help="only these")
    parser.add_argument("--sets", nargs="+", choices=(*SETS, *LARGER, *NUMBER_SETS), help="only these")
    parser.add_argument("--limit", type=int, default=20, help="the processor's seconds after which a fit is given up")
    arguments = parser.parse_args()
    if arguments.work:
        return work(arguments.work, arguments.limit)
    from freemetric.learners import LEARNERS

    workers = [started(sys.executable, "freemetric", arguments.limit)]
    if arguments.peer:
        workers.append(started(arguments.peer, "metric-learn", arguments.limit))
    for learners, usual, others in ((LEARNERS, SETS, LARGER), (OF_NUMBERS, NUMBER_SETS, ())):
        table(
            [name for name in learners if name in (arguments.learners or learners)],
            [name for name in (*usual, *others) if name in (arguments.sets or usual)],
            arguments.limit,
            *workers,
        )


def table(learners, sets, limit, ours, theirs=None):
    if not learners or not sets:
        return
    print("| learner | " + " | ".join(sets) + " |\n|---|" + "---|" * len(sets), flush=True)
    for learner in learners:
        lines = {f"**{learner}**": []}
        if theirs and learner in PEERS:
            lines |= {"metric-learn's": [], "faster by": []}
        for data in sets:
            mine = measure(ours, learner, data)
            cells = [cell(mine, limit)]
            if len(lines) > 1:
                peer = measure(theirs, learner, data)
                cells += [cell(peer, limit), ratio(mine, peer, limit)]
            for line, text in zip(lines.values(), cells, strict=True):
                line.append(text)
        for name, line in lines.items():
            print(f"| {name} | " + " | ".join(line) + " |", flush=True)


def ratio(mine, theirs, limit):
    if mine is None:
        return "-"
    seconds = limit if theirs is None else theirs["seconds"]
    return f"{'> ' if theirs is None else ''}{seconds / mine['seconds']:.1f} x"


if __name__ == "__main__":
    main()
