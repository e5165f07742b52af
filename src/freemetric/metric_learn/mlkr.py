"""MLKR under metric-learn's names."""

from typing import Self

from numpy.typing import ArrayLike

from .. import learners
from .points import PointsLearner
from .starts import start


class MLKR(PointsLearner):
    """Metric learning for kernel regression, by :class:`freemetric.MLKR`.

    Parameters
    ----------
    n_components : int or None, default=None
        Dimension of the learned space; None keeps the number of features.
    init : {"auto", "pca", "identity", "random"} or array of shape (n_components, n_features), default="auto"
        Where the search begins. "auto": "pca" where there are fewer components than features and points, else
        "identity".
    tol : float or None, default=None
        Stop when an iteration lowers the error, a share of the variance of y, by less; None: as
        :class:`freemetric.MLKR`.
    max_iter : int, default=1000
        Most iterations of L-BFGS.
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
    >>> from sklearn.datasets import load_diabetes
    >>> from freemetric.metric_learn import MLKR
    >>> X, y = load_diabetes(return_X_y=True)
    >>> MLKR(n_components=2).fit(X[:100], y[:100]).transform(X).shape
    (442, 2)
    """

    _found = ("n_iter_",)

    def __init__(
        self,
        n_components=None,
        init="auto",
        tol=None,
        max_iter=1000,
        verbose=False,
        preprocessor=None,
        random_state=None,
    ):
        self.n_components = n_components
        self.init = init
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose
        self.preprocessor = preprocessor
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn the map from numbers.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples,)
            Points, or indicators of points.
        y : array-like of shape (n_samples,)
            Numbers to be told by neighbours.

        Returns
        -------
        self : object
        """
        points, labels = self._points(X, y, y_numeric=True)
        learner = learners.MLKR(
            self.n_components,
            init=start(self.init, points, self.n_components),
            max_iter=self.max_iter,
            verbose=self.verbose,
            random_state=self.random_state,
        )
        if self.tol is not None:
            learner.set_params(tol=self.tol)
        return self._learn_by(learner, points, labels)
