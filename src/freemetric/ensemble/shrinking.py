"""A fitted ensemble with fewer training samples: a few that stand for all, or all but rows that must be forgotten."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.cluster.hierarchy import cut_tree, linkage
from scipy.ndimage import minimum_position
from sklearn.neighbors import KDTree
from sklearn.utils.validation import check_is_fitted

from ..learners.base import one_blas_thread
from ..metrics import Member, TrainingSet, View
from ..metrics.gaps import Gaps
from ..metrics.index import seen_in
from ..metrics.neighbor_votes import NeighborVotes
from ..printable import counted
from .finish import fitted_attributes
from .fitted import FittedEnsemble
from .oob import OOBIndices, numbers_of
from .population import CandidateResult, Population
from .running import given_recipe
from .sampling import OOBVotes
from .task import EnsembleTask

FEWEST = 10  # training samples
ENOUGH = 50  # of which outlier scores, explanations and importances can be made
STEP = 0.8  # of the samples are left, as long as the score allows
MOST_CLUSTERED = 4096  # samples whose distances are all held


class Rebuilt:
    """What follows from maps that are known: votes, weights, head and fitted attributes, for a model's own rows.

    ``training_set`` are the samples that are known, of which some may vote; those of ``oob_indices`` are scored.
    """

    def __init__(self, model: Any, views: dict[str, View], members: list[Member], training_set: TrainingSet):
        self.model, self.views, self.members, self.device = model, views, members, model.device
        self.task: EnsembleTask
        self.task, self.training_set = model._problem_again(training_set)
        self.recipe, self.n_rows = given_recipe(model, len(training_set)), model._n_rows_given
        old = model.oob_indices_
        kept = np.isin(old.rows, training_set.rows)
        self.rows, left_out = old.rows[kept], old.left_out(model.ensemble_.members)
        self.absent = [some[:, kept] for some in left_out]  # of every member, (R, n_scored)
        self.scored = numbers_of(self.rows, training_set.rows)
        self.queries = seen_in(views, self.training_set.X[self.scored])

    def population(self, kept: NDArray[np.intp]) -> Population:
        """The members as candidates of a search, with the out-of-bag votes of some training samples (n,)."""
        K = min(self.model.ensemble_.n_neighbors, len(kept) - 1)
        population = Population(self.training_set, self.task, self.scored, K, self, kept)
        voting = self.training_set.only(kept)
        seen = seen_in(self.views, voting.X[voting.places.rows])
        among = numbers_of(self.rows, voting.rows)
        for member, left_out in zip(self.members, self.absent, strict=True):
            votes = OOBVotes.none(len(self.scored), K, self.training_set.n_cells)
            votes.counts[:] = left_out.sum(axis=0)
            name = member.candidate.view
            spaces = zip(member.spaces(seen[name]), member.spaces(self.queries[name]), left_out, strict=True)
            for Z, Q, fair in spaces:
                search, numbers = NeighborVotes(Z, voting.places, K, self.model.n_jobs), np.flatnonzero(fair)
                own, others = numbers[among[numbers] >= 0], numbers[among[numbers] < 0]
                if len(own):  # none votes for itself
                    search.add_left_out_shares(among[own], voting.votes(among[own]), own, votes.shares)
                if len(others):
                    counted = search.of(Q[others])
                    votes.shares[others] += counted / counted.sum(axis=-1, keepdims=True)
            result = CandidateResult(member.candidate, member.maps.shape[2], votes)
            result.maps = member.maps
            population.results.append(result)
        return population

    def left_out(self, result: CandidateResult) -> NDArray[np.bool_]:
        """Which samples the replicas of a member left out, (R, n_scored)."""
        return next(some for member, some in zip(self.members, self.absent, strict=True) if member.maps is result.maps)

    def attributes(self, kept: NDArray[np.intp]) -> dict[str, Any]:
        """Fitted attributes of the model whose training set are these samples (n,)."""
        population, training_set = self.population(kept), self.training_set.only(kept)
        is_kept = np.isin(self.rows, training_set.rows)

        def indices(results):
            return OOBIndices.of(self.rows[is_kept], [self.left_out(result)[:, is_kept] for result in results])

        # those that vote are better than those that are scored, unless they are all
        n_shortlists = int(len(kept) == len(self.training_set))
        found = fitted_attributes(population, self.recipe, training_set, self.n_rows, indices, n_shortlists)
        return {**found, "n_searched_": min(self.model.n_searched_, len(kept))}

    def losses(self, attributes: dict[str, Any]) -> NDArray[np.float64]:
        """Brier scores or squared errors (n,) of the samples that are scored, by these attributes."""
        return self.model._oob_losses(attributes, self.training_set.only(self.scored))


class Prototypes:
    """Samples that stand for all, any number of them: clusters of every stratum, and of each that nearest to its mean.

    Ward's clusters in the averaged metric, made once and cut where they are as many as wanted. Large strata are cut
    into the cells of a tree first.
    """

    def __init__(self, Z: NDArray, strata: Sequence[NDArray]):
        self.Z, self.groups = Z, []
        for some in strata:
            order = np.asarray(KDTree(Z[some], leaf_size=1).get_arrays()[1])  # near ones are neighbours
            self.groups += [some[cell] for cell in np.array_split(order, -(-len(some) // MOST_CLUSTERED))]
        self.trees = [linkage(Z[some], "ward") if len(some) > 1 else None for some in self.groups]

    def __call__(self, n: int) -> NDArray[np.intp]:
        """Numbers (n,) of samples; every group of clusters has its share, and at least one."""
        counts = np.array([len(some) for some in self.groups])
        shares = np.maximum(n * counts / counts.sum(), 1.0)
        sizes = shares.astype(int)
        while sizes.sum() != n:  # by the largest remainder, within what is there
            step = np.sign(n - sizes.sum())
            able = sizes < counts if step > 0 else sizes > 1
            sizes[np.where(able, step * (shares - sizes), -np.inf).argmax()] += step
        parts = zip(self.groups, self.trees, sizes, strict=True)
        return np.sort(np.concatenate([some[_medoids(self.Z[some], tree, size)] for some, tree, size in parts]))


def _medoids(Z, tree, size):
    """Of samples Z (n, p) and their tree of clusters, those (size,) nearest to the mean of a cluster."""
    if size == len(Z):
        return np.arange(size)
    labels = cut_tree(tree, size)[:, 0]
    means = np.zeros((size, Z.shape[1]))
    np.add.at(means, labels, Z)
    means /= np.bincount(labels)[:, None]
    apart = np.square(Z - means[labels]).sum(axis=1)
    return np.ravel(minimum_position(apart, labels, np.arange(size)))


def views_of(
    views: dict[str, View], members: Sequence[Member], training_set: TrainingSet
) -> tuple[dict[str, View], list[Member]]:
    """Views made of these samples alone, and the members on them; where units change, maps change with them."""
    X, gaps = training_set.X.astype(np.float64), training_set.gaps
    made = {name: view.made_of(X if gaps is None else gaps.drawn(X)) for name, view in views.items()}
    made = made if gaps is None else {name: view.with_gaps(gaps) for name, view in made.items()}
    on_these = []
    for member in members:
        old, new = (some[member.candidate.view].units() for some in (views, made))
        if old is not None and new is not None and (member.form.is_free or member.form.keeps_apart):
            member = replace(member, maps=member.maps * (new / old))
        on_these.append(member)
    return made, on_these


class ShrinkingMixin(FittedEnsemble):
    """Fewer training samples for an estimator with an ``ensemble_``."""

    def condense(self, max_rows: int | None = None) -> Self:
        """Keep few training samples that stand for all, so that files are smaller and predictions faster.

        The samples of every class, or of every quarter of a regression's targets, are clustered in the averaged metric
        by Ward's method; of each cluster the sample nearest to its mean is kept. There are a fifth fewer at a time,
        until the out-of-bag Brier score, or squared error, is higher than that of all by more than its standard error,
        or 50 are left. The metrics stay; their weights and the calibration are found anew, on all samples that were out
        of bag, with the votes of those that are left. Class densities and trends stay those of all.

        The model changes in place; ``copy.deepcopy(model).condense()`` keeps the other.

        Costs all distances within a class, and a search of neighbours in every space for each size that is tried.

        Parameters
        ----------
        max_rows : int or None, default=None
            Number of training samples to keep, whatever the score; None: as few as are as good.

        Returns
        -------
        self : object
            The model with fewer training samples. Row numbers remain those of the table given to fit.

        See Also
        --------
        data_values : What every training sample is worth; dropping those of low value is worse than chance.

        Examples
        --------
        {wine_halves}
        >>> len(model.condense(max_rows=30).ensemble_.training_set)
        30
        >>> model.score(X[1::2], y[1::2]) > 0.9
        True
        """
        check_is_fitted(self)
        self._check_keeps_rows()
        training_set = self.ensemble_.training_set
        n = len(training_set)
        is_number = isinstance(max_rows, int | np.integer) and not isinstance(max_rows, bool)
        if max_rows is not None and not (is_number and max_rows >= FEWEST):
            raise ValueError(f"max_rows is a number of training samples, at least {FEWEST}; got {max_rows!r}.")
        if max_rows is not None and max_rows >= n:
            return self
        with one_blas_thread():
            rebuilt = Rebuilt(self, self.ensemble_.views, self.ensemble_.members, training_set)
            strata = [some for some in rebuilt.task.strata(training_set.y) if len(some)]
            prototypes = Prototypes(self.ensemble_.embed(training_set.X), strata)
            fewest = len(prototypes.groups)
            if max_rows is not None and max_rows < fewest:
                raise ValueError(f"max_rows of this model is at least {fewest}; got {max_rows!r}.")
            best = rebuilt.attributes(np.arange(n) if max_rows is None else prototypes(max_rows))
            if max_rows is None:
                losses = rebuilt.losses(best)
                limit = np.nanmean(losses) + np.nanstd(losses) / np.sqrt(max(1, len(losses)))
                while (n := int(STEP * n)) >= max(ENOUGH, fewest):
                    attributes = rebuilt.attributes(prototypes(n))
                    if not np.nanmean(rebuilt.losses(attributes)) <= limit:
                        break
                    best = attributes
            vars(self).update(best)
        return self

    def forget(self, rows: ArrayLike) -> Self:
        """Remove rows from a fitted model, such as those of people who ask for it.

        The training set, votes, views, out-of-bag predictions, weights, class densities, trends, calibration and the
        neighbour index are then those of the other rows: no value of a forgotten row is in the model or in its file.
        What remains is indirect: the metrics were sampled while the rows were there, and so were principal axes and
        whitening, means in place of gaps of features that have few, ``trace_`` and ``snapshots_``. Fit again where not
        even that may remain. Copies of the model, its earlier files and reports are not touched.

        The model changes in place. Costs a search of neighbours in every space, far less than a fit.

        Parameters
        ----------
        rows : array-like of int
            Row numbers in the table given to fit; rows of ``partial_fit`` count on from there. They stay the same after
            some rows were forgotten.

        {itself}

        Examples
        --------
        {fitted_wine}
        >>> 3 in model.forget([3, 70]).kneighbors(X[3:4], return_distance=False)
        False
        """
        check_is_fitted(self)
        self._check_keeps_rows()
        forgotten, n_rows = np.atleast_1d(np.asarray(rows)), self._n_rows_given
        if forgotten.ndim != 1 or (len(forgotten) and forgotten.dtype.kind not in "iu"):
            raise ValueError("rows must be a list of row numbers.")
        unknown = forgotten[(forgotten < 0) | (forgotten >= n_rows)]
        if len(unknown):
            raise ValueError(f"rows holds {unknown[0]}, and the model was given {counted(n_rows, 'row')}, from 0 on.")
        training_set = self.ensemble_.training_set
        kept = training_set.only(np.flatnonzero(~np.isin(training_set.rows, forgotten)))
        if len(kept) < FEWEST:
            raise ValueError(f"{counted(len(kept), 'training sample')} would be left, which is too few: fit again.")
        if kept.weights is not None:
            kept.weights = kept.weights / kept.weights.mean()
        if kept.gaps is not None:  # with means and spreads of these samples alone
            X = kept.given
            kept.gaps = Gaps.of(X, kept.gaps.features)
            kept.X = kept.gaps(X)
        with one_blas_thread():
            views, members = views_of(self.ensemble_.views, self.ensemble_.members, kept)
            vars(self).update(Rebuilt(self, views, members, kept).attributes(np.arange(len(kept))))
        return self
