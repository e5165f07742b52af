"""FreeEnergyClassifier: neighbours under many sampled metrics vote for a class."""

from numbers import Integral
from typing import Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils import compute_class_weight
from sklearn.utils.validation import check_is_fitted, validate_data

from ..exceptions import each_warning_once
from ..kernels import one_blas_thread
from ..sklearn_compat import HasMethods, Interval, StrOptions, validate_params
from .base import CANDIDATES, NEIGHBORS, FreeEnergyModel, check_alpha, fill_values
from .boosted_trees import BoostedTreesClassifier
from .densities import ScreenedNaiveBayes, StudentTClassifier
from .linear import LinearClassifier
from .pool import Pool
from .stacking import (
    ArrayClassifier,
    checked_estimators,
    checked_labels,
    cross_fitted,
    fit_all,
)
from .tasks import ClassTask
from .training_set import TrainingSet

MOST_NUMBERS = 1_000_000  # of all covariances of the classes together


class FreeEnergyClassifier(ClassifierMixin, FreeEnergyModel):
    r"""Classify by the nearest neighbours under many sampled metrics.

    Monte Carlo draws metrics at a low temperature on bags of the training samples:
    maps A of the features, scaled or on their quantiles, with the energy
    :math:`-\frac1N \sum_i \log p_i`, where :math:`p_i` is the chance that a
    stochastic neighbour under A has the class of sample i. The nearest training samples
    under every metric vote. Kinds of metrics and numbers of neighbours count by
    Boltzmann weights of their Brier scores out of bag. Four classifiers stand beside
    the votes, and a logarithmic pool that is fitted out of bag makes one probability of
    all. There is nothing to tune.

    A fit costs about as much as a random forest of 500 trees; it grows about linearly
    with the number of samples up to 16,384, and more slowly from there.

    Parameters
    ----------
    n_replicas : int, default=36
        Number of metrics to sample. Fewer are faster and hardly less accurate.
    estimators : list of (str, estimator), "default" or None, default="default"
        Classifiers beside the votes, with ``predict_proba``. They are cross-fitted, and
        weighed by the probabilities of samples that they have not seen. "default":
        "student_t", "naive_bayes", "trees" and "linear"; an entry such as
        ``("trees", "default")`` takes one of these. None: the votes alone.
    candidates : sequence of str, default=("scaled/identity", ..., "quantiles/full")
        Kinds of metrics that compete: a view ("scaled", "logs" or "quantiles") and a
        form of the map ("identity", "diagonal" or "full").
    energy : Energy, callable or None, default=None
        What the metrics are sampled from; None is
        :class:`freemetric.energies.LogNCAEnergy`. A callable on maps (R, p, d) knows
        data of its own.
    sampler : Sampler or None, default=None
        How; None is a short walk at a temperature of 1e-3.
    n_neighbors : int or sequence of int, default=(1, 2, 3, 5, 8, 13, 20, 32)
        Numbers of neighbours that compete.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes. Probabilities are multiplied by them, which decides for
        the class of least expected cost.
    n_jobs : int or None, default=None
        Threads. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels.
    oob_score_ : float
        Accuracy out of bag. The same votes chose the weights, so it is slightly
        optimistic.
    oob_decision_function_ : ndarray of shape (n_samples, n_classes)
        Out-of-bag probabilities; NaN where a sample has none.
    selection_ : dict of ndarray
        What was tried, a row for each kind of metric and number of neighbours: "view",
        "form", "bag_size", "n_neighbors", "oob_loss" and "weight".
    ensemble_ : Ensemble
        The metrics, and the training samples that vote.
    estimators_ : list of (str, estimator)
        The fitted classifiers beside the votes.
    pool_ : Pool
        What makes one probability of all.
    class_weight_ : ndarray of shape (n_classes,)
        Weights of the classes.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X had names of text.

    See Also
    --------
    FreeEnergyRegressor : The same for numbers.
    TableClassifier : The same for data frames with categories, dates and gaps.
    DMLFE : One sampled metric, as a transformer.

    References
    ----------
    D. Stosic, D. Stosic, T. B. Ludermir, B. Stosic, Distance metric learning through
    minimization of the free energy, arXiv:2106.05495, 2021.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from freemetric import FreeEnergyClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> model = FreeEnergyClassifier(random_state=0).fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > 0.95
    True
    """

    _parameter_constraints = {
        "n_replicas": [Interval(Integral, 0, None, closed="left")],
        "estimators": [list, tuple, StrOptions({"default"}), None],
        "candidates": ["array-like"],
        "energy": [HasMethods("bind"), str, callable, None],
        "sampler": [HasMethods("iterate"), None],
        "n_neighbors": [Interval(Integral, 1, None, closed="left"), "array-like"],
        "class_weight": [dict, StrOptions({"balanced"}), None],
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
        class_weight=None,
        n_jobs=None,
        random_state=None,
    ) -> None:
        self.n_replicas = n_replicas
        self.estimators = estimators
        self.candidates = candidates
        self.energy = energy
        self.sampler = sampler
        self.n_neighbors = n_neighbors
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.random_state = random_state

    @one_blas_thread()
    @each_warning_once()
    def fit(self, X, y, sample_weight=None) -> Self:
        """Sample the metrics, and weigh them and the classifiers beside them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples. NaN is a gap, which is filled with the mean of the feature.
        y : array-like of shape (n_samples,)
            Labels of any type.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Importance of the samples: in the energy, as neighbours that vote, in the
            classifiers beside them and in out-of-bag scores. Weight five is not five
            copies, of which four would stay among the neighbours of the fifth. Samples
            of weight zero are left out: fitted attributes have rows of the others
            alone.

        Returns
        -------
        self : FreeEnergyClassifier
            The fitted classifier.
        """
        validate_params(self)
        passed = X
        X, y, weights = self._training_samples(X, y, sample_weight)
        classes, y = checked_labels(y)
        gap_values = fill_values(X)
        X = np.where(np.isnan(X), gap_values, X)
        w = np.ones(len(y)) if weights is None else weights
        favour = class_factors(self.class_weight, classes, y)
        estimators = checked_estimators(
            self.estimators,
            default_classifiers(X.shape[1], len(classes)),
            "predict_proba",
        )

        task = ClassTask(y, len(classes), weights)
        ensemble, votes, scored, selection = self._search(X, task, w, gap_values)

        chances = cross_fitted(
            estimators,
            X,
            y,
            weights,
            y,
            scored,
            lambda fitted, held_out: probabilities(fitted, held_out, len(classes)),
            self.n_jobs,
        )
        pool = Pool.fit(votes, chances, y[scored], w[scored])
        fitted = fit_all(estimators, X, y, weights, self.n_jobs)

        out_of_bag = favoured(pool(votes, chances), favour)
        everyone = np.full((len(y), len(classes)), np.nan)
        everyone[scored] = out_of_bag
        is_right = out_of_bag.argmax(axis=1) == y[scored]

        validate_data(self, passed, skip_check_array=True)
        self.classes_ = classes
        self.class_weight_ = favour
        self.ensemble_ = ensemble
        self.estimators_ = fitted
        self.pool_ = pool
        self.selection_ = selection
        self.oob_decision_function_ = everyone
        self.oob_score_ = np.nan
        if len(scored):
            self.oob_score_ = float(np.average(is_right, weights=w[scored]))
        return self

    @one_blas_thread()
    @each_warning_once()
    def partial_fit(self, X, y, classes=None, sample_weight=None) -> Self:
        """Let more samples vote, under the same metrics.

        The classifiers beside the votes are fitted anew to all samples. The first call
        is ``fit``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Labels; all classes must be in the first call.
        classes : array-like or None, default=None
            Ignored; here for scikit-learn.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Importance of the samples.

        Returns
        -------
        self : FreeEnergyClassifier
            The classifier.
        """
        if not hasattr(self, "ensemble_"):
            return self.fit(X, y, sample_weight)
        y = self._class_numbers(y)
        X, y, weights = self._training_samples(X, y, sample_weight, reset=False)
        ensemble = self.ensemble_
        old = ensemble.training_set
        w = np.ones(len(y)) if weights is None else weights
        X = np.concatenate([old.X, ensemble.filled(X)])
        values = np.concatenate([old.values, np.eye(len(self.classes_))[y]])
        w = np.concatenate([old.weights, w])
        equal = None if np.ptp(w) == 0 else w
        fitted = fit_all(self.estimators_, X, values.argmax(axis=1), equal, self.n_jobs)
        unknown = np.full((len(y), len(self.classes_)), np.nan)
        self.ensemble_ = ensemble.with_training_set(TrainingSet.of(X, values, w))
        self.estimators_ = fitted
        self.oob_decision_function_ = np.concatenate(
            [self.oob_decision_function_, unknown]
        )
        return self

    @one_blas_thread()
    def predict_proba(self, X) -> NDArray:
        """Return calibrated probabilities of the classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        P : ndarray of shape (n_samples, n_classes)
            Their probabilities.
        """
        X = self._samples(X)
        votes = self.ensemble_.votes(X, self.n_jobs)
        chances = [proba_of(fitted, X) for _, fitted in self.estimators_]
        return favoured(self.pool_(votes, chances), self.class_weight_)

    def predict_log_proba(self, X) -> NDArray:
        """Return logarithms of the probabilities of the classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        log_P : ndarray of shape (n_samples, n_classes)
            Logarithms of their probabilities.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict(self, X) -> NDArray:
        """Return the most probable class of every sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Labels.
        """
        P = self.predict_proba(X)
        return self.classes_[P.argmax(axis=1)]

    def predict_set(self, X, alpha=0.1, coverage="class") -> NDArray:
        r"""Return sets of classes that hold the true one with probability 1 - alpha.

        A class is in the set of x if its p-value is above alpha. That is the share of
        training samples of the class, x among them, whose probability of their own
        class out of bag is at most P(c | x). The out-of-bag probabilities also chose
        the weights of the metrics, so the coverage is measured, not proved.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        alpha : float, default=0.1
            Share of sets that may miss the true class.
        coverage : {"class", "marginal"}, default="class"
            Whether the coverage holds within every class, or over all samples.

        Returns
        -------
        sets : ndarray of bool of shape (n_samples, n_classes)
            Whether a class is in the set.
        """
        P = self.predict_proba(X)
        check_alpha(alpha)
        if coverage not in ("class", "marginal"):
            raise ValueError(f"coverage is 'class' or 'marginal'; got {coverage!r}.")
        out_of_bag = self.oob_decision_function_
        rows = np.flatnonzero(~np.isnan(out_of_bag[:, 0]))
        y = self.ensemble_.training_set.values.argmax(axis=1)[rows]
        return prediction_sets(P, out_of_bag[rows], y, alpha, coverage == "class")

    def _class_numbers(self, y):
        """Numbers of labels; ValueError where one was not there in fit."""
        check_is_fitted(self)
        y = np.asarray(y)
        unknown = y[~np.isin(y, self.classes_)]
        if len(unknown):
            raise ValueError(
                f"y has the class {unknown[0]!r}, which was not in the first samples."
            )
        return np.searchsorted(self.classes_, y)


def default_classifiers(n_features, n_classes):
    """The classifiers that stand beside the votes by default."""
    classifiers = [
        ("student_t", StudentTClassifier()),
        ("naive_bayes", ScreenedNaiveBayes()),
        ("trees", BoostedTreesClassifier()),
        ("linear", LinearClassifier()),
    ]
    if n_classes * n_features**2 > MOST_NUMBERS:  # covariances would be too large
        return classifiers[1:]
    return classifiers


def proba_of(fitted, X):
    """Probabilities of valid samples; our classifiers need not validate them again."""
    if isinstance(fitted, ArrayClassifier):
        return fitted.proba_of(X)
    return fitted.predict_proba(X)


def probabilities(fitted, X, n_classes):
    """Probabilities (n, n_classes) by a classifier that may lack some classes."""
    out = np.zeros((len(X), n_classes))
    if len(X):
        out[:, np.asarray(fitted.classes_, dtype=int)] = proba_of(fitted, X)
    return out


def class_factors(class_weight, classes, y):
    """What probabilities of the classes are multiplied with, (n_classes,)."""
    labels = classes[y]
    return compute_class_weight(class_weight, classes=classes, y=labels)


def favoured(P, factors):
    """Probabilities (n, n_classes) times factors, normalised again."""
    weighted = P * factors
    return weighted / weighted.sum(axis=1, keepdims=True)


def prediction_sets(P, calibration, y, alpha, by_class):
    """Classes (n, n_classes) whose p-value is above alpha.

    Parameters
    ----------
    P : ndarray of shape (n, n_classes)
        Probabilities of new samples.
    calibration : ndarray of shape (n_calibration, n_classes)
        Out-of-bag probabilities of training samples.
    y : ndarray of shape (n_calibration,)
        Their classes.
    alpha : float
        Share of sets that may miss.
    by_class : bool
        Whether a class is compared with samples of its own alone.
    """
    own = calibration[np.arange(len(y)), y]
    sets = np.empty(P.shape, dtype=bool)
    for c in range(P.shape[1]):
        typical = np.sort(own[y == c] if by_class else own)
        n_lower = np.searchsorted(typical, P[:, c], side="right")
        sets[:, c] = (n_lower + 1) / (len(typical) + 1) > alpha
    return sets
