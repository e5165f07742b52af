"""FreeEnergyRegressor: neighbours under many sampled metrics predict a number."""

from numbers import Integral
from typing import Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.validation import validate_data

from ..exceptions import each_warning_once
from ..kernels import one_blas_thread
from ..sklearn_compat import HasMethods, Interval, StrOptions, validate_params
from .base import CANDIDATES, NEIGHBORS, FreeEnergyModel, check_alpha, fill_values
from .boosted_trees import BoostedTreesRegressor
from .linear import LineRegressor, SurfaceRegressor
from .scale import SCALES, Scale, scales_to_try, squared_errors
from .stacking import ArrayRegressor, checked_estimators, cross_fitted, fit_all
from .tasks import TargetTask
from .training_set import TrainingSet
from .trends import Combination, Noise, range_of

MOST_CURVED = 27  # features; more have too many products of two


class FreeEnergyRegressor(RegressorMixin, FreeEnergyModel):
    r"""Predict numbers by the nearest neighbours under many sampled metrics.

    Monte Carlo draws metrics as in :class:`FreeEnergyClassifier`; the energy is the
    likelihood of a target given those of its neighbours. With the mean m of the targets
    of the nearest neighbours, trends :math:`f_t` of all samples, and their means
    :math:`\bar f_t` among the same neighbours, the prediction is

    .. math:: z = s m + \sum_t a_t (f_t - m) + \sum_t b_t (f_t - \bar f_t),

    with strengths that are not negative and fitted out of bag. The last term is local
    regression: it carries the neighbours' targets over the way to the sample, along the
    trend. Out-of-bag errors, in units of a spread that follows the variance among
    neighbours and the features, give quantiles and intervals.

    Parameters
    ----------
    n_replicas : int, default=36
        Number of metrics to sample. Fewer are faster and hardly less accurate.
    estimators : list of (str, estimator), "default" or None, default="default"
        Trends: regressors that are cross-fitted, and weighed by their predictions of
        samples that they have not seen. "default": "line", "trees", and up to 27
        features "surface"; an entry such as ``("trees", "default")`` takes one of
        these. None: the neighbours alone.
    candidates : sequence of str, default=("scaled/identity", ..., "quantiles/full")
        Kinds of metrics that compete: a view ("scaled", "logs" or "quantiles") and a
        form of the map ("identity", "diagonal" or "full").
    energy : Energy, callable or None, default=None
        What the metrics are sampled from; None is
        :class:`freemetric.energies.NeighborLikelihoodEnergy`.
    sampler : Sampler or None, default=None
        How; None is a short walk at a temperature of 1e-3.
    n_neighbors : int or sequence of int, default=(1, 2, 3, 5, 8, 13, 20, 32)
        Numbers of neighbours that compete.
    scale : {"auto", "linear", "log", "asinh"}, default="auto"
        Scale on which targets are averaged. "log" is for positive targets; "asinh" is a
        logarithm that is straight around zero. "auto" takes one of them for a skewed
        target where trends on it are better by more than a standard error.
    n_jobs : int or None, default=None
        Threads. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Attributes
    ----------
    oob_score_ : float
        R^2 out of bag. The same votes chose the weights, so it is slightly optimistic.
    oob_prediction_ : ndarray of shape (n_samples,)
        Out-of-bag predictions; NaN where a sample has none.
    selection_ : dict of ndarray
        What was tried, a row for each kind of metric and number of neighbours: "view",
        "form", "bag_size", "n_neighbors", "oob_loss" and "weight".
    ensemble_ : Ensemble
        The metrics, and the training samples that vote.
    estimators_ : list of (str, estimator)
        The fitted trends.
    scale_ : Scale
        The scale of the target.
    combination_ : Combination
        What votes and trends say together.
    noise_ : Noise
        The size and the distribution of errors.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X had names of text.

    See Also
    --------
    FreeEnergyClassifier : The same for classes.
    MLKR : One metric for regression, as a transformer.

    References
    ----------
    J. Lei, M. G'Sell, A. Rinaldo, R. J. Tibshirani, L. Wasserman, Distribution-free
    predictive inference for regression, Journal of the American Statistical Association
    113, 2018.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from freemetric import FreeEnergyRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = FreeEnergyRegressor(random_state=0).fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > 0.4
    True
    >>> model.predict_interval(X[1:2], alpha=0.2).shape
    (1, 2)
    """

    _parameter_constraints = {
        "n_replicas": [Interval(Integral, 0, None, closed="left")],
        "estimators": [list, tuple, StrOptions({"default"}), None],
        "candidates": ["array-like"],
        "energy": [HasMethods("bind"), str, callable, None],
        "sampler": [HasMethods("iterate"), None],
        "n_neighbors": [Interval(Integral, 1, None, closed="left"), "array-like"],
        "scale": [StrOptions({"auto", *SCALES})],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_replicas=36,
        *,
        estimators="default",
        candidates=CANDIDATES,
        energy=None,
        sampler=None,
        n_neighbors=NEIGHBORS,
        scale="auto",
        n_jobs=None,
        random_state=None,
    ) -> None:
        self.n_replicas = n_replicas
        self.estimators = estimators
        self.candidates = candidates
        self.energy = energy
        self.sampler = sampler
        self.n_neighbors = n_neighbors
        self.scale = scale
        self.n_jobs = n_jobs
        self.random_state = random_state

    @one_blas_thread()
    @each_warning_once()
    def fit(self, X, y, sample_weight=None) -> Self:
        """Sample the metrics, and weigh them and the trends beside them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples. NaN is a gap, which is filled with the mean of the feature.
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Importance of the samples: in the energy, as neighbours that vote, in the
            trends and in out-of-bag scores. Samples of weight zero are left out:
            fitted attributes have rows of the others alone.

        Returns
        -------
        self : FreeEnergyRegressor
            The fitted regressor.
        """
        validate_params(self)
        passed = X
        options = {"y_numeric": True, "ensure_min_samples": 3}
        X, y, weights = self._training_samples(X, y, sample_weight, **options)
        y = np.asarray(y, dtype=np.float64)
        gap_values = fill_values(X)
        X = np.where(np.isnan(X), gap_values, X)
        w = np.ones(len(y)) if weights is None else weights

        estimators = checked_estimators(
            self.estimators, default_trends(X.shape[1]), "predict"
        )
        scale, trends = self._scale_and_trends(estimators, X, y, weights, w)
        z = scale(y)

        task = TargetTask(np.column_stack([z, z**2, *trends]), weights)
        ensemble, votes, scored, selection = self._search(X, task, w, gap_values)

        cross = [trend[scored] for trend in trends]
        combination = Combination.fit(votes, cross, z[scored], w[scored], range_of(z))
        location = combination(votes, cross)
        errors = z[scored] - location
        noise = Noise.fit(errors, votes, X[scored], w[scored], scale.most_spread)
        fitted = fit_all(estimators, X, z, weights, self.n_jobs)

        spread = noise.spread(votes, X[scored])
        out_of_bag = scale.means(location, spread, noise.errors, combination.limits)
        everyone = np.full(len(y), np.nan)
        everyone[scored] = out_of_bag
        # In units of a magnitude: the square of a large target may overflow.
        own = y[scored] / scale.magnitude
        residual = np.average(
            (out_of_bag / scale.magnitude - own) ** 2, weights=w[scored]
        )
        mean = np.average(own, weights=w[scored])
        variance = np.average((own - mean) ** 2, weights=w[scored])

        validate_data(self, passed, skip_check_array=True)
        self.scale_ = scale
        self.ensemble_ = ensemble
        self.estimators_ = fitted
        self.combination_ = combination
        self.noise_ = noise
        self.selection_ = selection
        self.oob_prediction_ = everyone
        self.oob_score_ = np.nan
        if np.ptp(own) > 0:
            self.oob_score_ = float(1 - residual / variance)
        return self

    @one_blas_thread()
    @each_warning_once()
    def partial_fit(self, X, y, sample_weight=None) -> Self:
        """Let more samples vote, under the same metrics.

        The trends are fitted anew to all samples. The first call is ``fit``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Importance of the samples.

        Returns
        -------
        self : FreeEnergyRegressor
            The regressor.
        """
        if not hasattr(self, "ensemble_"):
            return self.fit(X, y, sample_weight)
        options = {"y_numeric": True, "reset": False}
        X, y, weights = self._training_samples(X, y, sample_weight, **options)
        old = self.ensemble_.training_set
        w = np.ones(len(y)) if weights is None else weights
        X = np.concatenate([old.X, self.ensemble_.filled(X)])
        z = np.concatenate([old.values[:, 0], self.scale_(np.asarray(y, dtype=float))])
        w = np.concatenate([old.weights, w])
        equal = None if np.ptp(w) == 0 else w
        trends = self._cross_fitted(self.estimators_, X, z, equal)
        fitted = fit_all(self.estimators_, X, z, equal, self.n_jobs)
        values = np.column_stack([z, z**2, *trends])
        unknown = np.full(len(y), np.nan)
        training_set = TrainingSet.of(X, values, w)
        self.ensemble_ = self.ensemble_.with_training_set(training_set)
        self.estimators_ = fitted
        self.oob_prediction_ = np.concatenate([self.oob_prediction_, unknown])
        return self

    def predict(self, X) -> NDArray:
        """Return expected targets.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Their expected targets.
        """
        location, spread = self._location_and_spread(X)
        limits = self.combination_.limits
        return self.scale_.means(location, spread, self.noise_.errors, limits)

    def predict_quantiles(self, X, q=(0.1, 0.5, 0.9)) -> NDArray:
        """Return quantiles of the target.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        q : float or array-like of shape (n_quantiles,), default=(0.1, 0.5, 0.9)
            Chances, between 0 and 1.

        Returns
        -------
        Q : ndarray of shape (n_samples, n_quantiles)
            Quantiles, which never cross; (n_samples,) where q is a number.
        """
        chances = np.atleast_1d(np.asarray(q, dtype=np.float64))
        if chances.ndim != 1 or not ((chances >= 0) & (chances <= 1)).all():
            raise ValueError(f"q is a chance between 0 and 1, or several; got {q!r}.")
        Q = self._targets_at(X, np.quantile(self.noise_.errors, chances))
        return Q[:, 0] if np.ndim(q) == 0 else Q

    def predict_interval(self, X, alpha=0.1) -> NDArray:
        r"""Return intervals that hold the target with probability 1 - alpha.

        With the out-of-bag errors :math:`u_i` in units of their spreads, the ends are
        :math:`z(x) + \sigma(x) u`, with u the
        :math:`\lfloor (n + 1) \alpha / 2 \rfloor`-th smallest and largest of all. The
        same errors chose the weights of the metrics, so the coverage is measured, not
        proved.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        alpha : float, default=0.1
            Share of intervals that may miss the target.

        Returns
        -------
        intervals : ndarray of shape (n_samples, 2)
            Lower and upper ends.
        """
        check_alpha(alpha)
        return self._targets_at(X, self.noise_.limits(alpha))

    def _targets_at(self, X, errors):
        """Targets (n, n_errors) with these errors in units of the spread."""
        location, spread = self._location_and_spread(X)
        return self.scale_.back(location[:, None] + spread[:, None] * errors)

    @one_blas_thread()
    def _location_and_spread(self, X):
        """Location and spread (n,) of the targets of samples, on the scale."""
        X = self._samples(X)
        votes = self.ensemble_.votes(X, self.n_jobs)
        trends = [values_of(fitted, X) for _, fitted in self.estimators_]
        return self.combination_(votes, trends), self.noise_.spread(votes, X)

    def _scale_and_trends(self, estimators, X, y, weights, w):
        """The scale on which trends are best, and cross-fitted trends on it."""
        found = []
        for name in scales_to_try(y, self.scale):
            scale = Scale.fit(name, y, w)
            trends = self._cross_fitted(estimators, X, scale(y), weights)
            every = [w * squared_errors(scale, trend, y) for trend in trends]
            errors = min(every, key=np.mean, default=np.zeros(len(y)))
            found.append((errors, scale, trends))
        (errors, *best), *others = found
        for other_errors, *other in others:
            gains = errors - other_errors
            if gains.mean() > gains.std() / np.sqrt(len(gains)):
                errors, best = other_errors, other
        return best

    def _cross_fitted(self, estimators, X, z, weights):
        """Values (n_samples,) of every trend by fits without the sample."""
        everyone = np.arange(len(z))
        return cross_fitted(
            estimators,
            X,
            z,
            weights,
            np.zeros(len(z)),
            everyone,
            values_of,
            self.n_jobs,
        )


def values_of(fitted, X):
    """Values of valid samples; our regressors need not validate them again."""
    if isinstance(fitted, ArrayRegressor):
        return fitted.values_of(X)
    return fitted.predict(X)


def default_trends(n_features):
    """The regressors that stand beside the votes by default."""
    trends = [("line", LineRegressor()), ("trees", BoostedTreesRegressor())]
    if n_features <= MOST_CURVED:
        trends.append(("surface", SurfaceRegressor()))
    return trends
