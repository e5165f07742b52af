"""FreeEnergyClassifier: an ensemble of sampled metrics whose nearest neighbours vote for classes."""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import get_scorer_names

from ..learners.base import one_blas_thread
from ..learners.knn import VotingClassifier
from ..learners.training_rows import NUMBERS, precise, training_rows
from ..learners.validation import check_n_components, check_not_huge, check_samples, warn_of_classes
from ..metrics import ClassEncoding, TrainingSet
from ..sklearn_compat import StrOptions, validate_params, with_callbacks
from .base import CONSTRAINTS, FreeEnergyModel
from .growing import learn_more, together
from .running import run_to_the_end
from .state_checks import check_classifier
from .tasks.classification import ClassificationTask
from .tasks.decisions import Decision, Score, check_alpha, prediction_sets, typical_shares


class FreeEnergyClassifier(FreeEnergyModel, VotingClassifier):
    r"""Classify by the votes of nearest neighbours in many sampled metrics.

    Each replica samples a metric from Boltzmann's law at a low temperature, on its own stratified half of the samples;
    then the k nearest training samples vote in every replica's space. The samples that a replica did not learn on score
    it without bias: these out-of-bag votes set the weight of every candidate and calibrate votes into probabilities.

    A candidate is a view of the features (scaled to [0, 1]; on their quantiles; as steps at thresholds), a form of the
    map (the identity, which is plain k-NN; diagonal; full) and a temperature T with a confinement lambda:

    .. math:: P(A) \propto \exp\{-(E(A) + \lambda \|A\|_F^2) / T\},\quad E(A) = -\tfrac1N \sum_i \log p_i(A),

    p_i being the chance that stochastic neighbours classify sample i correctly, the 32 nearest of them. Up to half of
    the replicas go evenly to all kinds; the best of every form are then tried colder and hotter, and on larger bags;
    the rest go where the votes were best. Candidate c with k neighbours enters the prediction with the weight
    :math:`w_{ck} \propto \exp(-B_{ck} / \tau)`, B its out-of-bag Brier score and tau half the standard error of the
    best one: Boltzmann's law, with the score as energy. Finally

    .. math:: P(c|x) = \mathrm{softmax}_c \{s \log q_c(x) - \sum_b t_b F_{bc}(x) + b_c\}

    calibrates the mixed shares q on the same votes, beside the free energies F of x in the densities of the classes: a
    Student t distribution around the centre of every class, and naive Bayes on binned features, of all features alike
    and of each by what it says beyond chance. Votes know what is near, densities what is far; no sample has a part in
    the densities that it is scored with. Where plain k-NN is better out of bag by more than a standard error, it is
    taken instead.

    A replica costs about 70 gradients of O(n L d) and 9 searches of O(n^2 d) for bags of n samples, of whom each looks
    at its L = 32 nearest, and a search of the neighbours of at most 4,000 samples among at most 16,384. Bags hold half
    of the samples, at most 1,000, or 4,000 where that is better out of bag: beyond 16,384 samples a search costs the
    same for any number of them. Predicting a sample costs one search in the averaged metric, and O(S p) for its S
    nearest samples in every replica's space. Memory stays below a gigabyte for thousands of features or hundreds of
    classes: of very many classes fewer samples are scored, and fewer neighbours vote.

    Parameters
    ----------
    n_replicas : int or "auto", default="auto"
        Sampled metrics; "auto" is 90, up to twice as many where bags are small, and a few more where larger ones are
        better.
    temperature : float or "auto", default="auto"
        Temperature of the replicas; "auto" starts from 1e-3 (3e-4 for NCA's own energy) and tries a third and three
        times that.
    confinement : float or "auto", default="auto"
        Strength of the harmonic trap on A; "auto" is 0.3 T (0.1 T for NCA's own energy).
    n_neighbors : int or "auto", default="auto"
        Neighbours that vote; "auto" mixes 1, 2, 3, 5, 8, 13, 20 and 32 by their out-of-bag scores.
    subsample : float or "auto", default="auto"
        Share of every class that a replica learns on; "auto" is a half.
    candidates : "auto" or list of str, default="auto"
        Kinds that are tried, as "view/form": any of scaled, quantiles, steps and whitened with any of identity,
        diagonal and full. "view/form/nca" samples NCA's own energy instead of its logarithmic form. "auto" takes those
        of the recipe: the identity on scaled features and quantiles, the diagonal on these and steps, the full map on
        the first two, and "scaled/full/nca". :func:`freemetric.metrics.register_view` adds views, and ``register_form``
        forms. More than 500 features are seen on their principal axes, at most 300: "axes" stands in for "scaled", and
        other views of so many are left out.
    n_components : int or None, default=None
        Dimension of the learned spaces; None keeps the number of features. A number leaves the diagonal maps out.
    energy : Energy, "nca", "log-nca", callable or "auto", default="auto"
        What the replicas sample; "auto" is the energy of each kind. A callable knows its own data: only the full map of
        the features scaled to [0, 1] is then sampled.
    sampler : Sampler or None, default=None
        How; None is ``Annealing(Constant(temperature), HamiltonianMove(caution=0.5), n_steps=12)``. Replaces
        ``temperature``. Of a sampler that runs several replicas at once, such as ``ParallelTempering``, the first is
        taken, the coldest.
    recipe : Recipe or None, default=None
        All other constants of the search; None is ``Recipe()``. What is given by the parameters above counts more.
    shortlist : int, "auto" or None, default="auto"
        Training samples whose distances a prediction computes in every replica's space: those nearest in the averaged
        metric. "auto" is the smallest of 128, 256, 512 and 1,024 that changes at most 1 % of the votes, as
        measured when the model was fitted; None takes all, which is exact and slower. It is never smaller than the
        number of neighbours that vote, up to 40.
    class_weight : dict, "balanced" or None, default=None
        How much the classes count in decisions, by label: the calibrated probabilities are multiplied by it, which
        makes the expected loss least where a mistake about class c costs w_c. "balanced" is one over the number of
        samples of a class, or over their weight. On top of ``sample_weight``, which changes the metrics too.
    scoring : str, callable or None, default=None
        What ``oob_score_`` is: a name of :func:`sklearn.metrics.get_scorer_names`, or a scorer
        ``scorer(estimator, X, y)``; None is accuracy. A score of labels, such as "balanced_accuracy" or "f1", is also
        what the classes are weighed for, out of bag, where ``class_weight`` is None. Metrics are chosen by the Brier
        score in any case.
    max_seconds : float or None, default=None
        When to stop sampling, at the next replica; the model is then made of what there is, with a warning.
    checkpoint : path-like or None, default=None
        Folder for results on the way. After a crash the same fit goes on from there and ends with the same model; a fit
        that ends removes its files.
    device : str, default="cpu"
        "cpu", a torch device such as "cuda" (extra ``gpu``), or "reference" for plain numpy, which is slow.
    n_jobs : int or None, default=None
        Replicas that are sampled at a time, by joblib: in threads unless ``joblib.parallel_config`` says otherwise.
        Results do not depend on it.
    verbose : bool, default=False
        Log what every round of the search has found.
    random_state : int, RandomState or None, default=None
        Seed of everything random.

    Attributes
    ----------
    oob_score_ : float
        Out-of-bag accuracy, or what ``scoring`` says. The same votes chose the weights, so it is slightly optimistic.
    oob_decision_function_ : ndarray of shape (n_samples, n_classes)
        Out-of-bag class probabilities; NaN where a sample was not out of bag for every candidate.
    class_weight_ : ndarray of shape (n_classes,)
        What calibrated probabilities are multiplied by: given by ``class_weight``, found for ``scoring``, or ones.
    selection_ : dict of ndarray
        What was tried, a row for each candidate and k: "view", "form", "energy", "temperature", "confinement",
        "n_replicas", "n_neighbors", "oob_error", "oob_brier" and "weight" in the prediction.
    ensemble_ : Ensemble
        The fitted model as a value: the metrics, their weights, the rows that vote.
    members_ : list of Member
        Its candidates that vote, each with its sampled ``maps``.
    views_ : dict
        The views of the features they live on.
    feature_importances_ : ndarray of shape (n_features,)
        What the out-of-bag score loses when the values of a feature are shuffled, see ``permutation_importances``;
        in units of the score, below zero by chance. Computed on first access.
    feature_importances_error_ : ndarray of shape (n_features,)
        Its standard error.
    distance_weights_ : ndarray of shape (n_features,)
        Share of every feature in the squared distances between training samples, averaged over replicas: what
        distances are made of, not what the classes need. A feature that varies much has much of it even where it
        decides nothing.
    distance_weights_std_ : ndarray of shape (n_features,)
        Its standard deviation over replicas.
    oob_indices_ : OOBIndices
        Which samples were scored out of bag, and which replicas have not learned on them.
    n_neighbors_ : int
        Neighbours with the largest weight.
    shortlist_ : int
        Training samples that a prediction looks at where ``shortlist`` is "auto".
    shortlist_recall_ : float
        Share of the neighbours that vote that are among them, measured on training samples.
    temperature_, confinement_ : float
        Those of the learned candidate with the largest weight. With a ``sampler`` of one's own ``temperature_`` is the
        last temperature of its first replica.
    trace_ : dict of ndarray of shape (n_steps, n_replicas)
        "temperature", "energy" and "acceptance" of every Monte Carlo step, of all replicas sampled.
    snapshots_ : dict of ndarray
        "step" (n,) and "map" (n, p, d): the first replica of that candidate along its walk, in "view" and "form".
    n_searched_ : int
        Samples that there were when all this was found; ``partial_fit`` may have added others.
    classes_ : ndarray of shape (n_classes,)
        Labels seen in fit.
    n_features_in_ : int
        Features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X has any.

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

    _parameter_constraints: dict = {
        **CONSTRAINTS,
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "scoring": [StrOptions(set(get_scorer_names())), callable, None],
    }

    def __init__(
        self,
        n_replicas="auto",
        *,
        temperature="auto",
        confinement="auto",
        n_neighbors="auto",
        subsample="auto",
        candidates="auto",
        n_components=None,
        energy="auto",
        sampler=None,
        recipe=None,
        shortlist="auto",
        class_weight=None,
        scoring=None,
        max_seconds=None,
        checkpoint=None,
        device="cpu",
        n_jobs=None,
        verbose=False,
        random_state=None,
    ):
        self.n_replicas = n_replicas
        self.temperature = temperature
        self.confinement = confinement
        self.n_neighbors = n_neighbors
        self.subsample = subsample
        self.candidates = candidates
        self.n_components = n_components
        self.energy = energy
        self.sampler = sampler
        self.recipe = recipe
        self.shortlist = shortlist
        self.class_weight = class_weight
        self.scoring = scoring
        self.max_seconds = max_seconds
        self.checkpoint = checkpoint
        self.device = device
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    @with_callbacks
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Sample the metrics and weigh them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Class labels, of any type; among integers -1 means unlabelled where there are two other classes.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Importance of the samples: in the energy, as neighbours that vote, and in out-of-bag scores. Only ratios
            matter. A row of weight zero is left out. A row is left out with its whole weight: weight five is not five
            copies, of which four would stay among its neighbours.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        validate_params(self)
        training_set, n_given = self._training_set(X, y, sample_weight)
        search = self._begun(training_set)
        run_to_the_end(search, self)
        return self._finish(search, training_set, n_given)

    def _training_set(self, X, y, sample_weight, classes=None):
        """The samples that vote, and how many rows were given."""
        samples, labels = check_samples(self, X, y, dtype=NUMBERS, ensure_min_samples=2)
        check_not_huge(samples)
        rows = training_rows(precise(samples), labels, sample_weight, self._can_weigh(), classes)
        self.classes_ = rows.classes
        check_n_components(self.n_components, rows.X)
        encoding = ClassEncoding(len(rows.classes))
        return TrainingSet(rows.X, rows.y, encoding, rows.weights, rows.rows), len(samples)

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
            return self._learn(*self._training_set(X, y, sample_weight, classes))
        if classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise ValueError("classes are not those of the first call to partial_fit.")
        samples, labels = check_samples(self, X, y, dtype=NUMBERS, reset=False)
        check_not_huge(samples)
        rows = training_rows(precise(samples), labels, sample_weight, self._can_weigh(), self.classes_)
        old, n_before = self.ensemble_.training_set, len(self.oob_decision_function_)
        new = TrainingSet(rows.X, rows.y, old.encoding, rows.weights, n_before + rows.rows)
        training_set, n_given = together(old, new), n_before + len(samples)
        if len(training_set) >= 2 * self.n_searched_:
            return self._learn(training_set, n_given)
        self.__dict__.update(learn_more(self, training_set, len(new), n_given))
        return self

    def _learn(self, training_set, n_given):
        search = self._begun(training_set)
        run_to_the_end(search, self)
        return self._finish(search, training_set, n_given)

    def _begun(self, training_set):
        """The search for these samples, with warnings about what it sees of them."""
        search = self._search(training_set, self._task(training_set))
        seen, names = search.problem.training_set, getattr(self, "feature_names_in_", None)
        warn_of_classes(seen.X, seen.y, self.classes_, names)
        return search

    def _task(self, training_set):
        decision = Decision(self.class_weight, self.scoring, self.classes_, training_set)
        return ClassificationTask(training_set.n_cells, decision)

    def _score_of(self, scoring):
        return Score(scoring, self.classes_)

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
            return self.ensemble_.predict(samples, self.n_jobs, self.device, self._asked)

    def predict_set(self, X: ArrayLike, alpha: float = 0.1) -> NDArray[np.bool_]:
        r"""The classes that a sample may have: sets that hold the true one with a chance of 1 - alpha.

        Conformal prediction by the out-of-bag votes. Let :math:`p_i` be the out-of-bag probability of the true class of
        training sample i, of n that have one. Class c is in the set of x where enough of them are at most as large:

        .. math:: \frac{1 + \#\{i : p_i \le P(c|x)\}}{n + 1} > \alpha,

        that is, where 1 - P(c|x) is at most the :math:`\lceil (n + 1)(1 - \alpha) \rceil`-th smallest of all 1 - p_i.
        For samples drawn as those of ``fit`` the true class is in :math:`1 - \alpha` of all sets, on average over all
        samples, not within each class. A set may be empty: that sample is unlike the others, or the model is so good
        that it errs less often than asked for. With fewer than 1 / alpha - 1 scored samples sets hold all classes.

        The votes that say what is typical have also chosen the weights of the metrics, so the chance is not proved,
        only measured.

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

    def _n_voters(self):
        return len(self.ensemble_.training_set)

    def _count(self, X, n_neighbors):
        """Votes, each candidate's by its weight."""
        shares = self.ensemble_.shares(X, self.n_jobs, self.device)
        k = np.arange(1, self.ensemble_.n_neighbors + 1)[:, None, None]
        return np.swapaxes(np.tensordot(self.ensemble_.member_weights, shares, 1) * k, 0, 1)[:, :n_neighbors]

    def check_state(self) -> None:
        """ValueError unless what was fitted belongs together; asked of every model that is saved or loaded."""
        check_classifier(self)
