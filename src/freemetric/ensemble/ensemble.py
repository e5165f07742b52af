"""The ensemble as a value: metrics, weights, and the training samples that vote."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from joblib import Parallel, delayed
from sklearn.neighbors import NearestNeighbors

from ..kernels.numba.nearest import (
    add_votes,
    mixed_distances,
    stretched_distances,
)
from .averaged_metric import Embedding, feature_shares
from .neighbors import Shortlist
from .training_set import TrainingSet

KEPT_BYTES = 256 << 20  # of images of the training samples
SHORTEST = 64  # training samples that a prediction looks at under every map
PER_NEIGHBOR = 3  # as many as that for each neighbour that votes
MOST_LOOKED_AT = 1 << 17  # pairs of a query and a candidate at a time
MOST_DISTANCES = 1 << 18  # at a time, which stay in the cache
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

    def in_views(self, X):
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
        return self.embedding(self.in_views(X))

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
        in_views = self.in_views(X)
        candidates = index.shortlist.nearest(
            self.embedding(in_views), self.n_candidates
        )
        step = max(1, MOST_LOOKED_AT // candidates.shape[1])
        if len(X) <= step:
            return index.votes(in_views, candidates)
        if index.shortlist.centres is not None:  # queries of one cell share candidates
            order = np.argsort(candidates[:, 0])
        else:
            order = np.arange(len(X))
        parts = [order[start : start + step] for start in range(0, len(X), step)]
        run = delayed(index.votes)
        views_of = [{name: V[part] for name, V in in_views.items()} for part in parts]
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
        in_views = self.in_views(X)
        candidates = index.shortlist.nearest(
            self.embedding(in_views), self.n_candidates
        )
        shares = index.coefficients(in_views, candidates) * index.masses[candidates]
        order = np.argsort(-shares, axis=1, kind="stable")[:, :n_rows]
        points = np.take_along_axis(candidates, order, axis=1)
        rows = self.training_set.row_of_point[points]
        return rows, np.take_along_axis(shares, order, axis=1)

    @cached_property
    def index(self):
        """What predictions need of the training samples."""
        return Index(self)

    def __getstate__(self):
        """What defines the ensemble, without what is computed from it."""
        names = self.__dataclass_fields__
        return {name: value for name, value in vars(self).items() if name in names}


class Index:
    """What predictions need of the training samples, in single precision."""

    def __init__(self, ensemble):
        training_set = ensemble.training_set
        self.members = ensemble.members
        self.sizes = np.asarray(ensemble.sizes, dtype=np.int64)
        self.counts = training_set.counts.astype(np.int64)
        self.masses = training_set.masses.astype(np.float32)
        self.sums = training_set.sums.astype(np.float32)
        rows = training_set.X[training_set.row_of_point]
        in_views = ensemble.in_views(rows)
        self.shortlist = Shortlist(ensemble.embedding(in_views))
        self.in_views = {name: single(V) for name, V in in_views.items()}
        mixing = [member for member in self.members if member.form == "full"]
        width = sum(member.maps.shape[0] * member.maps.shape[1] for member in mixing)
        self.images = None
        if 4 * width * len(rows) <= KEPT_BYTES:
            self.images = {
                number: images(member, self.in_views[member.view])
                for number, member in enumerate(self.members)
                if member.form == "full"
            }

    def votes(self, in_views, candidates):
        """Mean values (n, n_values) of candidates (n, S), for samples in every view."""
        coefficients = self.coefficients(in_views, candidates)
        return np.matmul(coefficients[:, None, :], self.sums[candidates])[:, 0]

    def coefficients(self, in_views, candidates):
        """What the values of candidates (n, S) are multiplied with in the votes."""
        in_views = {name: single(V) for name, V in in_views.items()}
        weights = np.zeros(candidates.shape, dtype=np.float32)
        for number, member in enumerate(self.members):
            used = np.flatnonzero(member.weights)
            parts = single(member.weights[used] / len(member.maps))
            Q = in_views[member.view]
            step = max(1, MOST_DISTANCES // (len(member.maps) * candidates.shape[1]))
            for start in range(0, len(Q), step):
                part = slice(start, start + step)
                add_votes(
                    self.distances(number, Q[part], candidates[part]),
                    candidates[part],
                    self.counts,
                    self.masses,
                    self.sizes[used],
                    parts,
                    weights[part],
                )
        return weights

    def distances(self, number, Q, candidates):
        """Squared distances (n, R, S) of candidates under all maps of a member."""
        member = self.members[number]
        X = self.in_views[member.view]
        out = np.empty((len(Q), len(member.maps), candidates.shape[1]), np.float32)
        if member.form != "full":
            squares = single(member.maps[:, 0] ** 2)
            stretched_distances(X, Q, candidates, squares, out)
            return out
        if self.images is None:
            rows, inverse = np.unique(candidates, return_inverse=True)
            candidates = inverse.reshape(candidates.shape).astype(np.int32)
            Z = images(member, X[rows])
        else:
            Z = self.images[number]
        mixed_distances(Z, images(member, Q), candidates, out)
        return out


def single(V):
    """An array in single precision, row by row."""
    return np.ascontiguousarray(V, dtype=np.float32)


def images(member, V):
    """Images (n, R, p) of samples V under all maps of a member.

    Columns of zeros fill rows up to a multiple of LANES, which are added faster.
    """
    R, p, d = member.maps.shape
    maps = np.zeros((R, p + -p % LANES, d), dtype=np.float32)
    maps[:, :p] = member.maps
    return (V @ maps.reshape(-1, d).T).reshape(len(V), R, -1)
