"""Estimators of metric-learn's names that learn from pairs, or from labels by drawing pairs: ITML, MMC, SDML."""

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import cdist
from sklearn.base import ClassifierMixin
from sklearn.metrics import roc_auc_score
from sklearn.utils import check_consistent_length, check_random_state, column_or_1d
from sklearn.utils.validation import check_is_fitted

from .. import learners
from ..files.checks import require
from ..learners.tuples.classifiers import STRATEGIES, best_threshold
from ..learners.validation import unit_of
from .base import DEPRECATED, LAST, Mahalanobis, translated
from .constraints import drawn
from .points import PointsLearner
from .starts import metric_matrix

MOST_COMPARED = 2000  # points whose distances give the default bounds
SMALLEST_BOUND = 1e-9
LARGEST_GAMMA = 1e6  # what metric-learn writes as infinity
SMALLEST_GAP = 1e-9
SHARE_OF_START = 0.01  # of the similar pairs' squared distances, which sets the scale of MMC's result
OLD_TOL = {"convergence_threshold": DEPRECATED}
OLD = {"num_constraints": DEPRECATED, **OLD_TOL}
SCALE = {"init": "identity", "diagonal": False, "diagonal_c": 1.0}
TOL_OF_SDML = 1e-6  # of the objective, for each feature; the last of Newton's steps are cheap


class PairsClassifier(ClassifierMixin, Mahalanobis):
    """Subclasses implement ``_learn_pairs(X, pairs, pair_labels, **options)`` with pairs of rows of X."""

    classes_ = np.array([-1, 1])
    threshold_: float
    _fitted_on = "pairs"
    _sets = ("threshold_",)
    _learn_pairs: Callable[..., Any]

    def fit(self, pairs: ArrayLike, y: ArrayLike, calibration_params: dict[str, Any] | None = None) -> Self:
        """Learn the metric and a threshold from pairs.

        Parameters
        ----------
        pairs : array-like of shape (n_pairs, 2, n_features) or (n_pairs, 2)
            Pairs of points, or of indicators.
        y : array-like of shape (n_pairs,)
            +1 for similar, -1 for dissimilar pairs.
        calibration_params : dict or None, default=None
            Parameters of ``calibrate_threshold``.
        """
        return self._fit_and_calibrate(pairs, y, calibration_params)

    def _fit_and_calibrate(self, pairs, y, calibration_params, **options):
        calibration = calibration_params or {}
        self._validate_calibration_params(**calibration)
        X, indices = self._distinct(pairs, 2)
        y = _checked_labels(pairs, y)
        self._learn_pairs(X, indices, y, **options)
        return self._calibrate(X[indices], y, **calibration)

    def decision_function(self, pairs: ArrayLike) -> NDArray:
        """Minus the learned distance (n_pairs,) of pairs of points or indicators: larger for more similar ones."""
        return self.pair_score(pairs)

    def predict(self, pairs: ArrayLike) -> NDArray:
        """+1 for pairs that are at most ``threshold_`` apart, -1 for others, (n_pairs,)."""
        check_is_fitted(self)
        if not hasattr(self, "threshold_"):
            missing = "A threshold for this estimator has not been set"
            raise AttributeError(f"{missing}, call its set_threshold or calibrate_threshold method.")
        return np.where(-self.decision_function(pairs) <= self.threshold_, 1, -1)

    def score(self, pairs: ArrayLike, y: ArrayLike) -> float:
        """Area under the ROC curve: how often a similar pair (y = 1) is nearer than a dissimilar one (y = -1)."""
        return roc_auc_score(y, self.decision_function(pairs))

    def set_threshold(self, threshold: float) -> Self:
        """Set the largest distance of pairs that are predicted to be similar."""
        check_is_fitted(self)
        try:
            self.threshold_ = float(threshold)
        except (TypeError, ValueError):
            what = f"Parameter threshold must be a real number. Got {type(threshold)} instead."
            raise ValueError(what) from None
        return self

    def calibrate_threshold(
        self,
        pairs_valid: ArrayLike,
        y_valid: ArrayLike,
        strategy: str = "accuracy",
        min_rate: float | None = None,
        beta: float = 1.0,
    ) -> Self:
        """Choose the threshold that classifies pairs best.

        Parameters
        ----------
        pairs_valid : array-like of shape (n_pairs, 2, n_features) or (n_pairs, 2)
            Pairs of points, or of indicators.
        y_valid : array-like of shape (n_pairs,)
            +1 for similar, -1 for dissimilar pairs.
        strategy : {"accuracy", "f_beta", "max_tpr", "max_tnr"}, default="accuracy"
            What to maximize: the accuracy; the F score; the true positive rate, while the true negative rate is at
            least ``min_rate``; or the other way round.
        min_rate : float in [0, 1] or None, default=None
            Needed for "max_tpr" and "max_tnr".
        beta : float, default=1.0
            Weight of recall against precision in the F score.

        Returns
        -------
        self : object
        """
        check_is_fitted(self)
        self._validate_calibration_params(strategy, min_rate, beta)
        y = _checked_labels(pairs_valid, y_valid)
        return self._calibrate(self._formed(pairs_valid, 2), y, strategy, min_rate, beta)

    def check_state(self) -> None:
        super().check_state()
        threshold = getattr(self, "threshold_", 0.0)
        require(isinstance(threshold, int | float), f"threshold_ of {type(self).__name__}", f"is {threshold!r}")

    def _calibrate(self, pairs, y, strategy="accuracy", min_rate=None, beta=1.0):
        scores = self.decision_function(pairs)
        self.threshold_ = -best_threshold(scores, y == 1, strategy, min_rate, beta)
        return self

    @staticmethod
    def _validate_calibration_params(strategy: Any = "accuracy", min_rate: Any = None, beta: Any = 1.0) -> None:
        if strategy not in STRATEGIES:
            known = 'Strategy can either be "accuracy", "f_beta" or "max_tpr" or "max_tnr"'
            raise ValueError(f'{known}. Got "{strategy}" instead.')
        if strategy in ("max_tpr", "max_tnr") and not (isinstance(min_rate, int | float) and 0 <= min_rate <= 1):
            raise ValueError(f"Parameter min_rate must be a number in[0, 1]. Got {min_rate} instead.")
        if strategy == "f_beta" and not isinstance(beta, int | float):
            raise ValueError(f"Parameter beta must be a real number. Got {type(beta)} instead.")


