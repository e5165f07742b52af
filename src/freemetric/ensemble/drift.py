"""Drift: a test of two tables in the learned metric, and of every column."""

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.validation import check_is_fitted

from ..learners.base import one_blas_thread
from ..metrics.averaged_metric import FARTHEST
from .fitted import FittedEnsemble

N_NEIGHBORS = 5
MOST_ROWS = 5000  # of each table, spread evenly
AT_A_TIME = 1 << 22  # numbers: permuted labels of all rows


class Drift(NamedTuple):
    """Whether two tables differ in the learned metric, and in which columns.

    Attributes
    ----------
    statistic : float
        Share of nearest neighbours that are of a row's own table.
    expected : float
        What it would be on average if the tables did not differ.
    p_value : float
        Chance of a statistic as large if they did not.
    names : ndarray of shape (n_groups,)
        Features or groups of them.
    contributions : ndarray of shape (n_groups,)
        What the statistic loses when the values of a group are shuffled among all rows; about zero where the metric
        does not see the change.
    p_values : ndarray of shape (n_groups,)
        Of the distribution of each group, corrected for their number: the chance that any group differs as much.
    """

    statistic: float
    expected: float
    p_value: float
    names: NDArray
    contributions: NDArray[np.float64]
    p_values: NDArray[np.float64]

    def changed(self, alpha: float = 0.05) -> NDArray:
        """Names of the groups whose distribution has changed, the largest contribution first."""
        found = np.flatnonzero(self.p_values <= alpha)
        return self.names[found[np.argsort(-self.contributions[found], kind="stable")]]


