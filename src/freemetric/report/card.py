"""The card of a fitted model: a few lines of HTML below scikit-learn's diagram in a notebook."""

import logging
from collections.abc import Iterator
from hashlib import sha256
from html import escape
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from ..display.neighbors_curve import tried_candidates
from ..ensemble.importances import are_kept
from ..ensemble.settings import recipe_of
from ..ensemble.tasks.intervals import out_of_bag
from ..learners.kernelized import WITH_GAMMA, Kernelized
from ..learners.learned_space import LearnedSpace
from ..printable import counted, printable
from .collect import collect_model
from .document import clipped, evenly, static
from .findings import Findings
from .panels import importances, weights

MOST_BARS, MOST_POINTS, LONGEST_NAME = 6, 200, 21
MOST_CELLS = 20_000  # of training samples whose importances a card computes, which should be there at once
BORDERS = (0.005, 0.995)  # quantiles of the targets that are drawn: outliers would press all others together
logger = logging.getLogger("freemetric")

# Text is of the colour that the notebook gives it, whatever its theme; the bars can be seen on light and on dark.
STYLE = static("card.css").strip()
# Cards that another release has made may stand in the same notebook; another style has another name.
NAME = f"freemetric-card-{sha256(STYLE.encode()).hexdigest()[:8]}"


def card(model: Any) -> str:
    """HTML about a fitted model; empty for one that is not fitted. Errors are logged, not raised."""
    try:
        return drawn_card(model)
    except Exception as problem:
        if not isinstance(problem, NotFittedError):
            logger.debug("There is no card of this %s.", type(model).__name__, exc_info=True)
        return ""


def drawn_card(model: Any) -> str:
    """HTML about a fitted model; raises whatever goes wrong."""
    check_is_fitted(model)
    model = model.as_shown() if hasattr(model, "as_shown") else model
    ensemble = getattr(model, "ensemble_", None)
    with_importances = ensemble is not None and (  # computed already, or in no time
        are_kept(ensemble, recipe_of(model).scoring) or ensemble.training_set.X.size <= MOST_CELLS
    )
    # a classifier of tuples maps samples by its learner, which has no names
    findings = collect_model(_with_a_map(model), with_importances)
    if len(getattr(model, "feature_names_in_", ())) == len(findings.feature_names):
        findings.feature_names = [clipped(name) for name in model.feature_names_in_]
    facts = "".join(f"<div>{_title(name)} <b>{_text(value)}</b></div>" for name, value in _facts(model, findings))
    parts = f'<div class="facts">{facts}</div><div class="parts">{"".join(filter(None, _parts(model, findings)))}</div>'
    return f'<style>{STYLE.replace("NAME", NAME)}</style><div class="{NAME}">{parts}</div>'


def _with_a_map(model):
    return model.learner_ if hasattr(model, "preprocessor") and hasattr(model, "learner_") else model


def _facts(model: Any, findings: Findings) -> Iterator[tuple[str, str]]:
    metric, unit = LearnedSpace(_with_a_map(model)).learner, "feature"
    if hasattr(model, "oob_score_"):
        score = _percent(model.oob_score_) if findings.score_name == "accuracy" else f"{model.oob_score_:.3g}"
        yield f"out-of-bag {findings.score_name}", score
    if hasattr(model, "ensemble_"):
        n_replicas, n_tried = model.ensemble_.n_replicas, int((model.selection_["n_neighbors"] == 1).sum())
        replicas = counted(n_replicas, "replica", form=",") if n_replicas else "plain neighbours"
        yield "ensemble", f"{replicas}, {len(model.ensemble_.members)} of {counted(n_tried, 'candidate', form=',')}"
    if findings.is_regression and hasattr(model, "oob_prediction_"):
        if model.oob_prediction_.ndim == 2:
            yield "targets", str(model.oob_prediction_.shape[1])
        else:
            scale = {"linear": "as they are", "log": "as logarithms", "asinh": "by asinh, as logarithms far from zero"}
            yield "targets are averaged", scale[model.scale_name_]
            yield "trends", ", ".join(f"{words} ({value:.2g})" for words, value in findings.beside_votes) or "none"
    if hasattr(model, "n_neighbors_"):
        mixes = hasattr(model, "oob_score_")
        how = "the heaviest of several"
        if (len(recipe_of(model).neighbors) == 1) if mixes else (model.n_neighbors != "auto"):
            how = "as given"
        elif not mixes:
            how = f"with the lowest error of inner folds, {_percent(np.min(model.selection_['error']))}"
        yield "neighbours", f"k = {model.n_neighbors_}, {how}"
    if hasattr(model, "threshold_"):
        yield "pairs are similar", f"up to a distance of {model.threshold_:.4g}"
    if isinstance(metric, Kernelized):
        name = metric.kernel if isinstance(metric.kernel, str) else "a function"
        gamma = f", gamma {metric.gamma_:.3g}" if name in WITH_GAMMA else ""
        yield "kernel", f"{name}{gamma}, {counted(len(metric.landmarks_), 'landmark', form=',')}"
        metric, unit = metric.learner_, "direction"
        metric = metric[-1] if isinstance(metric, Pipeline) else metric
    if hasattr(metric, "components_"):
        p, d = metric.components_.shape
        yield "map", f"{counted(d, unit, form=',')} to {counted(p, 'dimension', form=',')}"
    for name in ("energy_", "objective_", "temperature_"):
        if hasattr(metric, name):
            yield name.strip("_"), f"{getattr(metric, name):.4g}"
    if hasattr(metric, "n_iter_"):
        yield "iterations" if findings.trace is None else "Monte Carlo steps", f"{metric.n_iter_:,}"


