"""FreeEnergyClassifier: an ensemble of cold replicas that vote by their nearest neighbours."""

import warnings
from numbers import Integral, Real

import numpy as np
from joblib import effective_n_jobs
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import validate_data

from ..exceptions import DataWarning
from ..mc import Annealing, Constant
from .bags import stratified_bags
from .base import generator
from .checks import check_labels, check_n_components, warn_about
from .dmlfe import confined
from .init import initial_map
from .votes import NeighborVotes, VotingClassifier, shares
from .walk import Walk

MOST_NEIGHBORS = 40
# Measured good on average over the paper's data sets scaled to [0, 1].
TEMPERATURE = 3e-4
CONFINEMENT = 3e-5


class FreeEnergyClassifier(VotingClassifier):
    """Classify by the votes of nearest neighbours in many sampled metrics.

    Each replica samples a metric from Boltzmann's law at a low temperature, on its own stratified part of the
    patterns; then the k nearest training patterns vote in every replica's space and the votes are summed. The patterns
    a replica did not learn on are judged by it without bias: these out-of-bag votes choose k, and their error
    ``1 - oob_score_`` estimates the test error. Features are scaled to [0, 1] inside; their units do not matter.

    Fitting costs n_replicas * 200 gradients of O(n^2 p) for bags of n patterns; predicting one pattern costs one
    neighbour search per replica.

    Parameters
    ----------
    n_replicas : int, default=24
        Sampled metrics.
    temperature : float or "auto", default="auto"
        Temperature of the replicas; "auto" is 3e-4.
    confinement : float or "auto", default="auto"
        Strength of the harmonic trap on A; "auto" is 3e-5.
    n_neighbors : int or "auto", default="auto"
        Neighbours that vote; "auto" takes the number from 1 to 40 with the lowest out-of-bag error.
    subsample : float, default=0.5
        Share of every class that a replica learns on.
    n_components : int or None, default=None
        Dimension of the learned spaces; None keeps the number of features.
    energy : Energy, "nca", callable or None, default=None
        What the replicas sample; None is NCA's energy.
    sampler : Sampler or None, default=None
        How; None is ``Annealing(Constant(temperature), HamiltonianMove(), n_steps=40)``. Replaces ``temperature``.
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
    replicas_ : ndarray of shape (n_replicas, n_components, n_features)
        The sampled maps, for patterns in their original units.
    n_neighbors_ : int
        Neighbours that vote.
    oob_score_ : float
        Out-of-bag accuracy at ``n_neighbors_``. It chose k, so it is slightly optimistic.
    oob_decision_function_ : ndarray of shape (n_samples, n_classes)
        Out-of-bag class shares; NaN where every replica learned on the pattern.
    selection_ : dict of ndarray
        What was tried, one column per quantity: "temperature", "confinement", "n_neighbors", "oob_error".
    temperature_, confinement_ : float
        Values used. With a ``sampler`` of one's own ``temperature_`` is the last temperature of its first replica.
    trace_ : dict of ndarray of shape (n_steps, n_replicas)
        "temperature", "energy" and "acceptance" of every Monte Carlo step.
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
    >>> model = FreeEnergyClassifier(n_replicas=8, random_state=0).fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > 0.95
    True
    """

    _parameter_constraints: dict = {
        "n_replicas": [Interval(Integral, 1, None, closed="left")],
        "temperature": [Interval(Real, 0, None, closed="left"), StrOptions({"auto"})],
        "confinement": [Interval(Real, 0, None, closed="left"), StrOptions({"auto"})],
        "n_neighbors": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
        "subsample": [Interval(Real, 0, 1, closed="neither")],
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
        n_replicas=24,
        *,
        temperature="auto",
        confinement="auto",
        n_neighbors="auto",
        subsample=0.5,
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
        self.n_components = n_components
        self.energy = energy
        self.sampler = sampler
        self.device = device
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def fit(self, X, y):
        """Sample the metrics and choose k.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Patterns.
        y : array-like of shape (n_samples,)
            Class labels, of any type.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        self._validate_params()
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2)
        self.classes_, y = check_labels(y)
        warn_about(X, y, self.classes_)
        check_n_components(self.n_components, X)
        rng = generator(self.random_state)
        bags = stratified_bags(rng, y, self.n_replicas, self.subsample)
        self.replicas_ = self._sample(rng, X, y, bags)
        self._X, self._y = X, y
        self._choose_neighbors(bags)
        return self

    def _sample(self, rng, X, y, bags):
        """One map per bag, for patterns in their original units."""
        span = np.ptp(X, axis=0)
        scale = 1 / np.where(span > 0, span, 1.0)
        self.confinement_ = CONFINEMENT if self.confinement == "auto" else float(self.confinement)
        temperature = TEMPERATURE if self.temperature == "auto" else float(self.temperature)
        sampler = Annealing(Constant(temperature)) if self.sampler is None else self.sampler
        energy = confined(self.energy, self.confinement_).bind(
            (X * scale)[bags], y[bags[0]], device=self.device, n_jobs=effective_n_jobs(self.n_jobs)
        )
        start = initial_map("identity", rng, X, y, self.n_components)
        walk = Walk(type(self).__name__, self.verbose)
        walk.run(sampler, rng, energy, np.repeat(start[None], self.n_replicas, axis=0))
        self.trace_ = walk.trace
        self.temperature_ = float(self.trace_["temperature"][-1, 0])
        return walk.state.A * scale

    def _choose_neighbors(self, bags):
        """k by the out-of-bag votes, which are kept as the scores of the training patterns."""
        N, C = len(self._X), len(self.classes_)
        most = min(MOST_NEIGHBORS if self.n_neighbors == "auto" else self.n_neighbors, N - 1)
        votes = np.zeros((N, most, C), dtype=np.float32)
        for A, bag in zip(self.replicas_, bags, strict=True):
            out = np.setdiff1d(np.arange(N), bag)
            if len(out):
                votes[out] += self._voters(A, most).left_out(out)
        judged = votes[:, 0].any(axis=1)
        if not judged.all():
            warnings.warn(
                f"{N - judged.sum()} of {N} patterns were never out of bag; more replicas or a smaller subsample help.",
                DataWarning,
                stacklevel=3,
            )
        tried = np.arange(1, most + 1) if self.n_neighbors == "auto" else np.array([most])
        with np.errstate(invalid="ignore"):
            scores = shares(votes)[:, tried - 1]  # (N, len(tried), C), NaN where not judged
        wrong = scores[judged].argmax(axis=2) != self._y[judged, None]
        error = wrong.mean(axis=0) if judged.any() else np.full(len(tried), np.nan)
        best = int(np.argmin(error))
        self.n_neighbors_ = int(tried[best])
        self.oob_score_ = float(1 - error[best])
        self.oob_decision_function_ = scores[:, best].astype(np.float64)
        self.selection_ = {
            "temperature": np.full(len(tried), self.temperature_),
            "confinement": np.full(len(tried), self.confinement_),
            "n_neighbors": tried,
            "oob_error": error,
        }

    def _voters(self, A, n_neighbors):
        return NeighborVotes(self._X @ A.T, self._y, len(self.classes_), n_neighbors, self.n_jobs)

    def _count(self, X, n_neighbors):
        return sum(self._voters(A, n_neighbors).of(X @ A.T) for A in self.replicas_)