def _checked_labels(pairs, y):
    labels = column_or_1d(y, warn=True)
    check_consistent_length(pairs, labels)
    # scikit-learn's cross_val_predict counts classes from 0 on
    if not (np.isin(labels, (-1, 1)).all() or np.isin(labels, (0, 1)).all()):
        raise ValueError("The labels y of pairs are +1 for similar and -1 for dissimilar ones; found others.")
    return np.where(labels == 1, 1, -1)


class PairsOfLabels(PointsLearner):
    """Estimators that draw pairs from labels; subclasses have ``_learn_pairs(X, pairs, pair_labels)``."""

    _example = "n_constraints=200, random_state=0"
    _learn_pairs: Callable[..., Any]

    def _learn_points(self, X, y, *options):
        a, b, c, d = drawn(y, self._given("n_constraints"), self.random_state)
        pairs = np.column_stack([np.concatenate([a, c]), np.concatenate([b, d])])
        return self._learn_pairs(X, pairs, np.repeat([1, -1], [len(a), len(c)]), *options)


class BaseITML(Mahalanobis):
    _sets = ("bounds_",)

    def _learn_pairs(self, X, pairs, pair_labels, bounds=None):
        self.bounds_ = self._bounds(X, bounds)
        learner = self._translate(
            learners.ITML,
            gamma=min(self.gamma, LARGEST_GAMMA),
            prior=metric_matrix(self.prior, X, "prior", self.random_state),
            bounds=self.bounds_,
            tol=self._given("tol") ** 2,  # the gap is of second order in the error of M
            random_state=0,  # of the order of pairs, on which the solution does not depend: the same pairs, the same M
        )
        return self._learn_by(learner, X, pairs=pairs, pair_labels=pair_labels)

    def _bounds(self, X: NDArray, bounds: ArrayLike | None) -> NDArray:
        """Two bounds; by default a small and a large distance of the points, used as squared distances.

        So does metric-learn: its result depends on units, and its ``bounds_`` are compared with squared distances.
        """
        if bounds is not None:
            given = np.asarray(bounds, dtype=np.float64).ravel()
            if given.shape != (2,) or not (given >= 0).all():
                raise ValueError(f"bounds must be two numbers, none below 0; got {bounds!r}.")
            return np.maximum(given, SMALLEST_BOUND)
        if len(X) > MOST_COMPARED:
            X = X[check_random_state(self.random_state).choice(len(X), MOST_COMPARED, replace=False)]
        return np.maximum(np.percentile(cdist(X, X), (5, 95)), SMALLEST_BOUND)


