"""The free-energy classifier and regressor, whose samples stay in Dask partitions."""

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from ..ensemble import FreeEnergyClassifier, FreeEnergyRegressor
from ..ensemble.base import CANDIDATES, NEIGHBORS, check_alpha
from .base import DaskFreeEnergyModel


class DaskFreeEnergyClassifier(ClassifierMixin, DaskFreeEnergyModel):
    """FreeEnergyClassifier on Dask arrays and dataframes larger than one machine.

    Metrics are searched, and the classifiers beside the votes fitted, with a part of at
    most 16,384 samples, of every class its share, on one worker. All samples vote. They
    stay in their partitions, which find the samples nearest to a query in the averaged
    metric; only the nearest of all travel, and vote under every metric.

    Where all samples are searched, predictions are those of
    :class:`freemetric.FreeEnergyClassifier`. They depend neither on the workers nor on
    the lengths of partitions, but that a partition of 16,384 samples or more finds its
    nearest approximately. Predictions for Dask collections are lazy Dask arrays, others
    are numpy arrays. Without a ``dask.distributed.Client``, Dask's threads do the work.

    Parameters
    ----------
    n_replicas : int, default=36
        Number of metrics to sample. Fewer are faster and hardly less accurate.
    estimators : list of (str, estimator), "default" or None, default="default"
        Classifiers beside the votes, with ``predict_proba``; None: the votes alone. See
        :class:`freemetric.FreeEnergyClassifier`.
    candidates : sequence of str, default=("scaled/identity", ..., "quantiles/full")
        Kinds of metrics that compete: a view ("scaled", "logs" or "quantiles") and a
        form of the map ("identity", "diagonal" or "full").
    energy : Energy, callable or None, default=None
        What the metrics are sampled from; None is
        :class:`freemetric.energies.LogNCAEnergy`.
    sampler : Sampler or None, default=None
        How; None is a short walk at a temperature of 1e-3.
    n_neighbors : int or sequence of int, default=(1, 2, 3, 5, 8, 13, 20, 32)
        Numbers of neighbours that compete.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, which probabilities are multiplied by.
    n_jobs : int or None, default=None
        Threads of the worker that samples the metrics. The result does not depend on
        it.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels.
    local_ : FreeEnergyClassifier
        The model of the part that metrics were searched with: for displays, importances
        and out-of-bag scores.
    n_samples_ : int
        Number of training samples, all of which vote.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X had names of text.

    See Also
    --------
    freemetric.FreeEnergyClassifier : The same in one process.

    Examples
    --------
    >>> import dask.array as da
    >>> from sklearn.datasets import load_wine
    >>> from freemetric.dask import DaskFreeEnergyClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> X = da.from_array(X, chunks=(60, -1))
    >>> model = DaskFreeEnergyClassifier(n_replicas=4, random_state=0).fit(X, y)
    >>> model.predict(X)
    dask.array<...>
    >>> model.score(X, y) > 0.95
    True
    """

    _parameter_constraints = FreeEnergyClassifier._parameter_constraints

    def __init__(
        self,
        n_replicas=36,
        *,
        estimators="default",
        candidates=CANDIDATES,
        energy=None,
        sampler=None,
        n_neighbors=NEIGHBORS,
        class_weight=None,
        n_jobs=None,
        random_state=None,
    ):
        self.n_replicas = n_replicas
        self.estimators = estimators
        self.candidates = candidates
        self.energy = energy
        self.sampler = sampler
        self.n_neighbors = n_neighbors
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        """Sample the metrics with a part of the samples; all of them vote.

        Parameters
        ----------
        X : dask array of shape (n_samples, n_features) or dask dataframe
            Samples, which stay in these partitions. NaN is a gap. Arrays and dataframes
            of this process are taken, too.
        y : dask array of shape (n_samples,) or dask series
            Labels.
        sample_weight : dask array of shape (n_samples,), series or None, default=None
            Importance of the samples.

        Returns
        -------
        self : DaskFreeEnergyClassifier
            The fitted classifier.
        """
        model = FreeEnergyClassifier(**self.get_params(deep=False))
        self._fit(model, X, y, sample_weight)
        self.classes_ = self.local_.classes_
        return self

    def predict_proba(self, X):
        """Return calibrated probabilities of the classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), of Dask or not
            Samples.

        Returns
        -------
        P : array of shape (n_samples, n_classes)
            Their probabilities; of Dask if X is.
        """
        check_is_fitted(self)
        return self._predict("predict_proba", X, (len(self.classes_),))

    def predict(self, X):
        """Return the most probable class of every sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), of Dask or not
            Samples.

        Returns
        -------
        y : array of shape (n_samples,)
            Labels; of Dask if X is.
        """
        check_is_fitted(self)
        return self._predict("predict", X, dtype=self.classes_.dtype)

    def to_local(self):
        """Return the local classifier, with all training samples in this process.

        It can be saved, explained and used without Dask. Samples that metrics were not
        searched with have no out-of-bag probabilities.

        Returns
        -------
        model : FreeEnergyClassifier
            The model.
        """
        model = self._gathered()
        drawn = model.oob_decision_function_
        model.oob_decision_function_ = self._of_all_samples(drawn)
        return model


