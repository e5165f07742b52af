"""The page about a model: the space, the run, what matters, the metric, single rows."""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from . import explain, monte_carlo_panel, panels, summary
from .collect import collect
from .document import check_beforehand, clipped, write_document
from .findings import Findings
from .shown_rows import UserColumns

SCRIPTS = ("base", "figure", "space", "walk", "lines", "metric", "numbers", "number_rows", "rows", "opening", "main")


def write(
    model: Any,
    path: str | PathLike,
    X: Any = None,
    y: ArrayLike | None = None,
    *,
    title: str | None = None,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
    most_rows: int = 10_000,
    columns: UserColumns | None = None,
) -> Path:
    """Write a report about a fitted model: one HTML page that needs no network.

    Parameters
    ----------
    model : estimator
        A fitted metric learner, MetricKNeighborsClassifier, FreeEnergyClassifier, FreeEnergyRegressor, or a pipeline
        with one.
    path : path-like
        File to write. One that is there already is replaced, once the new one is complete.
    X : array-like of shape (n_samples, n_features) or None, default=None
        Samples to show, as the model takes them. None takes those that the model has kept from its fit; a metric
        learner keeps none, and the page then shows the metric and the run alone.
    y : array-like of shape (n_samples,) or None, default=None
        Their labels or targets.
    title : str or None, default=None
        Title of the page; None is the model's name.
    feature_names : sequence of str or None, default=None
        Names of the features that the map sees; None takes those of fit.
    class_names : sequence of str or None, default=None
        Names of the sorted labels; None takes the labels.
    most_rows : int, default=10_000
        Rows to show at most. Of more a random sample is shown, and the page says so.
    columns : UserColumns or None, default=None
        The user's columns behind the features, where the caller knows more of them than X says: how a name became
        several features, and what the cells were. Models of tables give their own.

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
    findings = collect(
        model, X, y, feature_names=feature_names, class_names=class_names, most_rows=most_rows, columns=columns
    )
    return write_findings(findings, path, title)


def write_findings(findings: Findings, path: str | PathLike, title: str | None = None) -> Path:
    """Write the report about what ``collect`` has found."""
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
        diagnostics=monte_carlo_panel.diagnostics(findings),
        tried=panels.tried(findings),
    )


def contents(findings: Findings) -> dict[str, Any]:
    """What the page's script reads."""
    return {
        "classes": panels.classes(findings.class_names or ["all rows"]),
        "rows": panels.rows(findings),
        "spaces": panels.spaces(findings),
        "motion": monte_carlo_panel.motion(findings),
        "traces": monte_carlo_panel.traces(findings),
        "metric": panels.metric(findings),
        "importances": panels.importances(findings),
        "weights": panels.weights(findings),
        "curves": panels.error_curves(findings),
        "confusion": panels.confused(findings),
        "numbers": panels.targets(findings),
        "explanations": explain.explanations(findings),
    }