@translated(gamma=1.0, max_iter=1000, tol=1e-3, prior="identity", **LAST, **OLD_TOL)
class ITML(BaseITML, PairsClassifier):
    """Information-theoretic metric learning from pairs, by :class:`freemetric.ITML`."""

    def fit(  # type: ignore[override]  # metric-learn's order
        self, pairs: ArrayLike, y: ArrayLike, bounds: ArrayLike | None = None, calibration_params: Any = None
    ) -> Self:
        """Learn the metric and a threshold from pairs, as :meth:`MMC.fit`.

        ``bounds`` become ``bounds_``; None: the 5th and the 95th percentile of the distances between points.
        """
        return self._fit_and_calibrate(pairs, y, calibration_params, bounds=bounds)


@translated(gamma=1.0, max_iter=1000, tol=1e-3, n_constraints=None, prior="identity", **LAST, **OLD)
class ITML_Supervised(BaseITML, PairsOfLabels):  # noqa: N801 - metric-learn's name
    """Information-theoretic metric learning from labels: pairs are drawn from them."""

    def fit(self, X: ArrayLike, y: ArrayLike, bounds: ArrayLike | None = None) -> Self:
        """Draw pairs from labels and learn the metric from them; ``bounds`` as in :meth:`ITML.fit`."""
        return self._learn_points(*self._points(X, y), bounds)


class BaseMMC(Mahalanobis):
    def _learn_pairs(self, X, pairs, pair_labels):
        start = metric_matrix(self.init, X, "init", self.random_state, definite=False)
        tol = max(self._given("tol") ** 2, SMALLEST_GAP)  # the gap is of second order in the error of M
        self._learn_by(self._translate(learners.MMC, tol=tol), X, pairs=pairs, pair_labels=pair_labels)
        a, b = pairs[pair_labels == 1].T
        V = X[a] - X[b]
        # Give the metric metric-learn's scale: our learner finds its shape, on which scale has no influence. Squared
        # distances of the similar differences V sum to a hundredth of those under the start; of a diagonal metric, to
        # where they less diagonal_c times the logarithm of the dissimilar distances are least.
        wanted = self.diagonal_c / 2 if self.diagonal else SHARE_OF_START * np.sum((V @ start) * V)
        found = np.sum((V @ self.components_.T) ** 2)
        if found > 0 and wanted > 0:
            self.components_ *= np.sqrt(wanted / found)
        return self


@translated(max_iter=100, max_proj=10000, tol=1e-3, **SCALE, **LAST, **OLD_TOL)
class MMC(BaseMMC, PairsClassifier):
    """Mahalanobis metric for clustering from pairs, by :class:`freemetric.MMC`."""


@translated(max_iter=100, max_proj=10000, tol=1e-6, n_constraints=None, **SCALE, **LAST, **OLD)
class MMC_Supervised(BaseMMC, PairsOfLabels):  # noqa: N801 - metric-learn's name
    """Mahalanobis metric for clustering from labels: pairs are drawn from them."""


class BaseSDML(Mahalanobis):
    _names = {"balance": "balance_param", "sparsity": "sparsity_param"}
    _found = ()

    def _learn_pairs(self, X, pairs, pair_labels):
        learner: Any = self._translate(
            learners.SDML,
            balance=self.balance_param,
            sparsity=self.sparsity_param / unit_of(X) ** 2,  # of a metric in units of X, theirs being of X itself
            prior=metric_matrix(self.prior, X, "prior", self.random_state),
            tol=TOL_OF_SDML,
        )
        learner._balance_is_called = "balance_param"  # in warnings
        return self._learn_by(learner, X, pairs=pairs, pair_labels=pair_labels)


@translated(balance_param=0.5, sparsity_param=0.01, prior="identity", **LAST)
class SDML(BaseSDML, PairsClassifier):
    """Sparse determinant metric learning from pairs, by :class:`freemetric.SDML`."""

    _example = "balance_param=0.2"


@translated(
    balance_param=0.5, sparsity_param=0.01, prior="identity", n_constraints=None, **LAST, num_constraints=DEPRECATED
)
class SDML_Supervised(BaseSDML, PairsOfLabels):  # noqa: N801 - metric-learn's name
    """Sparse determinant metric learning from labels: pairs are drawn from them."""

    _example = "n_constraints=200, balance_param=1e-5, random_state=0"
