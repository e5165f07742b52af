"""LMNN under metric-learn's names."""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from .. import learners
from .points import PointsLearner
from .renamed import DEPRECATED, renamed
from .starts import start


class LMNN(PointsLearner):
    """Large margin nearest neighbours, by :class:`freemetric.LMNN`.

    Parameters
    ----------
    init : {"auto", "pca", "lda", "identity", "random"} or array of shape (n_components, n_features), default="auto"
        Where the search begins. "auto": "lda" where there are more classes than components, else "pca" where there are
        fewer components than features and points, else "identity".
    n_neighbors : int, default=3
        Target neighbours of each point.
    min_iter : int, default=50
        Not used: L-BFGS needs no least number of iterations.
    max_iter : int, default=1000
        Most iterations.
    learn_rate : float, default=1e-7
        Not used: L-BFGS finds the length of its steps.
    regularization : float in [0, 1), default=0.5
        Weight of the pull towards the targets against the push of the impostors.
    convergence_tol : float, default=0.001
        Stop when an iteration lowers the mean loss of a point by less than a tenth of this.
    verbose : bool, default=False
        Log every iteration.
    preprocessor : array-like of shape (n_points, n_features), callable or None, default=None
        What turns indicators into points.
    n_components : int or None, default=None
        Dimension of the learned space; None keeps the number of features.
    random_state : int, RandomState or None, default=None
        Seed of a random start.
    k : int, default="deprecated"
        The old name of ``n_neighbors``.

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
    >>> from freemetric.metric_learn import LMNN
    >>> X, y = load_iris(return_X_y=True)
    >>> LMNN(n_neighbors=5, learn_rate=1e-6).fit(X, y).components_.shape
    (4, 4)
    """

    _names = {"tol": "convergence_tol"}
    _found = ("n_iter_",)

    def __init__(
        self,
        init="auto",
        n_neighbors=3,
        min_iter=50,
        max_iter=1000,
        learn_rate=1e-7,
        regularization=0.5,
        convergence_tol=0.001,
        verbose=False,
        preprocessor=None,
        n_components=None,
        random_state=None,
        k=DEPRECATED,
    ):
        self.init = init
        self.n_neighbors = n_neighbors
        self.min_iter = min_iter
        self.max_iter = max_iter
        self.learn_rate = learn_rate
        self.regularization = regularization
        self.convergence_tol = convergence_tol
        self.verbose = verbose
        self.preprocessor = preprocessor
        self.n_components = n_components
        self.random_state = random_state
        self.k = k

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
        learner = learners.LMNN(
            self.n_components,
            n_neighbors=renamed(self.k, self.n_neighbors, "k", "n_neighbors"),
            regularization=self.regularization,
            init=start(self.init, points, self.n_components, len(np.unique(labels))),
            max_iter=self.max_iter,
            tol=self.convergence_tol / 10,
            verbose=self.verbose,
            random_state=self.random_state,
        )
        return self._learn_by(learner, points, labels)
