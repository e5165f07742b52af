"""What a fitted estimator tells about itself: a report as a method, and in a notebook what it has learned."""

from importlib import import_module

from .card import card


class Reportable:
    """An estimator with ``report``, and with a card below scikit-learn's diagram."""

    def _repr_html_inner(self):
        return super()._repr_html_inner() + card(self)

    def _repr_mimebundle_(self, **kwargs):
        bundle = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle:  # not where scikit-learn is told to display texts
            bundle["text/html"] += card(self)
        return bundle

    def report(self, path, X=None, y=None, **options):
        """Write a report: one HTML page about the learned space and the run, which opens without a network.

        Parameters
        ----------
        path : path-like
            File to write.
        X : array-like of shape (n_samples, n_features) or None, default=None
            Patterns to show; None takes those that the model has kept, if any.
        y : array-like of shape (n_samples,) or None, default=None
            Their labels.
        **options : dict
            Those of :func:`freemetric.report.write`.

        Returns
        -------
        path : Path
            The file.
        """
        # The report knows learners and not the other way round; it is looked up when it is wanted.
        return import_module("freemetric.report").write(self, path, X, y, **options)