def permutations(is_new: NDArray, n: int, seed: int) -> Iterator[NDArray[np.bool_]]:
    """Permuted labels (n, N) of the rows, some at a time; the same ones of every seed."""
    rng, size = np.random.default_rng(seed), max(1, AT_A_TIME // len(is_new))
    for start in range(0, n, size):
        yield rng.permuted(np.broadcast_to(is_new, (min(size, n - start), len(is_new))), axis=1)


def neighbors_in(Z: NDArray, n_neighbors: int) -> NDArray[np.intp]:
    """Numbers (N, k) of the nearest others of rows Z (N, q)."""
    return NearestNeighbors(n_neighbors=n_neighbors).fit(np.clip(Z, -FARTHEST, FARTHEST)).kneighbors()[1]


def own_shares(nearest: NDArray, labels: NDArray) -> NDArray[np.float64]:
    """Shares (n,) of nearest neighbours (N, k) that are of a row's own table, for labels (n, N)."""
    return np.array([(some[nearest] == some[:, None]).mean() for some in labels])  # one by one, for the memory


def cramer_von_mises(x: NDArray, labels: NDArray) -> NDArray[np.float64]:
    """Mean squared difference (...) of two distribution functions at all rows x (N,), labelled (..., N).

    Equal values have one place, so that columns of few values need nothing else.
    """
    order = np.argsort(x, kind="stable")
    last = np.append(np.flatnonzero(np.diff(x[order]) > 0), len(x) - 1)  # of every run of equal values
    counts = np.diff(last, prepend=-1)
    of_new = np.cumsum(labels[..., order], axis=-1)[..., last]
    n_new = of_new[..., -1:]
    difference = of_new / n_new - (last + 1 - of_new) / (len(x) - n_new)
    return (difference**2) @ counts / len(x)


def column_p_values(X: NDArray, labels: Iterable[NDArray], groups: list[NDArray]) -> NDArray[np.float64]:
    """Corrected p-values of groups of columns of X (N, d), by the largest statistic among them.

    The first of all labels (n, N) are the true ones (Westfall and Young 1993).
    """
    chance = np.concatenate(
        [
            np.stack([sum(cramer_von_mises(X[:, column], some) for column in columns) for columns in groups], axis=-1)
            for some in labels
        ]
    )
    spread = chance.std(axis=0)
    known = spread > 1e-12  # a constant column has nothing to differ in
    standard = np.where(known, (chance - chance.mean(axis=0)) / np.where(known, spread, 1.0), -np.inf)
    largest = standard.max(axis=1)[:, None]
    return np.where(known, (largest >= standard[0] - 1e-9).mean(axis=0), 1.0)


class DriftMixin(FittedEnsemble):
    """Drift seen by an estimator with an ``ensemble_``."""

    def drift(  # noqa: D417 - the shared text describes the groups
        self,
        X_old: ArrayLike,
        X_new: ArrayLike,
        *,
        groups: ArrayLike | None = None,
        n_permutations: int = 499,
        random_state: int = 0,
    ) -> Drift:
        r"""Test whether two tables differ in the learned metric, and name the columns that have changed.

        With all N rows of both tables in one space, the statistic is the share of the k = 5 nearest others of a row
        that are of its own table,

        .. math:: T = \frac{1}{N k} \sum_i \sum_{j \le k} [t_i = t_{(i, j)}].

        Distances are those of ``transform``, so that a change counts as far as it moves neighbours. The p-value is
        exact: the share of permutations of the labels t with a T as large. It holds for rows that the model was not
        fitted on; the metric knows those of ``fit``.

        Every column is tested by itself, too: the squared difference of its two distribution functions
        (Cramér and von Mises), in units of its spread over the same permutations. Its p-value is corrected for the
        number of columns by the largest of these statistics in each permutation (Westfall and Young). A column may
        have changed, with a contribution of zero: then predictions by neighbours hardly depend on it.

        Costs a search of neighbours for every column, and O(B N d) for B permutations. At most 5,000 rows of each
        table are looked at, spread evenly.

        Parameters
        ----------
        X_old, X_new : array-like of shape (n_samples, n_features)
            The tables, such as rows held out before and rows seen since.
        {groups}
        n_permutations : int, default=499
            B; no p-value is below 1 / (B + 1).
        random_state : int, default=0
            Seed of the permutations.

        Returns
        -------
        drift : Drift
            A named tuple with ``statistic``, ``expected`` and ``p_value``; ``names``, ``contributions`` and
            ``p_values`` of the groups; ``changed(alpha)`` names those that have changed.

        References
        ----------
        .. [1] M. F. Schilling, "Multivariate Two-Sample Tests Based on Nearest Neighbors", Journal of the American
           Statistical Association 81, 1986.
        .. [2] N. Henze, "A Multivariate Two-Sample Test Based on the Number of Nearest Neighbor Type Coincidences",
           Annals of Statistics 16, 1988.
        .. [3] P. H. Westfall, S. S. Young, "Resampling-Based Multiple Testing", Wiley, 1993.

        Examples
        --------
        >>> import numpy as np
        >>> from freemetric import FreeEnergyClassifier
        >>> rng = np.random.default_rng(0)
        >>> X = rng.random((300, 3))
        >>> model = FreeEnergyClassifier(n_replicas=8, random_state=0).fit(X[:100], X[:100, 1] > 0.5)
        >>> later = X[200:] + [0.0, 0.3, 0.0]
        >>> found = model.drift(X[100:200], later)
        >>> found.p_value < 0.01, found.changed().tolist()
        (True, [1])
        """
        check_is_fitted(self)
        names, groups_of_columns = self._groups(groups)
        if not (isinstance(n_permutations, int | np.integer) and n_permutations > 0):
            raise ValueError(f"n_permutations is a number of permutations, at least 1; got {n_permutations!r}.")
        old, new = (_spread_evenly(self._samples(X)) for X in (X_old, X_new))
        X, is_new = np.concatenate([old, new]), np.arange(len(old) + len(new)) >= len(old)
        rng, embed = np.random.default_rng(random_state), self.ensemble_.embed
        permuted = partial(permutations, is_new, n_permutations, int(rng.integers(1 << 62)))

        def statistic(nearest):
            return own_shares(nearest, is_new[None])[0]

        def shuffled(columns):
            other = X.copy()
            other[:, columns] = X[rng.permutation(len(X))][:, columns]
            return other

        with one_blas_thread():
            n_neighbors = min(N_NEIGHBORS, len(X) - 1)
            nearest = neighbors_in(embed(X), n_neighbors)
            found = statistic(nearest)
            chance = np.concatenate([own_shares(nearest, some) for some in permuted()])
            lost = [found - statistic(neighbors_in(embed(shuffled(some)), n_neighbors)) for some in groups_of_columns]
            p_values = column_p_values(X, chain([is_new[None]], permuted()), groups_of_columns)
        p_value = float((1 + (chance >= found - 1e-12).sum()) / (1 + len(chance)))
        return Drift(float(found), float(chance.mean()), p_value, names, np.array(lost), p_values)


def _spread_evenly(X):
    return X if len(X) <= MOST_ROWS else X[np.linspace(0, len(X) - 1, MOST_ROWS).astype(int)]
