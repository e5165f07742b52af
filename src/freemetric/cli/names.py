"""Names that the command line checks before anything slow is imported."""

import json
from importlib.resources import files

MODEL_LINE = b"freemetric model "
"""How a model file begins."""

METHODS = (
    "rf",
    "euclidean",
    "pca",
    "rca",
    "dca",
    "lfda",
    "itml",
    "lmnn",
    "dml-eig",
    "scml",
    "nca",
    "dmlmj",
    "dmlfe",
    "covariance",
    "lsml",
    "mmc",
    "sdml",
    "lda",
    "gmml",
    "ncmml",
    "anmm",
    "ldml",
    "mcml",
    "dmlfe-paper",
    "dmlfe-identity",
    "dmlfe-small-steps",
    "dmlfe-algorithm-1",
    "free-energy",
    "hist-boosting",
    "svm",
    "logistic",
    "constant",
    "free-energy-regressor",
    "knn",
    "mlkr",
    "svr",
    "forest-500",
    "extra-trees-500",
)
"""The methods of ``freemetric.experiments.methods``, of both tasks."""


def set_names():
    """Return the names of the paper's data sets of which a public copy is known."""
    path = files("freemetric").joinpath("experiments/data/classification.json")
    rows = json.loads(path.read_text("utf-8"))
    return [row["name"] for row in rows if row["class_counts"]]
