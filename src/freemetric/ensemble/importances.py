"""Permutation importances: what the out-of-bag score loses when the values of features are shuffled."""

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from ..learners.base import one_blas_thread
from ..learners.fitting import logger
from .fitted import FittedEnsemble
from .model import Ensemble
from .oob import OOBPredictor
from .settings import recipe_of

MOST_SAMPLES, FEWEST_SAMPLES = 1000, 200
MOST_REPEATS, QUESTIONS = 5, 600  # of a group, where samples are few
MOST_REPLICAS, FEWEST_REPLICAS = 1000, 5  # of an ensemble
MANY_GROUPS = 500  # whose values are shuffled once, and for which one replica may have to do
AFFORDABLE = 1e10  # products, of about a nanosecond each
TO_SORT = 20  # products that it takes to find the nearest, for each candidate
SLOW = 1.0  # seconds
PARTS = 30  # of the samples, one of which is left out at a time for the error

ScoreFunction = Callable[[NDArray, NDArray, NDArray | None], float]  # (predictions, y, weights), larger is better


class Importances(NamedTuple):
    """Loss of the out-of-bag score when features are shuffled.

    Attributes
    ----------
    names : ndarray of shape (n_groups,)
        Features or groups of them.
    mean : ndarray of shape (n_groups,)
        Out-of-bag score minus that with shuffled values; below zero by chance.
    error : ndarray of shape (n_groups,)
        Standard error of it.
    score : float
        Out-of-bag score with the original values.
    n_oob : int
        Number of samples.
    """

    names: NDArray
    mean: NDArray[np.float64]
    error: NDArray[np.float64]
    score: float
    n_oob: int


def affordable(ensemble: Ensemble, n_groups: int, size: int) -> tuple[int, int]:
    """Most samples, and most replicas of a member, that are affordable for so many groups."""
    size = min(size, len(ensemble.training_set))

    def cost(n_oob, n_replicas):
        spaces = ((min(len(member), n_replicas), member.n_coordinates) for member in ensemble.members)
        of_one = sum(n * (width + TO_SORT) / 2 for n, width in spaces)  # about half of them left it out
        return n_groups * n_oob * size * of_one

    n_oob = AFFORDABLE / cost(1, MOST_REPLICAS)
    if n_oob >= FEWEST_SAMPLES:
        return int(min(n_oob, MOST_SAMPLES)), MOST_REPLICAS
    fewest = FEWEST_REPLICAS if n_groups <= MANY_GROUPS else 1
    fitting = (n for n in range(MOST_REPLICAS, fewest, -1) if cost(FEWEST_SAMPLES, n) <= AFFORDABLE)
    return FEWEST_SAMPLES, next(fitting, fewest)


class Shuffled:
    """Samples with their own and with shuffled values, scored all together and without each of some parts.

    Parts are stratified by y; copies share one, and a class with a single place has none.
    """

    def __init__(self, predictor: OOBPredictor, score: ScoreFunction):
        self.predictor, self.score = predictor, score
        places, first = np.unique(predictor.places, return_index=True)
        y = predictor.y.reshape(len(predictor.y), -1)[first, 0]  # any of several targets sorts them well enough
        part = np.empty(len(places), dtype=np.intp)
        part[np.argsort(y, kind="stable")] = np.arange(len(places)) % min(PARTS, len(places))
        if y.dtype.kind != "f":
            part[np.isin(y, np.flatnonzero(np.bincount(y) == 1))] = -1
        self.parts = part[np.searchsorted(places, predictor.places)]
        self.known = predictor.answers(predictor.X, np.arange(len(predictor.oob_samples)))
        self.before = self._scores(self.known[None])

    def loss(self, columns: NDArray, shuffles: Sequence[NDArray]) -> tuple[float, float]:
        """What the score loses, and the standard error of that, by the jackknife."""
        X = np.repeat(self.predictor.X[None], len(shuffles), axis=0)
        X[:, :, columns] = self.predictor.X[np.array(shuffles)][:, :, columns]
        repeat, changed = np.nonzero((X != self.predictor.X).any(axis=2))
        after = np.repeat(self.known[None], len(shuffles), axis=0)  # samples that did not change keep theirs
        if len(changed):
            after[repeat, changed] = self.predictor.answers(X[repeat, changed], changed)
        whole, *lost = np.subtract(self.before, self._scores(after))
        without = np.array(lost)[np.isfinite(lost)]
        G = len(without)
        error = np.sqrt((G - 1) / G * ((without - without.mean()) ** 2).sum()) if G > 1 else np.nan
        return float(whole), float(error)

    def _scores(self, predictions) -> list[float]:
        """Scores of all samples, and without each part; predictions (n_repeats, n, C)."""
        (n_repeats, _, C), y, weights, scores = predictions.shape, self.predictor.y, self.predictor.weights, []
        for number in range(-1, self.parts.max() + 1):
            kept = (self.parts != number) | (number < 0)
            of_kept = None if weights is None else np.tile(weights[kept], n_repeats)
            scores.append(
                self.score(predictions[:, kept].reshape(-1, C), np.concatenate([y[kept]] * n_repeats), of_kept)
            )
        return scores


