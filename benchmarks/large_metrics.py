"""Single metrics from mini-batches: error of k-NN beside all pairs and Euclid, and time and memory at a million rows.

    python benchmarks/large_metrics.py errors DATA   # DATA: the folder with cod-rna, krkopt and poker
    python benchmarks/large_metrics.py million       # one process per learner; data in a memory-mapped float32 file
    python benchmarks/large_metrics.py               # tables of docs/howto/scale.md, from the records

Measurements are appended to benchmarks/large_metrics.jsonl.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

from freemetric import DMLFE, LMNN, NCA, Euclidean, datasets
from freemetric.learners.descent import MOST_WHOLE

RECORDS = Path(__file__).with_suffix(".jsonl")
LEARNERS = {"NCA": NCA, "LMNN": LMNN, "DMLFE": DMLFE}
N_TEST = 4000


def made(n, n_features=30):
    """Five classes in three clusters each; 8 features say something, 4 repeat it, 18 are noise."""
    return make_classification(
        n, n_features, n_informative=8, n_redundant=4, n_classes=5, n_clusters_per_class=3, random_state=0
    )


def load(name, folder):
    data = datasets.load(name, folder)
    return data.X, data.y


def split(name, folder, n_train):
    """Standardised training and test rows."""
    X, y = made(n_train + N_TEST) if name == "made" else load(name, folder)
    y = np.unique(y, return_inverse=True)[1]
    parts = train_test_split(X, y, train_size=min(n_train, len(y) - N_TEST), test_size=N_TEST, random_state=0)
    scaler = StandardScaler().fit(parts[0])
    return scaler.transform(parts[0]), scaler.transform(parts[1]), *parts[2:]


def error(learner, X, X_test, y, y_test):
    """Of five nearest neighbours in the learned space, in percent."""
    Z, Q = (learner.transform(rows).astype(np.float32) for rows in (X, X_test))
    return 100 * (1 - KNeighborsClassifier(algorithm="brute", n_jobs=2).fit(Z, y).score(Q, y_test))


def measure_errors(folder):
    jobs = [(name, 20_000) for name in ("made", "cod-rna", "krkopt", "poker")] + [("made", 100_000)]
    for name, n in jobs:
        X, X_test, y, y_test = split(name, folder, n)
        euclid = error(Euclidean().fit(X, y), X, X_test, y, y_test)
        keep({"what": "error", "data": name, "rows": len(X), "learner": "Euclid", "error": euclid})
        for label, cls in LEARNERS.items():
            one_error(name, label, cls(random_state=0), "batches", X, X_test, y, y_test)
            if label != "DMLFE":  # the most samples of which all pairs are looked at by default
                one_error(name, label, cls(), "all pairs", X, X_test, y, y_test, MOST_WHOLE)


def one_error(name, label, learner, how, X, X_test, y, y_test, most=None):
    """Learn on the first rows, vote with all of them."""
    start = time.perf_counter()
    learner.fit(X[:most], y[:most])
    seconds = time.perf_counter() - start
    found = error(learner, X, X_test, y, y_test)
    keep({"what": "error", "data": name, "rows": len(X), "learner": label, "how": how, "error": found} | {"s": seconds})


def measure_million(n=1_000_000):
    with tempfile.TemporaryDirectory() as folder:
        rows = np.lib.format.open_memmap(f"{folder}/X.npy", mode="w+", dtype=np.float32, shape=(n, 30))
        labels = np.empty(n, dtype=np.int64)
        X, y = made(n)
        rows[:], labels[:] = X, y
        rows.flush()
        np.save(f"{folder}/y.npy", labels)
        del rows, X
        for label in LEARNERS:
            subprocess.run([sys.executable, __file__, "one", label, folder], check=True)


def measure_one(label, folder):
    """Fit on the first rows of a memory-mapped file but for the test rows; in a process of its own."""
    X, y = np.load(f"{folder}/X.npy", mmap_mode="r"), np.load(f"{folder}/y.npy")
    learner = LEARNERS[label](random_state=0)
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts here
    before, start = memory("VmRSS"), time.perf_counter()
    learner.fit(X[N_TEST:], y[N_TEST:])
    seconds, after = time.perf_counter() - start, memory("VmHWM")
    few = slice(N_TEST, 104_000)  # a search among all of them would take longer than the fit
    rows = (X[few], X[:N_TEST], y[few], y[:N_TEST])
    errors = {"error": error(learner, *rows), "euclid": error(Euclidean().fit(X[:100], y[:100]), *rows)}
    keep(
        {"what": "million", "rows": len(X) - N_TEST, "learner": label, "s": seconds, "mb": after, "mb_before": before}
        | errors
    )


def memory(field):
    """VmHWM, the most that this process has had, or VmRSS, in MB: from Linux, mapped pages of files included."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field)) / 1024


def keep(record):
    record = {name: round(value, 3) if isinstance(value, float) else value for name, value in record.items()}
    print(record, flush=True)
    with RECORDS.open("a") as file:
        file.write(json.dumps(record) + "\n")


def show():
    records = [json.loads(line) for line in RECORDS.read_text().splitlines()]
    print("| data | rows | Euclid | NCA, batches | 10,000 | LMNN, batches | 10,000 | DMLFE, batches |")
    print("|---|---|---|---|---|---|---|---|")
    errors = [record for record in records if record["what"] == "error"]
    for name, rows in dict.fromkeys((record["data"], record["rows"]) for record in errors):

        def cell(learner, how=None, name=name, rows=rows):
            wanted = (name, rows, learner, how)
            found = [r for r in errors if (r["data"], r["rows"], r["learner"], r.get("how")) == wanted]
            if not found:
                return "-"
            seconds = f" ({np.mean([r['s'] for r in found]):.0f} s)" if how else ""
            return " ".join(f"{r['error']:.1f}" for r in found) + seconds

        cells = [cell("Euclid")]
        cells += [cell(*which) for which in (("NCA", "batches"), ("NCA", "all pairs"))]
        cells += [cell(*which) for which in (("LMNN", "batches"), ("LMNN", "all pairs"), ("DMLFE", "batches"))]
        print(f"| {name} | {rows:,} | " + " | ".join(cells) + " |")
    print("\n| learner | rows | fit, s | peak memory, MB | before | error | Euclid |\n|---|---|---|---|---|---|---|")
    for r in records:
        if r["what"] == "million":
            memory = f"{r['mb']:.0f} | {r['mb_before']:.0f}"
            print(
                f"| {r['learner']} | {r['rows']:,} | {r['s']:.0f} | {memory} | {r['error']:.1f} | {r['euclid']:.1f} |"
            )


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", nargs="?", choices=["errors", "million", "one"])
    parser.add_argument("arguments", nargs="*")
    given = parser.parse_args()
    run = {"errors": measure_errors, "million": measure_million, "one": measure_one, None: show}[given.what]
    run(*given.arguments)
