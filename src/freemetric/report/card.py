"""What a fitted model has learned: a few lines of HTML to stand below scikit-learn's diagram of it."""

import logging
from typing import Any

import numpy as np
from sklearn.base import is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from ..display.neighbors_curve import kind_name
from ..ensemble.importances import ImportancesMixin
from ..ensemble.tasks.decisions import score_name
from ..ensemble.tasks.intervals import out_of_bag
from ..learners.kernel_space import WITH_GAMMA
from ..learners.kernelized import Kernelized
from ..printable import counted
from .card_drawing import bars, framed, line, percent, points

MOST_BARS = 6
MOST_CELLS = 20_000  # of training patterns whose importances are asked for by a card, which should be there at once
logger = logging.getLogger("freemetric")


def card(model: Any) -> str:
    """HTML about a fitted model; nothing about one that is not fitted, or that no card can be drawn of.

    A notebook shows it below the diagram of the model. What goes wrong is logged, so that no traceback stands there.
    """
    try:
        return drawn_card(model)
    except NotFittedError:
        return ""
    except Exception:
        logger.debug("There is no card of this %s.", type(model).__name__, exc_info=True)
        return ""


def drawn_card(model: Any) -> str:
    """HTML about a fitted model; raises whatever goes wrong."""
    check_is_fitted(model)
    model = model.as_shown() if hasattr(model, "as_shown") else model
    return framed(_facts(model), filter(None, _parts(model)))


def _facts(model):
    metric = _metric(model)
    if hasattr(model, "oob_score_"):
        yield f"out-of-bag {_score_name(model)}", _score(model)
    if hasattr(model, "ensemble_"):
        yield "who votes", _training_set(model)
    if hasattr(model, "strengths_"):
        yield from _beside_votes(model)
    if hasattr(model, "n_neighbors_"):
        yield "neighbours", f"k = {model.n_neighbors_}, {_how_chosen(model)}"
    if hasattr(model, "threshold_"):
        yield "pairs are similar", f"up to a distance of {model.threshold_:.4g}"
    of = "feature"
    if isinstance(metric, Kernelized):
        yield "kernel", _kernel(metric)
        metric, of = _last(metric.learner_), "direction"
    if hasattr(metric, "components_"):
        p, d = metric.components_.shape
        yield "map", f"{counted(d, of, form=',')} to {counted(p, 'dimension', form=',')}"
    for name in ("energy_", "objective_", "temperature_"):
        if hasattr(metric, name):
            yield name.strip("_"), f"{getattr(metric, name):.4g}"
    if hasattr(metric, "n_iter_"):
        walks = isinstance(getattr(metric, "trace_", None), dict)
        yield "Monte Carlo steps" if walks else "iterations", f"{metric.n_iter_:,}"


def _score_name(model):
    return score_name(model.scoring, is_regressor(model))


def _score(model):
    """Shares of patterns are percents; other scores may be anything."""
    return percent(model.oob_score_) if _is_share(model) else f"{model.oob_score_:.3g}"


def _is_share(model):
    return model.scoring is None and not is_regressor(model)


def _beside_votes(model):
    """On which scale numbers are averaged, and what counts beside those of neighbours."""
    if model.oob_prediction_.ndim == 2:
        yield "targets", str(model.oob_prediction_.shape[1])
        return
    if model.scale_name_ != "linear":
        yield "averaged", {"log": "as logarithms", "asinh": "by asinh, as logarithms far from zero"}[model.scale_name_]
    counts = [f"{name} {value:.2g}" for name, value in model.strengths_.items() if value > 0 and name != "votes"]
    yield "trends that count", ", ".join(counts) or "none"


def _parts(model):
    metric, tried = _metric(model), getattr(model, "selection_", {})
    if hasattr(model, "oob_prediction_"):
        known = out_of_bag(model)
    if hasattr(model, "oob_prediction_") and known.truth.ndim == 1:
        yield points("true numbers from left to right, predicted out of bag upwards", known.truth, known.predicted)
    if isinstance(model, ImportancesMixin):
        yield _most_important_features(model)
    yield _heaviest_features(model, metric)
    if hasattr(model, "ensemble_"):
        yield _heaviest_candidates(model.ensemble_)
    if "error" in tried:
        words = f"error of inner folds for k = 1 to {len(tried['error'])}; {model.n_neighbors_} is marked"
        yield line(words, tried["error"], model.n_neighbors_ - 1)
    trace = getattr(metric, "trace_", {})
    if isinstance(trace, dict) and trace:
        energy = np.asarray(trace["energy"])  # NaN after the end of a shorter walk
        what = "energy" if energy.shape[1] == 1 else f"median energy of {energy.shape[1]} replicas"
        yield _fall(what, np.nanmedian(energy[np.isfinite(energy).any(axis=1)], axis=1))
    elif len(trace):
        yield _fall("objective", trace)


