"""FreeEnergyRegressor: an ensemble of sampled metrics whose nearest neighbours predict a quantity."""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.metrics import get_scorer_names
from sklearn.utils.validation import column_or_1d

from ..files import Savable
from ..learners.base import one_blas_thread
from ..learners.training_rows import NUMBERS, precise, regression_rows
from ..learners.validation import check_n_components, check_not_huge, check_samples, warn_of_samples
from ..magnitudes import r2
from ..presenting import Presented
from ..sklearn_compat import StrOptions, validate_params, with_callbacks
from .base import CONSTRAINTS, FreeEnergyModel
from .running import given_recipe, run_to_the_end
from .state_checks import check_regressor
from .tasks import regression_task
from .tasks.decisions import check_alpha
from .tasks.intervals import check_chances
from .tasks.scales import RegressionScore


class FreeEnergyRegressor(FreeEnergyModel, Savable, Presented, RegressorMixin, BaseEstimator):
    r"""Regression by nearest neighbours in many sampled metrics.

    The search is that of :class:`FreeEnergyClassifier`: views of the features, forms of the map and temperatures are
    sampled from Boltzmann's law on halves of the samples, and scored by the samples left out. The energy is
    :class:`freemetric.energies.NeighborLikelihoodEnergy`: the likelihood of a target given those of its neighbours.
    Candidate c with k neighbours enters the prediction with the weight
    :math:`w_{ck} \propto \exp(-S_{ck} / \tau)`, S its squared error out of bag and tau half the standard error of the
    best one.

    Beside the mixed mean m(x) of the neighbours' targets there are trends of the data as a whole: a straight line and a
    staircase along every feature, and a surface of second degree over at most 27 of them. With :math:`\bar f` the
    mean of a trend f among the same neighbours,

    .. math:: z(x) = c + s (m(x) - c) + \sum_t a_t (f_t(x) - m(x)) + \sum_t b_t (f_t(x) - \bar f_t(x)),

    its strengths not negative and found by least squares out of bag. The last term carries the targets of neighbours
    over the distance to x along the trend, as local regression does. Out-of-bag errors, in units of a spread that
    follows the variance among neighbours, give quantiles and intervals, which are wide where neighbours disagree. A
    skewed positive target is averaged on a logarithmic scale where trends on it predict better; with zeros or a few
    negative values among them, on that of asinh.

    Costs what :class:`FreeEnergyClassifier` costs, and O(N p^2 + p^3) for trends with p columns, at most nine for a
    feature, or 400 products of two. From 2,000 samples on, where bags hold 1,000, the best metrics are tried colder as
    long as that is better, in longer walks: up to twice the time.

    Parameters
    ----------
    n_replicas : int or "auto", default="auto"
        Sampled metrics; "auto" is 90, up to twice as many where bags are small, and a few more where larger ones are
        better.
    temperature, confinement : float or "auto", default="auto"
        Temperature of the replicas and strength of the harmonic trap on A; "auto" starts from 1e-3 and 0.3 T and tries
        a third and three times that; of many samples also a third of what was best, as long as it is better.
    n_neighbors : int or "auto", default="auto"
        Neighbours whose targets are averaged; "auto" mixes 1, 2, 3, 5, 8, 13, 20 and 32 by their errors out of bag.
    subsample : float or "auto", default="auto"
        Share of the samples that a replica learns on; "auto" is a half.
    candidates : "auto" or list of str, default="auto"
        Kinds that are tried, as "view/form": any of scaled, quantiles, steps and whitened with any of identity,
        diagonal and full.
    n_components : int or None, default=None
        Dimension of the learned spaces; None keeps the number of features. A number leaves the diagonal maps out.
    scale : {"auto", "linear", "log", "asinh"}, default="auto"
        On which targets are averaged; "log" is for positive ones, "asinh" a logarithm that is straight around zero.
        "auto" takes one of them where trends on it have lower squared errors for samples left out, in the units of y,
        by more than the error of that; asinh where there are zeros, or one of a hundred is negative.
    energy : Energy, "neighbor-likelihood", callable or "auto", default="auto"
        What the replicas sample.
    sampler : Sampler or None, default=None
        How; None is ``Annealing(Constant(temperature), HamiltonianMove(caution=0.5), n_steps=12)``, with up to 48 steps
        on large bags at low temperatures.
    recipe : Recipe or None, default=None
        All other constants of the search; None is ``Recipe()``. Kinds with NCA's energy are left out.
    shortlist : int, "auto" or None, default="auto"
        Training samples whose distances a prediction computes in every replica's space: those nearest in the averaged
        metric, at least as many as there are neighbours that vote; None takes all, which is exact and slower.
    scoring : str, callable or None, default=None
        What ``oob_score_`` is: a name of a scorer, or one, ``scorer(estimator, X, y)``; None is R^2.
    max_seconds : float or None, default=None
        When to stop sampling; the model is then made of what there is, with a warning.
    checkpoint : path-like or None, default=None
        Folder for results on the way, from which the same fit goes on after a crash.
    device : str, default="cpu"
        "cpu", a torch device such as "cuda" (extra ``gpu``), or "reference" for plain numpy, which is slow.
    n_jobs : int or None, default=None
        Replicas that are sampled at a time, in threads. Results do not depend on it.
    verbose : bool, default=False
        Log what every round of the search has found.
    random_state : int, RandomState or None, default=None
        Seed of everything random.

    Attributes
    ----------
    oob_score_ : float
        Out-of-bag R^2, or what ``scoring`` says. The same votes chose the weights, so it is slightly optimistic.
    oob_prediction_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        Out-of-bag predictions; NaN where a sample was not out of bag for every candidate.
    scale_name_ : str
        "linear", "log" or "asinh"; a tuple of them for several targets.
    strengths_ : dict
        How far votes and trends count: "votes", and of every trend "beside" and "along" them; a list for several
        targets.
    selection_ : dict of ndarray
        What was tried, a row for each candidate and k; "oob_squared" and "oob_absolute" are errors on the scale, whose
        variance is one.
    ensemble_ : Ensemble
        The fitted model as a value.
    members_, views_ : list, dict
        Its metrics, and the views they live on.
    feature_importances_, feature_importances_error_ : ndarray of shape (n_features,)
        What the out-of-bag score loses when the values of a feature are shuffled, and its standard error.
    distance_weights_, distance_weights_std_ : ndarray of shape (n_features,)
        Share of every feature in the squared distances, and its standard deviation over replicas.
    oob_indices_, n_neighbors_, shortlist_, shortlist_recall_, n_searched_ : object
        As those of :class:`FreeEnergyClassifier`.
    temperature_, confinement_, trace_, snapshots_ : object
        As those of :class:`FreeEnergyClassifier`.
    n_features_in_, feature_names_in_ : int, ndarray
        Features seen in fit.

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

    _parameter_constraints: dict = {
        **CONSTRAINTS,
        "scale": [StrOptions({"auto", "linear", "log", "asinh"})],
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
        scale="auto",
        energy="auto",
        sampler=None,
        recipe=None,
        shortlist="auto",
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
        self.scale = scale
        self.energy = energy
        self.sampler = sampler
        self.recipe = recipe
        self.shortlist = shortlist
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
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets; several are learned together, by one set of metrics.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Importance of the samples: in the energy, as neighbours, in trends, and in out-of-bag scores. Only ratios
            matter; rows of no weight are left out.

        Returns
        -------
        self : object
            The fitted regressor.
        """
        validate_params(self)
        samples, targets = check_samples(
            self, X, y, dtype=NUMBERS, y_numeric=True, multi_output=True, ensure_min_samples=2
        )
        if targets.ndim == 2 and targets.shape[1] == 1:
            targets = column_or_1d(targets, warn=True)
        check_not_huge(samples)
        rows = regression_rows(precise(samples), targets, sample_weight, self._can_weigh())
        check_n_components(self.n_components, rows.X)
        warn_of_samples(rows.X, getattr(self, "feature_names_in_", None))
        with one_blas_thread():
            recipe = given_recipe(self, len(rows.y))
            task, training_set = regression_task(rows.y).of(rows, recipe, self.scale, self.scoring)
        search = self._search(training_set, task)
        run_to_the_end(search, self)
        return self._finish(search, training_set, len(samples))

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
            votes = self.ensemble_.votes(samples, self.n_jobs, self.device, self._asked)
            return self.ensemble_.head(votes, self.ensemble_.head.wholes(samples))

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        """Expected targets.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_targets)
            Their means.
        """
        prediction = self._prediction(X)
        return self.ensemble_.head.means(prediction)

    def predict_quantiles(self, X: ArrayLike, q: ArrayLike = (0.1, 0.5, 0.9)) -> NDArray[np.float64]:
        """Quantiles of the target.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
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

    def predict_interval(self, X: ArrayLike, alpha: float = 0.1) -> NDArray[np.float64]:
        r"""Intervals that hold the target of a sample with a chance of 1 - alpha.

        Conformal prediction by out-of-bag errors: with :math:`u_i = (z_i - z(x_i)) / \sigma(x_i)` of the n training
        samples that were out of bag, the ends of the interval of x are :math:`z(x) + \sigma(x) u`, u the
        :math:`\lfloor (n + 1) \alpha / 2 \rfloor`-th smallest and largest of all u_i. The spread sigma follows the
        variance among the neighbours of x, and trends of the size of errors over all samples. For samples drawn as
        those of ``fit`` 1 - alpha of all intervals hold the target, on average over all samples. The errors also chose
        the weights of the metrics, so the chance is not proved, only measured.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        alpha : float, default=0.1
            Share of intervals that may miss, between 0 and 1.

        Returns
        -------
        I : ndarray of shape (n_samples, 2) or (n_samples, n_targets, 2)
            Lower and upper ends.

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
        return self.ensemble_.head.interval(prediction, alpha)

    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """R^2 of the predictions.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Their targets.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Importance of the samples.

        Returns
        -------
        score : float
            One less the squared error in units of the variance of y; the mean over several targets.
        """
        return r2(y, self.predict(X), sample_weight)

    def check_state(self) -> None:
        """ValueError unless what was fitted belongs together; asked of every model that is saved or loaded."""
        check_regressor(self)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.multi_output = True
        return tags
