"""Base of the free-energy estimators: fit, search, distances in the averaged metric, and thermodynamics."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.validation import check_is_fitted

from ..energies import as_energy, bind, takes_weights
from ..learners.base import PairDistances, generator
from ..learners.fitting import AtomicFit
from ..learners.training_rows import NUMBERS, check_weights, precise, weighty
from ..learners.validation import check_n_components, check_not_huge, check_samples, warn_of_empty
from ..magnitudes import lengths
from ..mc.streams import seed_sequence
from ..metrics import FORMS, Member, TrainingSet, View
from ..metrics.averaged_metric import FARTHEST, pulled_back
from ..metrics.gaps import Gaps
from ..metrics.training_set import has_gaps
from ..metrics.views import view_of
from ..sklearn_compat import CallbackSupportMixin, validate_params, with_callbacks
from .data_values import DataValuesMixin
from .drift import DriftMixin
from .finish import finish_fit, samples_looked_at
from .importances import ImportancesMixin
from .running import given_recipe, run_to_the_end
from .sampling import Bags
from .search import Search, SearchProblem, searched_part
from .settings import Recipe, recipe_of
from .shrinking import ShrinkingMixin
from .task import EnsembleTask

if TYPE_CHECKING:
    from ..thermodynamics import ModelThermodynamics

GAPPY: dict[str, Any] = {"dtype": NUMBERS, "ensure_all_finite": "allow-nan"}  # how samples are checked
MOST_SAMPLES = 1000  # rows that thermodynamics is computed on


class FreeEnergyModel(
    AtomicFit,
    CallbackSupportMixin,
    ImportancesMixin,
    DataValuesMixin,
    DriftMixin,
    ShrinkingMixin,
    PairDistances,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
):
    """An estimator that searches metrics and has an ``ensemble_``; subclasses read the target.

    Its squared distance is the weighted mean over all metrics that vote, each scaled to a mean squared distance of one.
    """

    selection_: dict[str, NDArray]
    snapshots_: Any
    temperature_: float
    confinement_: float
    _problem: Callable[..., tuple[EnsembleTask, TrainingSet, int]]  # (X, y, sample_weight), and the rows given

    def set_params(self, **params: Any) -> Self:
        """Set parameters; ``recipe__...`` are fields of a changed copy of the recipe, or of the default one if none.

        Parameters
        ----------
        **params : dict
            Parameters by name.

        {itself}
        """
        changes = {name: params.pop(name) for name in list(params) if name.startswith("recipe__")}
        super().set_params(**params)  # type: ignore[misc]
        if changes:  # recipes are frozen: other models may have the same one
            old = Recipe() if self.recipe is None else self.recipe
            self.recipe = old.with_params(**{name.removeprefix("recipe__"): value for name, value in changes.items()})
        return self

    @with_callbacks
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Sample the metrics and weigh them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples. NaN is a gap, here and in all predictions: squared differences are then expected ones, over the
            values that the feature has in other samples; see :class:`freemetric.metrics.gaps.Gaps`.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Class labels of any type; among integers -1 means unlabelled where there are two other classes and one
            column. Or regression targets. Several columns are learned together, by one set of metrics.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Importance of the samples: in the energy, as neighbours that vote, in trends, and in out-of-bag scores. Only
            ratios matter. A row of weight zero is left out. Weight five is not five copies, of which four would stay
            among the neighbours of the fifth.

        {itself}
        """
        validate_params(self)
        task, training_set, n_rows = self._problem(X, y, sample_weight)
        search = self._search(training_set, task)
        run_to_the_end(search, self)
        self.__dict__.update(finish_fit(search, training_set, n_rows))
        return self

    def _warn_about(self, searched: TrainingSet) -> None:
        """Warn about the samples that the search sees."""

    def _search(self, training_set, task, scores=True):
        """The search, before it begins, with warnings about the samples that it sees.

        Where nothing is scored, its seed depends on the number of samples.
        """
        recipe, seed = given_recipe(self, len(training_set)), seed_sequence(self.random_state)
        if not scores:
            seed = np.random.SeedSequence([*seed.generate_state(4).tolist(), len(training_set)])
        searched = searched_part(training_set, task, recipe.most_searched, seed)
        if scores:
            self._warn_about(searched)
        problem = SearchProblem(searched, task, self._energy, recipe.sampler, recipe.n_components, self.device)
        return Search(problem, recipe, seed, scores=scores)

    @property
    def _energy(self):
        energy = recipe_of(self).energy
        return None if energy == "auto" else as_energy(energy)

    def _can_weigh(self):
        return self._energy is None or takes_weights(self._energy)

    @property
    def _n_tasks(self):
        """Replica tasks at a time; a GPU does one."""
        return self.n_jobs if self.device in ("cpu", "reference") else 1

    @property
    def members_(self) -> list[Member]:
        return self.ensemble_.members

    @property
    def views_(self) -> dict[str, View]:
        return self.ensemble_.views

    def _samples(self, X: ArrayLike) -> NDArray:
        check_is_fitted(self)
        return self.ensemble_.filled(precise(check_samples(self, X, reset=False, **GAPPY)))

    def _without_gaps(self, X: NDArray, sample_weight: Any) -> tuple[NDArray, Gaps | None]:
        """Training samples (n, d), at least ``n_components`` wide, without gaps, and what has filled these."""
        check_n_components(recipe_of(self).n_components, X)
        gaps = None
        if has_gaps(X):
            known = X if sample_weight is None else X[weighty(check_weights(sample_weight, X))]
            gaps = Gaps.of(known)
            warn_of_empty(known, getattr(self, "feature_names_in_", None))
        filled = X if gaps is None else gaps(X)
        check_not_huge(filled)
        return filled, gaps

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.allow_nan = tags.input_tags.sparse = tags.target_tags.multi_output = True
        return tags

    @property
    def _n_looked_at(self):
        """Number of training samples that a prediction looks at in every space; None: all."""
        return samples_looked_at(recipe_of(self), self.shortlist_, self.ensemble_)

    @property
    def _n_features_out(self) -> int:
        n_axes, n_components = len(self.ensemble_.embedding().centre), recipe_of(self).n_components
        return n_axes if n_components is None else min(n_axes, n_components)

    def transform(self, X: ArrayLike) -> NDArray:
        """Map samples to the space where the averaged distance is Euclidean, on its principal axes.

        {samples}

        Returns
        -------
        Z : ndarray of shape (n_samples, n_axes)
            Coordinates, centred on the training samples. With ``Recipe.n_components`` only so many axes, the leading
            ones: the mean of many planes is no plane.
        """
        return self.embed(X)

    def embed(self, X: ArrayLike) -> NDArray:
        """What ``transform`` gives, always as an array."""
        samples = self._samples(X)  # before ``ensemble_``: the check is there
        return self.ensemble_.embed(samples)[:, : recipe_of(self).n_components]

    def _apart(self, U, V):
        ensemble = self.ensemble_
        return ensemble.embed(ensemble.filled(U)) - ensemble.embed(ensemble.filled(V))

    def get_metric(self) -> Callable[..., float]:
        """A function ``metric(u, v, squared=False)`` of two samples, independent of this classifier from now on."""
        check_is_fitted(self)
        ensemble = self.ensemble_

        def metric(u: ArrayLike, v: ArrayLike, squared: bool = False) -> float:
            Z = ensemble.embed(ensemble.filled(np.array([u, v], dtype=np.float64)))
            length = float(((Z[0] - Z[1]) ** 2).sum())
            return length if squared else float(np.sqrt(length))

        return metric

    def get_mahalanobis_matrix(self) -> NDArray:
        """M (n_features, n_features) of the averaged squared distance (u - v)^T M (u - v).

        There is one only where all metrics that vote see the features linearly, as with
        ``Recipe(candidates=["scaled/full"])``; ValueError elsewhere.
        """
        check_is_fitted(self)
        d = self.n_features_in_  # companions of gaps, which come after, are 0 where there is none
        M = np.zeros((d, d))
        for name, of_view in self.ensemble_.averaged_matrices().items():
            J = self.ensemble_.views[name].slopes()
            if J is None:
                hint = 'Recipe(candidates=["scaled/full", "scaled/diagonal"]) sees them linearly'
                raise ValueError(f"There is no Mahalanobis matrix: metrics that vote see {name} of features; {hint}.")
            M += pulled_back(of_view, J)[:d, :d]
        return M

    def outlier_score(self, X: ArrayLike) -> NDArray:
        r"""Outlier scores: 0 among the training samples, 1 beyond all of them.

        The distance to the nearest training sample in the averaged metric is ranked among the distances between
        training samples and their nearest others:

        .. math:: s(x) = \frac1N \#\{i : \min_{j \ne i} D(x_i, x_j) \le \min_j D(x, x_j)\}.

        Of samples drawn as those of ``fit`` about 5 % are above 0.95. A sample with a feature farther outside of its
        range in training than this range is wide is at 1, too. The first call costs a search among the training
        samples.

        {samples}

        Returns
        -------
        s : ndarray of shape (n_samples,)
            Between 0 and 1.

        Examples
        --------
        {fitted_wine}
        >>> model.outlier_score(X[:1]), model.outlier_score(1e100 * X[:1])
        (array([0.]), array([1.]))
        """
        samples = self._samples(X)
        return self.ensemble_.outlier_score(samples)

    def score_samples(self, X: ArrayLike) -> NDArray:
        r"""Conformal p-values: whether samples are drawn as the training samples were.

        Let s(x) be the distance to the nearest training sample in the averaged metric, and :math:`s_i` that of
        training sample i to its nearest other. Then

        .. math:: p(x) = \frac{1 + \#\{i : s_i \ge s(x)\}}{n + 1}.

        A sample with a feature farther outside of its range than this range is wide is farther than all others; so is
        a training sample that lies so far outside of the range of its others. The smaller p, the more novel the sample,
        as in ``score_samples`` of scikit-learn's outlier detectors.

        For samples drawn as those of ``fit`` the share of p-values at most :math:`\alpha` is about :math:`\alpha`. The
        metric was learned with the training samples and not with the new ones, so this is measured, not proved: where
        features are many and samples are few, the share is below :math:`\alpha`. Samples of ``fit`` are at distance
        zero of themselves and have p = 1.

        The first call costs a search among the training samples; of more than 20,000, only so many have an
        :math:`s_i`.

        {samples}

        Returns
        -------
        p : ndarray of shape (n_samples,)
            Above 0 and at most 1.

        See Also
        --------
        outlier_score : The same distances as a share between 0 and 1, large for outliers.

        References
        ----------
        .. [1] R. Laxhammar, G. Falkman, "Conformal Prediction for Distribution-Independent Anomaly Detection in
           Streaming Vessel Data", StreamKDD, 2010.
        .. [2] S. Bates, E. Candès, L. Lei, Y. Romano, M. Sesia, "Testing for Outliers with Conformal p-values", Annals
           of Statistics 51, 2023.

        Examples
        --------
        {wine}
        >>> model = FreeEnergyClassifier(n_replicas=10, random_state=0).fit(X[y < 2], y[y < 2])
        >>> p = model.score_samples(X[y == 2])  # of a class that it does not know
        >>> bool((p <= 0.05).mean() > 0.5)
        True
        """
        samples = self._samples(X)
        return self.ensemble_.p_values(samples)

    def kneighbors(self, X: ArrayLike, n_neighbors: int = 5, return_distance: bool = True) -> Any:
        """The training samples nearest in the averaged metric.

        {samples}
        n_neighbors : int, default=5
            How many.
        return_distance : bool, default=True
            Whether distances come, too.

        Returns
        -------
        distances : ndarray of shape (n_samples, n_neighbors)
            Only where they are wanted.
        rows : ndarray of shape (n_samples, n_neighbors)
            Their row numbers in what was given to fit, nearest first. Rows without a label or a weight are none.
        """
        samples = self._samples(X)
        training_set = self.ensemble_.training_set
        Z, Q = self.ensemble_.embed(training_set.X), self.ensemble_.embed(samples)
        search = NearestNeighbors(n_neighbors=n_neighbors).fit(Z)
        distances, numbers = search.kneighbors(np.clip(Q, -FARTHEST, FARTHEST))
        for far in np.flatnonzero(np.abs(Q).max(axis=1, initial=0) > FARTHEST):
            distances[far] = lengths(Q[far] - Z[numbers[far]])
        return (distances, training_set.rows[numbers]) if return_distance else training_set.rows[numbers]

    def thermodynamics(  # noqa: D417 - the shared text describes the rest
        self,
        *,
        temperatures: tuple[float, float] | None = None,
        settings: Any = None,
        random_state: Any = None,
    ) -> "ModelThermodynamics":
        """Free energy, energy, entropy and heat capacity of the best candidate; needs the extra ``thermo``.

        The candidate is the one of ``temperature_`` and ``confinement_``. Its energy on one bag of training samples, of
        at most 1,000, is sampled anew on a ladder of temperatures, from the confinement alone to a quarter of
        ``temperature_``. All pairs of samples count, and equally, so that moves are exact; the fit itself looks at the
        nearest ones. The result has error bars, the temperature at which the metric freezes, and error bars on M in the
        candidate's view; printed, it is a few sentences.

        Parameters
        ----------
        {ladder}

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from freemetric import FreeEnergyClassifier, Recipe
        >>> from freemetric.thermodynamics import TemperingSettings
        >>> X, y = load_iris(return_X_y=True)
        >>> recipe = Recipe(candidates=["scaled/diagonal"], temperature=1e-2)
        >>> model = FreeEnergyClassifier(4, recipe=recipe, random_state=0).fit(X[::3], y[::3])
        >>> short = TemperingSettings(n_steps=40, n_rungs=5, n_rounds=1)
        >>> found = model.thermodynamics(settings=short, random_state=0)
        >>> found.curves.is_absolute, found.metric.weights.shape
        (True, (4,))
        """
        from ..thermodynamics import thermodynamics_of

        check_is_fitted(self)
        if self.snapshots_ is None:
            raise ValueError("No candidate of this model learns, so there is nothing to sample.")
        return thermodynamics_of(self._fitted_energy(random_state), temperatures, settings, random_state)

    def _fitted_energy(self, random_state):
        """The energy of the candidate that ``snapshots_`` are of, over all pairs of samples of one bag."""
        from ..thermodynamics import FittedEnergy

        training_set, form = self.ensemble_.training_set, FORMS[self.snapshots_["form"]]
        view = self.ensemble_.views.get(self.snapshots_["view"]) or view_of(self.snapshots_["view"], training_set)
        energy, size = self._best_energy()
        y = training_set.y
        strata = [np.flatnonzero(y == c) for c in np.unique(y)] if y.dtype.kind in "iu" else [np.arange(len(y))]
        rows = Bags(generator(random_state), strata, min(size, MOST_SAMPLES) / len(y), len(y)).first(1)[0]
        V = view(training_set.X)
        bound = bind(form.restrict(energy), V[rows][None], training_set.targets(rows[None]), None, self.device)
        start = self.snapshots_["map"][-1]
        return FittedEnergy(bound, start, self.confinement_, self.temperature_, V.var(axis=0), form.matrices)

    def _best_energy(self):
        """The energy of that candidate, and the size of its bags."""
        table, weight = self.selection_, self.selection_["weight"]
        wanted = {name: self.snapshots_[name] for name in ("view", "form")}
        wanted |= {"temperature": self.temperature_, "confinement": self.confinement_}
        is_it = np.all([table[name] == value for name, value in wanted.items()], axis=0)
        row = int(np.where(is_it | ~is_it.any(), weight, -1.0).argmax())
        energy = as_energy(str(table["energy"][row])) if self._energy is None else self._energy
        return energy, int(table["bag_size"][row])
