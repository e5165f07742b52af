"""The pages about a model: its report, and its thermodynamics."""

from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import panels, predictions, summary
from .collect import collect
from .document import check_beforehand, clipped, evenly, rounded, versions, write_document
from .findings import Findings

SCRIPTS = ("base", "figure", "space", "walk", "lines", "metric", "targets", "target_rows", "rows", "opening", "main")
THERMODYNAMICS_SCRIPTS = ("base", "figure", "opening", "thermodynamics")
CURVES = ("free_energy", "energy", "entropy", "heat_capacity")
N_BINS = 25  # of P(q)
MOST_STEPS, MOST_REPLICAS = 400, 12  # of the walks that are drawn


def write(
    model: Any,
    path: str | PathLike,
    X: Any = None,
    y: ArrayLike | None = None,
    *,
    title: str | None = None,
    **options: Any,
) -> Path:
    """Write a report about a fitted model: one HTML page that needs no network.

    Parameters
    ----------
    model : estimator
        A fitted metric learner, MetricKNeighborsClassifier, FreeEnergyClassifier, FreeEnergyRegressor, or a pipeline
        with one.
    path : path-like
        File to write. An existing file is replaced once the new one is complete.
    X : array-like of shape (n_samples, n_features) or None, default=None
        Samples to show, as the model takes them. None takes the training samples that the model has kept; a metric
        learner keeps none, and the page then shows the metric and the run alone.
    y : array-like of shape (n_samples,) or None, default=None
        Their labels or targets.
    title : str or None, default=None
        Title of the page; None is the model's name.
    **options : dict
        ``feature_names``, ``class_names``, ``most_rows`` (default 10,000) and ``columns``, as
        :class:`freemetric.report.ReportOptions` describes them.

    Returns
    -------
    path : Path
        The file.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn.datasets import load_iris
    >>> import freemetric.report
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = freemetric.NCA().fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     freemetric.report.write(model, Path(folder) / "iris.html", X, y).name
    'iris.html'
    """
    check_beforehand(path)
    if y is not None and X is None:
        raise ValueError("y needs X; give both.")
    return write_findings(collect(model, X, y, **options), path, title)


def write_findings(findings: Findings, path: str | PathLike, title: str | None = None) -> Path:
    """Write the report of findings from ``collect``."""
    shown = contents(findings)
    return write_document(
        path,
        "page.html",
        SCRIPTS,
        shown,
        title=clipped(title or findings.name),
        findings=findings,
        captions=summary.captions(findings, shown),
        facts=summary.facts(findings, shown),
        diagnostics=panels.diagnostics(findings),
        tried=panels.tried(findings),
    )


def contents(findings: Findings) -> dict[str, Any]:
    """JSON values for the page's script."""
    return {
        "classes": panels.classes(findings.class_names or ["all rows"]),
        "rows": panels.rows(findings),
        "spaces": panels.spaces(findings),
        "motion": panels.motion(findings),
        "traces": panels.traces(findings),
        "metric": panels.metric(findings),
        "importances": panels.importances(findings),
        "weights": panels.weights(findings),
        "curves": panels.error_curves(findings),
        "confusion": panels.confused(findings),
        "targets": panels.targets(findings),
        "explanations": predictions.explanations(findings),
    }


def write_thermodynamics(found: Any, path: str | PathLike, *, title: str | None = None) -> Path:
    """Write a page about the thermodynamics of a model: one HTML file that needs no network.

    It shows F and U, S, C and their standard errors over temperature, the overlaps of independent replicas at the
    temperature that a slider chooses, and the walk of replicas through the rungs.

    Parameters
    ----------
    found : ModelThermodynamics
        What ``model.thermodynamics()`` returns.
    path : path-like
        File to write. An existing file is replaced once the new one is complete.
    title : str or None, default=None
        Title of the page.

    Returns
    -------
    path : Path
        The file.

    Examples
    --------
    >>> import tempfile
    >>> from sklearn.datasets import load_iris
    >>> from freemetric import DMLFE
    >>> from freemetric.mc import ParallelTempering
    >>> from freemetric.report import write_thermodynamics
    >>> X, y = load_iris(return_X_y=True)
    >>> tempering = ParallelTempering((0.01, 0.015, 0.02), n_steps=60)
    >>> model = DMLFE(1, sampler=tempering, random_state=0).fit(X[::5, 2:], y[::5])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_thermodynamics(model.thermodynamics(), Path(folder) / "iris.html").name
    'iris.html'
    """
    check_beforehand(path)
    mixing = found.mixing
    facts = [
        ("R-hat", f"{mixing.r_hat:.2f}"),
        ("independent samples", f"{mixing.effective_samples:.0f}"),
        ("round trips", f"{mixing.round_trips}"),
        ("overlap of rungs", f"{mixing.overlap:.3f}"),
        ("barrier", f"{mixing.barrier:.1f}"),
    ]
    return write_document(
        path,
        "thermodynamics.html",
        THERMODYNAMICS_SCRIPTS,
        thermodynamics_contents(found),
        title=clipped(title or "Thermodynamics"),
        facts=[("temperature of the search", f"{found.temperature:.1e}"), *facts],
        says=str(found),
        versions=versions(),
    )


def thermodynamics_contents(found: Any) -> dict[str, Any]:
    """JSON values for the script of the page about thermodynamics."""
    curves, recording = found.curves, found.recording
    ladder, overlaps, walks = recording.ladder, None, None
    if recording.overlaps.size:  # of several ladders: quantiles and histograms of q, on rungs with the whole energy
        whole = np.flatnonzero(ladder.coupling == 1)[::-1]  # the coldest first
        q = recording.overlaps[:, :, whole].reshape(-1, len(whole)).T
        overlaps = {
            "temperature": rounded(ladder.temperature[whole]),
            "bins": rounded((np.arange(N_BINS) + 0.5) / N_BINS),
            "shares": [rounded(np.histogram(row, N_BINS, (0, 1))[0] / len(row), 3) for row in q],
            "quantiles": rounded(np.quantile(q, [0.05, 0.5, 0.95], axis=1)),
        }
    places = recording.places()[:, 0]  # of the first ladder
    if (last := places.shape[1] - 1) > 0:  # rungs of replicas, 0 the coldest, at evenly spaced steps
        steps, replicas = evenly(len(places), MOST_STEPS), evenly(last + 1, MOST_REPLICAS)
        walks = {
            "step": (steps + 1).tolist(),
            "rungs": (last - places[np.ix_(steps, replicas)]).T.tolist(),
            "n_rungs": last + 1,
            "temperature": rounded(ladder.temperature[::-1]),
        }
    return {
        "classes": [],  # of rows, which this page has none of
        "temperature": rounded(curves.temperature),
        "curves": {name: rounded(getattr(curves, name)) for name in CURVES},
        "errors": {name: rounded(curves.errors[name]) for name in CURVES},
        "is_absolute": curves.is_absolute,
        "search": rounded(found.temperature),
        "freezing": rounded([curves.freezing.value, curves.freezing.error]),
        "overlaps": overlaps,
        "walks": walks,
    }
