"""What a graph weighs and how fast it is beside ``predict``, in one run on one thread.

    make bench-onnx

Both take turns, so that they meet the same machine.
"""

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import onnxruntime
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from freemetric import NCA, FreeEnergyClassifier, MetricKNeighborsClassifier
from freemetric.onnx_export import to_onnx


def seconds(*functions, repeats=15):
    """Best time of each function; they take turns."""
    best = np.full(len(functions), np.inf)
    for _ in range(repeats):
        for i, function in enumerate(functions):
            start = time.perf_counter()
            function()
            best[i] = min(best[i], time.perf_counter() - start)
    return best


def session(path):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def row(model, path, X):
    """Cells of the table."""
    to_onnx(model, path)
    start = time.perf_counter()
    runtime = session(path)
    loading = time.perf_counter() - start
    cells = [f"{path.stat().st_size / 1e3:.0f} kB", f"{loading:.2f} s"]
    for part in (X[:1], X):
        ours, theirs = seconds(lambda: model.predict_proba(part), lambda: runtime.run(None, {"X": part}))  # noqa: B023
        cells.append(f"{1e3 * theirs:.1f} ms ({1e3 * ours:.1f} ms)")
    return cells


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    X, y = load_breast_cancer(return_X_y=True)
    X, new, y, _ = train_test_split(X, y, test_size=0.5, random_state=0, stratify=y)
    models = {
        "MetricKNeighborsClassifier, NCA": MetricKNeighborsClassifier(make_pipeline(MinMaxScaler(), NCA()), 5),
        "FreeEnergyClassifier, 90 replicas": FreeEnergyClassifier(random_state=0),
    }
    print(f"| model | file | loading | one sample (Python) | {len(new)} samples (Python) |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, model in models.items():
            print("|", name, "|", " | ".join(row(model.fit(X, y), Path(folder) / "model.onnx", new)), "|", flush=True)
