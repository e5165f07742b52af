"""FreeEnergyClassifier: an ensemble of sampled metrics whose nearest neighbours vote for classes."""

from dataclasses import KW_ONLY
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import accuracy_score
from sklearn.utils.validation import check_is_fitted

from ..learners.base import one_blas_thread
from ..learners.knn import VotingClassifier
from ..learners.training_rows import precise, training_rows
from ..learners.validation import check_not_huge, check_samples, has_columns, warn_of_classes, warn_of_samples
from ..metrics import TrainingSet
from ..sklearn_compat import validate_params
from . import tasks
from .base import GAPPY, FreeEnergyModel
from .certificate import CertificateMixin
from .conformal import COVERAGES, Conditions, check_alpha, prediction_sets, warn_of_small_cells
from .counterfactuals import CounterfactualsMixin
from .deciding import DecidingMixin
from .finish import finish_fit, learn_more, together
from .parameters import free_energy_estimator
from .running import run_to_the_end
from .settings import recipe_of
from .state_checks import check_classifier
from .tasks.intervals import check_one_target


@free_energy_estimator
class FreeEnergyClassifier(CertificateMixin, DecidingMixin, FreeEnergyModel, CounterfactualsMixin, VotingClassifier):
    r"""Classify by the votes of nearest neighbours in many sampled metrics.

    Each replica samples a metric from Boltzmann's distribution at a low temperature, on its own stratified half of the
    samples; then the k nearest training samples vote in every replica's space. The samples that a replica did not learn
    on score it without bias: these out-of-bag votes set the weight of every candidate and calibrate votes into
    probabilities.

    A candidate is a view of the features (scaled to [0, 1]; on their quantiles; as steps at thresholds), a form of the
    map (the identity, which is plain k-NN; diagonal; full) and a temperature T with a confinement lambda:

    .. math:: P(A) \propto \exp\{-(E(A) + \lambda \|A\|_F^2) / T\},\quad E(A) = -\tfrac1N \sum_i \log p_i(A),

    p_i being the probability that stochastic neighbours, the 32 nearest, classify sample i correctly. Candidate c with
    k neighbours enters the prediction with the weight :math:`w_{ck} \propto \exp(-B_{ck} / \tau)`, B its out-of-bag
    Brier score and tau half the standard error of the best one. Finally

    .. math:: P(c|x) = \mathrm{softmax}_c \{s \log q_c(x) - \sum_b t_b F_{bc}(x) + b_c\}

    calibrates the mixed shares q on the same votes, beside the free energies F of x in the class densities: a Student t
    distribution around the centre of every class, and naive Bayes on binned features. Boosted trees and a kernel ridge
    regression join where they are better out of bag. Where plain k-NN is better out of bag by more than a standard
    error, it is taken instead.

    Labels y of shape (n_samples, n_outputs) are learned together, by one set of metrics. Their energy is
    :class:`freemetric.energies.RegressionEnergy` of the classes' columns: the Brier score of soft neighbours, in units
    of the variance of every column. Votes of each output are calibrated by themselves. ``classes_`` and
    ``predict_proba`` are then lists with an array for each output, as in scikit-learn's forests. What is made for one
    label, such as ``predict_set`` and ``report``, says so.

    A replica costs about 70 gradients of O(n L d) and 9 searches of O(n^2 d) for bags of n samples and L = 32
    neighbours. Bags hold half of the samples, at most 1,000, or 4,000 where that is better out of bag. Beyond 16,384
    samples the cost of the search stops growing.

    Parameters
    ----------
    {n_replicas}
    {effort} {max_seconds}
    class_weight : dict, list of dict, "balanced" or None, default=None
        Factors of the calibrated probabilities by label: the cost of a mistake about that class. "balanced" is one over
        the number of samples of a class, or over their weight. Several outputs have a list, a dict for each.
    {recipe} {device} {n_jobs} {verbose} {random_state}

    Attributes
    ----------
    oob_score_ : float
        Out-of-bag accuracy, or score of ``Recipe.scoring``. The same votes chose the weights, so it is slightly
        optimistic. Of several outputs, the share of samples with all labels right, or the mean of the scores of each.
    oob_decision_function_ : ndarray of shape (n_samples, n_classes)
        Out-of-bag class probabilities; NaN where a sample was not out of bag for every candidate. The classes of
        several outputs stand side by side, as in ``class_weight_``.
    oob_conformity_ : ndarray of shape (n_oob, 2)
        Class numbers and their out-of-bag probabilities, sorted: what ``predict_set`` compares with. Empty for several
        outputs.
    class_weight_ : ndarray of shape (n_classes,)
        Factors of the calibrated probabilities: given by ``class_weight``, found for ``Recipe.scoring``, or ones.
    selection_ : dict of ndarray
        What was tried, a row for each candidate and k: "view", "form", "energy", "temperature", "confinement",
        "n_replicas", "n_neighbors", "oob_error", "oob_brier" and "weight" in the prediction.
    {fitted}
    classes_ : ndarray of shape (n_classes,) or list of ndarray
        Labels seen in fit; a list with those of each output where y has several columns.
    n_outputs_ : int
        Number of columns of y.
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
    >>> labels = model.fit(X[::2], [[int(c > 0), int(c > 1)] for c in y[::2]])  # two labels of every sample
    >>> [P.shape for P in labels.predict_proba(X[1::2])]
    [(89, 2), (89, 2)]
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
        options = {"multi_output": has_columns(y), "ensure_min_samples": 2}
        samples, labels = check_samples(self, X, y, **options, **GAPPY)
        filled, gaps = self._without_gaps(precise(samples), sample_weight)
        rows = training_rows(filled, labels, sample_weight, self._can_weigh(), classes)
        self.classes_ = rows.classes
        training_set = self._kind_of_task.training_set(rows)
        return self._task(training_set), training_set.with_gaps(gaps), len(samples)

    def partial_fit(
        self, X: ArrayLike, y: ArrayLike, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Learn from more samples.

        They vote at once, and as large a share of the metrics as they are of all samples is drawn anew, the oldest
        first. Weights and calibration stay as they are until there are twice as many samples as when they were found;
        then everything is searched anew. The first call is a fit, and its means fill gaps.

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

        {itself}
        """
        validate_params(self)
        if has_columns(y) or getattr(self, "n_outputs_", 1) > 1:
            raise ValueError("partial_fit learns one label of every sample; fit learns several columns of y.")
        if not hasattr(self, "ensemble_"):
            return self._searched(*self._problem(X, y, sample_weight, classes))
        if classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise ValueError("classes are not those of the first call to partial_fit.")
        samples, labels = check_samples(self, X, y, reset=False, **GAPPY)
        samples = self.ensemble_.filled(precise(samples))
        check_not_huge(samples)
        rows = training_rows(samples, labels, sample_weight, self._can_weigh(), self.classes_)
        old, n_before = self.ensemble_.training_set, len(self.oob_decision_function_)
        new = TrainingSet(rows.X, rows.y, old.encoding, rows.weights, n_before + rows.rows)
        training_set, n_given = together(old, new), n_before + len(samples)
        if len(training_set) >= 2 * self.n_searched_:
            return self._searched(self._task(training_set), training_set, n_given)
        self.__dict__.update(learn_more(self, training_set, len(new), n_given))
        return self

    def _searched(self, task, training_set, n_rows):
        """Itself with the metrics that a search finds, as ``fit`` does."""
        search = self._search(training_set, task)
        run_to_the_end(search, self)
        self.__dict__.update(finish_fit(search, training_set, n_rows))
        return self

    def _warn_about(self, searched):
        names = getattr(self, "feature_names_in_", None)
        X = searched.X[:, : self.n_features_in_]  # without companions of gaps
        if self.n_outputs_ > 1:
            return warn_of_samples(X, names)
        warn_of_classes(X, searched.y, self.classes_, names)

    @property
    def _kind_of_task(self) -> Any:
        return next(task for task in tasks.TASKS.values() if isinstance(self.classes_, task.classes_are))

    def _task(self, training_set):
        return self._kind_of_task.of_classes(training_set, self.classes_, self.class_weight, recipe_of(self).scoring)

    @property
    def n_outputs_(self) -> int:
        return len(self.classes_) if isinstance(self.classes_, list) else 1

    def _problem_again(self, training_set):
        return self._task(training_set), training_set

    def _oob_losses(self, attributes, scored):
        P = attributes["oob_decision_function_"][scored.rows]
        return self._task(scored).deviations(P, scored.y)

    def _known_targets(self, y):
        return self._kind_of_task.known_targets(y, self.classes_)

    def _score_of(self, scoring):
        return self._kind_of_task.score_of(scoring, self.classes_)

    def predict_proba(self, X: ArrayLike) -> Any:
        """Calibrated class probabilities.

        {samples}

        Returns
        -------
        P : ndarray of shape (n_samples, n_classes), or list of them
            Rows sum to one; columns follow ``classes_``. A list with one for each of several outputs.
        """
        samples = self._samples(X)
        with one_blas_thread():
            found = self.ensemble_.predict(samples, self.n_jobs, self.device, self._n_looked_at)
        return self.ensemble_.head.separate(found)

    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Accuracy of the predictions; of several outputs, the share of samples with all labels right.

        {scored}

        Returns
        -------
        score : float
            Between 0 and 1.
        """
        predicted, known = self.predict(X), y
        if predicted.ndim == 2:
            known = np.asarray(y)
            if known.shape != predicted.shape:
                raise ValueError(f"y must have the shape {predicted.shape}, got {known.shape}.")
            predicted, known = (predicted == known).all(axis=1), np.ones(len(known), dtype=bool)
        return float(accuracy_score(known, predicted, sample_weight=sample_weight))

    def predict_set(
        self,
        X: ArrayLike,
        alpha: float = 0.1,
        *,
        coverage: str = "class",
        groups: tuple[ArrayLike, ArrayLike] | None = None,
        shift: ArrayLike | None = None,
    ) -> NDArray[np.bool_]:
        r"""Prediction sets, which hold the true class with probability 1 - alpha.

        Conformal prediction by out-of-bag votes. Let :math:`p_i` be the out-of-bag probability of the true class of
        training sample i. Class c is in the set of x where

        .. math:: \frac{w(x) + \sum_{i \in I_c} w_i\, [p_i \le P(c|x)]}{w(x) + \sum_{i \in I_c} w_i} > \alpha.

        With ``coverage="class"``, I_c are the samples of class c [1]_ [2]_: of the samples of every class a share of
        1 - alpha or more has a set that holds this class. With ``coverage="marginal"``, I_c are all samples: sets are
        smaller, and rare classes are often missed. With ``groups``, I_c are those of the group of x alone. All weights
        are one unless there is a ``shift``.

        With fewer than 1 / alpha - 1 samples in I_c, every set holds c, and a DataWarning says so. A set may be empty.
        This holds for samples drawn as those of ``fit``, or as those of ``shift``. As in the jackknife+ [3]_ [4]_, no
        samples are set aside; the same votes chose the weights of the metrics, so the coverage is measured, not proved.
        Costs a prediction and O(n log n) for n out-of-bag samples.

        {samples}
        alpha : float, default=0.1
            Share of sets that may lack the true class, between 0 and 1.
        coverage : {"class", "marginal"}, default="class"
            Whether 1 - alpha holds within every class, or on average over all samples.
        groups : pair of array-like of shape (n_rows,) and (n_samples,), or None, default=None
            Groups of the rows given to ``fit``, and of X, within which the coverage is to hold. With
            ``coverage="class"`` it holds within every class of every group.
        shift : array-like of shape (n_new, n_features) or None, default=None
            Samples of the population that X is from, often X itself, where features are distributed otherwise than in
            ``fit`` and classes depend on them as there. The weights w are density ratios [5]_, from the counts of both
            populations among nearest neighbours in the averaged metric.

        Returns
        -------
        S : ndarray of shape (n_samples, n_classes)
            Which classes are in the set of each sample; columns follow ``classes_``.

        References
        ----------
        .. [1] V. Vovk, A. Gammerman, G. Shafer, "Algorithmic Learning in a Random World", Springer, 2005.
        .. [2] V. Vovk, "Conditional Validity of Inductive Conformal Predictors", ACML, 2012.
        .. [3] R. F. Barber, E. J. Candès, A. Ramdas, R. J. Tibshirani, "Predictive Inference with the Jackknife+",
           Annals of Statistics 49, 2021.
        .. [4] B. Kim, C. Xu, R. F. Barber, "Predictive Inference Is Free with the Jackknife+-after-Bootstrap",
           NeurIPS, 2020.
        .. [5] R. J. Tibshirani, R. F. Barber, E. J. Candès, A. Ramdas, "Conformal Prediction under Covariate Shift",
           NeurIPS, 2019.

        Examples
        --------
        {wine_halves}
        >>> sets = model.predict_set(X[1::2], alpha=0.05)
        >>> bool(sets[range(89), y[1::2]].mean() > 0.9)
        True
        """
        check_alpha(alpha)
        if coverage not in COVERAGES:
            raise ValueError(f"coverage is one of {', '.join(map(repr, COVERAGES))}; got {coverage!r}.")
        check_one_target(self, "Prediction sets are")
        samples = self._samples(X)
        if not len(self.oob_conformity_):
            raise ValueError("No sample was out of bag, so there are no prediction sets; more replicas help.")
        if groups is None and shift is None:  # also by samples that do not vote any more
            truth, typical = self.oob_conformity_[:, 0].astype(int), self.oob_conformity_[:, 1]
            given = Conditions.none(len(truth), len(samples))
        else:
            training_set = self.ensemble_.training_set
            known = self.oob_decision_function_[training_set.rows]
            scored = np.flatnonzero(~np.isnan(known).any(axis=1))
            truth = training_set.y[scored]
            typical = known[scored, truth]
            given = Conditions.of(self, samples, training_set.rows[scored], groups, shift)
        sets, small = prediction_sets(self.predict_proba(X), truth, typical, alpha, coverage == "class", given)
        few = f"fewer than 1 / alpha - 1 = {1 / alpha - 1:.4g} out-of-bag samples"
        warn_of_small_cells(f"Every prediction set holds a class with {few}", small, self.classes_, groups is not None)
        return sets

    def label_quality(self) -> NDArray[np.float64]:
        """Out-of-bag probability of every row's own label: where it is low, the label may be wrong.

        Sorting by it finds wrong labels; ``data_values`` says what they cost the votes.

        Returns
        -------
        quality : ndarray of shape (n_rows,)
            For every row given to fit, between 0 and 1; NaN where a row is not in the training set or was never out of
            bag.

        Examples
        --------
        >>> import numpy as np
        {wrong_label}
        >>> quality = FreeEnergyClassifier(n_replicas=10, random_state=0).fit(X, y).label_quality()
        >>> int(np.nanargmin(quality))
        7
        """
        check_is_fitted(self)
        self._check_keeps_rows()
        check_one_target(self, "label_quality is")
        training_set, quality = self.ensemble_.training_set, np.full(self._n_rows_given, np.nan)
        quality[training_set.rows] = self.oob_decision_function_[training_set.rows, training_set.y]
        return quality

    def _n_training_samples(self):
        return len(self.ensemble_.training_set)

    def _count(self, X, n_neighbors):
        """Votes, each candidate's by its weight."""
        check_one_target(self, "Votes by k are")
        shares = self.ensemble_.shares(X, self.n_jobs, self.device)
        k = np.arange(1, self.ensemble_.n_neighbors + 1)[:, None, None]
        return np.swapaxes(np.tensordot(self.ensemble_.member_weights, shares, 1) * k, 0, 1)[:, :n_neighbors]

    def check_state(self) -> None:
        """ValueError unless what was fitted belongs together; called for every model that is saved or loaded."""
        check_classifier(self)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags
