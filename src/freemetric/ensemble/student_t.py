"""A class density with heavy tails: Student's t around the centre of every class."""

import numpy as np
from scipy.special import softmax

from .beside import ArrayClassifier

ROUNDNESS = 1e-4  # share of a sphere in every covariance: directions may not vary
FARTHEST = 1e300  # squared distance, so that differences stay numbers


class StudentTClassifier(ArrayClassifier):
    r"""Classify by the distance to the centre of every class, with heavy tails.

    With Mahalanobis' distance :math:`D_c` to the centre of class c in its covariance
    :math:`S_c`, the probability is

    .. math:: P(c | x) \propto \exp(-F_c(x)), \qquad
        \sqrt d F_c(x) = d \log(1 + D_c(x)^2 / d) + \tfrac12 \log |S_c|.

    :math:`\sqrt d F_c` is the negative logarithm of Student's density with d degrees of
    freedom, up to a constant. The root of d keeps probabilities moderate. The
    covariance is that of the class, shrunk towards the one within all classes as if the
    latter had been seen on d samples, and a little towards a sphere. Classes count
    alike, whatever their sizes. A fit costs O(N d^2 + C d^3) for C classes.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels.
    centres_ : ndarray of shape (n_classes, n_features)
        Means of the classes.
    roots_ : ndarray of shape (n_classes, n_features, n_features)
        :math:`D_c = |(x - \mathrm{centre}_c)\, \mathrm{root}_c|`.
    half_log_dets_ : ndarray of shape (n_classes,)
        :math:`\tfrac12 \log |S_c|`.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X had names of text.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from freemetric.ensemble import StudentTClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> StudentTClassifier().fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.9
    True
    """

    def _learn(self, X, y, n_classes, weights):
        middle = np.average(X, axis=0, weights=weights)
        spread = np.sqrt(np.average((X - middle) ** 2, axis=0, weights=weights))
        spread = np.where(spread > 0, spread, 1.0)
        Z = (X - middle) / spread
        centres, shapes = class_moments(Z, y, weights, n_classes)
        lower = np.linalg.cholesky(shapes)
        inverse = np.linalg.inv(lower).swapaxes(1, 2)
        self.centres_ = middle + centres * spread
        self.roots_ = np.ascontiguousarray(inverse / spread[:, None])
        self.half_log_dets_ = np.log(np.diagonal(lower, axis1=1, axis2=2)).sum(axis=1)

    def proba_of(self, X):
        """Return probabilities (n, n_classes) of samples X, an array of numbers."""
        n_classes, d = self.centres_.shape
        squares = np.empty((len(X), n_classes))
        with np.errstate(over="ignore", invalid="ignore"):
            for c, root in enumerate(self.roots_):
                squares[:, c] = (((X - self.centres_[c]) @ root) ** 2).sum(axis=1)
        squares = np.nan_to_num(squares, nan=FARTHEST, posinf=FARTHEST)
        cost = (d * np.log1p(squares / d) + self.half_log_dets_) / np.sqrt(d)
        return softmax(-cost, axis=1)


def class_moments(Z, y, w, n_classes):
    """Centres (C, d) and shrunk covariances (C, d, d) of standardised samples Z."""
    d = Z.shape[1]
    sizes = np.bincount(y, w, n_classes)
    centres = np.array([w[y == c] @ Z[y == c] for c in range(n_classes)])
    centres /= np.maximum(sizes, np.finfo(float).tiny)[:, None]
    residuals = (Z - centres[y]) * np.sqrt(w)[:, None]
    scatters = np.array(
        [residuals[y == c].T @ residuals[y == c] for c in range(n_classes)]
    )
    within = scatters.sum(axis=0) / sizes.sum()
    shapes = (scatters + d * within) / (sizes + d)[:, None, None]
    mean_variance = np.trace(shapes, axis1=1, axis2=2) / d
    mean_variance = np.maximum(mean_variance, np.finfo(np.float32).eps)
    sphere = mean_variance[:, None, None] * np.eye(d)
    return centres, (1 - ROUNDNESS) * shapes + ROUNDNESS * sphere
