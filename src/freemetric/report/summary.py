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
    " That it rose is no fault: at a temperature above zero typical maps are drawn and not the one of lowest energy,"
    " and the start was lower than these are."
)
OWN_ENERGIES = (
    " Every replica has an energy of its own, on the rows of its bag, and some have another kind of energy: compare a"
    " line with its own beginning, not with other lines. A few steps are enough to forget the start; that a replica has"
    " come to rest does not matter: many are averaged, each weighted by its out-of-bag votes."
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
        name = "out-of-bag error" if "out-of-bag" in confusion["how"] else "error, see confusion"
        pairs.append((name, f"{confusion['wrong'] / confusion['n']:.1%}"))
    if findings.targets is not None:
        known = scores(findings.targets)
        how = "out of bag" if "out-of-bag" in findings.judged_by else "see predictions"
        pairs.append(("target", "a number, averaged as logarithms" if findings.targets.log else "a number"))
        if known["n"]:
            pairs += [(f"R², {how}", _short(known["r2"])), ("mean absolute error", _short(known["mae"]))]
    if findings.n_neighbors:
        pairs.append(("neighbours that vote", _voting(findings)))
    return pairs


def _voting(findings):
    """The number of neighbours, or of several that are mixed those that make up most of the weight."""
    tried = findings.selection or {}
    if "weight" not in tried:
        return f"{findings.n_neighbors}"
    weight = np.bincount(tried["n_neighbors"], tried["weight"])
    ks = np.flatnonzero(weight >= LEAST_WEIGHT)
    return ", ".join(map(str, ks)) + (" mixed" if len(ks) > 1 else "") if len(ks) else f"{findings.n_neighbors}"


def captions(findings: Findings, shown: dict[str, Any]) -> dict[str, str]:
    """A sentence or two for every section; the reason where it is empty."""
    return {
        "sample": _sample(findings),
        "space": _space(findings, shown["spaces"]),
        "motion": _motion(findings, shown["motion"]),
        "traces": _traces(findings, shown["traces"]),
        "metric": _metric(findings, shown["metric"]),
        "importances": _importances(findings, shown["importances"]),
        "weights": _weights(findings, shown["weights"], shown["importances"]),
        "curves": _curves(findings, shown["curves"]),
        "confusion": _confusion(shown["confusion"]),
        **_predictions(findings),
        "rows": _rows(findings, shown["explanations"]),
    }


def _predictions(findings):
    """Of the predictions of a regression, of the residuals and of the intervals."""
    known = findings.targets
    if known is None or not known.judged.any():
        nothing = "No rows with targets to compare predictions with. Give X and y to the report."
        return {"predicted": nothing, "residuals": "", "intervals": ""}
    found = scores(known)
    outside = "; what is orange lies outside of its interval" if np.isfinite(found["coverage"]) else ""
    errors = f"mean absolute error {_short(found['mae'])}, root mean squared error {_short(found['rmse'])}"
    all_rows = f"{found['n']:,} rows, by {findings.judged_by}: R² {_short(found['r2'])}, {errors}."
    residuals = "True targets divided by predicted ones, for targets averaged as logarithms."
    return {
        "predicted": f"{all_rows} On the line they agree{outside}.",
        "residuals": f"{residuals if known.log else 'True minus predicted targets.'} {SHAPES}",
        "intervals": _intervals(findings, found),
    }


def _intervals(findings, found):
    if not np.isfinite(found["coverage"]):
        return f"{findings.learner} gives no intervals."
    held = f"{found['coverage']:.1%} of the intervals hold the truth, {1 - findings.targets.alpha:.0%} should"
    fair = " Their widths come from these rows, so that the share is right by itself." if findings.learned_from else ""
    order = "Rows from the narrowest interval to the widest: it is wide where neighbours disagree."
    return f"{order} {held}; the median width is {_short(found['width'])}.{fair}"


def _sample(findings):
    if findings.rows is None or len(findings.rows) == findings.n_rows:
        return ""
    sample = f"{len(findings.rows):,} of {findings.n_rows:,} rows"
    return f"This page shows a random sample: {sample}. Neighbours are sought in it."


def _space(findings, spaces):
    if not spaces:
        return "This model has kept no samples. Give X and y to the report to see them."
    parts = [f"{s['name']}, {100 * sum(s['share'][:2]):.0f} % of the variance on {_axes(s)}" for s in spaces]
    shown = f"{counted(len(findings.rows), 'row', form=',')} ({findings.origin}): {'; '.join(parts)}."
    colours = " Colours are the targets." if findings.targets is not None else ""
    return f"{shown} Near points are alike in the space shown.{colours}"


def _axes(space):
    return "two axes" if len(space["share"]) > 1 else "its only axis"


def _motion(findings, motion):
    if motion is None and findings.trace is None:
        return f"{findings.learner} does not walk: it has no Monte Carlo run to show."
    if motion is None:
        return "There was a run, but no snapshots of its map were kept for the samples on this page."
    steps = f"{len(motion['step'])} snapshots, from step {motion['step'][0]} to {motion['step'][-1]}"
    some = (
        ""
        if motion["n_moving"] == len(findings.rows)
        else f" {motion['n_moving']:,} of {len(findings.rows):,} rows move."
    )
    return (
        f"The map of {findings.snapshots.whose} at work: {steps}, all seen along the main axes of the last one.{some}"
    )


def _traces(findings, traces):
    if traces is None:
        return f"{findings.learner} makes no Monte Carlo steps; there is no trace."
    energy = np.nanmedian(findings.trace["energy"], axis=1)
    fell = f"The median energy went from {energy[0]:.4g} to {energy[-1]:.4g} in {len(energy)} Monte Carlo steps"
    n = traces["n_replicas"]
    run = f"{fell}, {_heat(findings.trace['temperature'])}; {counted(n, 'replica')}."
    return f"{run}{RISING if energy[-1] > energy[0] else ''}{'' if findings.one_target else OWN_ENERGIES}"


def _heat(temperature):
    T = np.nanmedian(temperature, axis=1)
    low, high = np.nanmin(temperature), np.nanmax(temperature)
    if T[0] != T[-1]:
        return f"while the temperature went from {T[0]:.2g} to {T[-1]:.2g}"
    return f"at a temperature of {low:.2g}" if low == high else f"at temperatures from {low:.2g} to {high:.2g}"


def _metric(findings, metric):
    if metric is None:
        return f"{findings.learner} has no matrix to show."
    M = findings.scaled_matrix
    units = "their own units" if findings.spread is None else "their standard deviations"
    some = "" if len(metric["names"]) == len(M) else f" The {len(metric['names'])} heaviest of {len(M)} features."
    share = findings.linear_share
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
    if importances is None:
        return f"{findings.learner} has no importances: it has no out-of-bag votes, or too many features."
    mean, error = findings.importances, findings.importance_errors
    clear = int((mean > 2 * error).sum())
    first = f"Most is owed to {_first(importances, '.3f')}. " if clear else ""
    rest = f"{clear} of {len(mean)} are above zero by more than two standard errors, which the lines show one of."
    score = findings.importance_score
    what = f"What the out-of-bag {score} loses when the values of a column are shuffled among the rows."
    twins = "Columns that say the same stand in for each other, and each alone then seems dispensable."
    return f"{what} {first}{rest} {twins}{_of_all(importances)}"


def _weights(findings, weights, importances):
    if weights is None:
        return f"{findings.learner} has no weights of features."
    lines = f" Lines show {findings.weight_words}." if findings.weight_range is not None else ""
    heavy = np.argsort(-np.array(weights["value"]), kind="stable")
    first = _first({name: [weights[name][i] for i in heavy] for name in ("names", "value")}, ".0%")
    needs = "targets need" if findings.is_regression else "classes need"
    needed = ": importances say what they need" if importances else ""
    caveat = f"What varies much weighs much, whether or not the {needs} it{needed}."
    what = "What the distances are made of: shares of the squared distances."
    return f"{what} The heaviest: {first}. {caveat}{lines}{_of_all(weights)}"


def _first(bars, form):
    names = [clipped(name, LONGEST_NAME) for name in bars["names"][:3]]
    return ", ".join(f"{name} ({value:{form}})" for name, value in zip(names, bars["value"], strict=False))


def _of_all(bars):
    n = len(bars["names"])
    return "" if n == bars["n"] else f" {n} of {bars['n']} are shown."


def _curves(findings, curves):
    if curves is None and findings.n_neighbors is None:
        return f"{findings.learner} is a metric alone; how many neighbours vote is for others to choose."
    if curves is None:
        return "k was given, or only one k was tried; there is no curve."
    points = [(e, k) for c in curves["curves"] for k, e in zip(c["k"], c["error"], strict=True) if e is not None]
    error, k = min(points, default=(np.nan, None))
    judge = {"oob_error": "out of bag", "error": "in inner folds", "oob_squared": "out of bag"}
    judge = judge.get(curves["judge"], curves["judge"])
    n, shown = curves["n_curves"], len(curves["curves"])
    more = "" if n == shown else f" The best {shown} of {n} candidates are shown."
    mixed = " Many candidates and k vote together; this k is the heaviest." if "weight" in findings.selection else ""
    what, of = ("squared error", " of the variance") if findings.is_regression else ("error", "")
    of += ", before trends are added" if curves["judge"] == "oob_squared" else ""
    return f"Lowest {what} {judge}: {error:.2%}{of}, with k = {k}. Chosen: k = {curves['chosen']}.{mixed}{more}"


def _confusion(confusion):
    if confusion is None:
        return "No labelled rows to compare predictions with. Give X and y to the report."
    counts = np.array(confusion["counts"])
    off = counts - np.diag(np.diag(counts))
    wrong, n = confusion["wrong"], confusion["n"]
    errors = f"{wrong:,} of {n:,} rows wrong ({wrong / max(n, 1):.2%}), by {confusion['how']}."
    if not off.any():
        return errors
    i, j = np.unravel_index(off.argmax(), off.shape)
    names = confusion["names"]
    return f"{errors} Most often {names[i]} was taken for {names[j]}: {off[i, j]:,}. {_recall(counts, names)}"


def _recall(counts, names):
    """How many of every class were recognised, the worst first."""
    there = np.flatnonzero(counts.sum(axis=1))
    recall = np.diag(counts)[there] / counts.sum(axis=1)[there]
    order = np.argsort(recall, kind="stable")[:MOST_RECALLS]
    shown = ", ".join(f"{recall[i]:.0%} of {clipped(names[there[i]], LONGEST_NAME)}" for i in order)
    return f"{'Least recognised' if len(order) < len(there) else 'Recognised'}: {shown}."


def _rows(findings, explanations):
    if explanations is None:
        return "No samples to explain. Give X and y to the report."
    of_regression = findings.is_regression
    n, in_all = len(explanations["rows"]), len(findings.rows)
    first = "those outside of their interval" if of_regression else "wrongly classified ones"
    some = "" if n == in_all else f" {n} of {in_all:,} rows can be chosen, {first} before others."
    lacking = "a weight" if of_regression else "a label or a weight"
    silent = "" if findings.training_set is None else f" Rows without {lacking} do not vote."
    units = " Values are shown as they meet the map, not as in the table." if findings.owner is None else ""
    shares = f"{units} A share below zero is of a feature that brings the two rows nearer."
    what = f"Choose a row to see its nearest neighbours{' with their targets' if of_regression else ''}"
    why = "and the features that make them near or far."
    return f"{what} {why}{_beside_votes(findings)}{some}{silent}{shares if findings.inputs is not None else ''}"


def _beside_votes(findings):
    """Neighbours are not all that decides, where trends or the classes as wholes count."""
    parts = " and ".join(f"{words} (strength {strength:.2g})" for words, strength in findings.beside_votes)
    if parts and findings.is_regression:
        return f" Beside the neighbours a trend counts: {parts}."
    if parts:
        return f" Beside the neighbours, {parts} of every class decide."
    return " No trend counts beside the neighbours." if findings.targets and findings.targets.trends else ""


def _short(value):
    return f"{value:.3g}" if np.isfinite(value) else "unknown"
