"""SDML under metric-learn's names: from pairs, and from labels that pairs are drawn from."""

from typing import Any, Self

from numpy.typing import ArrayLike

from .. import learners
from ..learners.units import unit_of
from .mahalanobis import Mahalanobis
from .matrices import metric_matrix
from .pairs import PairsClassifier
from .points import PointsLearner
from .renamed import DEPRECATED, renamed
from .supervised import drawn_pairs

TOL = 1e-6  # of the objective, for each feature; the last of Newton's steps are cheap


class _Learner(learners.SDML):
    """Ours, that calls its parameters in warnings as they are called here."""

    _balance_is_called = "balance_param"


_Learner.__name__ = "SDML"  # which complaints about parameters name


class _SDML(Mahalanobis):
    """The translation that both have in common."""

    _names = {"balance": "balance_param", "sparsity": "sparsity_param"}

    balance_param: Any
    sparsity_param: Any
    prior: Any
    verbose: Any
    random_state: Any

    def _learn_pairs(self, X, pairs, pair_labels):
        learner = _Learner(
            balance=self.balance_param,
            sparsity=self.sparsity_param / unit_of(X) ** 2,  # of a metric in units of X, theirs being of X itself
            prior=metric_matrix(self.prior, X, "prior", self.random_state),
            tol=TOL,
            verbose=self.verbose,
            random_state=self.random_state,
        )
        return self._learn_by(learner, X, pairs=pairs, pair_labels=pair_labels)


class SDML(_SDML, PairsClassifier):
    """Sparse determinant metric learning from pairs, by :class:`freemetric.SDML`.

    Parameters
    ----------
    balance_param : float or "auto", default=0.5
        Weight of a pair against the prior; lowered, with a warning, where there would be no minimum. "auto" (not in
        metric-learn) finds one that needs no warning.
    sparsity_param : float, default=0.01
        The price of elements of M beside the diagonal.
    prior : {"identity", "covariance", "random"} or array of shape (n_features, n_features), default="identity"
        The metric to stay close to, positive definite.
    verbose : bool, default=False
        Log every step.
    preprocessor : array-like of shape (n_points, n_features), callable or None, default=None
        What turns indicators into points.
    random_state : int, RandomState or None, default=None
        Seed of a random prior.

    Attributes
    ----------
    components_ : ndarray of shape (n_features, n_features)
        The map L, with M = L^T L.
    threshold_ : float
        Pairs at most this far apart are predicted to be similar.
    n_features_in_ : int
        Features seen in fit.

    Examples
    --------
    >>> from freemetric.metric_learn import SDML
    >>> pairs = [[[1.2, 7.5], [1.3, 1.5]], [[6.4, 2.6], [6.2, 9.7]], [[1.3, 4.5], [3.2, 4.6]], [[6.2, 5.5], [5.4, 5.4]]]
    >>> SDML(balance_param=0.2).fit(pairs, [1, 1, -1, -1]).predict(pairs)
    array([ 1,  1, -1, -1])
    """

    def __init__(
        self,
        balance_param=0.5,
        sparsity_param=0.01,
        prior="identity",
        verbose=False,
        preprocessor=None,
        random_state=None,
    ):
        self.balance_param = balance_param
        self.sparsity_param = sparsity_param
        self.prior = prior
        self.verbose = verbose
        self.preprocessor = preprocessor
        self.random_state = random_state

    def fit(self, pairs: ArrayLike, y: ArrayLike, calibration_params: dict[str, Any] | None = None) -> Self:
        """Learn the metric and a threshold from pairs.

        Parameters
        ----------
        pairs : array-like of shape (n_pairs, 2, n_features) or (n_pairs, 2)
            Pairs of points, or of indicators.
        y : array-like of shape (n_pairs,)
            +1 for similar, -1 for dissimilar pairs.
        calibration_params : dict or None, default=None
            What ``calibrate_threshold`` takes.

        Returns
        -------
        self : object
        """
        return self._fit_and_calibrate(pairs, y, calibration_params)


class SDML_Supervised(_SDML, PointsLearner):  # noqa: N801 - metric-learn's name
    """Sparse determinant metric learning from labels: pairs are drawn from them.

    Parameters
    ----------
    balance_param : float or "auto", default=0.5
        Weight of a pair against the prior; lowered, with a warning, where there would be no minimum. "auto" (not in
        metric-learn) finds one that needs no warning.
    sparsity_param : float, default=0.01
        The price of elements of M beside the diagonal.
    prior : {"identity", "covariance", "random"} or array of shape (n_features, n_features), default="identity"
        The metric to stay close to, positive definite.
    n_constraints : int or None, default=None
        Similar pairs to draw, and dissimilar ones; None: 20 times the number of classes squared.
    verbose : bool, default=False
        Log every step.
    preprocessor : array-like of shape (n_points, n_features), callable or None, default=None
        What turns indicators into points.
    random_state : int, RandomState or None, default=None
        Seed of the pairs and of a random prior.
    num_constraints : int, default="deprecated"
        The old name of ``n_constraints``.

    Attributes
    ----------
    components_ : ndarray of shape (n_features, n_features)
        The map L, with M = L^T L.
    n_features_in_ : int
        Features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X has any.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from freemetric.metric_learn import SDML_Supervised
    >>> X, y = load_iris(return_X_y=True)
    >>> SDML_Supervised(n_constraints=200, balance_param=1e-5, random_state=0).fit(X, y).transform(X).shape
    (150, 4)
    """

    def __init__(
        self,
        balance_param=0.5,
        sparsity_param=0.01,
        prior="identity",
        n_constraints=None,
        verbose=False,
        preprocessor=None,
        random_state=None,
        num_constraints=DEPRECATED,
    ):
        self.balance_param = balance_param
        self.sparsity_param = sparsity_param
        self.prior = prior
        self.n_constraints = n_constraints
        self.verbose = verbose
        self.preprocessor = preprocessor
        self.random_state = random_state
        self.num_constraints = num_constraints

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Draw pairs and learn the metric from them.

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
        n = renamed(self.num_constraints, self.n_constraints, "num_constraints", "n_constraints")
        return self._learn_pairs(points, *drawn_pairs(labels, n, self.random_state))
