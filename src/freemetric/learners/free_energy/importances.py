"""What a classifier owes to its features: what its out-of-bag score loses when their values are shuffled."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from ...metrics import BaseCommittee
from ...printable import counted
from .hearing import Hearing
from .jury import Jury

MOST_JUDGES, FEWEST_JUDGES = 1000, 200
MOST_REPEATS, QUESTIONS = 5, 600  # of a group, where judges are few
MOST_REPLICAS, FEWEST_REPLICAS = 1000, 5  # of an ensemble
MANY_GROUPS = 500  # about which judges are asked once, and one replica may have to do
AFFORDABLE = 1e10  # products, of about a nanosecond each
TO_SORT = 20  # products that it takes to find the nearest, for each candidate
PARTS = 30  # of the judges, one of which is left out at a time for the error

Score = Callable[[NDArray, NDArray, NDArray | None], float]


class Importances(NamedTuple):
    """What a score loses, out of bag, without what features say.

    Attributes
    ----------
    names : ndarray of shape (n_groups,)
        Features or groups of them.
    mean : ndarray of shape (n_groups,)
        Score of the judges as they are, minus that with shuffled values; below zero by chance.
    error : ndarray of shape (n_groups,)
        Standard error of it.
    score : float
        Of these judges as they are.
    n_judges : int
        How many there are.
    """

    names: NDArray
    mean: NDArray[np.float64]
    error: NDArray[np.float64]
    score: float
    n_judges: int


def importances(
    committee: BaseCommittee,
    jury: Jury,
    score: Score,
    groups: NDArray,
    *,
    size: int = 128,
    n_repeats: int | None = None,
    seed: int = 0,
    n_jobs: int | None = None,
) -> Importances:
    """Importances of groups of features.

    Parameters
    ----------
    committee, jury : BaseCommittee, Jury
        The model, and who judges it.
    score : callable
        ``score(probabilities, y, weights)``, the larger the better.
    groups : ndarray of shape (n_features,)
        Name of the group that each feature belongs to.
    size : int, default=128
        Voters that are asked in every space.
    n_repeats : int or None, default=None
        Shuffles of every group; None: more where judges are few.
    seed : int, default=0
        Of the shuffles, which are the same for every group.
    n_jobs : int or None, default=None
        Groups at a time, in threads; the result does not depend on it.

    Returns
    -------
    Importances
        In the order in which the groups come first; NaN where there is nobody to judge.
    """
    names = groups[np.sort(np.unique(groups, return_index=True)[1])]
    hearing = Hearing(committee, jury, size, *affordable(committee, len(names), size))
    n = len(hearing.judges)
    if not n:
        unknown = np.full(len(names), np.nan)
        return Importances(names, unknown, unknown, np.nan, 0)
    rng = np.random.default_rng(seed)
    n_repeats = n_repeats or int(np.clip(QUESTIONS // n, 1, MOST_REPEATS if len(names) <= MANY_GROUPS else 1))
    shuffles = [rng.permutation(n) for _ in range(n_repeats)]
    compared = Comparison(hearing, score)
    columns = [np.flatnonzero(groups == name) for name in names]
    run = Parallel(n_jobs=n_jobs, require="sharedmem")
    losses = np.array(run(delayed(compared.loss)(some, shuffles) for some in columns))
    return Importances(names, losses[:, 0], losses[:, 1], compared.before[0], n)


def affordable(committee: BaseCommittee, n_groups: int, size: int) -> tuple[int, int]:
    """Most judges, and most replicas of an ensemble, that can be asked about so many groups."""
    size = min(size, len(committee.voters))

    def cost(n_judges, n_replicas):
        spaces = ((min(len(ensemble), n_replicas), ensemble.n_coordinates) for ensemble in committee.ensembles)
        of_one = sum(n * (width + TO_SORT) / 2 for n, width in spaces)  # about half of them left it out
        return n_groups * n_judges * size * of_one

    n_judges = AFFORDABLE / cost(1, MOST_REPLICAS)
    if n_judges >= FEWEST_JUDGES:
        return int(min(n_judges, MOST_JUDGES)), MOST_REPLICAS
    fewest = FEWEST_REPLICAS if n_groups <= MANY_GROUPS else 1
    fitting = (n for n in range(MOST_REPLICAS, fewest, -1) if cost(FEWEST_JUDGES, n) <= AFFORDABLE)
    return FEWEST_JUDGES, next(fitting, fewest)


class Comparison:
    """Judges as they are and shuffled, scored whole and without each of some parts of them."""

    def __init__(self, hearing: Hearing, score: Score):
        self.hearing, self.score, self.parts = hearing, score, parts_of(hearing)
        self.everyone = np.arange(len(hearing.judges))
        self.known = hearing.answers(hearing.X, self.everyone)
        self.before = self._scores(self.known[None])

    def loss(self, columns: NDArray, shuffles: Sequence[NDArray]) -> tuple[float, float]:
        """What the score loses, and the standard error of that, by the jackknife."""
        lost = np.subtract(self.before, self._scores(self._shuffled(columns, shuffles)))
        whole, without = lost[0], lost[1:][np.isfinite(lost[1:])]
        G = len(without)
        error = np.sqrt((G - 1) / G * ((without - without.mean()) ** 2).sum()) if G > 1 else np.nan
        return float(whole), float(error)

    def _shuffled(self, columns, shuffles):
        """Probabilities (n_repeats, n, C); rows whose values did not change keep theirs."""
        X = np.repeat(self.hearing.X[None], len(shuffles), axis=0)
        X[:, :, columns] = self.hearing.X[np.array(shuffles)][:, :, columns]
        repeat, changed = np.nonzero((X != self.hearing.X).any(axis=2))
        out = np.repeat(self.known[None], len(shuffles), axis=0)
        if len(changed):
            out[repeat, changed] = self.hearing.answers(X[repeat, changed], changed)
        return out

    def _scores(self, probabilities) -> list[float]:
        """Of all judges, and without each part; probabilities (n_repeats, n, C)."""
        numbers = range(-1, self.parts.max() + 1)
        return [self._score(probabilities, (self.parts != number) | (number < 0)) for number in numbers]

    def _score(self, probabilities, kept):
        n_repeats, y, weights = len(probabilities), self.hearing.y[kept], self.hearing.weights
        P = probabilities[:, kept].reshape(-1, probabilities.shape[2])
        return self.score(P, np.tile(y, n_repeats), None if weights is None else np.tile(weights[kept], n_repeats))


def parts_of(hearing: Hearing) -> NDArray[np.intp]:
    """For every judge the part that it is in, all parts with about the same classes; copies of a row stay together.

    A class with a single place is in none: no score may have to do without it.
    """
    places, first = np.unique(hearing.places, return_index=True)
    y = hearing.y[first]
    order = np.argsort(y, kind="stable")
    part = np.empty(len(places), dtype=np.intp)
    part[order] = np.arange(len(places)) % min(PARTS, len(places))
    if y.dtype.kind != "f":
        part[np.isin(y, np.flatnonzero(np.bincount(y) == 1))] = -1
    return part[np.searchsorted(places, hearing.places)]


def group_names(groups: Any, names: NDArray | None, n_features: int) -> NDArray:
    """The group of every feature, for None its own name or number; ValueError unless there is one for each."""
    if groups is None:
        return np.arange(n_features) if names is None else names
    found = np.asarray(groups)
    if found.shape != (n_features,):
        raise ValueError(
            f"groups must name a group for each of {counted(n_features, 'feature')}, got shape {found.shape}."
        )
    return found
