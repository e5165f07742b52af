"""Every class as a well around its centre, with a shape of its own."""

import numpy as np

from ..files.checks import check_array, require
from .basins import Basins, register_basins, weights_by_class

MOST_NUMBERS = 1_000_000  # of all matrices together
ROUNDNESS = 0.01  # share of a sphere in every covariance, which holds directions that hardly vary
FARTHEST = 1e300  # squared distance, so that differences of energies are numbers


class Wells(Basins):
    r"""F_c(x) = d log(1 + D_c^2 / d) + log|S_c| / 2, with Mahalanobis' distance D_c to the centre of class c.

    The covariance S_c is that of the class, shrunk towards the one within all classes as if the latter had been seen on
    d patterns, and a little towards a sphere. Near its centre the well is harmonic, as that of a Gaussian; far away it
    rises with the logarithm of the distance, so that a far pattern is not certain to be of the widest class. Up to a
    constant this is the logarithm of Student's density with d degrees of freedom.

    It finds what nearest neighbours miss: of two classes around the same point, the wider one is far more often met
    outside, but its patterns have more neighbours of the denser class.

    Parameters
    ----------
    centres : ndarray of shape (n_classes, n_features)
        Where the wells are.
    roots : ndarray of shape (n_classes, n_features, n_features)
        D_c = ``|(x - centre) @ root|``.
    depths : ndarray of shape (n_classes,)
        log|S_c| / 2.
    """

    words = "the distance to the centre"

    def __init__(self, centres, roots, depths):
        self.centres, self.roots, self.depths = centres, roots, depths

    @classmethod
    def affordable(cls, n_features, n_classes):
        return n_classes * n_features**2 <= MOST_NUMBERS

    @classmethod
    def of(cls, X, y, n_classes, weights=None):
        d, W = X.shape[1], weights_by_class(y, n_classes, weights)
        w = W.sum(axis=1)
        middle = np.average(X, axis=0, weights=w)
        spread = np.sqrt(np.average((X - middle) ** 2, axis=0, weights=w))
        spread = np.where(spread > 0, spread, 1.0)
        Z = (X - middle) / spread
        sizes = W.sum(axis=0)
        centres = W.T @ Z / np.maximum(sizes, np.finfo(float).tiny)[:, None]  # the middle where a class has no rows
        R = (Z - centres[y]) * np.sqrt(w)[:, None]
        scatters = np.array([R[y == c].T @ R[y == c] for c in range(n_classes)])
        within = scatters.sum(axis=0) / sizes.sum()
        shapes = (scatters + d * within) / (sizes + d)[:, None, None]
        roundness = np.maximum(np.trace(shapes, axis1=1, axis2=2) / d, np.finfo(np.float32).eps)
        shapes = (1 - ROUNDNESS) * shapes + ROUNDNESS * roundness[:, None, None] * np.eye(d)
        lower = np.linalg.cholesky(shapes)
        roots = np.ascontiguousarray(np.swapaxes(np.linalg.inv(lower), 1, 2)) / spread[:, None]  # as files keep them
        depths = np.log(np.diagonal(lower, axis1=1, axis2=2)).sum(axis=1)
        return cls(middle + centres * spread, roots, depths)

    @property
    def shape(self):
        return self.centres.shape

    def __call__(self, X):
        d, out = X.shape[1], np.empty((len(X), len(self.depths)))
        with np.errstate(over="ignore", invalid="ignore"):
            for c, (centre, root) in enumerate(zip(self.centres, self.roots, strict=True)):
                out[:, c] = (((X - centre) @ root) ** 2).sum(axis=1)
        apart = np.nan_to_num(out, nan=FARTHEST, posinf=FARTHEST)
        return (d * np.log1p(apart / d) + self.depths) / np.sqrt(d)

    @classmethod
    def from_state(cls, state):
        centres, roots, depths = state["centres"], state["roots"], state["depths"]
        check_array(centres, "centres of Wells", 2)
        require(centres.size, "centres of Wells", "are none")
        C, d = centres.shape
        check_array(roots, "roots of Wells", 3, (C, d, d))
        check_array(depths, "depths of Wells", 1, (C,))
        return cls(centres, roots, depths)


register_basins("wells", Wells)