def _parts(model: Any, findings: Findings) -> Iterator[str | None]:
    if findings.is_regression and getattr(model, "oob_prediction_", np.empty((0, 2))).ndim == 1:
        known = out_of_bag(model)
        yield _points("true targets from left to right, out-of-bag predictions upwards", known.truth, known.predicted)
    words = f"loss of out-of-bag {findings.score_name} without a feature"
    yield _bars(words, importances(findings), is_share=findings.score_name == "accuracy")
    yield _bars("weights of the features in the distances", weights(findings))
    if hasattr(model, "ensemble_"):
        tried = tried_candidates(model.selection_)
        shares = [candidate.weight.sum() for candidate in tried if candidate.weight.any()]
        names = [candidate.label for candidate in tried]
        yield _bars("weights of candidates and temperatures", {"names": names, "value": shares, "n": len(shares)})
    errors = getattr(model, "selection_", {}).get("error")
    if errors is not None:
        words = f"error of inner folds for k = 1 to {len(errors)}; {model.n_neighbors_} is marked"
        yield _line(words, errors, model.n_neighbors_ - 1)
    what = "objective"
    values: Any = getattr(LearnedSpace(_with_a_map(model)).learner, "trace_", ())
    if findings.trace is not None:
        energy = findings.trace["energy"]  # NaN after the end of a shorter run
        what = "energy" if energy.shape[1] == 1 else f"median energy of {energy.shape[1]} replicas"
        values = np.nanmedian(energy[np.isfinite(energy).any(axis=1)], axis=1)
    if len(values):
        yield _line(f"{what}, from {values[0]:.4g} to {values[-1]:.4g}", values)


def _bars(title: str, shown: dict[str, Any] | None, is_share: bool = True) -> str | None:
    """A bar for every name, with a line from its low to its high end where there are any."""
    if not shown or not shown["value"]:
        return None
    values = np.array(shown["value"][:MOST_BARS], dtype=np.float64)
    low, high = (np.array(shown.get(end, values)[: len(values)], dtype=np.float64) for end in ("low", "high"))
    scale = 100 / (max(high.max(), 0) or 1)
    rows = []
    for name, value, start, end in zip(shown["names"], values, low, high, strict=False):
        drawing = f'<rect width="{scale * max(value, 0):.1f}" height="10"/>'
        text = _percent(value) if is_share else f"{value:.3g}"
        if end > start:
            drawing += f'<path d="M{scale * max(start, 0):.1f} 5H{scale * max(end, 0):.1f}"/>'
            text += f" ± {100 * (end - value):.1f}" if is_share else f" ± {end - value:.2g}"
        named = f'<span title="{_text(name)}">{_text(clipped(name, LONGEST_NAME))}</span>'
        rows.append(f'<div class="bar">{named} {_drawing(100, 10, drawing)} <span>{text}</span></div>')
    some = f"{len(values)} of {shown['n']}: " if len(values) < shown["n"] else ""
    return f"<div>{_title(some + title)}{''.join(rows)}</div>"


def _line(title: str, values: ArrayLike, marked: int | None = None) -> str | None:
    """A sparkline, with a mark at one of its values."""
    values = np.asarray(values, dtype=np.float64)
    shown = evenly(len(values), MOST_POINTS)
    shown = shown[np.isfinite(values[shown])]
    if len(shown) < 2:
        return None
    low, high = values[shown].min(), values[shown].max()
    x, y = 100 * shown / max(len(values) - 1, 1), 38 - 36 * (values[shown] - low) / ((high - low) or 1)
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))
    mark = "" if marked is None else f'<path d="M{100 * marked / (len(values) - 1):.1f} 0V40"/>'
    drawing = _drawing(100, 40, f'<polyline points="{points}"/>{mark}')
    return f'<div class="line">{_title(title)}{drawing}</div>'


def _points(title: str, x: NDArray, y: NDArray) -> str | None:
    """Predictions y against targets x, with the diagonal."""
    if len(x) < 2:
        return None
    shown = evenly(len(x), MOST_POINTS)
    low, high = np.quantile(np.concatenate([x, y]), BORDERS)
    u, v = (np.clip((some[shown] - low) / ((high - low) or 1), 0, 1) for some in (x, y))
    dots = "".join(f"M{2 + 96 * a:.1f} {98 - 96 * b:.1f}h0" for a, b in zip(u, v, strict=True))
    drawing = _drawing(100, 100, f'<path opacity=".5" d="M2 98L98 2"/><path class="dots" d="{dots}"/>')
    return f'<div class="points">{_title(title)}{drawing}</div>'


def _drawing(width, height, inside):
    return f'<svg viewBox="0 0 {width} {height}" preserveAspectRatio="none" aria-hidden="true">{inside}</svg>'


def _title(words):
    return f'<span class="title">{_text(words)}</span>'


def _text(value):
    """A text that is no markup, without characters that turn or hide their surroundings."""
    return escape(printable(value))


def _percent(share):
    return f"{100 * share:.1f} %"
