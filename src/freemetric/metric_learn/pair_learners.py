"""Estimators of metric-learn's names that learn from pairs, or from labels by drawing pairs: ITML, MMC, SDML."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import cdist
from sklearn.utils import check_random_state

from ..learners import itml, mmc, sdml
from ..learners.validation import unit_of
from .base import DEPRECATED, LAST, Mahalanobis, PointsLearner, renamed, translated
from .constraints import drawn_pairs
from .pairs import PairsClassifier
from .starts import metric_matrix

MOST_COMPARED = 2000  # points among which the usual distances are looked for
SMALLEST_BOUND = 1e-9
LARGEST_GAMMA = 1e6  # what metric-learn writes as infinity
SMALLEST_GAP = 1e-9
SHARE_OF_START = 0.01  # of the similar pairs' squared distances, which sets the scale of MMC's result
OLD_TOL = {"convergence_threshold": DEPRECATED}  # parameters under names that metric-learn gave up
OLD_NAMES = {"num_constraints": DEPRECATED, **OLD_TOL}
SCALE = {"init": "identity", "diagonal": False, "diagonal_c": 1.0}
TOL_OF_SDML = 1e-6  # of the objective, for each feature; the last of Newton's steps are cheap


class PairsOfLabels(PointsLearner):
    """Estimators that draw pairs from labels; subclasses have ``_learn_pairs(X, pairs, pair_labels)``."""

    def _learn_points(self, X, y, *options):
        n = renamed(self.num_constraints, self.n_constraints, "num_constraints", "n_constraints")
        return self._learn_pairs(X, *drawn_pairs(y, n, self.random_state), *options)

    def _learn_pairs(self, X, pairs, pair_labels):
        raise NotImplementedError


class _ITML(Mahalanobis):
    """The translation that both have in common."""

    _sets = ("bounds_",)

    def _learn_pairs(self, X, pairs, pair_labels, bounds=None):
        self.bounds_ = self._bounds(X, bounds)
        learner = self._translate(
            itml.ITML,
            gamma=min(self.gamma, LARGEST_GAMMA),
            prior=metric_matrix(self.prior, X, "prior", self.random_state),
            bounds=self.bounds_,
            # a gap is of second order in what M lacks
            tol=renamed(self.convergence_threshold, self.tol, "convergence_threshold", "tol") ** 2,
            random_state=0,  # of the order of pairs, on which the solution does not depend: the same pairs, the same M
        )
        return self._learn_by(learner, X, pairs=pairs, pair_labels=pair_labels)

    def _bounds(self, X: NDArray, bounds: ArrayLike | None) -> NDArray:
        """Two bounds; by default distances that are small and large among the points, used as squared ones.

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
class ITML(_ITML, PairsClassifier):
    """Information-theoretic metric learning from pairs, by :class:`freemetric.ITML`.

    Examples
    --------
    {pairs_data}
    >>> from freemetric.metric_learn import ITML
    >>> ITML().fit(pairs, [1, 1, -1, -1]).predict(pairs)
    array([ 1,  1, -1, -1])
    """

    def fit(  # type: ignore[override]  # metric-learn's order
        self, pairs: ArrayLike, y: ArrayLike, bounds: ArrayLike | None = None, calibration_params: Any = None
    ) -> Self:
        """Learn the metric and a threshold from pairs.

        Parameters
        ----------
        pairs : array-like of shape (n_pairs, 2, n_features) or (n_pairs, 2)
            Pairs of points, or of indicators.
        y : array-like of shape (n_pairs,)
            +1 for similar, -1 for dissimilar pairs.
        bounds : array-like of shape (2,), default=None
            See ``bounds_``; None: the 5th and the 95th percentile of the distances between points.
        calibration_params : dict or None, default=None
            What ``calibrate_threshold`` takes.

        Returns
        -------
        self : object
        """
        return self._fit_and_calibrate(pairs, y, calibration_params, bounds=bounds)


@translated(gamma=1.0, max_iter=1000, tol=1e-3, n_constraints=None, prior="identity", **LAST, **OLD_NAMES)
class ITML_Supervised(_ITML, PairsOfLabels):  # noqa: N801 - metric-learn's name
    """Information-theoretic metric learning from labels: pairs are drawn from them.

    Examples
    --------
    {iris}
    >>> from freemetric.metric_learn import ITML_Supervised
    >>> ITML_Supervised(n_constraints=200, random_state=0).fit(X, y).transform(X).shape
    (150, 4)
    """

    def fit(self, X: ArrayLike, y: ArrayLike, bounds: ArrayLike | None = None) -> Self:
        """Draw pairs and learn the metric from them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples,)
            Points, or indicators of points.
        y : array-like of shape (n_samples,)
            Class labels; negative numbers are unknown ones.
        bounds : array-like of shape (2,), default=None
            See ``bounds_``; None: the 5th and the 95th percentile of the distances between points.

        Returns
        -------
        self : object
        """
        return self._learn_points(*self._points(X, y), bounds)


