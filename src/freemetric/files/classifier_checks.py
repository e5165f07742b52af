"""What a free-energy classifier must not be told by a file: all of its parts have to fit together.

Its candidates, views and mixtures are plain objects that believe what they hold, so it is looked at here.
"""

import math

import numpy as np

from .allowed import name_of
from .sklearn_checks import check_numbers

CANDIDATE = "freemetric.learners.free_energy.candidates.Candidate"
ENSEMBLE = "freemetric.learners.free_energy.population.Ensemble"
VIEWS = {
    name: f"freemetric.learners.free_energy.views.{name.capitalize()}" for name in ("scaled", "quantiles", "steps")
}
MIXTURE = "freemetric.learners.free_energy.mixture.Mixture"
CALIBRATION = "freemetric.learners.free_energy.calibration.Calibration"
FORMS = ("identity", "diagonal", "full")
ENERGIES = ("log-nca", "nca")
TRACE = ("temperature", "energy", "acceptance")
SELECTION = {
    **dict.fromkeys(("view", "form", "energy"), "U"),
    **dict.fromkeys(("n_replicas", "n_neighbors"), "iu"),
    **dict.fromkeys(("temperature", "confinement", "oob_error", "oob_brier", "weight"), "f"),
}
"""Columns of what was tried, with the kinds of their numbers."""


def check_candidate(candidate):
    if candidate.view not in VIEWS or candidate.form not in FORMS or candidate.energy not in ENERGIES:
        raise ValueError(f"a Candidate of the kind {candidate.view!r}, {candidate.form!r} and {candidate.energy!r}")
    for name in ("temperature", "confinement"):
        value = getattr(candidate, name)
        _require(_is_number(value) and value >= 0, f"{name} of Candidate", "is not a number of at least 0")


def check_ensemble(ensemble):
    candidate, maps = ensemble.candidate, ensemble.maps
    _require_class(candidate, CANDIDATE)
    check_array(maps, "maps of Ensemble", 3)
    n_replicas, p, d = maps.shape
    fits = {"identity": n_replicas == 0, "diagonal": n_replicas > 0 and p == 1, "full": n_replicas > 0 and p > 0}
    _require(d > 0 and fits.get(candidate.form, False), "maps of Ensemble", f"have shape {maps.shape}")
    with np.errstate(over="ignore"):
        _require(np.isfinite((maps**2).sum()), "maps of Ensemble", "are too large for distances")


def check_scaled(view):
    check_array(view.low, "low of Scaled", 1)
    check_array(view.span, "span of Scaled", 1, view.low.shape)
    _require((view.span > 0).all(), "span of Scaled", "is not positive")
    _check_owner(view, len(view.low))


def check_quantiles(view):
    transformer = view.transformer
    _require_class(transformer, "sklearn.preprocessing.QuantileTransformer")
    state = vars(transformer)
    # one that writes into its input would change the training patterns; views are arrays without names
    output = state.get("_sklearn_output_config", {"transform": "default"})
    usual = transformer.copy is True and transformer.output_distribution == "uniform"
    usual = usual and output == {"transform": "default"} and "feature_names_in_" not in state
    _require(usual and "quantiles_" in state, "transformer of Quantiles", "does something else")
    for name, n_dims in (("quantiles_", 2), ("references_", 1)):
        table = state[name]
        check_array(table, f"{name} of Quantiles", n_dims)
        # percentiles of equal numbers differ in the last digits, up or down
        rises = table.size and (np.diff(table, axis=0) >= -1e-9 * np.abs(table).max(axis=0)).all()
        _require(rises, f"{name} of Quantiles", "are not sorted")
    _check_owner(view, transformer.n_features_in_)


def check_steps(view):
    check_array(view.threshold, "threshold of Steps", 1)
    _check_owner(view, None, view.threshold.shape)


def _check_owner(view, d, shape=None):
    """``d`` features with one column each; any number of columns where it is None."""
    what = f"owner of {type(view).__name__}"
    check_array(view.owner, what, 1, (d,) if shape is None else shape, "iu")
    _require(view.owner.size, what, "is empty")
    if d is not None:
        _require((view.owner == np.arange(d)).all(), what, "mixes features up")


def check_mixture(mixture):
    weights = mixture.weights
    check_array(weights, "weights of Mixture", 2)
    # 1e-6: they are normalised in double precision
    whole = weights.size and (weights >= 0).all() and abs(weights.sum() - 1) < 1e-6
    _require(whole, "weights of Mixture", "do not add up to one")
    _require_class(mixture.calibration, CALIBRATION)


def check_calibration(calibration):
    slope = calibration.slope
    _require(_is_number(slope) and slope > 0, "slope of Calibration", "is no positive number")
    check_array(calibration.bias, "bias of Calibration", 1)


def check_classifier(model):
    state = vars(model)
    if "ensembles_" not in state:
        return
    d, C = model.n_features_in_, len(model.classes_)
    K = _check_mixtures(model, C)
    _check_patterns(model)
    _require(model.n_neighbors_ <= K < len(model._patterns), "n_neighbors_ of FreeEnergyClassifier", "is too large")
    _check_views(model.views_, d)
    _check_ensembles(model.ensembles_, model.views_)
    for name in ("feature_importances_", "feature_importances_std_"):
        check_array(state[name], name, 1, (d,))
        _require((state[name] >= 0).all(), name, "is negative")
    _check_selection(model.selection_, K)
    _check_walks(model.trace_, model.snapshots_)
    for name in ("oob_score_", "temperature_", "confinement_"):
        _require(isinstance(state[name], float), name, "is no number")
    _require(state["oob_decision_function_"].dtype.kind == "f", "oob_decision_function_", "has no numbers")


