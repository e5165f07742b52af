"""The report of a model as a page."""

from os import PathLike
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from . import panels, predictions, summary
from .collect import collect
from .document import check_beforehand, clipped, write_document
from .findings import Findings

SCRIPTS = ("base", "figure", "space", "walk", "lines", "metric", "targets", "target_rows", "rows", "opening", "main")


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
