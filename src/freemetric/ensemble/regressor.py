"""FreeEnergyRegressor: an ensemble of sampled metrics whose nearest neighbours predict a target."""

from dataclasses import KW_ONLY
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import column_or_1d

from ..files import Savable
from ..learners.base import one_blas_thread
from ..learners.training_rows import TrainingRows, precise, regression_rows
from ..learners.validation import check_samples, warn_of_samples
from ..magnitudes import r2
from ..presenting import Presented
from . import tasks
from .base import GAPPY, FreeEnergyModel
from .conformal import Conditions, check_alpha, error_limits, warn_of_small_cells
from .parameters import free_energy_estimator
from .running import given_recipe
from .state_checks import check_regressor
from .tasks.intervals import check_chances, check_one_target, out_of_bag_errors
from .tasks.scales import RegressionScore


@free_energy_estimator
class FreeEnergyRegressor(FreeEnergyModel, Savable, Presented, RegressorMixin, BaseEstimator):
    r"""Regression by nearest neighbours in many sampled metrics.

    The search is that of :class:`FreeEnergyClassifier`. The energy is
    :class:`freemetric.energies.NeighborLikelihoodEnergy`: the likelihood of a target given those of its neighbours.
    Candidate c with k neighbours enters the prediction with the weight
    :math:`w_{ck} \propto \exp(-S_{ck} / \tau)`, S its squared error out of bag and tau half the standard error of the
    best one.

    Beside the mixed mean m(x) of the neighbours' targets there are trends of the data as a whole: a straight line and a
    staircase along every feature, a surface of second degree over at most 27 of them, and from 200 samples on boosted
    trees. With :math:`\bar f` the mean of a trend f among the same neighbours,

    .. math:: z(x) = c + s (m(x) - c) + \sum_t a_t (f_t(x) - m(x)) + \sum_t b_t (f_t(x) - \bar f_t(x)).

    The strengths are not negative and found by least squares out of bag. The last term is local regression: it carries
    the targets of neighbours over the distance to x along the trend. Out-of-bag errors, in units of a spread that
    follows the variance among neighbours, give quantiles and intervals.

    Costs what :class:`FreeEnergyClassifier` costs, and O(N p^2 + p^3) for trends with p columns, at most nine for a
    feature, or 400 products of two. From 2,000 samples on, the best metrics are tried colder as long as that is better,
    in longer walks: up to twice the time.

    Parameters
    ----------
    {n_replicas}
    {effort} {max_seconds}
    scale : {"auto", "linear", "log", "asinh"}, default="auto"
        Scale on which targets are averaged; "log" is for positive ones, "asinh" a logarithm that is straight around
        zero. "auto" takes one of them where trends on it have lower squared errors for samples left out, by more than a
        standard error.
    {recipe} {device} {n_jobs} {verbose} {random_state}

    Attributes
    ----------
    oob_score_ : float
        Out-of-bag R^2, or score of ``Recipe.scoring``. The same votes chose the weights, so it is slightly optimistic.
    oob_prediction_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        Out-of-bag predictions; NaN where a sample was not out of bag for every candidate.
    scale_name_ : str
        "linear", "log" or "asinh"; a tuple of them for several targets.
    strengths_ : dict
        Strengths of "votes", and of every trend "beside" and "along" them; a list for several targets.
    selection_ : dict of ndarray
        What was tried, a row for each candidate and k; "oob_squared" and "oob_absolute" are errors on the scale, whose
        variance is one.
    {fitted} {features}

    See Also
    --------
    MLKR : One metric for regression, as a transformer.

    References
    ----------
    .. [1] K. Q. Weinberger, G. Tesauro, "Metric Learning for Kernel Regression", AISTATS, 2007.
    .. [2] J. Lei, M. G'Sell, A. Rinaldo, R. J. Tibshirani, L. Wasserman, "Distribution-Free Predictive Inference for
       Regression", Journal of the American Statistical Association 113, 2018.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from freemetric import FreeEnergyRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = FreeEnergyRegressor(n_replicas=10, random_state=0).fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > 0.4
    True
    """

    n_replicas: Any = "auto"
    _: KW_ONLY
    effort: str = "default"
    max_seconds: float | None = None
    scale: str = "auto"
    recipe: Any = None
    device: str = "cpu"
    n_jobs: int | None = None
    verbose: bool = False
    random_state: Any = None

    def _problem(self, X, y, sample_weight):
        options = {"y_numeric": True, "multi_output": True, "ensure_min_samples": 2, **GAPPY}
        samples, targets = check_samples(self, X, y, **options)
        if targets.ndim == 2 and targets.shape[1] == 1:
            targets = column_or_1d(targets, warn=True)
        filled, gaps = self._without_gaps(precise(samples), sample_weight)
        rows = regression_rows(filled, targets, sample_weight, self._can_weigh())
        recipe = given_recipe(self, len(rows.y))
        warn_of_samples(rows.X[:, : samples.shape[1]], getattr(self, "feature_names_in_", None))
        task, training_set = self._task_of(rows, recipe)
        return task, training_set.with_gaps(gaps), len(samples)

    def _problem_again(self, training_set):
        y = self.ensemble_.head.truth(training_set)
        rows = TrainingRows(training_set.X, y, training_set.weights, training_set.rows, np.empty(0))
        task, again = self._task_of(rows, given_recipe(self, len(y)))
        return task, again.with_gaps(training_set.gaps)

    def _task_of(self, rows, recipe):
        kind = next(task for task in tasks.TASKS.values() if task.takes(rows.y))
        with one_blas_thread():
            return kind.of(rows, recipe, self.scale)

    def _oob_losses(self, attributes, scored):
        y = attributes["ensemble_"].head.truth(scored)
        errors = attributes["oob_prediction_"][scored.rows] - y
        squares = (errors / np.maximum(y.std(axis=0), np.finfo(float).tiny)) ** 2
        return squares if squares.ndim == 1 else squares.mean(axis=1)

    def _known_targets(self, y):
        targets, given = np.asarray(y, dtype=np.float64), self.ensemble_.training_set.y.shape[1:]
        if targets.shape[1:] != given:
            raise ValueError(f"y must have the shape {('n_samples', *given)}, got {targets.shape}.")
        return self.ensemble_.head.scale(targets)

    def _score_of(self, scoring):
        return RegressionScore(scoring, self.ensemble_.head.scale)

    @property
    def scale_name_(self) -> str:
        return self.ensemble_.head.scale.name

    @property
    def strengths_(self) -> dict[str, float]:
        return self.ensemble_.head.named_strengths()

    def _prediction(self, X):
        samples = self._samples(X)
        with one_blas_thread():
            votes = self.ensemble_.votes(samples, self.n_jobs, self.device, self._n_looked_at)
            return self.ensemble_.head(votes, self.ensemble_.head.wholes(samples))

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        """Expected targets.

        {samples}

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_targets)
            Their means.
        """
        prediction = self._prediction(X)
        return self.ensemble_.head.means(prediction)

    def predict_quantiles(self, X: ArrayLike, q: ArrayLike = (0.1, 0.5, 0.9)) -> NDArray[np.float64]:
        """Quantiles of the target.

        {samples}
        q : float or array-like of shape (n_quantiles,), default=(0.1, 0.5, 0.9)
            Chances, between 0 and 1.

        Returns
        -------
        Q : ndarray of shape (n_samples, n_quantiles)
            Quantiles, which never cross; (n_samples,) where q is one number. Several targets come before the quantiles:
            (n_samples, n_targets, n_quantiles).
        """
        chances, prediction = check_chances(q), self._prediction(X)
        Q = self.ensemble_.head.quantiles(prediction, chances)
        return Q[..., 0] if np.ndim(q) == 0 else Q

    def predict_interval(
        self,
        X: ArrayLike,
        alpha: float = 0.1,
        *,
        groups: tuple[ArrayLike, ArrayLike] | None = None,
        shift: ArrayLike | None = None,
    ) -> NDArray[np.float64]:
        r"""Prediction intervals, which hold the target with probability 1 - alpha.

        Conformal prediction by out-of-bag errors. With :math:`u_i = (z_i - z(x_i)) / \sigma(x_i)` of the n training
        samples that were out of bag, the ends of the interval of x are :math:`z(x) + \sigma(x) u`, u the
        :math:`\lfloor (n + 1) \alpha / 2 \rfloor`-th smallest and largest of all u_i. The spread sigma follows the
        variance among the neighbours of x, and trends of the size of errors. For samples drawn as those of ``fit``,
        1 - alpha of all intervals hold the target, on average over all samples. The same errors chose the weights of
        the metrics, so the coverage is measured, not proved.

        With ``groups`` the u_i are those of the group of x [1]_, and with a ``shift`` they have weights [2]_:

        .. math:: u_\mathrm{upper} = \min \{u : \sum_i w_i\, [u_i \le u]
            \ge (1 - \tfrac\alpha2) (w(x) + \sum_i w_i)\},

        and the lower end likewise. Both take one target. An interval of a group with fewer than 2 / alpha - 1 errors is
        infinite, and a DataWarning says so. The first such call predicts at most 10,000 training samples out of bag.

        {samples}
        alpha : float, default=0.1
            Share of intervals that may miss, between 0 and 1.
        groups : pair of array-like of shape (n_rows,) and (n_samples,), or None, default=None
            Groups of the rows given to ``fit``, and of X, within which the coverage is to hold.
        shift : array-like of shape (n_new, n_features) or None, default=None
            Samples of the population that X is from, where features are distributed otherwise than in ``fit``; see
            :meth:`FreeEnergyClassifier.predict_set`.

        Returns
        -------
        I : ndarray of shape (n_samples, 2) or (n_samples, n_targets, 2)
            Lower and upper ends.

        References
        ----------
        .. [1] V. Vovk, "Conditional Validity of Inductive Conformal Predictors", ACML, 2012.
        .. [2] R. J. Tibshirani, R. F. Barber, E. J. Candès, A. Ramdas, "Conformal Prediction under Covariate Shift",
           NeurIPS, 2019.

        Examples
        --------
        >>> from sklearn.datasets import load_diabetes
        >>> from freemetric import FreeEnergyRegressor
        >>> X, y = load_diabetes(return_X_y=True)
        >>> model = FreeEnergyRegressor(n_replicas=10, random_state=0).fit(X[::2], y[::2])
        >>> low, high = model.predict_interval(X[1::2], alpha=0.2).T
        >>> bool(((low < y[1::2]) & (y[1::2] < high)).mean() > 0.7)
        True
        """
        check_alpha(alpha, "intervals without the target")
        prediction = self._prediction(X)
        if groups is None and shift is None:
            return self.ensemble_.head.interval(prediction, alpha)
        check_one_target(self, "Intervals by groups or under a shift are")
        rows, errors = out_of_bag_errors(self)
        limits, small = error_limits(errors, alpha, Conditions.of(self, self._samples(X), rows, groups, shift))
        few = f"fewer than 2 / alpha - 1 = {2 / alpha - 1:.4g} out-of-bag errors"
        warn_of_small_cells(f"Intervals are infinite where there are {few}", small, None, groups is not None)
        return self.ensemble_.head.between(prediction, limits)

    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """R^2 of the predictions.

        {scored}

        Returns
        -------
        score : float
            One less the squared error in units of the variance of y; the mean over several targets.
        """
        return r2(y, self.predict(X), sample_weight)

    def check_state(self) -> None:
        """ValueError unless what was fitted belongs together; called for every model that is saved or loaded."""
        check_regressor(self)
