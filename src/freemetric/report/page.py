"""The page: a template, one script, one style sheet, Plotly and the data, all in one file."""

import base64
import gzip
import hashlib
from importlib.resources import files
from pathlib import Path

from ..extras import require
from ..files.container import replacing
from . import charts, explain, space, summary, walk
from .encode import clipped, for_script
from .reading import collect

SCRIPTS = ("base", "figure", "space", "walk", "lines", "metric", "rows", "main")


def write(model, path, X=None, y=None, *, title=None, feature_names=None, class_names=None, most_rows=10_000):
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
    found = collect(model, X, y, feature_names=feature_names, class_names=class_names, most_rows=most_rows)
    html = render(jinja2, found, clipped(title or found.name), plotly.get_plotlyjs())
    path = Path(path)
    with replacing(path) as file:
        file.write(html.encode())
    return path


def render(jinja2, found, title, plotly):
    """The page as text."""
    shown = contents(found)
    script = "\n".join(static(f"{name}.js") for name in SCRIPTS)
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    return environment.from_string(static("page.html")).render(
        title=title,
        found=found,
        shown=shown,
        said=summary.captions(found, shown),
        facts=summary.facts(found, shown),
        diagnostics=walk.diagnostics(found),
        tried=charts.tried(found),
        policy=policy(script, plotly),
        style=static("page.css"),
        script=script,
        data=for_script(shown),
        plotly=base64.b64encode(gzip.compress(plotly.encode(), mtime=0)).decode(),
    )


def contents(found):
    """What the page's script reads."""
    return {
        "classes": space.classes(found),
        "rows": space.rows(found),
        "spaces": space.spaces(found),
        "motion": walk.motion(found),
        "traces": walk.traces(found),
        "metric": charts.metric(found),
        "importance": charts.importance(found),
        "curves": charts.error_curves(found),
        "confusion": charts.confused(found),
        "explanations": explain.explanations(found),
    }


def policy(*scripts):
    """A content security policy under which these scripts run, no others, and nothing is fetched."""
    digests = (base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts)
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests)
    styles = "style-src 'unsafe-inline'; img-src data: blob:"
    return f"default-src 'none'; script-src {allowed}; {styles}; base-uri 'none'; form-action 'none'"


def static(name):
    return (files(__package__) / "static" / name).read_text(encoding="utf-8")