class DaskFreeEnergyRegressor(RegressorMixin, DaskFreeEnergyModel):
    """FreeEnergyRegressor on Dask arrays and dataframes larger than one machine.

    See :class:`DaskFreeEnergyClassifier` for what happens where, and for the type of
    predictions. Trends, scale and spread are learned from the part that is searched.

    Parameters
    ----------
    n_replicas : int, default=36
        Number of metrics to sample. Fewer are faster and hardly less accurate.
    estimators : list of (str, estimator), "default" or None, default="default"
        Trends beside the votes; None: the neighbours alone. See
        :class:`freemetric.FreeEnergyRegressor`.
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
        Scale on which targets are averaged.
    n_jobs : int or None, default=None
        Threads of the worker that samples the metrics. The result does not depend on
        it.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Attributes
    ----------
    local_ : FreeEnergyRegressor
        The model of the part that metrics were searched with: for displays, importances
        and out-of-bag scores.
    n_samples_ : int
        Number of training samples, all of which vote.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X had names of text.

    See Also
    --------
    freemetric.FreeEnergyRegressor : The same in one process.

    Examples
    --------
    >>> import dask.array as da
    >>> from sklearn.datasets import load_diabetes
    >>> from freemetric.dask import DaskFreeEnergyRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> X = da.from_array(X, chunks=(150, -1))
    >>> model = DaskFreeEnergyRegressor(n_replicas=4, random_state=0).fit(X, y)
    >>> model.predict_interval(X, alpha=0.2)
    dask.array<...>
    >>> model.score(X, y) > 0.4
    True
    """

    _parameter_constraints = FreeEnergyRegressor._parameter_constraints

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
    ):
        self.n_replicas = n_replicas
        self.estimators = estimators
        self.candidates = candidates
        self.energy = energy
        self.sampler = sampler
        self.n_neighbors = n_neighbors
        self.scale = scale
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        """Sample the metrics with a part of the samples; all of them vote.

        Parameters
        ----------
        X : dask array of shape (n_samples, n_features) or dask dataframe
            Samples, which stay in these partitions. NaN is a gap. Arrays and dataframes
            of this process are taken, too.
        y : dask array of shape (n_samples,) or dask series
            Targets.
        sample_weight : dask array of shape (n_samples,), series or None, default=None
            Importance of the samples.

        Returns
        -------
        self : DaskFreeEnergyRegressor
            The fitted regressor.
        """
        model = FreeEnergyRegressor(**self.get_params(deep=False))
        return self._fit(model, X, y, sample_weight)

    def predict(self, X):
        """Return expected targets.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), of Dask or not
            Samples.

        Returns
        -------
        y : array of shape (n_samples,)
            Their expected targets; of Dask if X is.
        """
        return self._predict("predict", X)

    def predict_interval(self, X, alpha=0.1):
        """Return intervals that hold the target with probability 1 - alpha.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), of Dask or not
            Samples.
        alpha : float, default=0.1
            Share of intervals that may miss the target.

        Returns
        -------
        intervals : array of shape (n_samples, 2)
            Lower and upper ends; of Dask if X is.
        """
        check_alpha(alpha)
        return self._predict("predict_interval", X, (2,), options=(alpha,))

    def predict_quantiles(self, X, q=(0.1, 0.5, 0.9)):
        """Return quantiles of the target.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), of Dask or not
            Samples.
        q : float or array-like of shape (n_quantiles,), default=(0.1, 0.5, 0.9)
            Chances, between 0 and 1.

        Returns
        -------
        Q : array of shape (n_samples, n_quantiles)
            Quantiles, of Dask if X is; (n_samples,) where q is a number.
        """
        return self._predict("predict_quantiles", X, np.shape(q), options=(q,))

    def to_local(self):
        """Return the local regressor, with all training samples in this process.

        It can be saved, explained and used without Dask. Samples that metrics were not
        searched with have no out-of-bag predictions.

        Returns
        -------
        model : FreeEnergyRegressor
            The model.
        """
        model = self._gathered()
        model.oob_prediction_ = self._of_all_samples(model.oob_prediction_)
        return model
