"""The page: a template, one script, one style sheet, Plotly and the data, all in one file."""

import base64
import gzip
import hashlib
from collections.abc import Sequence
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from ..extras import require
from ..files.atomic import replacing
from . import charts, explain, monte_carlo_panel, space, summary
from .encode import clipped, for_script
from .findings import Findings
from .reading import UserColumns, collect

SCRIPTS = ("base", "figure", "space", "walk", "lines", "metric", "rows", "main")


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
        A fitted metric learner, MetricKNeighborsClassifier, FreeEnergyClassifier, or a pipeline with one.
    path : path-like
        File to write. One that is there already is replaced, once the new one is complete.
    X : array-like of shape (n_samples, n_features) or None, default=None
        Patterns to show, as the model takes them. None takes those that the model has kept from its fit; a metric
        learner keeps none, and the page then shows the metric and the run alone.
    y : array-like of shape (n_samples,) or None, default=None
        Their labels.
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
    jinja2, plotly = require("jinja2", "report"), require("plotly.offline", "report")
    if y is not None and X is None:
        raise ValueError("y are the labels of X; give both.")
    findings = collect(
        model, X, y, feature_names=feature_names, class_names=class_names, most_rows=most_rows, columns=columns
    )
    html = render(jinja2, findings, clipped(title or findings.name), plotly.get_plotlyjs())
    path = Path(path)
    with replacing(path) as file:
        file.write(html.encode())
    return path


def render(jinja2: Any, findings: Findings, title: str, plotly: str) -> str:
    """The page as text."""
    shown = contents(findings)
    script = "\n".join(static(f"{name}.js") for name in SCRIPTS)
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    return environment.from_string(static("page.html")).render(
        title=title,
        findings=findings,
        shown=shown,
        captions=summary.captions(findings, shown),
        facts=summary.facts(findings, shown),
        diagnostics=monte_carlo_panel.diagnostics(findings),
        tried=charts.tried(findings),
        policy=policy(script, plotly),
        style=static("page.css"),
        script=script,
        data=for_script(shown),
        plotly=base64.b64encode(gzip.compress(plotly.encode(), mtime=0)).decode(),
    )


def contents(findings: Findings) -> dict[str, Any]:
    """What the page's script reads."""
    return {
        "classes": space.classes(findings),
        "rows": space.rows(findings),
        "spaces": space.spaces(findings),
        "motion": monte_carlo_panel.motion(findings),
        "traces": monte_carlo_panel.traces(findings),
        "metric": charts.metric(findings),
        "importances": charts.importances(findings),
        "weights": charts.weights(findings),
        "curves": charts.error_curves(findings),
        "confusion": charts.confused(findings),
        "explanations": explain.explanations(findings),
    }


def policy(*scripts: str) -> str:
    """A content security policy under which these scripts run, no others, and nothing is fetched."""
    digests = (base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts)
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests)
    styles = "style-src 'unsafe-inline'; img-src data: blob:"
    return f"default-src 'none'; script-src {allowed}; {styles}; base-uri 'none'; form-action 'none'"


def static(name: str) -> str:
    """The text of a file that stands beside this one."""
    return (files(__package__) / "static" / name).read_text(encoding="utf-8")