def _check_patterns(model):
    check_numbers(model._patterns, len(model._y), "rows of patterns")
    _require((model._weights > 0).all(), "_weights of FreeEnergyClassifier", "are not positive")
    fits = len(model.oob_decision_function_) >= len(model._y)
    _require(fits, "oob_decision_function_", "has fewer rows than the patterns")


def _check_mixtures(model, n_classes):
    """The mixture and those of one k, for k = 1 to K, which is returned."""
    mixtures = [model._mixture, *_of_class(model._mixtures_of_one_k, list, "_mixtures_of_one_k")]
    for mixture in mixtures:
        _require_class(mixture, MIXTURE)
        fits = mixture.weights.shape == mixtures[0].weights.shape and len(mixture.calibration.bias) == n_classes
        _require(fits, "a Mixture", "does not fit the others or the classes")
    n_candidates, K = model._mixture.weights.shape
    ensembles = _of_class(model.ensembles_, list, "ensembles_")
    _require(len(ensembles) == n_candidates, "ensembles_", f"holds {len(ensembles)} candidates, not {n_candidates}")
    _require(len(mixtures) == K + 1, "_mixtures_of_one_k", f"holds {len(mixtures) - 1} mixtures, not {K}")
    return K


def _check_views(views, d):
    for name, view in _of_class(views, dict, "views_").items():
        _require(name in VIEWS, "views_", f"holds a view {name!r}")
        _require_class(view, VIEWS[name])
        check_numbers(view.owner, d, "owners of a view")
        _require(name == "steps" or len(view.owner) == d, f"the view {name!r}", "has another number of features")


def _check_ensembles(ensembles, views):
    for ensemble in ensembles:
        _require_class(ensemble, ENSEMBLE)
        name, width = ensemble.candidate.view, ensemble.maps.shape[2]
        fits = name in views and width == len(views[name].owner)
        _require(fits, "an Ensemble", f"has maps of {width} features, which its view does not have")
    unused = set(views) - {ensemble.candidate.view for ensemble in ensembles}
    _require(not unused, "views_", "holds a view that nobody votes on")


def _check_selection(selection, K):
    _require(_of_class(selection, dict, "selection_").keys() == SELECTION.keys(), "selection_", "has other columns")
    n = np.size(selection["n_neighbors"])
    for name, kinds in SELECTION.items():
        check_array(selection[name], f"{name} of selection_", 1, (n,), kinds, finite=name in ("temperature", "weight"))
    ks = np.tile(np.arange(1, K + 1), n // K)
    _require(n > 0 and np.array_equal(selection["n_neighbors"], ks), "selection_", "has other numbers of neighbours")


def _check_walks(trace, snapshots):
    if _of_class(trace, dict, "trace_"):
        _require(trace.keys() == set(TRACE), "trace_", "has other columns")
        for name in TRACE:
            check_array(trace[name], f"{name} of trace_", 2, np.shape(trace["energy"]), finite=False)
        _require(trace["energy"].size, "trace_", "is empty")
    if snapshots is not None:
        columns = _of_class(snapshots, dict, "snapshots_").keys()
        _require(columns == {"view", "form", "step", "map"}, "snapshots_", "has other columns")
        _require(snapshots["view"] in VIEWS and snapshots["form"] in FORMS, "snapshots_", "is of another kind")
        check_array(snapshots["map"], "map of snapshots_", 3)
        check_array(snapshots["step"], "step of snapshots_", 1, snapshots["map"].shape[:1], "iu")
        _require(snapshots["map"].size, "snapshots_", "is empty")


def check_array(array, what, n_dims, shape=None, kinds="f", finite=True):
    """ValueError unless it is an array of that shape, of numbers of those kinds."""
    if type(array) is not np.ndarray or array.ndim != n_dims or array.dtype.kind not in kinds:
        raise ValueError(f"{what} is not an array of {n_dims} dimensions with the right numbers")
    if shape is not None and array.shape != shape:
        raise ValueError(f"{what} has shape {array.shape}, which does not fit the other arrays")
    if finite and "f" in kinds and not np.isfinite(array).all():
        raise ValueError(f"{what} has elements that are not finite numbers")


def _is_number(value):
    return isinstance(value, float | int) and not isinstance(value, bool) and math.isfinite(value)


def _of_class(value, kind, what):
    if type(value) is not kind or not (value or what == "trace_"):
        raise ValueError(f"{what} of FreeEnergyClassifier is no {kind.__name__} with something in it")
    return value


def _require_class(value, name):
    if name_of(type(value)) != name:
        raise ValueError(f"a {type(value).__name__} where a {name.rpartition('.')[2]} belongs")


def _require(fact, what, problem):
    if not fact:
        raise ValueError(f"{what} {problem}")


CHECKS = {
    "freemetric.FreeEnergyClassifier": check_classifier,
    CANDIDATE: check_candidate,
    ENSEMBLE: check_ensemble,
    VIEWS["scaled"]: check_scaled,
    VIEWS["quantiles"]: check_quantiles,
    VIEWS["steps"]: check_steps,
    MIXTURE: check_mixture,
    CALIBRATION: check_calibration,
}
"""Checks by the name of the class."""
