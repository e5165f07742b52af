"""Decisions of a fitted classifier: least expected cost, rejection, tuned thresholds, and which labels would help."""

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import entropy
from sklearn.utils.validation import check_is_fitted

from ..learners.base import one_blas_thread
from ..printable import counted
from .conformal import check_alpha
from .fitted import FittedEnsemble
from .settings import recipe_of
from .tasks.decisions import ProbabilityScore, best_weights, conformity, favouring, score_name
from .tasks.intervals import check_one_target


def check_costs(costs: ArrayLike, n_classes: int) -> NDArray[np.float64]:
    """Costs (C, C) of saying j where i is true; ValueError unless there is one number for each."""
    try:
        found = np.asarray(costs, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError("costs must be a matrix of numbers: costs[i, j] of saying j where i is true.") from None
    if found.shape != (n_classes, n_classes):
        wanted = f"{n_classes} x {n_classes}, a row for every true class and a column for every answer"
        raise ValueError(f"costs of {counted(n_classes, 'class', 'classes')} must be {wanted}; got {found.shape}.")
    if not np.isfinite(found).all():
        raise ValueError("costs has NaN or infinity; a mistake that must never happen has a very large cost.")
    return found


def weights_of_costs(costs: NDArray) -> NDArray[np.float64]:
    """Class weights (2,) that decide as costs (2, 2) do: what a mistake about each class costs more than the truth."""
    if len(costs) != 2:
        raise ValueError("costs of more than two classes are no threshold; predict(X, costs=costs) takes them.")
    lost = costs.sum(axis=1) - 2 * costs.diagonal()
    if not (lost > 0).all():
        raise ValueError("costs have no threshold: a mistake about either class must cost more than the truth.")
    return lost / np.sqrt(lost.prod())


class DecidingMixin(FittedEnsemble):
    """Predictions by costs, with rejection or one number of neighbours; tuned thresholds; disagreement of replicas."""

    class_weight: Any
    class_weight_: NDArray
    oob_conformity_: NDArray
    oob_score_: float
    predict_proba: Callable[[Any], Any]
    score_samples: Callable[[Any], NDArray]

    def predict(self, X: ArrayLike, costs: ArrayLike | None = None, reject: float | None = None) -> NDArray:
        r"""Predict classes: the most probable ones, or those of least expected cost.

        With costs, the answer is

        .. math:: \hat y(x) = \arg\min_j \sum_i P(i|x)\, C_{ij}.

        P are the probabilities of the data: ``class_weight``, which stands for other costs, is divided out.

        {samples}
        costs : array-like of shape (n_classes, n_classes) or None, default=None
            ``costs[i, j]`` is the cost of saying ``classes_[j]`` where ``classes_[i]`` is true; a gain is negative.
            None: the class of the largest probability.
        reject : float or None, default=None
            Reject samples whose ``score_samples`` is at most this share, between 0 and 1: so many ordinary ones are
            rejected, too. None rejects nothing.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_outputs)
            Labels. With ``reject`` a masked array, whose mask is True for rejected samples:
            ``y.mask`` says which, ``y.compressed()`` has the labels of all others, and ``y.filled(-1)`` marks them.

        References
        ----------
        .. [1] C. Elkan, "The Foundations of Cost-Sensitive Learning", IJCAI, 2001.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.datasets import load_breast_cancer
        >>> from freemetric import FreeEnergyClassifier
        >>> X, y = load_breast_cancer(return_X_y=True)  # 0 is malignant
        >>> model = FreeEnergyClassifier(n_replicas=8, random_state=0).fit(X[:150], y[:150])
        >>> careful = model.predict(X[300:], costs=[[0, 20], [1, 0]])  # twenty false alarms are as bad as a miss
        >>> bool((careful == 0).sum() > (model.predict(X[300:]) == 0).sum())
        True
        >>> model.predict(1e6 + X[:2], reject=0.05).mask
        array([ True,  True])
        """
        if reject is not None:
            check_alpha(reject, "ordinary samples that are rejected", "reject")
        check_is_fitted(self)
        labels = self._decide(costs)(self.predict_proba(X))
        if reject is None:
            return labels
        novel = self.score_samples(X) <= reject
        return np.ma.masked_array(labels, np.broadcast_to(novel, labels.T.shape).T)

    def _decide(self, costs: ArrayLike | None) -> Callable[[NDArray], NDArray]:
        """A function of probabilities (n, C) that gives labels (n,)."""
        classes, factors = self.classes_, 1 / self.class_weight_
        if costs is None and isinstance(classes, list):
            return lambda P: np.column_stack([labels[p.argmax(axis=1)] for labels, p in zip(classes, P, strict=True)])
        if costs is None:
            return lambda P: classes[P.argmax(axis=1)]
        check_one_target(self, "costs are")
        C = check_costs(costs, len(classes))
        return lambda P: classes[(favouring(P, factors) @ C).argmin(axis=1)]  # of the least expected cost

    def decisions(self, X: ArrayLike, n_neighbors: int = 40) -> NDArray:
        """Class numbers (n_samples, n_neighbors) that k = 1, 2, ... neighbours alone decide on; for studying k.

        Each candidate votes by its weight over all k, and the calibration is that of the mixture; ``predict`` mixes
        several k.
        """
        samples, ensemble = self._samples(X), self.ensemble_
        check_one_target(self, "Decisions by k are")

        def decide(some):
            shares = ensemble.shares(some, self.n_jobs, self.device)
            alone = np.tensordot(ensemble.member_weights, shares[:, :n_neighbors], 1)  # (k, n, C)
            energies = ensemble.head.wholes(some)[:, None]  # for every k
            return ensemble.head.answers(alone, energies).argmax(axis=2).T

        return np.concatenate([decide(samples[part]) for part in ensemble.parts(len(samples))])

    def tune_threshold(self, scoring: Any = None, costs: ArrayLike | None = None) -> Self:
        r"""Tune the decision threshold on out-of-bag probabilities.

        The weights :math:`w_c` of the largest score are taken, deciding for the largest :math:`w_c P(c|x)`. For two
        classes they are a threshold, :math:`P(1|x) \ge w_0 / (w_0 + w_1)`; for more they are
        :math:`w_c \propto n_c^{-\gamma}` for classes of :math:`n_c` samples. The score is smoothed over neighbouring
        weights. Nothing is fitted, and no cross-validation is needed. ``Recipe.scoring`` does the same in ``fit``.

        Parameters
        ----------
        scoring : str, callable or None, default=None
            A scorer of labels or its name, such as "f1". None is "balanced_accuracy", or the mean cost where there are
            ``costs``.
        costs : array-like of shape (2, 2) or None, default=None
            ``costs[i, j]`` is the cost of saying ``classes_[j]`` where ``classes_[i]`` is true, for two classes. The
            threshold of least mean cost is sought around that of ``predict(X, costs=costs)``, which is the best for
            calibrated probabilities.

        Returns
        -------
        tuned : object
            A copy of this model with ``class_weight`` and ``class_weight_`` as found, and with the probabilities and
            ``oob_score_`` that follow; ``self`` stays as it is.

        References
        ----------
        .. [1] B. Zadrozny, C. Elkan, "Learning and Making Decisions When Costs and Probabilities Are Both Unknown",
           KDD, 2001.

        Examples
        --------
        >>> from sklearn.datasets import make_classification
        >>> from freemetric import FreeEnergyClassifier
        >>> X, y = make_classification(400, 6, weights=[0.9], random_state=0)
        >>> model = FreeEnergyClassifier(n_replicas=8, random_state=0).fit(X, y)
        >>> tuned = model.tune_threshold("balanced_accuracy")
        >>> bool(tuned.class_weight_[1] > tuned.class_weight_[0])  # the rare class is predicted more often
        True
        """
        check_is_fitted(self)
        if scoring is not None and costs is not None:
            raise ValueError("tune_threshold takes a scoring or costs, not both.")
        check_one_target(self, "Thresholds are")
        P, y, w = self._out_of_bag()
        if costs is not None:
            C = check_costs(costs, len(self.classes_))
            start = weights_of_costs(C)

            def score(P, y, w):
                return -float(np.average(C[y, P.argmax(axis=1)], weights=w))
        else:
            scoring = "balanced_accuracy" if scoring is None else scoring
            start, score = np.ones(len(self.classes_)), ProbabilityScore(scoring, self.classes_)
            if not score.is_of_labels(y):
                raise ValueError(f"The {score_name(scoring)} has no threshold; tune_threshold takes a score of labels.")
        P = favouring(P, start / self.class_weight_)
        sizes = np.bincount(y, w, len(self.classes_)).astype(np.float64)
        return self._with_class_weights(start * best_weights(lambda factors: score(favouring(P, factors), y, w), sizes))

    def _out_of_bag(self):
        """Probabilities (n, C), class numbers (n,) and weights of the samples that were out of bag."""
        if not hasattr(self, "oob_decision_function_"):
            raise ValueError("This model keeps no out-of-bag votes; to_local() gathers them first.")
        training_set = self.ensemble_.training_set
        P = self.oob_decision_function_[training_set.rows]
        known = ~np.isnan(P).any(axis=1)
        if not known.any():
            raise ValueError("No sample was out of bag, so there is no threshold to tune; more replicas help.")
        if known.sum() < len(self.oob_conformity_):
            raise ValueError("A condensed model has lost labels that thresholds need; tune_threshold before condense.")
        return P[known], training_set.y[known], None if training_set.weights is None else training_set.weights[known]

    def _with_class_weights(self, weights):
        """A copy with these weights (C,) of the classes instead of its own."""
        factors, tuned = weights / self.class_weight_, object.__new__(type(self))
        vars(tuned).update(vars(self))  # not copy.copy, which takes the state of pickles
        tuned.class_weight = dict(zip(self.classes_.tolist(), weights.tolist(), strict=True))
        tuned.class_weight_ = weights
        tuned.ensemble_ = self.ensemble_.changed(head=self.ensemble_.head.favouring(factors))
        tuned.oob_decision_function_ = favouring(self.oob_decision_function_, factors)
        P, y, w = tuned._out_of_bag()
        tuned.oob_conformity_ = conformity(P, y)
        tuned.oob_score_ = ProbabilityScore(recipe_of(self).scoring, self.classes_)(P, y, w)
        return tuned

    def disagreement(self, X: ArrayLike) -> NDArray[np.float64]:
        r"""Disagreement of the replicas about the classes of samples, for active learning.

        Each replica r votes alone, and its votes are calibrated as those of the ensemble are. With the weights
        :math:`w_r` of the replicas and the entropy H,

        .. math:: I(x) = H\left[\sum_r w_r P_r(\cdot|x)\right] - \sum_r w_r H[P_r(\cdot|x)],

        the information that the label of x has about the metric. It is small where all replicas are sure, and also
        where all are equally unsure, because classes overlap there and no label helps. Labels of the largest values
        lowered errors less than those of the smallest margins of ``predict_proba`` in our measurements. Where plain
        nearest neighbours vote alone there is one replica, and all values are zero.

        Costs a search among all training samples in the space of every replica.

        {samples}

        Returns
        -------
        I : ndarray of shape (n_samples,)
            In nats, from 0 to log(n_classes).

        References
        ----------
        .. [1] N. Houlsby, F. Huszár, Z. Ghahramani, M. Lengyel, "Bayesian Active Learning for Classification and
           Preference Learning", arXiv:1112.5745, 2011.

        Examples
        --------
        {wine}
        >>> model = FreeEnergyClassifier(n_replicas=10, random_state=0).fit(X[::6], y[::6])
        >>> next_to_label = model.disagreement(X).argmax()
        """
        samples, ensemble = self._samples(X), self.ensemble_
        check_one_target(self, "Disagreement is")
        of_k = ensemble.weights / np.maximum(ensemble.member_weights, np.finfo(float).tiny)[:, None]
        found = np.empty(len(samples))
        with one_blas_thread():
            for part in ensemble.parts(len(samples)):
                some, own_entropy = samples[part], 0.0
                wholes, mean = ensemble.head.wholes(some), np.zeros((len(some), len(self.classes_)))
                for number, shares in ensemble.shares_of_replicas(some, self.n_jobs, self.device):
                    weight = ensemble.member_weights[number] / len(ensemble.members[number])
                    P = ensemble.head.answers(np.tensordot(of_k[number], shares, 1), wholes)
                    mean += weight * P
                    own_entropy += weight * entropy(P, axis=1)
                found[part] = np.maximum(entropy(mean, axis=1) - own_entropy, 0.0)
        return found
