"""FreeEnergyClassifier: a population of cold replicas that vote by their nearest neighbours."""

import warnings
from numbers import Integral, Real

import numpy as np
from sklearn import config_context
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from ...energies import as_energy, takes_weights
from ...exceptions import DataWarning
from ..base import generator, one_blas_thread
from ..callbacks import CallbackSupportMixin, with_callbacks
from ..checks import check_labels, check_n_components, warn_about
from ..patterns import check_weights, distinct, weighty
from ..votes import VotingClassifier, chunks
from .candidates import AUTO, KINDS
from .importance import averaged_axes, feature_importances
from .population import Population
from .search import judge, learned_weights, populate
from .voters import voters_of


class FreeEnergyClassifier(CallbackSupportMixin, VotingClassifier):
    r"""Classify by the votes of nearest neighbours in many sampled metrics.

    Each replica samples a metric from Boltzmann's law at a low temperature, on its own stratified half of the patterns;
    then the k nearest training patterns vote in every replica's space. The patterns a replica did not learn on judge
    it without bias: these out-of-bag votes decide how far every candidate is trusted, and turn votes into
    probabilities.

    A candidate is a view of the features (scaled to [0, 1]; on their quantiles; as steps at thresholds), a form of the
    map (the identity, which is plain k-NN; diagonal; full) and a temperature T with a confinement lambda:

    .. math:: P(A) \propto \exp\{-(E(A) + \lambda \|A\|_F^2) / T\},\quad E(A) = -\tfrac1N \sum_i \log p_i(A),

    p_i being the chance that stochastic neighbours classify pattern i correctly. Half of the replicas go evenly to all
    kinds; the best kind is then tried colder and hotter, and the rest go where the votes were best. Candidate c with k
    neighbours enters the prediction with the weight :math:`w_{ck} \propto \exp(-B_{ck} / \tau)`, B its out-of-bag Brier
    score and tau half the standard error of the best one: Boltzmann's law again, for the metrics of the metrics.
    Finally :math:`P(c|x) = \mathrm{softmax}_c(s \log q_c + b_c)` calibrates the mixed shares q on the same votes. Where
    plain k-NN is better out of bag by more than a standard error, it is taken instead.

    Fitting costs n_replicas * 90 gradients of O(n^2 d) for bags of n = N / 2 patterns, at most 4,000, and one
    neighbour search per replica for at most 4,000 judges: quadratic up to N = 8,000, then about linear. Predicting a
    pattern costs a neighbour search per replica.

    Parameters
    ----------
    n_replicas : int or "auto", default="auto"
        Sampled metrics; "auto" is 90, fewer for bags of more than 2,000 patterns, 45 for the largest.
    temperature : float or "auto", default="auto"
        Temperature of the replicas; "auto" starts from 1e-3 (3e-4 for NCA's own energy) and tries a third and three
        times that.
    confinement : float or "auto", default="auto"
        Strength of the harmonic trap on A; "auto" is 0.3 T (0.1 T for NCA's own energy).
    n_neighbors : int or "auto", default="auto"
        Neighbours that vote; "auto" mixes 1, 2, 3, 5, 8, 13, 20 and 32 by their out-of-bag scores.
    subsample : float, default=0.5
        Share of every class that a replica learns on.
    candidates : "auto" or list of str, default="auto"
        Kinds that are tried, as "view/form": any of scaled, quantiles and steps with any of identity, diagonal and
        full. "view/form/nca" samples NCA's own energy instead of its logarithmic form. "auto" takes the identity on
        scaled features and quantiles, the diagonal on all three, the full map on the first two, and "scaled/full/nca".
    n_components : int or None, default=None
        Dimension of the learned spaces; None keeps the number of features. A number leaves the diagonal maps out.
    energy : Energy, "nca", "log-nca", callable or None, default=None
        What the replicas sample; None is "log-nca". A callable knows its own data: only the full map of the features
        scaled to [0, 1] is then sampled.
    sampler : Sampler or None, default=None
        How; None is ``Annealing(Constant(temperature), HamiltonianMove(caution=0.5), n_steps=18)``. Replaces
        ``temperature``.
    device : str, default="cpu"
        "cpu", or a torch device such as "cuda" (extra ``gpu``).
    n_jobs : int or None, default=None
        Threads over replicas. Results do not depend on it.
    verbose : bool, default=False
        Log every Monte Carlo step.
    random_state : int, RandomState or None, default=None
        Seed of everything random.

    Attributes
    ----------
    oob_score_ : float
        Out-of-bag accuracy. The same votes chose the weights, so it is slightly optimistic.
    oob_decision_function_ : ndarray of shape (n_samples, n_classes)
        Out-of-bag class probabilities; NaN where a pattern did not judge every candidate.
    selection_ : dict of ndarray
        What was tried, a row for each candidate and k: "view", "form", "energy", "temperature", "confinement",
        "n_replicas", "n_neighbors", "oob_error", "oob_brier" and "weight" in the prediction.
    ensembles_ : list of Ensemble
        The candidates that vote, each with its sampled ``maps``.
    views_ : dict
        The views of the features they live on.
    feature_importances_ : ndarray of shape (n_features,)
        Share of every feature in the squared distances between training patterns, averaged over replicas.
    feature_importances_std_ : ndarray of shape (n_features,)
        Its standard deviation over replicas.
    n_neighbors_ : int
        Neighbours with the largest weight.
    temperature_, confinement_ : float
        Those of the learned candidate with the largest weight. With a ``sampler`` of one's own ``temperature_`` is the
        last temperature of its first replica.
    trace_ : dict of ndarray of shape (n_steps, n_replicas)
        "temperature", "energy" and "acceptance" of every Monte Carlo step, of all replicas sampled.
    snapshots_ : dict of ndarray
        "step" (n,) and "map" (n, p, d): the first replica of that candidate along its walk, in "view" and "form".
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
        "n_replicas": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
        "temperature": [Interval(Real, 0, None, closed="left"), StrOptions({"auto"})],
        "confinement": [Interval(Real, 0, None, closed="left"), StrOptions({"auto"})],
        "n_neighbors": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
        "subsample": [Interval(Real, 0, 1, closed="neither")],
        "candidates": [list, tuple, StrOptions({"auto"})],
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "energy": [str, HasMethods("bind"), callable, None],
        "sampler": [HasMethods("iterate"), None],
        "device": [str],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_replicas="auto",
        *,
        temperature="auto",
        confinement="auto",
        n_neighbors="auto",
        subsample=0.5,
        candidates="auto",
        n_components=None,
        energy=None,
        sampler=None,
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
        self.device = device
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    @with_callbacks
    def fit(self, X, y, sample_weight=None):
        """Sample the metrics and weigh them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Patterns.
        y : array-like of shape (n_samples,)
            Class labels, of any type.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights of the patterns: in the energy, as neighbours that vote, and as judges out of bag. Only their ratios
            matter. A row of weight two is the same as two copies of it, a row of weight zero as none.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        self._validate_params()
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2)
        weights = check_weights(sample_weight, X, takes_weights(as_energy(self.energy)))
        rows = weighty(weights)
        self.classes_, self._y = check_labels(y[rows])
        self._X = X[rows]
        patterns = distinct(self._X, self._y, weights[rows])
        self._patterns, self._weights = patterns.rows, patterns.weights
        X, y = self._voting
        warn_about(X, y, self.classes_)
        check_n_components(self.n_components, X)
        weights = patterns.weights if np.ptp(patterns.weights) > 0 else None
        population = Population(generator(self.random_state), X, y, self, weights)
        populate(population, self._kinds())
        population.steps.close()
        n_silent = len(population.judged) - len(population.judges)
        if n_silent > 0.1 * len(population.judged):
            warnings.warn(
                f"{n_silent} of {len(population.judged)} patterns were never out of bag; "
                "more replicas or a smaller subsample help.",
                DataWarning,
                stacklevel=2,
            )
        with one_blas_thread():  # many small problems, for which threads only wait
            verdict = judge(population)
        self._describe(population, verdict)
        self._describe_judges(population, verdict, rows, patterns.of_row)
        return self

    def _kinds(self):
        """Names of the kinds to try, the simpler ones first."""
        names = list(AUTO if self.candidates == "auto" else self.candidates)
        unknown = [name for name in names if name not in KINDS]
        if unknown or not names:
            problem = f"{unknown[0]!r} is unknown" if unknown else "the list is empty"
            raise ValueError(f"candidates: {problem}; known are {', '.join(map(repr, KINDS))}.")
        if self.energy is not None:
            names = list(dict.fromkeys(name.removesuffix("/nca") for name in names))
            if not isinstance(self.energy, str) and not hasattr(self.energy, "bind"):
                names = [name for name in names if name.endswith("identity") or name == "scaled/full"]
        if self.n_components is not None:
            names = [name for name in names if "diagonal" not in name]
        return sorted(names, key=list(KINDS).index)

    def _describe(self, population, verdict):
        """Everything public, and what predicting needs."""
        K = population.most_neighbors
        self._mixture, self._mixtures_of_one_k = verdict.mixture.restricted(verdict.asked), verdict.of_one_k
        right = verdict.probabilities.argmax(axis=1) == population.truth
        self.oob_score_ = float(np.average(right, weights=population.judges_weights)) if len(right) else np.nan
        pool = [ensemble.candidate for ensemble in population.ensembles]
        self.selection_ = {
            **{name: np.repeat([getattr(candidate, name) for candidate in pool], K) for name in vars(pool[0])},
            "n_replicas": np.repeat([len(ensemble.maps) for ensemble in population.ensembles], K),
            "n_neighbors": np.tile(np.arange(1, K + 1), len(pool)),
            "oob_error": verdict.errors.ravel(),
            "oob_brier": verdict.scores.ravel(),
            "weight": verdict.mixture.weights.ravel(),
        }
        self.n_neighbors_ = int(verdict.mixture.weights.sum(axis=0).argmax()) + 1
        self.ensembles_ = [population.ensembles[number] for number in verdict.asked]
        used = {ensemble.candidate.view for ensemble in self.ensembles_}
        self.views_ = {name: view for name, view in population.views.items() if name in used}
        self.feature_importances_, self.feature_importances_std_ = feature_importances(
            self.ensembles_, self._trust(), self.views_, population.X
        )
        self.trace_, self.snapshots_ = population.trace(), None
        self.temperature_ = self.confinement_ = np.nan
        if population.learns.any():
            best = int(learned_weights(population).argmax())
            walk = population.walks[best][0]
            self.snapshots_ = {"view": pool[best].view, "form": pool[best].form, **walk.snapshots}
            self.confinement_ = float(pool[best].confinement)
            self.temperature_ = float(walk.trace["temperature"][-1, 0])

    def _describe_judges(self, population, verdict, rows, pattern_of_row):
        """Out-of-bag probabilities of every row given to fit: copies have the same, rows of no weight none."""
        of_patterns = np.full((len(population.y), len(self.classes_)), np.nan)
        of_patterns[population.judges] = verdict.probabilities
        self.oob_decision_function_ = np.full((len(rows), len(self.classes_)), np.nan)
        self.oob_decision_function_[rows] = of_patterns[pattern_of_row]

    @property
    def _voting(self):
        """Patterns (n, d) that vote, and their class numbers (n,)."""
        return self._X[self._patterns], self._y[self._patterns]

    def _trust(self):
        """Weight of every candidate that votes."""
        return self._mixture.weights.sum(axis=1)

    def _shares(self, X):
        """Class shares (n_candidates, K, n, C) of patterns that were not trained on."""
        K, C = self._mixture.weights.shape[1], len(self.classes_)
        seen = {name: view(X) for name, view in self.views_.items()}
        out = np.zeros((len(self.ensembles_), K, len(X), C), dtype=np.float32)
        with config_context(assume_finite=True, skip_parameter_validation=True):  # checked once, not by every replica
            for total, ensemble, voters in zip(out, self.ensembles_, voters_of(self), strict=True):
                spaces = ensemble.spaces(seen[ensemble.candidate.view])
                for n, (voter, Q) in enumerate(zip(voters, spaces, strict=True), start=1):
                    votes = voter.of(Q)
                    total += (np.swapaxes(votes / votes.sum(axis=-1, keepdims=True), 0, 1) - total) / n
        return out

    def _in_parts(self, X, work):
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        n_candidates, K = self._mixture.weights.shape
        return np.concatenate(
            [work(self._shares(X[part])) for part in chunks(len(X), n_candidates * K, len(self.classes_))]
        )

    def predict_proba(self, X):
        """Calibrated class probabilities.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Patterns.

        Returns
        -------
        P : ndarray of shape (n_samples, n_classes)
            Rows sum to one; columns follow ``classes_``.
        """
        return self._in_parts(X, lambda shares: self._mixture(shares))

    def decisions(self, X, n_neighbors=40):
        """Class numbers (n_samples, n_neighbors) that k = 1, 2, ... neighbours alone decide on; for studying k.

        Each k has weights and a calibration of its own; ``predict`` mixes several k.
        """

        def decide(shares):
            return np.array([mixture(shares).argmax(axis=1) for mixture in self._mixtures_of_one_k[:n_neighbors]]).T

        return self._in_parts(X, decide)

    def _n_voters(self):
        return len(self._patterns)

    def _count(self, X, n_neighbors):
        """Votes, each candidate's by its weight."""
        k = np.arange(1, self._mixture.weights.shape[1] + 1)[:, None, None]
        return np.swapaxes(np.tensordot(self._trust(), self._shares(X), 1) * k, 0, 1)[:, :n_neighbors]

    def embed(self, X):
        """Coordinates in the averaged metric, on its principal axes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Patterns.

        Returns
        -------
        Z : ndarray of shape (n_samples, n_axes)
            Euclidean distances there are the root of the mean squared distance over all replicas that vote.
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        voters, _ = self._voting
        axes = averaged_axes(self.ensembles_, self._trust(), self.views_, voters)
        train, query = (np.hstack([self.views_[name](V) @ B.T for name, B in axes.items()]) for V in (voters, X))
        centre = train.mean(axis=0)
        _, size, rotation = np.linalg.svd(train - centre, full_matrices=False)
        return (query - centre) @ rotation[size > 1e-6 * size[0]].T
