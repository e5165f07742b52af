"""The words of the report about a model."""

from typing import Any

import numpy as np

from ..printable import counted
from .document import clipped
from .findings import Findings
from .panels import scores

LONGEST_NAME = 60
LEAST_WEIGHT = 0.05  # of a number of neighbours that is named
MOST_RECALLS = 4
SHAPES = "Points that rise, fall or fan out along the way show what the model has missed."
RISING = (
    " That it rose is no fault: at a temperature above zero typical maps are drawn, not the one of lowest energy, and"
    " the start was lower."
)
EMPTY = {
    "space": "This model has kept no samples. Give X and y to the report to see them.",
    "motion": "{learner} makes no Monte Carlo run.",
    "traces": "{learner} makes no Monte Carlo steps; there is no trace.",
    "metric": "{learner} has no matrix to show.",
    "importances": "{learner} has no importances: it has no out-of-bag votes, or too many features.",
    "weights": "{learner} has no weights of features.",
    "curves": "{learner} is a metric alone, without a number of neighbours.",
    "confusion": "No labelled rows to compare predictions with. Give X and y to the report.",
    "rows": "No samples to explain. Give X and y to the report.",
}
NOVEL = 0.05  # p-values of rows that are called novel
OWN_ENERGIES = (
    " Every replica has an energy of its own, on the rows of its bag, and some have another kind of energy: compare a"
    " line with its own beginning, not with other lines. A replica need not come to rest, because many are averaged,"
    " each weighted by its out-of-bag votes."
)


def facts(findings: Findings, shown: dict[str, Any]) -> list[tuple[str, str]]:
    """Names and values for the head of the page."""
    pairs = [("model", findings.name if findings.name == findings.learner else f"{findings.name} ({findings.learner})")]
    if findings.n_rows:
        pairs.append(("rows", f"{findings.n_rows:,}"))
    pairs.append(("features", f"{len(findings.feature_names):,}"))
    if findings.class_names:
        pairs.append(("classes", f"{len(findings.class_names):,}"))
    confusion = shown["confusion"]
    if confusion and confusion["n"]:
        pairs.append((f"{findings.prediction_kind} error", f"{confusion['wrong'] / confusion['n']:.2%}"))
    if findings.targets is not None:
        found = scores(findings.targets)
        pairs.append(("target", "a number, averaged as logarithms" if findings.targets.log else "a number"))
        if found["n"]:
            pairs.append((f"{findings.prediction_kind} R²", _short(found["r2"])))
            pairs.append(("mean absolute error", _short(found["mae"])))
    if findings.n_neighbors:
        pairs.append(("neighbours that vote", _voting(findings)))
    if findings.p_values is not None:
        novel = (findings.p_values <= NOVEL).mean()
        pairs.append((f"rows with p ≤ {NOVEL:g}", f"{novel:.1%}, {NOVEL:.0%} of rows like those of the fit"))
    return pairs


def _voting(findings):
    """The number of neighbours; of several that are mixed, those with most of the weight."""
    tried = findings.selection or {}
    weight = np.bincount(tried["n_neighbors"], tried["weight"]) if "weight" in tried else np.empty(0)
    ks = np.flatnonzero(weight >= LEAST_WEIGHT)
    return ", ".join(map(str, ks)) + (" mixed" if len(ks) > 1 else "") if len(ks) else f"{findings.n_neighbors}"


def captions(findings: Findings, shown: dict[str, Any]) -> dict[str, str]:
    """A sentence or two for every section; the reason where it is empty."""
    sections = {"space": _space, "motion": _motion, "traces": _traces, "metric": _metric, "importances": _importances}
    sections |= {"weights": _weights, "curves": _curves, "confusion": _confusion, "rows": _rows}
    drawn = {**shown, "space": shown["spaces"], "rows": shown["explanations"]}
    words = {"sample": "", **_predictions(findings)}
    for name, make in sections.items():
        words[name] = make(findings, drawn[name]) if drawn[name] else _why_empty(findings, name)
    if findings.rows is not None and len(findings.rows) < findings.n_rows:
        sample = f"{len(findings.rows):,} of {findings.n_rows:,} rows"
        words["sample"] = f"This page shows a random sample: {sample}. Neighbours are sought in it."
    return words


def _why_empty(findings, section):
    if section == "motion" and findings.trace is not None:
        return "There was a run, but no snapshots of its map were kept for the samples on this page."
    if section == "curves" and findings.n_neighbors is not None:
        return "k was given, or only one k was tried; there is no curve."
    return EMPTY[section].format(learner=findings.learner)


