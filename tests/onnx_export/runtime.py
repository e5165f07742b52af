"""Graphs in onnxruntime, and what they should say, by definition and from numpy alone."""

import json

import numpy as np
import onnx
import onnxruntime


def session(made):
    onnx.checker.check_model(made, full_check=True)
    return onnxruntime.InferenceSession(made.SerializeToString(), providers=["CPUExecutionProvider"])


def answer(made, X):
    """All outputs for samples X, or for a DataFrame where the graph takes columns."""
    runtime = session(made)
    if not hasattr(X, "columns"):
        return runtime.run(None, {"X": np.asarray(X, dtype=np.float64)})
    return runtime.run(
        None,
        {
            put.name: X[[column]].fillna("").to_numpy(object)
            if put.type == "tensor(string)"
            else X[[column]].to_numpy(np.float64)
            for put, column in zip(runtime.get_inputs(), about(made)["columns"], strict=True)
        },
    )


def about(made):
    return {note.key: json.loads(note.value) for note in made.metadata_props}


def nearest(Q, Z):
    """Rows of Z in the order of their distance from every row of Q, the first of equals first."""
    return np.argsort(((Q[:, None] - Z[None]) ** 2).sum(axis=2), axis=1, kind="stable")


def votes(Q, places, Z, k):
    """What the k nearest rows vote for, (n, C), counted one by one; places lie at Z, and their last one shares."""
    counted = np.zeros((len(Q), places.votes.shape[1]))
    for total, order in zip(counted, nearest(Q, Z), strict=True):
        missing = k
        for place in order:
            taken = min(missing, places.counts[place])
            total += places.votes[place].astype(float) * taken / places.counts[place]
            missing -= taken
    return counted


def clear(Q, Z, k):
    """Queries without doubt about who is nearest and who is among the k nearest."""
    D = np.sort(((Q[:, None] - Z[None]) ** 2).sum(axis=2), axis=1)
    return ((D[:, [1, k]] - D[:, [0, k - 1]]) > 1e-9 * D[:, [1, k]]).all(axis=1)
