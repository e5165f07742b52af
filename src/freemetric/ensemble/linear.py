"""Linear models beside the votes: logistic and ridge regression, and a surface."""

import warnings

import numpy as np
from scipy.special import softmax
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.preprocessing import StandardScaler

from .stacking import ArrayClassifier, ArrayRegressor

ALPHAS = np.logspace(-2, 5, 15)


class LinearClassifier(ArrayClassifier):
    """Logistic regression on standardised features.

    Parameters
    ----------
    C : float, default=0.1
        Inverse strength of the ridge, as in scikit-learn's LogisticRegression.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels.
    coef_ : ndarray of shape (n_features, n_classes)
        Slopes of the logits, of features in their own units.
    intercept_ : ndarray of shape (n_classes,)
        Logits at zero.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X had names of text.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from freemetric.ensemble import LinearClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> LinearClassifier().fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.95
    True
    """

    def __init__(self, C=0.1):
        self.C = C

    def _learn(self, X, y, n_classes, weights):
        scaler = StandardScaler().fit(X)
        line = LogisticRegression(C=self.C, max_iter=200)
        with warnings.catch_warnings():
            # A fit that has nearly converged is good enough.
            warnings.simplefilter("ignore", ConvergenceWarning)
            line.fit(scaler.transform(X), y, sample_weight=weights)
        slopes, base = line.coef_.T, line.intercept_
        if n_classes == 2:  # one logit, of the second class
            slopes = np.column_stack([np.zeros(len(slopes)), slopes])
            base = np.append(0.0, base)
        self.coef_ = slopes / scaler.scale_[:, None]
        self.intercept_ = base - scaler.mean_ @ self.coef_

    def proba_of(self, X):
        """Return probabilities (n, n_classes) of samples X, an array of numbers."""
        return softmax(X @ self.coef_ + self.intercept_, axis=1)


def ridge_line(columns, targets, weights):
    """Slopes and base of a ridge regression on standardised columns.

    Generalised cross-validation chooses the strength of the ridge. A single row has no
    slopes.
    """
    if len(targets) == 1:
        return np.zeros(columns.shape[1]), float(targets[0])
    scaler = StandardScaler().fit(columns)
    line = RidgeCV(ALPHAS).fit(scaler.transform(columns), targets, weights)
    slopes = line.coef_ / scaler.scale_
    return slopes, float(line.intercept_ - slopes @ scaler.mean_)


class LineRegressor(ArrayRegressor):
    """Ridge regression on standardised features.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Slopes.
    intercept_ : float
        The value at zero.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X had names of text.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from freemetric.ensemble import LineRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> LineRegressor().fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.4
    True
    """

    def _learn(self, X, y, weights):
        self.coef_, self.intercept_ = ridge_line(X, y, weights)

    def values_of(self, X):
        """Return targets (n,) of samples X, an array of numbers."""
        return X @ self.coef_ + self.intercept_


class SurfaceRegressor(ArrayRegressor):
    """A surface of second degree: ridge regression on features and their products.

    Features are scaled to a range from -1/2 to 1/2 before they are multiplied, and
    clipped to it: beyond the training samples the surface is flat. A fit costs
    O(N d^4 + d^6).

    Attributes
    ----------
    centre_, span_ : ndarray of shape (n_features,)
        Middles and widths of the ranges.
    coef_ : ndarray of shape (n_features + n_features (n_features + 1) / 2,)
        Slopes of the scaled features, and of products of two.
    intercept_ : float
        The value at the centre.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X had names of text.

    Examples
    --------
    >>> import numpy as np
    >>> from freemetric.ensemble import SurfaceRegressor
    >>> X = np.random.default_rng(0).normal(size=(100, 3))
    >>> y = X[:, 0] * X[:, 1] + X[:, 2] ** 2
    >>> SurfaceRegressor().fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.9
    True
    """

    def _learn(self, X, y, weights):
        low = X.min(axis=0)
        span = X.max(axis=0) - low
        self.centre_ = low + span / 2
        self.span_ = np.where(span > 0, span, 1.0)
        self.coef_, self.intercept_ = ridge_line(self._columns(X), y, weights)

    def _columns(self, X):
        with np.errstate(over="ignore"):
            V = np.clip((X - self.centre_) / self.span_, -0.5, 0.5)
        first, second = np.triu_indices(X.shape[1])
        return np.hstack([V, V[:, first] * V[:, second]])

    def values_of(self, X):
        """Return targets (n,) of samples X, an array of numbers."""
        return self._columns(X) @ self.coef_ + self.intercept_
