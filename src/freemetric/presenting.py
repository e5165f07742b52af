"""How a fitted estimator shows itself: a report as a method, and a card in notebooks.

Reports and cards are made by packages above the estimators. ``freemetric/__init__.py`` puts their functions into
``PROVIDED``, so that no import runs upwards.
"""

from collections.abc import Callable
from os import PathLike
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # this module is imported with the package, numpy is not
    from pathlib import Path

    from numpy.typing import ArrayLike

PROVIDED: dict[str, Callable[..., Any]] = {}
"""``card(model)``, a few lines of HTML; ``report(model, path, X, y, **options)``; ``saved()``, which registers our
classes with model files."""


class Presented:
    """An estimator with ``report``, and with a card below scikit-learn's diagram."""

    def _repr_html_inner(self):
        inner = super()._repr_html_inner()  # type: ignore[misc]  # of the estimator that this is mixed into
        return inner + PROVIDED["card"](self)

    def _repr_mimebundle_(self, **kwargs):
        bundle = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]  # of the estimator as well
        if "text/html" in bundle:  # not where scikit-learn displays texts
            bundle["text/html"] += PROVIDED["card"](self)
        return bundle

    def report(
        self, path: str | PathLike, X: "ArrayLike | None" = None, y: "ArrayLike | None" = None, **options: Any
    ) -> "Path":
        """Write a report: one HTML page about the learned space and the run, which opens without a network.

        Parameters
        ----------
        path : path-like
            File to write.
        X : array-like of shape (n_samples, n_features) or None, default=None
            Samples to show; None takes those that the model has kept, if any.
        y : array-like of shape (n_samples,) or None, default=None
            Their labels.
        **options : dict
            Those of :func:`freemetric.report.write`.

        Returns
        -------
        path : Path
            The file.
        """
        return PROVIDED["report"](self, path, X, y, **options)
