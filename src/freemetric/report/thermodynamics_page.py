"""The page about the thermodynamics of a model: its curves, overlaps of replicas, and their walk over temperatures."""

from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from .document import check_beforehand, clipped, evenly, rounded, versions, write_document

SCRIPTS = ("base", "figure", "opening", "thermodynamics")
CURVES = ("free_energy", "energy", "entropy", "heat_capacity")
N_BINS = 25  # of P(q)
MOST_STEPS, MOST_REPLICAS = 400, 12  # of the walks that are drawn


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
        SCRIPTS,
        contents(found),
        title=clipped(title or "Thermodynamics"),
        facts=[("temperature of the search", f"{found.temperature:.1e}"), *facts],
        says=str(found),
        versions=versions(),
    )


def contents(found: Any) -> dict[str, Any]:
    """JSON values for the page's script."""
    curves, recording = found.curves, found.recording
    frozen = curves.freezing
    return {
        "classes": [],  # of rows, which this page has none of
        "temperature": rounded(curves.temperature),
        "curves": {name: rounded(getattr(curves, name)) for name in CURVES},
        "errors": {name: rounded(curves.errors[name]) for name in CURVES},
        "is_absolute": curves.is_absolute,
        "search": rounded(found.temperature),
        "freezing": rounded([frozen.value, frozen.error]),
        "overlaps": _overlaps(recording),
        "walks": _walks(recording),
    }


def _overlaps(recording):
    """Rungs with the whole energy: their temperatures, quantiles and histograms of q; None without several ladders."""
    if not recording.overlaps.size:
        return None
    whole = np.flatnonzero(recording.ladder.coupling == 1)[::-1]  # the coldest first
    q = recording.overlaps[:, :, whole].reshape(-1, len(whole)).T
    shares = [np.histogram(row, bins=N_BINS, range=(0, 1))[0] / len(row) for row in q]
    return {
        "temperature": rounded(recording.ladder.temperature[whole]),
        "bins": rounded((np.arange(N_BINS) + 0.5) / N_BINS),
        "shares": [rounded(row, 3) for row in shares],
        "quantiles": [rounded(row) for row in np.quantile(q, [0.05, 0.5, 0.95], axis=1)],
    }


def _walks(recording):
    """Rungs of replicas of the first ladder, 0 the coldest, at evenly spaced steps; None on one rung."""
    places = recording.places()[:, 0]
    last = places.shape[1] - 1
    if last == 0:
        return None
    steps, replicas = evenly(len(places), MOST_STEPS), evenly(last + 1, MOST_REPLICAS)
    return {
        "step": (steps + 1).tolist(),
        "rungs": (last - places[np.ix_(steps, replicas)]).T.tolist(),
        "n_rungs": last + 1,
        "temperature": rounded(recording.ladder.temperature[::-1]),
    }