class _MMC(Mahalanobis):
    """The translation that both have in common."""

    _described = {"init": "init_of_scale"}

    def _learn_pairs(self, X, pairs, pair_labels):
        start = metric_matrix(self.init, X, "init", self.random_state, definite=False)
        tol = renamed(self.convergence_threshold, self.tol, "convergence_threshold", "tol")
        learner = self._translate(mmc.MMC, tol=max(tol**2, SMALLEST_GAP))  # of second order in what M lacks
        self._learn_by(learner, X, pairs=pairs, pair_labels=pair_labels)
        a, b = pairs[pair_labels == 1].T
        self._rescale(X[a] - X[b], start)
        return self

    def _rescale(self, V, start):
        """Give the metric metric-learn's scale: our learner finds its shape, on which scale has no influence.

        Squared distances of the similar differences V sum up to a hundredth of those under the start; of a diagonal
        metric, to where they less ``diagonal_c`` times the logarithm of the dissimilar distances are least.
        """
        wanted = self.diagonal_c / 2 if self.diagonal else SHARE_OF_START * np.sum((V @ start) * V)
        found = np.sum((V @ self.components_.T) ** 2)
        if found > 0 and wanted > 0:
            self.components_ *= np.sqrt(wanted / found)


@translated(max_iter=100, max_proj=10000, tol=1e-3, **SCALE, **LAST, **OLD_TOL)
class MMC(_MMC, PairsClassifier):
    """Mahalanobis metric for clustering from pairs, by :class:`freemetric.MMC`.

    Examples
    --------
    {pairs_data}
    >>> from freemetric.metric_learn import MMC
    >>> MMC().fit(pairs, [1, 1, -1, -1]).predict(pairs)
    array([ 1,  1, -1, -1])
    """


@translated(max_iter=100, max_proj=10000, tol=1e-6, n_constraints=None, **SCALE, **LAST, **OLD_NAMES)
class MMC_Supervised(_MMC, PairsOfLabels):  # noqa: N801 - metric-learn's name
    """Mahalanobis metric for clustering from labels: pairs are drawn from them.

    Examples
    --------
    {iris}
    >>> from freemetric.metric_learn import MMC_Supervised
    >>> MMC_Supervised(n_constraints=200, random_state=0).fit(X, y).transform(X).shape
    (150, 4)
    """


class _SDMLByItsNames(sdml.SDML):
    """Ours, that calls its parameters in warnings as they are called here."""

    _balance_is_called = "balance_param"


_SDMLByItsNames.__name__ = "SDML"  # which complaints about parameters name


class BaseSDML(Mahalanobis):
    """The translation that both have in common."""

    _names = {"balance": "balance_param", "sparsity": "sparsity_param"}
    _found = ()

    def _learn_pairs(self, X, pairs, pair_labels):
        learner = self._translate(
            _SDMLByItsNames,
            balance=self.balance_param,
            sparsity=self.sparsity_param / unit_of(X) ** 2,  # of a metric in units of X, theirs being of X itself
            prior=metric_matrix(self.prior, X, "prior", self.random_state),
            tol=TOL_OF_SDML,
        )
        return self._learn_by(learner, X, pairs=pairs, pair_labels=pair_labels)


@translated(balance_param=0.5, sparsity_param=0.01, prior="identity", **LAST)
class SDML(BaseSDML, PairsClassifier):
    """Sparse determinant metric learning from pairs, by :class:`freemetric.SDML`.

    Examples
    --------
    {pairs_data}
    >>> from freemetric.metric_learn import SDML
    >>> SDML(balance_param=0.2).fit(pairs, [1, 1, -1, -1]).predict(pairs)
    array([ 1,  1, -1, -1])
    """


@translated(
    balance_param=0.5, sparsity_param=0.01, prior="identity", n_constraints=None, **LAST, num_constraints=DEPRECATED
)
class SDML_Supervised(BaseSDML, PairsOfLabels):  # noqa: N801 - metric-learn's name
    """Sparse determinant metric learning from labels: pairs are drawn from them.

    Examples
    --------
    {iris}
    >>> from freemetric.metric_learn import SDML_Supervised
    >>> SDML_Supervised(n_constraints=200, balance_param=1e-5, random_state=0).fit(X, y).transform(X).shape
    (150, 4)
    """
