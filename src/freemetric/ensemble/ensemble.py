"""The ensemble as a value: metrics, weights, and the training samples that vote."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from joblib import Parallel, delayed
from sklearn.neighbors import NearestNeighbors

from ..kernels.numba.nearest import add_votes
from .averaged_metric import Embedding, feature_shares
from .neighbors import Shortlist
from .training_set import TrainingSet

KEPT_BYTES = 256 << 20  # of the training samples under all maps
SHORTEST = 64  # training samples that a prediction looks at under every map
PER_NEIGHBOR = 3  # as many as that for each neighbour that votes
MOST_LOOKED_AT = 1 << 17  # pairs of a query and a candidate at a time
LANES = 8
FARTHEST = 1e15  # of a coordinate, so that single precision can square it


@dataclass(frozen=True)
class Member:
    """Metrics of one view and one form.

    Parameters
    ----------
    view : str
        The name of the view.
    form : {"identity", "diagonal", "full"}
        What the maps may do.
    maps : ndarray of shape (n_replicas, 1, d_view) or (n_replicas, p, d_view)
        The maps: a row stretches columns, a matrix mixes them.
    weights : ndarray of shape (n_sizes,)
        How much the mean vote of each number of neighbours counts.
    """

    view: str
    form: str
    maps: np.ndarray
    weights: np.ndarray


@dataclass(frozen=True)
class Ensemble:
    """Sampled metrics under which training samples vote.

    Parameters
    ----------
    gap_values : ndarray of shape (n_features,)
        What stands in for a missing value.
    views : dict of str to view
        By name.
    members : list of Member
        The metrics; the weights of all together add up to one.
    sizes : ndarray of shape (n_sizes,)
        Numbers of neighbours, ascending.
    training_set : TrainingSet
        Who votes for what.
    """

    gap_values: np.ndarray
    views: dict
    members: list
    sizes: np.ndarray
    training_set: TrainingSet

    @property
    def X(self):
        """The training samples, without gaps."""
        return self.training_set.X

    def with_training_set(self, training_set):
        """The same metrics with other training samples."""
        return replace(self, training_set=training_set)

    def filled(self, X):
        """Samples X with a number for every gap."""
        if not np.isnan(X).any():
            return X
        return np.where(np.isnan(X), self.gap_values, X)

    def seen(self, X):
        """Samples X (n, n_features) in every view that votes."""
        with np.errstate(over="ignore", invalid="ignore"):
            every = {name: self.views[name](X) for name in self.used_views}
        return {name: np.clip(V, -FARTHEST, FARTHEST) for name, V in every.items()}

    @cached_property
    def used_views(self):
        """Names of the views of the members."""
        return sorted({member.view for member in self.members})

    @cached_property
    def embedding(self):
        """Coordinates in which the averaged metric is Euclidean."""
        return Embedding.fit(self.members, self.views, self.X)

    def embed(self, X):
        """Coordinates (n, n_axes) of samples X."""
        return self.embedding(self.seen(X))

    @cached_property
    def feature_shares(self):
        """Share (n_features,) of every feature in the squared distances."""
        return feature_shares(self.members, self.views, self.X)

    def kneighbors(self, X, n_neighbors):
        """Distances and numbers of the nearest rows in the averaged metric."""
        search = NearestNeighbors(n_neighbors=n_neighbors).fit(self.embed(self.X))
        return search.kneighbors(self.embed(X))

    @property
    def n_candidates(self):
        """Training samples that a prediction looks at under every map."""
        largest = max(np.flatnonzero(member.weights).max() for member in self.members)
        return max(SHORTEST, PER_NEIGHBOR * int(self.sizes[largest]))

    # --- votes --------------------------------------------------------------------

    def votes(self, X, n_jobs=None):
        """Mean values (n, n_values) that the training samples vote for."""
        index = self.index
        seen = self.seen(X)
        candidates = index.shortlist.nearest(self.embedding(seen), self.n_candidates)
        step = max(1, MOST_LOOKED_AT // candidates.shape[1])
        if len(X) <= step:
            return index.votes(seen, candidates)
        if index.shortlist.centres is not None:  # queries of one cell share candidates
            order = np.argsort(candidates[:, 0])
        else:
            order = np.arange(len(X))
        parts = [order[start : start + step] for start in range(0, len(X), step)]
        run = delayed(index.votes)
        views_of = [{name: V[part] for name, V in seen.items()} for part in parts]
        pairs = zip(views_of, parts, strict=True)
        found = Parallel(n_jobs, prefer="threads")(
            run(own, candidates[part]) for own, part in pairs
        )
        out = np.empty((len(X), self.training_set.values.shape[1]))
        for part, votes in zip(parts, found, strict=True):
            out[part] = votes
        return out

    def strongest_votes(self, X, n_rows):
        """Rows (n, n_rows) whose votes weigh most, and the share of each, descending.

        Of equal rows, the first stands for all.
        """
        index = self.index
        seen = self.seen(X)
        candidates = index.shortlist.nearest(self.embedding(seen), self.n_candidates)
        shares = index.coefficients(seen, candidates) * index.masses[candidates]
        order = np.argsort(-shares, axis=1, kind="stable")[:, :n_rows]
        places = np.take_along_axis(candidates, order, axis=1)
        rows = self.training_set.row_of_place[places]
        return rows, np.take_along_axis(shares, order, axis=1)

    @cached_property
    def index(self):
        """The places of the training samples under all maps, ready for predictions."""
        return Index(self)

    def __getstate__(self):
        """What defines the ensemble, without what is computed from it."""
        names = self.__dataclass_fields__
        return {name: value for name, value in vars(self).items() if name in names}


class Index:
    """The places of the training samples, as every map measures them."""

    def __init__(self, ensemble):
        training_set = ensemble.training_set
        self.members = ensemble.members
        self.sizes = np.asarray(ensemble.sizes, dtype=np.int64)
        self.counts = training_set.counts.astype(np.int64)
        self.masses = training_set.masses.astype(np.float32)
        self.sums = training_set.sums.astype(np.float32)
        rows = training_set.X[training_set.row_of_place]
        seen = ensemble.seen(rows)
        self.shortlist = Shortlist(ensemble.embedding(seen))
        self.seen = {name: single(V) for name, V in seen.items()}
        width = sum(m.maps.shape[0] * m.maps.shape[2] for m in self.members)
        self.coordinates = None
        if 4 * width * len(rows) <= KEPT_BYTES:
            self.coordinates = [under_maps(m, self.seen[m.view]) for m in self.members]

    def votes(self, seen, candidates):
        """Mean values (n, n_values) of candidates (n, S), for samples in every view."""
        coefficients = self.coefficients(seen, candidates)
        return np.matmul(coefficients[:, None, :], self.sums[candidates])[:, 0]

    def coefficients(self, seen, candidates):
        """What the values of candidates (n, S) are multiplied with in the votes."""
        seen = {name: single(V) for name, V in seen.items()}
        if self.coordinates is None:
            rows, places = np.unique(candidates, return_inverse=True)
            places = places.reshape(candidates.shape).astype(np.int32)
            nearby = {name: V[rows] for name, V in self.seen.items()}
        else:
            rows, places = slice(None), candidates
        weights = np.zeros(candidates.shape, dtype=np.float32)
        for number, member in enumerate(self.members):
            if self.coordinates is None:
                Z = under_maps(member, nearby[member.view])
            else:
                Z = self.coordinates[number]
            used = np.flatnonzero(member.weights)
            add_votes(
                Z,
                under_maps(member, seen[member.view]),
                places,
                self.counts[rows],
                self.masses[rows],
                self.sizes[used],
                single(member.weights[used] / len(member.maps)),
                weights,
            )
        return weights


def single(V):
    """An array in single precision, row by row."""
    return np.ascontiguousarray(V, dtype=np.float32)


def under_maps(member, V):
    """Coordinates (R, n, p) of samples V under all maps of a member.

    Columns of zeros fill rows up to a multiple of LANES, which are added faster.
    """
    maps = single(member.maps)
    p = maps.shape[2] if member.form != "full" else maps.shape[1]
    out = np.zeros((len(maps), len(V), p + -p % LANES), dtype=np.float32)
    if member.form == "full":
        np.matmul(V, maps.swapaxes(1, 2), out=out[:, :, :p])
    else:
        np.multiply(V, maps, out=out[:, :, :p])
    return out
