"""NeighborsCurveDisplay: error against the number of neighbours that vote."""

import numpy as np
from sklearn.utils import check_consistent_length, column_or_1d

from ..bench.extras import require
from ..learners.votes import shares
from .learned import part_with, passed
from .style import COLORS, MARKERS, keep, legend_above, panels


class NeighborsCurveDisplay:
    """Error of a classifier by votes against the number k of neighbours.

    The curve that chose k comes from the training patterns alone: out-of-bag votes, or inner folds. Given test
    patterns, their error stands beside it, and the distance between both is what the choice has cost. Make one with
    :meth:`from_estimator` or :meth:`from_predictions`.

    Parameters
    ----------
    curves : dict of {str: (ndarray, ndarray)}
        Numbers of neighbours and errors, as shares, by the name of the curve.
    n_neighbors : int or None, default=None
        The chosen k, to be marked.

    Attributes
    ----------
    ax_ : Axes
        What was drawn on.
    figure_ : Figure
        The figure around it.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import MinMaxScaler
    >>> from freemetric import NCA, MetricKNeighborsClassifier
    >>> from freemetric.display import NeighborsCurveDisplay
    >>> X, y = load_wine(return_X_y=True)
    >>> model = MetricKNeighborsClassifier(make_pipeline(MinMaxScaler(), NCA()), random_state=0).fit(X[::2], y[::2])
    >>> display = NeighborsCurveDisplay.from_estimator(model, X[1::2], y[1::2])
    >>> list(display.curves)
    ['inner folds', 'test patterns']
    """

    def __init__(self, curves, *, n_neighbors=None):
        self.curves = curves
        self.n_neighbors = n_neighbors

    @classmethod
    def from_estimator(cls, estimator, X=None, y=None, *, most_neighbors=40, ax=None, **kwargs):
        """Draw the curve that chose k and, given test patterns, theirs.

        Parameters
        ----------
        estimator : FreeEnergyClassifier, MetricKNeighborsClassifier, or a pipeline with one
            Fitted.
        X : array-like of shape (n_samples, n_features) or None, default=None
            Test patterns.
        y : array-like of shape (n_samples,) or None, default=None
            Their labels.
        most_neighbors : int, default=40
            Largest number of neighbours for the test patterns.
        ax : Axes or None, default=None
            Where to draw; None makes a figure.
        **kwargs : dict
            For ``Axes.plot``.

        Returns
        -------
        display : NeighborsCurveDisplay
        """
        front, classifier = part_with(estimator, ("votes",), "a classifier by votes, such as FreeEnergyClassifier")
        if (X is None) != (y is None):
            raise ValueError("Test patterns need both X and y.")
        curves = kept_curve(classifier)
        if X is not None:
            votes = classifier.votes(passed(front, X), most_neighbors)
            curves["test patterns"] = error_curve(y, votes, classifier.classes_)
        if not curves:
            raise ValueError(f"{type(classifier).__name__} was given its k and kept no curve; give X and y.")
        return cls(curves, n_neighbors=classifier.n_neighbors_).plot(ax, **kwargs)

    @classmethod
    def from_predictions(cls, y_true, votes, *, classes=None, n_neighbors=None, name="votes", ax=None, **kwargs):
        """Draw the error of votes that are already there.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Labels.
        votes : array-like of shape (n_samples, n_neighbors, n_classes)
            What the method ``votes`` of a classifier returns: row k - 1 counts the classes of the k nearest.
        classes : array-like of shape (n_classes,) or None, default=None
            Labels of the columns; None takes the sorted labels in ``y_true``.
        n_neighbors : int or None, default=None
            A number of neighbours to mark.
        name : str, default="votes"
            Name of the curve.
        ax : Axes or None, default=None
            Where to draw; None makes a figure.
        **kwargs : dict
            For ``Axes.plot``.

        Returns
        -------
        display : NeighborsCurveDisplay
        """
        curve = error_curve(y_true, votes, np.unique(y_true) if classes is None else np.asarray(classes))
        return cls({name: curve}, n_neighbors=n_neighbors).plot(ax, **kwargs)

    def plot(self, ax=None, **kwargs):
        """Draw.

        Parameters
        ----------
        ax : Axes or None, default=None
            Where to draw; None makes a figure.
        **kwargs : dict
            For ``Axes.plot``.

        Returns
        -------
        display : NeighborsCurveDisplay
        """
        axes = panels(ax, figsize=(6.2, 4))
        axis = axes[0]
        for i, (name, (k, error)) in enumerate(self.curves.items()):
            style = {"color": COLORS[i], "marker": MARKERS[i], "markersize": 4, "label": name}
            axis.plot(k, 100 * np.asarray(error), **{**style, **kwargs})
        if self.n_neighbors is not None:
            label = f"chosen: k = {self.n_neighbors}"
            axis.axvline(self.n_neighbors, color=COLORS[6], linestyle="--", linewidth=1.2, label=label, zorder=1)
        axis.set(xlabel="number of neighbours k", ylabel="error in %")
        axis.xaxis.set_major_locator(require("matplotlib.ticker").MaxNLocator(integer=True))
        axis.set(xlim=(0.3, None), ylim=(max(0, axis.get_ylim()[0]), None))
        axis.spines[["top", "right"]].set_visible(False)
        legend_above(axis)
        return keep(self, axes)


def kept_curve(classifier):
    """The curve that chose k, by its name; none where k was given. The only place that knows how fits keep it."""
    selection = getattr(classifier, "selection_", {})
    names = {"oob_error": "out of bag", "error": "inner folds"}
    return {name: (selection["n_neighbors"], selection[key]) for key, name in names.items() if key in selection}


def error_curve(y, votes, classes):
    """Numbers of neighbours and the share of wrong majorities for each; ties are decided as the classifiers do."""
    y, votes = column_or_1d(y), np.asarray(votes)
    check_consistent_length(y, votes)
    if votes.ndim != 3 or votes.shape[2] != len(classes):
        raise ValueError(f"votes must have shape (n_samples, n_neighbors, {len(classes)}); got {votes.shape}.")
    predicted = classes[shares(votes).argmax(axis=2)]
    return np.arange(1, votes.shape[1] + 1), (predicted != y[:, None]).mean(axis=0)
