"""SCML under metric-learn's names: from triplets, and from labels that triplets are drawn from."""

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning

from .. import learners
from ..exceptions import callers_stacklevel
from ..learners.units import unit_of
from .comparisons import TripletsClassifier
from .constraints import warn_of_few
from .mahalanobis import Mahalanobis
from .points import PointsLearner
from .supervised import partial_labels

PER_FEATURE = 80  # bases, where no number is asked for
STEP = 60  # our lengths of steps are in other units; metric-learn's default becomes ours


class _SCML(Mahalanobis):
    """The translation that both have in common."""

    _names = {"regularization": "beta"}
    _found = ("n_iter_",)
    _drawn_basis: str  # the name of the basis that is drawn

    beta: Any
    basis: Any
    n_basis: Any
    gamma: Any
    max_iter: Any
    batch_size: Any
    verbose: Any
    random_state: Any

    def _learner(self, X):
        return learners.SCML(
            n_basis=self._n_basis(X.shape[1]),
            basis=None if isinstance(self.basis, str) else self.basis,
            regularization=self.beta / unit_of(X) ** 2,  # of weights in units of X, theirs being of X itself
            gamma=STEP * self.gamma,
            batch_size=self.batch_size,
            max_iter=self.max_iter,
            verbose=self.verbose,
            random_state=self.random_state,
        )

    def _learn_quietly(self, learner, X, *y, **side_information):
        """Without a word about ``max_iter``, which is all that says here how long to go on."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return self._learn_by(learner, X, *y, **side_information)

    def _check_basis(self, d):
        if isinstance(self.basis, str):
            if self.basis == self._drawn_basis:
                return
        elif np.ndim(self.basis) == 2:
            if np.shape(self.basis)[1] == d:
                return
            said = f"The dimensionality ({np.shape(self.basis)[1]}) of the provided bases must match"
            raise ValueError(f"{said} the dimensionality of the data ({d}).")
        known = f"`basis` must be one of the options '{self._drawn_basis}'"
        raise ValueError(f"{known} or an array of shape (n_basis, n_features).")

    def _n_basis(self, d):
        if self.n_basis is None and isinstance(self.basis, str):
            said = "As no value for `n_basis` was selected, the number of basis will be set to n_basis="
            warnings.warn(f"{said} {PER_FEATURE * d}", stacklevel=callers_stacklevel())
            return PER_FEATURE * d
        return self.n_basis


class SCML(_SCML, TripletsClassifier):
    """Sparse compositional metric learning from triplets, by :class:`freemetric.SCML`.

    Parameters
    ----------
    beta : float, default=1e-5
        The price of weight; more makes fewer positive weights.
    basis : "triplet_diffs" or array-like of shape (n_basis, n_features), default="triplet_diffs"
        Directions that are weighed: found in regions of the triplets, or given.
    n_basis : int or None, default=None
        Number of bases to find; None: 80 for every feature, with a warning.
    gamma : float, default=5e-3
        Length of the steps; 60 times this is our parameter of the same name.
    max_iter : int, default=10000
        Most mini-batches.
    output_iter : int, default=500
        Not used: the objective is looked at every 1000 mini-batches.
    batch_size : int, default=10
        Triplets of a mini-batch.
    verbose : bool, default=False
        Log every look.
    preprocessor : array-like of shape (n_points, n_features), callable or None, default=None
        What turns indicators into points.
    random_state : int, RandomState or None, default=None
        Seed of the regions and mini-batches.

    Attributes
    ----------
    components_ : ndarray of shape (n_features, n_features)
        The map L, with M = L^T L.
    n_iter_ : int
        Mini-batches.
    n_features_in_ : int
        Features seen in fit.

    Examples
    --------
    >>> from freemetric.metric_learn import SCML
    >>> triplets = [[[1.2, 7.5], [1.3, 1.5], [6.2, 9.7]], [[1.3, 4.5], [3.2, 4.6], [5.4, 5.4]],
    ...             [[3.2, 7.5], [3.3, 1.5], [8.2, 9.7]], [[3.3, 4.5], [5.2, 4.6], [7.4, 5.4]]]
    >>> SCML(n_basis=10, random_state=42).fit(triplets).score(triplets)
    1.0
    """

    _drawn_basis = "triplet_diffs"

    def __init__(
        self,
        beta=1e-5,
        basis="triplet_diffs",
        n_basis=None,
        gamma=5e-3,
        max_iter=10000,
        output_iter=500,
        batch_size=10,
        verbose=False,
        preprocessor=None,
        random_state=None,
    ):
        self.beta = beta
        self.basis = basis
        self.n_basis = n_basis
        self.gamma = gamma
        self.max_iter = max_iter
        self.output_iter = output_iter
        self.batch_size = batch_size
        self.verbose = verbose
        self.preprocessor = preprocessor
        self.random_state = random_state

    def fit(self, triplets: ArrayLike) -> Self:
        """Learn the metric from triplets.

        Parameters
        ----------
        triplets : array-like of shape (n_triplets, 3, n_features) or (n_triplets, 3)
            Triplets of points, or of indicators: the first is nearer to the second than to the third.

        Returns
        -------
        self : object
        """
        X, indices = self._distinct(triplets)
        self._check_basis(X.shape[1])
        if isinstance(self.basis, str) and X.shape[1] > len(indices):
            raise ValueError(
                f"Number of features ({X.shape[1]}) is greater than the number of triplets({len(indices)}).\n"
                "Consider using dimensionality reduction or using another basis generation scheme."
            )
        return self._learn_quietly(self._learner(X), X, triplets=indices)


class SCML_Supervised(_SCML, PointsLearner):  # noqa: N801 - metric-learn's name
    """Sparse compositional metric learning from labels, by :class:`freemetric.SCML`.

    Parameters
    ----------
    k_genuine : int, default=3
        Nearest points of the own class in the triplets of a point.
    k_impostor : int, default=10
        Nearest points of other classes.
    beta : float, default=1e-5
        The price of weight; more makes fewer positive weights.
    basis : "lda" or array-like of shape (n_basis, n_features), default="lda"
        Directions that are weighed: discriminants in regions of the points, or given.
    n_basis : int or None, default=None
        Number of bases to find; None: 80 for every feature, with a warning.
    gamma : float, default=5e-3
        Length of the steps; 60 times this is our parameter of the same name.
    max_iter : int, default=10000
        Most mini-batches.
    output_iter : int, default=500
        Not used: the objective is looked at every 1000 mini-batches.
    batch_size : int, default=10
        Triplets of a mini-batch.
    verbose : bool, default=False
        Log every look.
    preprocessor : array-like of shape (n_points, n_features), callable or None, default=None
        What turns indicators into points.
    random_state : int, RandomState or None, default=None
        Seed of the regions and mini-batches.

    Attributes
    ----------
    components_ : ndarray of shape (n_features, n_features)
        The map L, with M = L^T L.
    n_iter_ : int
        Mini-batches.
    n_features_in_ : int
        Features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X has any.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from freemetric.metric_learn import SCML_Supervised
    >>> X, y = load_iris(return_X_y=True)
    >>> SCML_Supervised(n_basis=80, random_state=33).fit(X, y).transform(X).shape
    (150, 4)
    """

    _drawn_basis = "lda"
    _names = _SCML._names | {"n_neighbors": "k_genuine", "n_impostors": "k_impostor"}

    def __init__(
        self,
        k_genuine=3,
        k_impostor=10,
        beta=1e-5,
        basis="lda",
        n_basis=None,
        gamma=5e-3,
        max_iter=10000,
        output_iter=500,
        batch_size=10,
        verbose=False,
        preprocessor=None,
        random_state=None,
    ):
        self.k_genuine = k_genuine
        self.k_impostor = k_impostor
        self.beta = beta
        self.basis = basis
        self.n_basis = n_basis
        self.gamma = gamma
        self.max_iter = max_iter
        self.output_iter = output_iter
        self.batch_size = batch_size
        self.verbose = verbose
        self.preprocessor = preprocessor
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn the metric from labels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples,)
            Points, or indicators of points.
        y : array-like of shape (n_samples,)
            Class labels; negative numbers are unknown ones.

        Returns
        -------
        self : object
        """
        points, labels = self._points(X, y)
        self._check_basis(points.shape[1])
        labels = partial_labels(labels)
        points, labels = points[labels >= 0], labels[labels >= 0]
        warn_of_few(labels, self.k_genuine, self.k_impostor)
        learner = self._learner(points).set_params(n_neighbors=self.k_genuine, n_impostors=self.k_impostor)
        return self._learn_quietly(learner, points, labels)
