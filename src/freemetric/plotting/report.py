"""One HTML page about a fitted model, which opens without a network."""

import base64
import hashlib
import os
import uuid
from importlib.resources import files
from itertools import chain
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from ..exceptions import require
from .sections import sections_of

# Draws the figures in the order of their places.
SCRIPT = """
const { figures } = JSON.parse(document.getElementById("figures").textContent);
document.querySelectorAll(".figure").forEach((place, i) =>
  Plotly.newPlot(place, figures[i].data, figures[i].layout,
    {responsive: true, displayModeBar: false}));
"""


def report(
    model: Any,
    path: str | os.PathLike,
    X: Any = None,
    y: ArrayLike | None = None,
    title: str | None = None,
) -> Path:
    """Write one HTML page about a fitted model. It opens without a network.

    The page has the model's score, what votes, the importances or the metric, samples
    in the learned space, predictions beside the truth, the Monte Carlo run, and
    neighbours of rows: whatever the model and the samples allow.

    Parameters
    ----------
    model : estimator
        A fitted metric learner, ensemble or MetricKNeighbors model, a model of tables,
        or a pipeline with one.
    path : path-like
        File to write. An existing file is replaced once the new one is complete.
    X : array-like or DataFrame of shape (n_samples, n_features) or None, default=None
        Samples, as the model takes them. Those that an ensemble was fitted on are
        predicted out of bag. None shows the training samples of an ensemble.
    y : array-like of shape (n_samples,) or None, default=None
        Their labels or targets.
    title : str or None, default=None
        Title of the page; None is the name of the model.

    Returns
    -------
    path : Path
        The file.

    Examples
    --------
    >>> import tempfile
    >>> from sklearn.datasets import load_iris
    >>> from freemetric import LFDA
    >>> from freemetric.plotting import report
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = LFDA().fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     report(model, f"{folder}/iris.html", X, y).name
    'iris.html'
    """
    require("jinja2", "report")
    require("plotly", "report")
    path = Path(path)
    if not path.parent.is_dir():
        raise FileNotFoundError(f"There is no folder {path.parent} to write to.")
    page = render(title or type(model).__name__, sections_of(model, X, y))
    write_atomically(path, page)
    return path


def render(title: str, sections: list[Any]) -> str:
    """Return the page. Texts are escaped, and no script but its own two can run."""
    jinja2 = require("jinja2", "report")
    plotly = require("plotly.offline", "report").get_plotlyjs()
    # plotly escapes <, > and / in texts, so that nothing in them ends the script.
    to_json = require("plotly.io", "report").to_json
    figures = list(chain.from_iterable(section.figures for section in sections))
    template = (files(__package__) / "page.html").read_text(encoding="utf-8")
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    return environment.from_string(template).render(
        title=title,
        sections=sections,
        plotly=plotly,
        script=SCRIPT,
        figures=to_json({"figures": figures}, validate=False),
        policy=policy_of(plotly, SCRIPT),
    )


def policy_of(*scripts: str) -> str:
    """Return a content security policy: these scripts run, and nothing is fetched."""
    hashes = []
    for script in scripts:
        digest = hashlib.sha256(script.encode()).digest()
        hashes.append(f"'sha256-{base64.b64encode(digest).decode()}'")
    return (
        f"default-src 'none'; script-src {' '.join(hashes)}; "
        "style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )


def write_atomically(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    draft = path.with_name(f".{path.name}.{uuid.uuid4().hex}.tmp")
    try:
        draft.write_text(text, encoding="utf-8")
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)
