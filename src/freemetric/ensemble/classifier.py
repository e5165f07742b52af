"""FreeEnergyClassifier: an ensemble of sampled metrics whose nearest neighbours vote for classes."""

from dataclasses import KW_ONLY
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..learners.base import one_blas_thread
from ..learners.knn import VotingClassifier
from ..learners.training_rows import NUMBERS, precise, training_rows
from ..learners.validation import check_n_components, check_not_huge, check_samples, warn_of_classes
from ..metrics import ClassEncoding, TrainingSet
from ..sklearn_compat import validate_params
from .base import FreeEnergyModel
from .deciding import DecidingMixin
from .disagreement import DisagreementMixin
from .finish import finish_fit
from .growing import learn_more, together
from .parameters import free_energy_estimator
from .running import run_to_the_end
from .settings import recipe_of
from .state_checks import check_classifier
from .tasks.classification import ClassificationTask
from .tasks.decisions import Decision, ProbabilityScore, check_alpha, prediction_sets, typical_shares


@free_energy_estimator
class FreeEnergyClassifier(DecidingMixin, DisagreementMixin, FreeEnergyModel, VotingClassifier):
    r"""Classify by the votes of nearest neighbours in many sampled metrics.

    Each replica samples a metric from Boltzmann's law at a low temperature, on its own stratified half of the samples;
    then the k nearest training samples vote in every replica's space. The samples that a replica did not learn on score
    it without bias: these out-of-bag votes set the weight of every candidate and calibrate votes into probabilities.

    A candidate is a view of the features (scaled to [0, 1]; on their quantiles; as steps at thresholds), a form of the
    map (the identity, which is plain k-NN; diagonal; full) and a temperature T with a confinement lambda:

    .. math:: P(A) \propto \exp\{-(E(A) + \lambda \|A\|_F^2) / T\},\quad E(A) = -\tfrac1N \sum_i \log p_i(A),

    p_i being the probability that stochastic neighbours, the 32 nearest, classify sample i correctly. Candidate c with
    k neighbours enters the prediction with the weight :math:`w_{ck} \propto \exp(-B_{ck} / \tau)`, B its out-of-bag
    Brier score and tau half the standard error of the best one. Finally

    .. math:: P(c|x) = \mathrm{softmax}_c \{s \log q_c(x) - \sum_b t_b F_{bc}(x) + b_c\}

    calibrates the mixed shares q on the same votes, beside the free energies F of x in the class densities: a Student t
    distribution around the centre of every class, and naive Bayes on binned features. Where plain k-NN is better out of
    bag by more than a standard error, it is taken instead.

    A replica costs about 70 gradients of O(n L d) and 9 searches of O(n^2 d) for bags of n samples and L = 32
    neighbours. Bags hold half of the samples, at most 1,000, or 4,000 where that is better out of bag. Beyond 16,384
    samples the cost of the search stops growing.

    Parameters
    ----------
    {n_replicas}
    {effort} {max_seconds}
    class_weight : dict, "balanced" or None, default=None
        Factors of the calibrated probabilities by label: the cost of a mistake about that class. "balanced" is one over
        the number of samples of a class, or over their weight.
    {recipe} {device} {n_jobs} {verbose} {random_state}

    Attributes
    ----------
    oob_score_ : float
        Out-of-bag accuracy, or score of ``Recipe.scoring``. The same votes chose the weights, so it is slightly
        optimistic.
    oob_decision_function_ : ndarray of shape (n_samples, n_classes)
        Out-of-bag class probabilities; NaN where a sample was not out of bag for every candidate.
    class_weight_ : ndarray of shape (n_classes,)
        Factors of the calibrated probabilities: given by ``class_weight``, found for ``Recipe.scoring``, or ones.
    selection_ : dict of ndarray
        What was tried, a row for each candidate and k: "view", "form", "energy", "temperature", "confinement",
        "n_replicas", "n_neighbors", "oob_error", "oob_brier" and "weight" in the prediction.
    {fitted}
    classes_ : ndarray of shape (n_classes,)
        Labels seen in fit.
    {features}

    See Also
    --------
    DMLFE : One metric, as a transformer.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from freemetric import FreeEnergyClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> model = FreeEnergyClassifier(n_replicas=10, random_state=0).fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > 0.95
    True
    """

    n_replicas: Any = "auto"
    _: KW_ONLY
    effort: str = "default"
    max_seconds: float | None = None
    class_weight: Any = None
    recipe: Any = None
    device: str = "cpu"
    n_jobs: int | None = None
    verbose: bool = False
    random_state: Any = None

    def _problem(self, X, y, sample_weight, classes=None):
        samples, labels = check_samples(self, X, y, dtype=NUMBERS, ensure_min_samples=2)
        check_not_huge(samples)
        rows = training_rows(precise(samples), labels, sample_weight, self._can_weigh(), classes)
        self.classes_ = rows.classes
        check_n_components(recipe_of(self).n_components, rows.X)
        training_set = TrainingSet(rows.X, rows.y, ClassEncoding(len(rows.classes)), rows.weights, rows.rows)
        return self._task(training_set), training_set, len(samples)

    def partial_fit(
        self, X: ArrayLike, y: ArrayLike, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Learn from more samples.

        They vote at once, and as large a share of the metrics as they are of all samples is drawn anew, the oldest
        first. Weights and calibration stay as they are until there are twice as many samples as when they were found;
        then everything is searched anew. The first call is a fit.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            More samples.
        y : array-like of shape (n_samples,)
            Their labels.
        classes : array-like of shape (n_classes,) or None, default=None
            All labels there will be, in the first call; None: those of its y.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Importance of these samples among each other.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        validate_params(self)
        if not hasattr(self, "ensemble_"):
            return self._searched_anew(*self._problem(X, y, sample_weight, classes))
        if classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise ValueError("classes are not those of the first call to partial_fit.")
        samples, labels = check_samples(self, X, y, dtype=NUMBERS, reset=False)
        check_not_huge(samples)
        rows = training_rows(precise(samples), labels, sample_weight, self._can_weigh(), self.classes_)
        old, n_before = self.ensemble_.training_set, len(self.oob_decision_function_)
        new = TrainingSet(rows.X, rows.y, old.encoding, rows.weights, n_before + rows.rows)
        training_set, n_given = together(old, new), n_before + len(samples)
        if len(training_set) >= 2 * self.n_searched_:
            return self._searched_anew(self._task(training_set), training_set, n_given)
        self.__dict__.update(learn_more(self, training_set, len(new), n_given))
        return self

    def _searched_anew(self, task, training_set, n_rows):
        search = self._search(training_set, task)
        run_to_the_end(search, self)
        self.__dict__.update(finish_fit(search, training_set, n_rows))
        return self

    def _warn_about(self, searched):
        warn_of_classes(searched.X, searched.y, self.classes_, getattr(self, "feature_names_in_", None))

    def _task(self, training_set):
        decision = Decision(self.class_weight, recipe_of(self).scoring, self.classes_, training_set)
        return ClassificationTask(training_set.n_cells, decision)

    def _score_of(self, scoring):
        return ProbabilityScore(scoring, self.classes_)

    def predict_proba(self, X: ArrayLike) -> NDArray:
        """Calibrated class probabilities.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        P : ndarray of shape (n_samples, n_classes)
            Rows sum to one; columns follow ``classes_``.
        """
        samples = self._samples(X)
        with one_blas_thread():
            return self.ensemble_.predict(samples, self.n_jobs, self.device, self._n_looked_at)

    def predict_set(self, X: ArrayLike, alpha: float = 0.1) -> NDArray[np.bool_]:
        r"""Prediction sets, which hold the true class with probability 1 - alpha.

        Conformal prediction by out-of-bag votes. Let :math:`p_i` be the out-of-bag probability of the true class of
        training sample i, of n that have one. Class c is in the set of x where

        .. math:: \frac{1 + \#\{i : p_i \le P(c|x)\}}{n + 1} > \alpha.

        For samples drawn as those of ``fit``, :math:`1 - \alpha` of all sets hold the true class, on average over all
        samples, not within each class. A set may be empty. With fewer than 1 / alpha - 1 scored samples sets hold all
        classes. The same votes chose the weights of the metrics, so the coverage is measured, not proved.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        alpha : float, default=0.1
            Share of sets that may lack the true class, between 0 and 1.

        Returns
        -------
        S : ndarray of shape (n_samples, n_classes)
            Which classes are in the set of each sample; columns follow ``classes_``.

        References
        ----------
        .. [1] V. Vovk, A. Gammerman, G. Shafer, "Algorithmic Learning in a Random World", Springer, 2005.
        .. [2] Y. Romano, M. Sesia, E. J. Candès, "Classification with Valid and Adaptive Coverage", NeurIPS, 2020.
        .. [3] B. Kim, C. Xu, R. F. Barber, "Predictive Inference Is Free with the Jackknife+-after-Bootstrap",
           NeurIPS, 2020.

        Examples
        --------
        >>> from sklearn.datasets import load_wine
        >>> from freemetric import FreeEnergyClassifier
        >>> X, y = load_wine(return_X_y=True)
        >>> model = FreeEnergyClassifier(n_replicas=10, random_state=0).fit(X[::2], y[::2])
        >>> sets = model.predict_set(X[1::2], alpha=0.05)
        >>> bool(sets[range(89), y[1::2]].mean() > 0.9)
        True
        """
        check_alpha(alpha)
        probabilities, training_set = self.predict_proba(X), self.ensemble_.training_set
        return prediction_sets(
            probabilities, typical_shares(self.oob_decision_function_[training_set.rows], training_set.y), alpha
        )

    def decisions(self, X: ArrayLike, n_neighbors: int = 40) -> NDArray:
        """Class numbers (n_samples, n_neighbors) that k = 1, 2, ... neighbours alone decide on; for studying k.

        Each candidate votes by its weight over all k, and the calibration is that of the mixture; ``predict`` mixes
        several k.
        """
        samples, ensemble = self._samples(X), self.ensemble_

        def decide(some):
            shares = ensemble.shares(some, self.n_jobs, self.device)
            alone = np.tensordot(ensemble.member_weights, shares[:, :n_neighbors], 1)  # (k, n, C)
            energies = ensemble.head.wholes(some)[:, None]  # for every k
            return ensemble.head.answers(alone, energies).argmax(axis=2).T

        return np.concatenate([decide(samples[part]) for part in ensemble.parts(len(samples))])

    def _n_training_samples(self):
        return len(self.ensemble_.training_set)

    def _count(self, X, n_neighbors):
        """Votes, each candidate's by its weight."""
        shares = self.ensemble_.shares(X, self.n_jobs, self.device)
        k = np.arange(1, self.ensemble_.n_neighbors + 1)[:, None, None]
        return np.swapaxes(np.tensordot(self.ensemble_.member_weights, shares, 1) * k, 0, 1)[:, :n_neighbors]

    def check_state(self) -> None:
        """ValueError unless what was fitted belongs together; called for every model that is saved or loaded."""
        check_classifier(self)
