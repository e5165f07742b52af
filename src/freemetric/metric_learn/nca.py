"""NCA under metric-learn's names."""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from .. import learners
from .points import PointsLearner
from .starts import start

TOL = 1e-7  # where metric-learn goes on as far as scipy does


class NCA(PointsLearner):
    """Neighbourhood components analysis, by :class:`freemetric.NCA`.

    Parameters
    ----------
    init : {"auto", "pca", "lda", "identity", "random"} or array of shape (n_components, n_features), default="auto"
        Where the search begins. "auto": "lda" where there are more classes than components, else "pca" where there are
        fewer components than features and points, else "identity".
    n_components : int or None, default=None
        Dimension of the learned space; None keeps the number of features.
    max_iter : int, default=100
        Most iterations of L-BFGS.
    tol : float or None, default=None
        Stop when an iteration lowers the expected error by less; None: 1e-7, about where metric-learn's ends.
    verbose : bool, default=False
        Log every iteration.
    preprocessor : array-like of shape (n_points, n_features), callable or None, default=None
        What turns indicators into points.
    random_state : int, RandomState or None, default=None
        Seed of a random start.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map L.
    n_iter_ : int
        Iterations.
    n_features_in_ : int
        Features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X has any.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from freemetric.metric_learn import NCA
    >>> X, y = load_iris(return_X_y=True)
    >>> NCA(n_components=2).fit(X, y).get_mahalanobis_matrix().shape
    (4, 4)
    """

    _found = ("n_iter_",)

    def __init__(
        self,
        init="auto",
        n_components=None,
        max_iter=100,
        tol=None,
        verbose=False,
        preprocessor=None,
        random_state=None,
    ):
        self.init = init
        self.n_components = n_components
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose
        self.preprocessor = preprocessor
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn the map from labels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples,)
            Points, or indicators of points.
        y : array-like of shape (n_samples,)
            Class labels.

        Returns
        -------
        self : object
        """
        points, labels = self._points(X, y)
        learner = learners.NCA(
            self.n_components,
            init=start(self.init, points, self.n_components, len(np.unique(labels))),
            max_iter=self.max_iter,
            tol=TOL if self.tol is None else self.tol,
            verbose=self.verbose,
            random_state=self.random_state,
        )
        return self._learn_by(learner, points, labels)