def _predictions(findings):
    """Captions of the predictions, residuals and intervals of a regression."""
    known = findings.targets
    if known is None or not known.scored.any():
        nothing = "No rows with targets to compare predictions with. Give X and y to the report."
        return {"predicted": nothing, "residuals": "", "intervals": ""}
    found = scores(known)
    outside = "; orange points lie outside of their interval" if np.isfinite(found["coverage"]) else ""
    errors = f"mean absolute error {_short(found['mae'])}, root mean squared error {_short(found['rmse'])}"
    residuals = "True divided by predicted targets, which are averaged as logarithms."
    return {
        "predicted": f"{found['n']:,} rows: {findings.prediction_kind} R² {_short(found['r2'])}, {errors}. "
        f"On the line both agree{outside}.",
        "residuals": f"{residuals if known.log else 'True minus predicted targets.'} {SHAPES}",
        "intervals": _intervals(findings, found),
    }


def _intervals(findings, found):
    if not np.isfinite(found["coverage"]):
        return f"{findings.learner} gives no intervals."
    held = f"{found['coverage']:.1%} of the intervals hold the true target, {1 - findings.targets.alpha:.0%} should"
    fair = " Their widths come from the same rows, so this share is right by itself." if findings.learned_from else ""
    order = "Rows from the narrowest interval to the widest, which are wide where neighbours disagree."
    return f"{order} {held}; the median width is {_short(found['width'])}.{fair}"


def _space(findings, spaces):
    parts = []
    for name, share in ((space["name"], space["share"]) for space in spaces):
        on = "two axes" if len(share) > 1 else "its only axis"
        parts.append(f"{name}, {100 * sum(share[:2]):.0f} % of the variance on {on}")
    shown = f"{counted(len(findings.rows), 'row', form=',')} ({findings.origin}): {'; '.join(parts)}."
    colours = " Colours are the targets." if findings.targets is not None else ""
    novelty = " A small p-value marks a row unlike those of the fit." if findings.p_values is not None else ""
    return f"{shown} Near points are alike in the space shown.{colours}{novelty}"


def _motion(findings, motion):
    steps = f"{len(motion['step'])} snapshots, from step {motion['step'][0]} to {motion['step'][-1]}"
    n, in_all = motion["n_moving"], len(findings.rows)
    some = "" if n == in_all else f" {n:,} of {in_all:,} rows move."
    return f"The map of {findings.snapshots.whose}: {steps}, all seen along the main axes of the last one.{some}"


def _traces(findings, traces):
    energy, temperature = np.nanmedian(findings.trace["energy"], axis=1), findings.trace["temperature"]
    fell = f"The median energy went from {energy[0]:.4g} to {energy[-1]:.4g} in {len(energy)} Monte Carlo steps"
    T, low, high = np.nanmedian(temperature, axis=1), np.nanmin(temperature), np.nanmax(temperature)
    if T[0] != T[-1]:
        heat = f"while the temperature went from {T[0]:.2g} to {T[-1]:.2g}"
    else:
        heat = f"at a temperature of {low:.2g}" if low == high else f"at temperatures from {low:.2g} to {high:.2g}"
    run = f"{fell}, {heat}; {counted(traces['n_replicas'], 'replica')}."
    return f"{run}{RISING if energy[-1] > energy[0] else ''}{'' if findings.one_target else OWN_ENERGIES}"


def _metric(findings, metric):
    M, n, share = findings.scaled_matrix, len(metric["names"]), findings.linear_share
    units = "their own units" if findings.spread is None else "their standard deviations"
    some = "" if n == len(M) else f" The {n} heaviest of {len(M)} features."
    near = f" The map is not linear; this is its nearest linear one, {np.floor(100 * share):.0f} % of it."
    off = np.abs(M - np.diag(np.diag(M)))
    pair = ""
    if off.max() > 0:
        i, j = np.unravel_index(off.argmax(), M.shape)
        way = "the same way" if M[i, j] > 0 else "opposite ways"
        names = " and ".join(clipped(findings.feature_names[f], LONGEST_NAME) for f in (i, j))
        pair = f" Strongest pair: {names}; rows that differ in both, {way}, are farther apart."
    what = f"M = AᵀA; the squared distance is (u - v)ᵀ M (u - v). Features are measured in {units}."
    return f"{what}{some}{pair}{near if share < 1 - 1e-9 else ''}"


