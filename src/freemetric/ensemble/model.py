"""The ensemble: sampled metrics, their weights, the training set and a head that makes predictions of votes."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn import config_context

from ..files.checks import check_array, check_numbers, require
from ..forking import effective_n_threads
from ..metrics import VIEWS, Member, TrainingSet, View
from ..metrics.averaged_metric import Embedding, OutlierScores, averaged_matrices, feature_shares
from ..metrics.gaps import Gaps
from ..metrics.index import NeighborIndex, seen_in
from ..metrics.neighbor_votes import NeighborVotes, chunks
from ..metrics.training_set import has_gaps
from .task import Head

FEW_QUERIES, MOST_QUERIES = 64, 4096  # of a part: fewer do not pay a thread, more take memory
MOST_ON_DEVICE = 65_536  # queries; the training samples travel to the device once for every part
KEPT_BYTES = 256 << 20  # of neighbour searches that are kept between predictions
FIELDS = ("views", "members", "weights", "training_set", "head")


class Ensemble:
    """Predicts by the votes of nearest neighbours in many metrics.

    For a sample x, member e and k neighbours, the shares q_ek(x) of votes among the k nearest training samples are
    averaged over the replicas of e. The weights mix them over e and k, and the head makes predictions of the mixture.
    An ensemble is a value: nothing in it is fitted, and what predictions compute once is no part of its state.

    Parameters
    ----------
    views : dict of View
        What the metrics see of the features, by name.
    members : list of Member
        The metrics.
    weights : ndarray of shape (n_members, n_neighbors)
        Not negative, with sum one.
    training_set : TrainingSet
        The samples that vote.
    head : Head
        What makes predictions of mixed votes: that of classification or of regression.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from freemetric import FreeEnergyClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> ensemble = FreeEnergyClassifier(n_replicas=6, random_state=0).fit(X, y).ensemble_
    >>> ensemble.predict(X[:2]).shape
    (2, 3)
    >>> round(float(ensemble.member_weights.sum()), 6)
    1.0
    """

    def __init__(
        self, views: dict[str, View], members: list[Member], weights: NDArray, training_set: TrainingSet, head: Any
    ):
        self.views, self.members, self.weights = views, members, weights
        self.training_set, self.head = training_set, head
        self.computed: dict[Any, Any] = {}  # what can be computed again

    def __getstate__(self) -> dict[str, Any]:
        return {**self.to_state(), "computed": {}}

    def once(self, name: Any, make: Callable[[], Any]) -> Any:
        """What ``make()`` gives, made once and kept as long as the ensemble lives."""
        if name not in self.computed:
            self.computed[name] = make()
        return self.computed[name]

    @property
    def n_neighbors(self) -> int:
        """Most neighbours that vote."""
        return self.weights.shape[1]

    @property
    def n_replicas(self) -> int:
        """Sampled metrics; none where plain neighbours vote."""
        return sum(len(member.maps) for member in self.members)

    @property
    def member_weights(self) -> NDArray:
        """Weight of every member, over all numbers of neighbours."""
        return self.weights.sum(axis=1)

    @property
    def gaps(self) -> Gaps:
        """What makes coordinates of samples with gaps: the training set's, or its means where it has no gaps."""
        known = self.training_set.gaps
        return self.once("gaps", lambda: Gaps.of(self.training_set.X)) if known is None else known

    def filled(self, X: NDArray) -> NDArray:
        """Samples X (n, d) as all other methods take them, as the training set is: without gaps."""
        return X if self.training_set.gaps is None and not has_gaps(X) else self.gaps(X)

    def predict(
        self, X: NDArray, n_jobs: int | None = None, device: str = "cpu", shortlist: int | None = None
    ) -> NDArray[np.float64]:
        """Predictions (n, m) of samples X (n, d): class probabilities, or expected targets; see ``votes``."""
        return self.head.answers(self.votes(X, n_jobs, device, shortlist), self.head.wholes(X))

    def votes(
        self, X: NDArray, n_jobs: int | None = None, device: str = "cpu", shortlist: int | None = None
    ) -> NDArray[np.float64]:
        """Shares (n, n_cells) of all votes that samples X (n, d) get, every member and k by its weight.

        In every replica's space ``shortlist`` training samples are looked at, those nearest in the averaged metric;
        all for None.
        """
        index = self.index()
        most = min(MOST_QUERIES if device in ("cpu", "reference") else MOST_ON_DEVICE, index.most_queries)
        n_parts = max(1, min(effective_n_threads(n_jobs), len(X) // FEW_QUERIES), -(-len(X) // most))
        with config_context(assume_finite=True, skip_parameter_validation=True):  # checked once, not by every view
            if n_parts == 1:
                return index.shares(X, shortlist, device)
            parts, run = np.array_split(np.arange(len(X)), n_parts), Parallel(n_jobs=n_jobs, require="sharedmem")
            return np.concatenate(run(delayed(index.shares)(X[part], shortlist, device) for part in parts))

    def shares(self, X: NDArray, n_jobs: int | None = None, device: str = "cpu") -> NDArray:
        """Shares (n_members, n_neighbors, n, n_cells) of votes that samples X (n, d) get, of every k alone."""
        size = len(self.members), self.n_neighbors, len(X), self.training_set.n_cells
        out, n_seen = np.zeros(size, dtype=np.float32), [0] * len(self.members)
        for number, shares in self.shares_of_replicas(X, n_jobs, device):
            n_seen[number] += 1
            out[number] += (shares - out[number]) / n_seen[number]
        return out

    def shares_of_replicas(
        self, X: NDArray, n_jobs: int | None = None, device: str = "cpu"
    ) -> Iterator[tuple[int, NDArray]]:
        """The number of the member and shares (n_neighbors, n, n_cells) of every replica, one after the other."""
        seen = seen_in(self.views, X)
        searches_of_all = self._searches(n_jobs, device)
        for number, (member, searches) in enumerate(zip(self.members, searches_of_all, strict=True)):
            for search, Q in zip(searches, member.spaces(seen[member.candidate.view]), strict=True):
                with config_context(assume_finite=True, skip_parameter_validation=True):  # checked once, not here
                    votes = search.of(Q)
                yield number, np.swapaxes(votes / votes.sum(axis=-1, keepdims=True), 0, 1)

    def _searches(self, n_jobs, device) -> Iterator[list[NeighborVotes]]:
        """For every member a search per replica; those of the last threads and device are kept while they are small."""
        places, key = self.training_set.places, (n_jobs, device)

        def make():
            seen = seen_in(self.views, self.training_set.X[places.rows])
            for member in self.members:
                spaces = member.spaces(seen[member.candidate.view])
                yield [NeighborVotes(Z, places, self.n_neighbors, n_jobs, device) for Z in spaces]

        # coordinates, and once more in a tree
        n_bytes = len(places.rows) * sum(len(member) * 16 * member.n_coordinates for member in self.members)
        if n_bytes > KEPT_BYTES:
            return make()
        if self.computed.get("searches", (None,))[0] != key:
            self.computed["searches"] = key, list(make())
        return iter(self.computed["searches"][1])

    def parts(self, n: int) -> list[slice]:
        """Slices of n samples whose shares fit the memory budget."""
        return chunks(n, self.weights.size, self.training_set.n_cells)

    def index(self) -> NeighborIndex:
        """The index of the training samples, made once."""
        parts = self.views, self.members, self.weights, self.training_set
        return self.once("index", lambda: NeighborIndex(*parts, self.averaged_matrices()))

    def feature_shares(self, groups: NDArray | None = None) -> tuple[NDArray, NDArray]:
        """Mean (d,) and standard deviation (d,) over replicas of every feature's share in the squared distances.

        With ``groups`` (d,), the numbers of groups that features belong to, the shares of groups.
        """
        owner = self.training_set.owner
        groups = owner if groups is None else np.asarray(groups)[owner]
        return feature_shares(self.members, self.member_weights, self.views, self.training_set.X, groups)

    def averaged_matrices(self) -> dict[str, NDArray]:
        """For every view M (d_view, d_view): summed over views, (u - v)^T M (u - v) is the averaged squared distance.

        Replicas are scaled to a mean squared distance of one first. A view without any distances is left out, and where
        no metric mixes the columns of a view M is its diagonal (d_view,).
        """
        return averaged_matrices(self.members, self.member_weights, self.views, self.training_set.X)

    def embed(self, X: NDArray) -> NDArray:
        """Coordinates (n, n_axes) of samples X (n, d) in the averaged metric, on its principal axes."""
        return self.embedding()(self.views, X)

    def embedding(self) -> Embedding:
        """What all embeddings share, made once."""
        return self.once("embedding", lambda: Embedding.of(self.averaged_matrices(), self.views, self.training_set.X))

    def outlier_score(self, X: NDArray) -> NDArray:
        """How far outside of the training set samples X (n, d) lie in the averaged metric, (n,) from 0 to 1."""
        with np.errstate(over="ignore", invalid="ignore"):
            return self._outlier_scores()(X, self.embed(X))

    def p_values(self, X: NDArray) -> NDArray:
        """P-values (n,) of samples X (n, d) being drawn as the training set was, by the same distances."""
        with np.errstate(over="ignore", invalid="ignore"):
            return self._outlier_scores().p_values(X, self.embed(X))

    def _outlier_scores(self):
        X = self.training_set.X
        return self.once("outliers", lambda: OutlierScores.of(X, self.embed(X)))

    def changed(self, **parts: Any) -> "Ensemble":
        """The same with other parts, such as another head."""
        return Ensemble(**self.to_state() | parts)

    def to_state(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in FIELDS}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "Ensemble":
        views, members, weights, training_set, head = (state[name] for name in FIELDS)
        require(type(training_set) is TrainingSet, "training_set of Ensemble", "is something else")
        require(isinstance(head, Head), "head of Ensemble", "is something else")
        check_array(weights, "weights of Ensemble", 2)
        # 1e-6: they are normalised in double precision
        whole = weights.size and (weights >= 0).all() and abs(weights.sum() - 1) < 1e-6
        require(whole, "weights of Ensemble", "do not add up to one")
        require(type(members) is list and members, "members of Ensemble", "are no list with something in it")
        require(len(members) == len(weights), "weights of Ensemble", "are those of other members")
        require(len(training_set) > weights.shape[1], "weights of Ensemble", "are of more neighbours than samples")
        require(type(views) is dict and views, "views of Ensemble", "are no dict with something in it")
        for name, view in views.items():
            require(VIEWS.get(name) is type(view), "views of Ensemble", "hold something else than views")
        _check_members(members, views, training_set.X)
        head.check(training_set)
        return cls(views, members, weights, training_set, head)


def _check_members(members, views, X):
    """ValueError unless maps fit the views, these the samples X (n, d), and all distances are finite.

    Searches do not look for numbers that are not finite, and their trees could not be trusted with any.
    """
    d, widths = X.shape[1], {name: len(view.owner) for name, view in views.items()}
    for name, view in views.items():
        check_numbers(view.owner, d, "owners of a view")
        one_each = np.array_equal(view.owner, np.arange(widths[name]))  # a column for every feature
        require(not one_each or widths[name] == d, "a view", "has another number of features")
    for member in members:
        require(type(member) is Member, "members of Ensemble", "hold something else")
        width = member.maps.shape[2]
        fits = widths.get(member.candidate.view) == width
        require(fits, "a Member", f"has maps of {width} features, which its view does not have")
    used = {member.candidate.view for member in members}
    require(used == set(views), "views of Ensemble", "hold one that no member uses")
    with np.errstate(over="ignore", invalid="ignore"):
        sizes = {name: np.square(view(X)).sum() for name, view in views.items()}
        for member in members:
            longest = sizes[member.candidate.view] * max(1.0, np.square(member.maps).sum())
            require(np.isfinite(longest), "a Member", "has maps or a view without finite distances")