def _fall(what, values):
    return line(f"{what}, from {values[0]:.4g} to {values[-1]:.4g}", values) if len(values) else None


def _metric(model):
    """Whose map it is: the model itself, or what stands last in the learner inside it."""
    return model if isinstance(model, Kernelized) else _last(getattr(model, "learner_", model))


def _last(learner):
    return learner[-1] if isinstance(learner, Pipeline) else learner


def _kernel(metric):
    name = metric.kernel if isinstance(metric.kernel, str) else "of one's own"
    numbers = f", gamma {metric.gamma_:.3g}" if name in WITH_GAMMA else ""
    return f"{name}{numbers}, {counted(len(metric.landmarks_), 'landmark', form=',')}"


def _training_set(model):
    n_replicas, n_chosen = model.ensemble_.n_replicas, len(model.ensemble_.members)
    n_tried = (model.selection_["n_neighbors"] == 1).sum()
    who = counted(n_replicas, "replica", form=",") if n_replicas else "plain neighbours"
    return f"{who}, {n_chosen} of {counted(n_tried, 'candidate', form=',')}"


def _how_chosen(model):
    if model.n_neighbors != "auto":
        return "as given"
    if hasattr(model, "oob_score_"):
        return "the heaviest of several"
    return f"with the lowest error of inner folds, {percent(np.min(model.selection_['error']))}"


def _most_important_features(model):
    """What permuted features cost out of bag: where somebody has asked already, or the answer takes no time."""
    known = ("importances", model.scoring) in model.ensemble_.computed
    if not known and model.ensemble_.training_set.X.size > MOST_CELLS:
        return None
    mean, error = model.feature_importances_, model.feature_importances_error_
    if not np.isfinite(mean).all():  # nobody was out of bag
        return None
    names, first = _feature_names(model, model), np.argsort(-mean, kind="stable")[:MOST_BARS]
    words = f"{_some(first, mean)}, what out-of-bag {_score_name(model)} owes to them"
    return bars(words, [names[i] for i in first], mean[first], error[first], are_shares=_is_share(model))


def _heaviest_features(model, metric):
    if hasattr(metric, "distance_weights_"):
        weights, spread, of = metric.distance_weights_, metric.distance_weights_std_, "the squared distances"
    elif hasattr(metric, "components_"):
        weights = (metric.components_**2).sum(axis=0)
        weights, spread, of = weights / (weights.sum() or 1), np.zeros(len(weights)), "the trace of M"
    else:
        return None
    names = _feature_names(model, metric)
    first = np.argsort(-weights, kind="stable")[:MOST_BARS]
    return bars(f"{_some(first, weights)}, shares of {of}", [names[i] for i in first], weights[first], spread[first])


def _some(first, values):
    return f"{len(first)} of {len(values)} features" if len(first) < len(values) else "features"


def _feature_names(model, metric):
    """Those that the map sees, by number where they have no names."""
    numbers = [f"x{i}" for i in range(metric.n_features_in_)]
    names = getattr(metric, "feature_names_in_", getattr(model, "feature_names_in_", numbers))
    try:
        learner = getattr(model, "learner_", None)
        names = learner[:-1].get_feature_names_out(names) if isinstance(learner, Pipeline) else names
    except (AttributeError, ValueError):  # a step that makes features it cannot name
        return numbers
    return names if len(names) == len(numbers) else numbers


def _heaviest_candidates(ensemble):
    first = np.argsort(-ensemble.member_weights, kind="stable")[:MOST_BARS]
    names = [_candidate_name(ensemble.members[i].candidate) for i in first]
    words = "candidates and temperatures, weights of their votes"
    return bars(words, names, ensemble.member_weights[first], np.zeros(len(first)))


def _candidate_name(candidate):
    kind = kind_name(candidate.view, candidate.form, candidate.energy)
    if not candidate.learns:
        return kind
    return f"{kind}, {np.format_float_scientific(candidate.temperature, precision=1, trim='-', exp_digits=1)}"
