"""Checks of a free-energy model that comes from a file: all of its parts fit together."""

from typing import Any

import numpy as np

from ..files.checks import check_array, check_numbers, require
from ..files.estimators import check_attributes
from ..metrics import FORMS, VIEWS
from .model import Ensemble
from .oob import OOBIndices
from .tasks import TASKS

FITTED = (
    *("n_features_in_", "n_searched_", "n_neighbors_", "shortlist_", "shortlist_recall_", "ensemble_", "selection_"),
    *("trace_", "snapshots_", "distance_weights_", "distance_weights_std_", "oob_indices_", "temperature_"),
    *("confinement_", "oob_score_"),
)
OF_CLASSES = ("classes_", "oob_decision_function_", "oob_conformity_", "class_weight_")
TRACE = ("temperature", "energy", "acceptance")
SELECTION = {
    **dict.fromkeys(("view", "form", "energy"), "U"),
    **dict.fromkeys(("n_replicas", "n_neighbors", "bag_size"), "iu"),
    **dict.fromkeys(("temperature", "confinement", "weight"), "f"),
}
"""Columns of what was tried, with the kinds of their numbers."""


def check_classifier(model: Any) -> None:
    """ValueError unless a fitted FreeEnergyClassifier is whole and its parts fit together."""
    several = isinstance(getattr(model, "classes_", None), list)
    head = "multi-label-head" if several else "classification-head"
    if not _is_fitted_and_whole(model, OF_CLASSES, (head,), ("oob_error", "oob_brier")):
        return
    training_set = model.ensemble_.training_set
    sizes = getattr(training_set.encoding, "sizes", (training_set.n_cells,))
    known = tuple(map(len, model.classes_)) if several else (len(model.classes_),)
    require(sizes == known, "ensemble_", "is of other classes")
    check_array(model.class_weight_, "class_weight_", 1, (sum(sizes),))
    require((model.class_weight_ > 0).all(), "class_weight_", "is not positive")
    P, what = model.oob_decision_function_, "oob_decision_function_"
    require(P.dtype.kind == "f", what, "has no numbers")
    require(len(P) > training_set.rows.max(), what, "has fewer rows than the samples")
    scored = P[~np.isnan(P).all(axis=1)]
    whole = (scored >= 0).all() and np.allclose(scored.sum(axis=1), len(sizes))
    require(whole, what, "has rows that are no probabilities")
    check_array(model.oob_conformity_, "oob_conformity_", 2)
    require(model.oob_conformity_.shape[1] == 2, "oob_conformity_", f"have shape {model.oob_conformity_.shape}")
    numbers, probabilities = model.oob_conformity_.T
    check_numbers(numbers.astype(np.intp), len(model.classes_), "oob_conformity_")
    fits = (numbers == np.floor(numbers)).all() and ((probabilities >= -1e-9) & (probabilities <= 1 + 1e-9)).all()
    require(fits, "oob_conformity_", "are no class numbers and probabilities")


def check_regressor(model: Any) -> None:
    """ValueError unless a fitted FreeEnergyRegressor is whole and its parts fit together."""
    heads = "regression-head", "multi-output-head"
    if _is_fitted_and_whole(model, ("oob_prediction_",), heads, ("oob_absolute", "oob_squared")):
        training_set = model.ensemble_.training_set
        check_array(model.oob_prediction_, "oob_prediction_", training_set.y.ndim, finite=False)
        require(len(model.oob_prediction_) > training_set.rows.max(), "oob_prediction_", "has too few rows")


def _is_fitted_and_whole(model, attributes, heads, columns):
    """Whether a model is fitted; ValueError unless what models of classes and of targets have fits together."""
    check_attributes(model, (*FITTED, *attributes))
    if "ensemble_" not in vars(model):
        return False
    ensemble, d = model.ensemble_, model.n_features_in_
    known = {cls for task in TASKS.values() for tag, cls in task.saved.items() if tag in heads}
    require(type(ensemble) is Ensemble and type(ensemble.head) in known, "ensemble_", "is something else")
    training_set = ensemble.training_set
    n_features = training_set.X.shape[1] if training_set.gaps is None else len(training_set.gaps.means)
    require(n_features == d, "ensemble_", "is of other features")
    require(model.n_neighbors_ <= ensemble.n_neighbors, "n_neighbors_", "is too large")
    for name in ("distance_weights_", "distance_weights_std_"):
        check_array(getattr(model, name), name, 1, (d,))
        require((getattr(model, name) >= 0).all(), name, "is negative")
    require(type(model.oob_indices_) is OOBIndices, "oob_indices_", "is something else")
    model.oob_indices_.check(ensemble.members, training_set)
    K, selection, columns = ensemble.n_neighbors, model.selection_, (*SELECTION, *columns)
    _check_dict(selection, "selection_", columns)
    n = np.size(selection["n_neighbors"])
    for name in columns:
        kinds, finite = SELECTION.get(name, "f"), name in ("temperature", "weight")
        check_array(selection[name], f"{name} of selection_", 1, (n,), kinds, finite)
    ks = np.tile(np.arange(1, K + 1), n // K)
    require(n > 0 and np.array_equal(selection["n_neighbors"], ks), "selection_", "has other numbers of neighbours")
    is_known = set(selection["view"].tolist()) <= set(VIEWS) and set(selection["form"].tolist()) <= set(FORMS)
    require(is_known, "selection_", "has unknown views or forms")
    _check_walks(model.trace_, model.snapshots_)
    for name, most in (("shortlist_", np.inf), ("n_searched_", len(training_set))):
        n = getattr(model, name)
        require(type(n) is int and 0 < n <= most, name, "is no number of samples")
    for name in ("oob_score_", "temperature_", "confinement_", "shortlist_recall_"):
        require(isinstance(getattr(model, name), float), name, "is no number")
    return True


def _check_walks(trace, snapshots):
    if type(trace) is not dict or trace:
        _check_dict(trace, "trace_", TRACE)
        for name in TRACE:
            check_array(trace[name], f"{name} of trace_", 2, np.shape(trace["energy"]), finite=False)
        require(trace["energy"].size, "trace_", "is empty")
    if snapshots is not None:
        _check_dict(snapshots, "snapshots_", ("view", "form", "step", "map"))
        require(snapshots["view"] in VIEWS and snapshots["form"] in FORMS, "snapshots_", "is of another kind")
        check_array(snapshots["map"], "map of snapshots_", 3)
        check_array(snapshots["step"], "step of snapshots_", 1, snapshots["map"].shape[:1], "iu")
        require(snapshots["map"].size, "snapshots_", "is empty")


def _check_dict(value, what, columns):
    if type(value) is not dict or not value:
        raise ValueError(f"{what} of a free-energy model is no dict with something in it")
    require(value.keys() == set(columns), what, "has other columns")