def kept(ensemble: Ensemble, key: Any, make: Callable[[], Importances]) -> Importances:
    """Importances behind an attribute: computed on first access and cached. The log says where that took seconds."""

    def made():
        start = perf_counter()
        found = make()
        if (seconds := perf_counter() - start) > SLOW:
            logger.info("feature_importances_ took %.1f s on first access; the result is cached", seconds)
        return found

    return ensemble.once(("importances", key), made)


def are_kept(ensemble: Ensemble, key: Any) -> bool:
    """Whether the importances of this key are computed."""
    return ("importances", key) in ensemble.computed


LAZY = ("feature_importances_", "feature_importances_error_", "_importances")


class LazyImportances:
    """An estimator whose importances ``dir`` names only once they are computed.

    Debuggers, completion and scikit-learn's display in notebooks look at the value of every attribute that it names.
    """

    _has_importances: Callable[[], bool]  # whether they are computed already

    def __dir__(self) -> list[str]:
        names = [name for name in object.__dir__(self) if name not in LAZY and hasattr(self, name)]
        return names + [name for name in LAZY if hasattr(type(self), name) and self._has_importances()]


class ImportancesMixin(LazyImportances, FittedEnsemble):
    """Importances of an estimator with an ``ensemble_`` and its ``oob_indices_``."""

    def permutation_importances(  # noqa: D417 - the shared text describes the groups
        self,
        groups: ArrayLike | None = None,
        *,
        scoring: Any = None,
        n_repeats: int | None = None,
        random_state: int = 0,
    ) -> Importances:
        r"""Loss of the out-of-bag score when the values of features are shuffled among the training samples.

        For a group g of features and a score S,

        .. math:: I_g = S(P(x_1), \ldots, P(x_n)) - S(P(x_1^g), \ldots, P(x_n^g)),

        where :math:`x_i^g` has the features of g from another sample, drawn at random. Predictions are out of bag, as
        for ``oob_score_``; weights and calibration are those of the model. The standard error is a jackknife over 30
        parts of the samples.

        Redundant features stand in for each other, and each alone then seems dispensable: put them into one group.

        Costs as much as predicting the samples ``n_repeats`` times for every group, in half of the replicas. At most
        1,000 samples are predicted; of very many features fewer, and by fewer replicas.

        Parameters
        ----------
        {groups}
        scoring : str, callable or None, default=None
            A scorer as in the constructor; None is the constructor's. "neg_log_loss" also sees what changes
            probabilities but no decision.
        n_repeats : int or None, default=None
            Shuffles of every group; None is up to five, where there are fewer than 600 samples.
        random_state : int, default=0
            Seed of the shuffles, which are the same for every group.

        Returns
        -------
        importances : Importances
            A named tuple with ``names``, ``mean`` and ``error`` of the groups, in the order in which they come first;
            ``score`` and ``n_oob``. NaN where no sample was out of bag.

        References
        ----------
        .. [1] L. Breiman, "Random Forests", Machine Learning 45, 2001.

        Examples
        --------
        >>> import numpy as np
        >>> from freemetric import FreeEnergyClassifier
        >>> rng = np.random.default_rng(0)
        >>> X = rng.random((120, 3))
        >>> model = FreeEnergyClassifier(n_replicas=8, random_state=0).fit(X, X[:, 1] > 0.5)
        >>> found = model.permutation_importances(["first", "that counts", "last"])
        >>> str(found.names[found.mean.argmax()])
        'that counts'
        """
        check_is_fitted(self)
        names, columns = self._groups(groups)
        if not (n_repeats is None or (isinstance(n_repeats, int | np.integer) and n_repeats > 0)):
            raise ValueError(f"n_repeats is a number of shuffles, at least 1; got {n_repeats!r}.")
        score, size = self._score_of(recipe_of(self).scoring if scoring is None else scoring), self.shortlist_
        with one_blas_thread():
            most = affordable(self.ensemble_, len(names), size)
            predictor = OOBPredictor(self.ensemble_, self.oob_indices_, size, *most)
            n = len(predictor.oob_samples)
            if not n:
                unknown = np.full(len(names), np.nan)
                return Importances(names, unknown, unknown, np.nan, 0)
            most_repeats = MOST_REPEATS if len(names) <= MANY_GROUPS else 1
            rng = np.random.default_rng(random_state)
            shuffles = [rng.permutation(n) for _ in range(n_repeats or int(np.clip(QUESTIONS // n, 1, most_repeats)))]
            compared, run = Shuffled(predictor, score), Parallel(n_jobs=self.n_jobs, require="sharedmem")
            losses = np.array(run(delayed(compared.loss)(some, shuffles) for some in columns))
        return Importances(names, losses[:, 0], losses[:, 1], compared.before[0], n)

    def _has_importances(self):
        return hasattr(self, "ensemble_") and are_kept(self.ensemble_, recipe_of(self).scoring)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        return self._importances.mean

    @property
    def feature_importances_error_(self) -> NDArray[np.float64]:
        return self._importances.error

    @property
    def _importances(self) -> Importances:
        check_is_fitted(self)
        everyone = np.arange(self.n_features_in_)
        return kept(self.ensemble_, recipe_of(self).scoring, lambda: self.permutation_importances(everyone))