def _importances(findings, importances):
    mean, error = findings.importances, findings.importance_errors
    clear = int((mean > 2 * error).sum())
    first = f"The largest: {_first(importances, '.3f')}. " if clear else ""
    rest = f"{clear} of {len(mean)} are above zero by more than two standard errors; lines show one."
    what = f"What the out-of-bag {findings.score_name} loses when the values of a column are shuffled among the rows."
    twins = "Columns with the same information stand in for each other, and each alone then seems dispensable."
    return f"{what} {first}{rest} {twins}{_of_all(importances)}"


def _weights(findings, weights):
    lines = f" Lines show {findings.weight_words}." if findings.weight_range is not None else ""
    heavy = np.argsort(-np.array(weights["value"]), kind="stable")
    first = _first({name: [weights[name][i] for i in heavy] for name in ("names", "value")}, ".0%")
    needs = "targets need" if findings.is_regression else "classes need"
    needed = ", which importances show" if findings.importances is not None else ""
    caveat = f"A feature that varies much weighs much, whether or not the {needs} it{needed}."
    what = "Shares of the features in the squared distances."
    return f"{what} The heaviest: {first}. {caveat}{lines}{_of_all(weights)}"


def _first(bars, form):
    names = [clipped(name, LONGEST_NAME) for name in bars["names"][:3]]
    return ", ".join(f"{name} ({value:{form}})" for name, value in zip(names, bars["value"], strict=False))


def _of_all(bars):
    n = len(bars["names"])
    return "" if n == bars["n"] else f" {n} of {bars['n']} are shown."


def _curves(findings, curves):
    n, shown = curves["n_curves"], len(curves["curves"])
    more = "" if n == shown else f" The best {shown} of {n} candidates are shown."
    chosen = f"Chosen: k = {curves['chosen']}."
    if "weight" not in findings.selection:
        how = "Errors of inner folds, whose metric was fitted on fewer rows: they differ from the leave-one-out error."
        return f"{how} {chosen}{more}"
    what = "Squared errors, in units of the variance and without trends," if findings.is_regression else "Errors"
    how = f"{what} of single candidates out of bag; the model mixes many candidates and k, so its own error differs."
    return f"{how} {chosen} It has the largest weight.{more}"


def _confusion(findings, confusion):
    counts = np.array(confusion["counts"])
    off = counts - np.diag(np.diag(counts))
    wrong, n, names = confusion["wrong"], confusion["n"], confusion["names"]
    rate = f"{wrong:,} of {n:,} rows wrong: {findings.prediction_kind} error {wrong / max(n, 1):.2%}."
    if not off.any():
        return rate
    i, j = np.unravel_index(off.argmax(), off.shape)
    return f"{rate} Most often {names[i]} was taken for {names[j]}: {off[i, j]:,}. {_recall(counts, names)}"


def _recall(counts, names):
    """The recall of every class, the worst first."""
    there = np.flatnonzero(counts.sum(axis=1))
    recall = np.diag(counts)[there] / counts.sum(axis=1)[there]
    order = np.argsort(recall, kind="stable")[:MOST_RECALLS]
    shown = ", ".join(f"{recall[i]:.0%} of {clipped(names[there[i]], LONGEST_NAME)}" for i in order)
    return f"{'Least recognised' if len(order) < len(there) else 'Recognised'}: {shown}."


def _rows(findings, explanations):
    of_regression = findings.is_regression
    n, in_all = len(explanations["rows"]), len(findings.rows)
    first = "those outside of their interval" if of_regression else "wrongly classified ones"
    some = "" if n == in_all else f" {n} of {in_all:,} rows can be chosen, {first} before others."
    lacking = "a weight" if of_regression else "a label or a weight"
    silent = "" if findings.training_set is None else f" Rows without {lacking} do not vote."
    units = " Values are shown as they enter the map, not as in the table." if findings.owner is None else ""
    shares = f"{units} A feature with a share below zero brings the two rows nearer."
    what = f"Choose a row to see its nearest neighbours{' with their targets' if of_regression else ''}"
    why = "and the features that make them near or far."
    return f"{what} {why}{_beside_votes(findings)}{some}{silent}{shares if findings.inputs is not None else ''}"


def _beside_votes(findings):
    """Trends or class densities that count beside the neighbours."""
    parts = " and ".join(f"{words} (strength {strength:.2g})" for words, strength in findings.beside_votes)
    if parts and findings.is_regression:
        return f" Beside the neighbours a trend counts: {parts}."
    if parts:
        return f" Beside the neighbours, {parts} of every class decide."
    return " No trend counts beside the neighbours." if findings.targets and findings.targets.trends else ""


def _short(value):
    return f"{value:.3g}" if np.isfinite(value) else "unknown"
