"""Ensembles of metrics that predict by the votes of nearest neighbours."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn import config_context

from ..files.checks import check_numbers, require
from ..forking import effective_n_threads
from ..magnitudes import enlarged
from .averaged_metric import EMBEDDINGS, LONELINESS, Embedding, Loneliness, averaged_matrices, feature_shares
from .class_densities import BASINS, Basins, basin_energies
from .heads import Calibration, Mixture, Outlook, Reading, Scale
from .index import POLLS, Poll, seen_in
from .members import Ensemble
from .neighbor_votes import NeighborVotes, bytes_of, chunks, kept_searches
from .training_set import NumberVoters, Voters
from .trends import TRENDS, Trend
from .views import VIEWS, View

FEW_QUERIES, MOST_QUERIES = 64, 4096  # of a part: fewer do not pay a thread, more take memory


class BaseCommittee:
    """Counts the votes of nearest neighbours in many metrics; subclasses make predictions of them.

    For a pattern x, ensemble e and k neighbours, the shares q_ek(x) of votes among the k nearest voters are averaged
    over the replicas of e; the mixture weighs them over e and k.
    A committee is a value: nothing in it is fitted, and predicting does not change it.

    Parameters
    ----------
    views : dict of View
        What the metrics see of the features, by name.
    ensembles : list of Ensemble
        The metrics.
    mixture : Mixture
        Weights (n_ensembles, n_neighbors), and what makes predictions of mixed shares.
    voters : Voters
        The rows that vote.
    """

    most_changed: float  # share of the votes that a shortlist may change

    def __init__(self, views: dict[str, View], ensembles: list[Ensemble], mixture: Mixture, voters: Voters):
        self.views, self.ensembles, self.mixture, self.voters = views, ensembles, mixture, voters

    @property
    def n_neighbors(self) -> int:
        """Most neighbours that vote."""
        return self.mixture.weights.shape[1]

    @property
    def n_replicas(self) -> int:
        """Sampled metrics; none where plain neighbours vote."""
        return sum(len(ensemble.maps) for ensemble in self.ensembles)

    @property
    def trust(self) -> NDArray:
        """Weight of every ensemble, over all numbers of neighbours."""
        return self.mixture.weights.sum(axis=1)

    def shares(self, X: NDArray, n_jobs: int | None = None, device: str = "cpu") -> NDArray:
        """Shares (n_ensembles, n_neighbors, n, n_cells) of votes that patterns X (n, d) get, of every k alone."""
        seen = seen_in(self.views, X)
        size = len(self.ensembles), self.n_neighbors, len(X), self.voters.n_cells
        out = np.zeros(size, dtype=np.float32)
        with config_context(assume_finite=True, skip_parameter_validation=True):  # checked once, not by every replica
            every_search = self._searches(n_jobs, device)
            for total, ensemble, searches in zip(out, self.ensembles, every_search, strict=True):
                spaces = ensemble.spaces(seen[ensemble.candidate.view])
                for n, (search, Q) in enumerate(zip(searches, spaces, strict=True), start=1):
                    votes = search.of(Q)
                    total += (np.swapaxes(votes / votes.sum(axis=-1, keepdims=True), 0, 1) - total) / n
        return out

    def _searches(self, n_jobs, device):
        """For every ensemble a NeighborVotes per replica."""
        places = self.voters.places

        def make():
            seen = seen_in(self.views, self.voters.X[places.rows])
            for ensemble in self.ensembles:
                spaces = ensemble.spaces(seen[ensemble.candidate.view])
                yield [NeighborVotes(Z, places, self.n_neighbors, n_jobs, device) for Z in spaces]

        return kept_searches(self, (n_jobs, device), make, bytes_of(self.ensembles, places))

    def parts(self, n: int) -> list[slice]:
        """Slices of n patterns whose shares fit the memory budget."""
        return chunks(n, self.mixture.weights.size, self.voters.n_cells)

    def poll(self) -> Poll:
        """What all predictions share, made once."""
        if self not in POLLS:
            POLLS[self] = Poll(self.views, self.ensembles, self.mixture, self.voters, self.averaged_matrices())
        return POLLS[self]

    def mixed(
        self, X: NDArray, n_jobs: int | None = None, device: str = "cpu", shortlist: int | None = None
    ) -> NDArray[np.float64]:
        """Shares (n, n_cells) of all votes that patterns X (n, d) get, every ensemble and k by its weight.

        ``shortlist`` voters, the nearest in the averaged metric, are asked in every replica's space; all for None.
        """
        poll = self.poll()
        most = min(MOST_QUERIES, poll.most_queries)
        n_parts = max(1, min(effective_n_threads(n_jobs), len(X) // FEW_QUERIES), -(-len(X) // most))
        parts = np.array_split(np.arange(len(X)), n_parts)
        with config_context(assume_finite=True, skip_parameter_validation=True):  # checked once, not by every view
            run = Parallel(n_jobs=n_jobs if n_parts > 1 else 1, require="sharedmem")
            shares = run(delayed(poll.shares)(X[part], shortlist, device) for part in parts)
        return np.concatenate(shares)

    def feature_shares(self, groups: NDArray | None = None) -> tuple[NDArray, NDArray]:
        """Mean (d,) and standard deviation (d,) over replicas of every feature's share in the squared distances.

        With ``groups`` (d,), the numbers of groups that features belong to, the shares of groups.
        """
        return feature_shares(self.ensembles, self.trust, self.views, self.voters.X, groups)

    def averaged_matrices(self) -> dict[str, NDArray]:
        """For every view M (d_view, d_view): summed over views, (u - v)^T M (u - v) is the averaged squared distance.

        Replicas are scaled to a mean squared distance of one first. A view without any distances is left out, and where
        no metric mixes the columns of a view M is its diagonal (d_view,).
        """
        return averaged_matrices(self.ensembles, self.trust, self.views, self.voters.X)

    def embed(self, X: NDArray) -> NDArray:
        """Coordinates (n, n_axes) of patterns X (n, d) in the averaged metric, on its principal axes."""
        return self.embedding()(self.views, X)

    def embedding(self) -> Embedding:
        """What all embeddings of patterns share, made once."""
        if self not in EMBEDDINGS:
            EMBEDDINGS[self] = Embedding.of(self.averaged_matrices(), self.views, self.voters.X)
        return EMBEDDINGS[self]

    def outlier_score(self, X: NDArray) -> NDArray:
        """How far outside of the voters patterns X (n, d) lie in the averaged metric, (n,) from 0 to 1."""
        if self not in LONELINESS:
            LONELINESS[self] = Loneliness.of(self.voters.X, self.embed(self.voters.X))
        with np.errstate(over="ignore", invalid="ignore"):
            return LONELINESS[self](X, self.embed(X))

    def answers(self, shares: NDArray, wholes: NDArray) -> NDArray[np.float64]:
        """Predictions (n, m) of mixed shares (n, n_cells) and what is known of the data as a whole."""
        raise NotImplementedError

    def to_state(self) -> dict[str, Any]:
        return dict(vars(self))


class Committee(BaseCommittee):
    """Predicts classes by the votes of nearest neighbours in many metrics.

    Votes of neighbours are mixed over replicas, ensembles and numbers of neighbours, and calibrated to probabilities
    beside what the classes as wholes say.
    A committee is a value: nothing in it is fitted, and predicting does not change it.

    Parameters
    ----------
    views : dict of View
        What the metrics see of the features, by name.
    ensembles : list of Ensemble
        The metrics.
    mixture : Mixture
        Weights (n_ensembles, n_neighbors) and calibration.
    voters : Voters
        The rows that vote.
    basins : list of Basins, default=()
        The classes as wholes, in the order of the calibration's strengths.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from freemetric import FreeEnergyClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> committee = FreeEnergyClassifier(n_replicas=6, random_state=0).fit(X, y).committee_
    >>> committee.predict_proba(X[:2]).shape
    (2, 3)
    >>> round(float(committee.trust.sum()), 6)
    1.0
    """

    most_changed = 0.01

    def __init__(
        self,
        views: dict[str, View],
        ensembles: list[Ensemble],
        mixture: Mixture,
        voters: Voters,
        basins: Sequence[Basins] = (),
    ):
        super().__init__(views, ensembles, mixture, voters)
        self.basins = list(basins)

    def predict_proba(
        self, X: NDArray, n_jobs: int | None = None, device: str = "cpu", shortlist: int | None = None
    ) -> NDArray:
        """Class probabilities (n, n_classes) of patterns X (n, d), see ``mixed`` for the other parameters."""
        return self.answers(self.mixed(X, n_jobs, device, shortlist), self.basin_energies(X))

    def basin_energies(self, X: NDArray) -> NDArray:
        """Free energies (n_basins, n, n_classes) of patterns X (n, d) in the classes as wholes."""
        return basin_energies(self.basins, X, self.voters.n_classes)

    def answers(self, shares: NDArray, wholes: NDArray) -> NDArray[np.float64]:
        """Class probabilities (n, n_classes) of mixed shares (n, n_classes) and free energies of the classes."""
        return self.mixture.calibration(shares, wholes)

    def with_voters(self, ensembles: list[Ensemble], voters: Voters) -> "Committee":
        """The same with other metrics and voters."""
        return Committee(self.views, ensembles, self.mixture, voters, self.basins)

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "Committee":
        parts = (state[name] for name in ("views", "ensembles", "mixture", "voters", "basins"))
        views, ensembles, mixture, voters, basins = parts
        require(type(voters) is Voters, "voters of Committee", "are something else")
        check_parts(views, ensembles, mixture, voters)
        require(type(mixture.calibration) is Calibration, "mixture of Committee", "is of something else")
        require(len(mixture.calibration.bias) == voters.n_classes, "mixture of Committee", "is of other classes")
        _check_basins(basins, len(mixture.calibration.strengths), (voters.n_classes, voters.X.shape[1]))
        return cls(views, ensembles, mixture, voters, basins)


def check_parts(views: Any, ensembles: Any, mixture: Any, voters: Voters) -> None:
    """ValueError unless views, metrics, weights and voters fit together."""
    _check_views(views)
    require(type(ensembles) is list and ensembles, "ensembles of Committee", "are no list with something in it")
    require(type(mixture) is Mixture, "mixture of Committee", "is something else")
    n_ensembles, K = mixture.weights.shape
    require(len(ensembles) == n_ensembles, "mixture of Committee", "has weights of other ensembles")
    require(len(voters) > K, "mixture of Committee", "asks more neighbours than there are voters")
    _check_ensembles(ensembles, views, voters.X.shape[1])
    _check_distances(ensembles, views, voters.X)


def _check_views(views):
    require(type(views) is dict and views, "views of Committee", "are no dict with something in it")
    for name, view in views.items():
        require(VIEWS.get(name) is type(view), "views of Committee", "hold something else than views")


def _check_basins(basins, n_strengths, shape):
    known = type(basins) is list and {type(some) for some in basins} <= set(BASINS.values())
    require(known, "basins of Committee", "are something else")
    require(len(basins) == n_strengths, "mixture of Committee", "has strengths of other basins")
    for some in basins:
        require(some.shape == shape, "basins of Committee", "are of other classes or features")


def _check_ensembles(ensembles, views, n_features):
    for view in views.values():
        check_numbers(view.owner, n_features, "owners of a view")
        require(_width(view) in (None, n_features), "a view", "has another number of features")
    for ensemble in ensembles:
        require(type(ensemble) is Ensemble, "ensembles of Committee", "hold something else")
        name, width = ensemble.candidate.view, ensemble.maps.shape[2]
        fits = name in views and width == len(views[name].owner)
        require(fits, "an Ensemble", f"has maps of {width} features, which its view does not have")
    used = {ensemble.candidate.view for ensemble in ensembles}
    require(used == set(views), "views of Committee", "hold one that nobody votes on")


def _check_distances(ensembles, views, X):
    """Searches do not look for numbers that are not finite, and their trees could not be trusted with any."""
    with np.errstate(over="ignore", invalid="ignore"):
        sizes = {name: np.square(view(X)).sum() for name, view in views.items()}
        for ensemble in ensembles:
            longest = sizes[ensemble.candidate.view] * max(1.0, np.square(ensemble.maps).sum())
            require(np.isfinite(longest), "an Ensemble", "has maps or a view without finite distances")


def _width(view):
    """The number of features that a view takes, where it has one column for each; None where that cannot be said."""
    return len(view.owner) if np.array_equal(view.owner, np.arange(len(view.owner))) else None


MANY_ERRORS = 256  # that stand for all of them where a mean is taken over them


class NumberCommittee(BaseCommittee):
    """Predicts numbers by the nearest neighbours in many metrics.

    As in :class:`Committee` the k nearest voters of every replica are asked, and the answers are mixed over replicas,
    ensembles and k. Voters tell numbers instead of classes; a reading makes a prediction of their means, beside trends.

    Parameters
    ----------
    views, ensembles : dict, list
        The metrics, as of a :class:`Committee`.
    mixture : Mixture
        Weights (n_ensembles, n_neighbors), and a :class:`Reading` in the place of a calibration.
    voters : NumberVoters
        The rows that vote.
    trends : list of Trend
        The target as a whole.
    scale : Scale
        On which numbers are told.
    noises : list of Trend, default=()
        Where predictions are far off: trends of the logarithm of their squared errors.
    """

    mixture: Mixture
    voters: NumberVoters
    most_changed = 0.002  # of a range, a tenth of a standard deviation or less

    def __init__(
        self,
        views: dict[str, View],
        ensembles: list[Ensemble],
        mixture: Mixture,
        voters: NumberVoters,
        trends: Sequence[Trend],
        scale: Scale,
        noises: Sequence[Trend] = (),
    ):
        super().__init__(views, ensembles, mixture, voters)
        self.trends, self.scale, self.noises = list(trends), scale, list(noises)

    @property
    def reading(self) -> Reading:
        """What makes numbers of votes."""
        assert isinstance(self.mixture.calibration, Reading)
        return self.mixture.calibration

    def wholes(self, X: NDArray) -> NDArray[np.float64]:
        """What every trend and every noise says of patterns X (n, d), (n_trends + n_noises, n)."""
        return trend_values([*self.trends, *self.noises], X)

    def wholes_of(self, voters: NumberVoters, numbers: NDArray) -> NDArray[np.float64]:
        """The same of voters number ``numbers`` (n,), trends without their own part in them."""
        return np.vstack([voters.numbers[2:, numbers], trend_values(self.noises, voters.X[numbers])])

    def outlook(
        self, X: NDArray, n_jobs: int | None = None, device: str = "cpu", shortlist: int | None = None
    ) -> Outlook:
        """Place and spread of patterns X (n, d) on the scale."""
        return self.reading(self.mixed(X, n_jobs, device, shortlist), self.wholes(X))

    def means(self, outlook: Outlook) -> NDArray[np.float64]:
        """Expected numbers (n,) of what is known on the scale."""
        errors, total = self.mean_errors(), np.zeros(len(outlook.place))
        for error in errors:
            total += self.scale.reduced_back(outlook.place + error * outlook.spread)
        return enlarged(total / len(errors), self.scale.exponent)

    def mean_errors(self) -> NDArray[np.float64]:
        """Errors over which means are taken: their mean where numbers follow the scale in a straight line."""
        if self.scale.name == "linear":
            return np.array([self.reading.errors.mean()])
        return np.quantile(self.reading.errors, (np.arange(MANY_ERRORS) + 0.5) / MANY_ERRORS)

    def quantiles(self, outlook: Outlook, chances: NDArray) -> NDArray[np.float64]:
        """Numbers (n, q) that the target is below with these chances (q,)."""
        errors = np.quantile(self.reading.errors, chances)
        return self.scale.back(outlook.place[:, None] + outlook.spread[:, None] * errors)

    def strengths(self) -> dict[str, float]:
        """How far votes count, and every trend, beside them and along the way from neighbours to a pattern."""
        names = [name for trend in self.trends for name, kind in TRENDS.items() if kind is type(trend)]
        labels = ["votes", *(f"{name} beside" for name in names), *(f"{name} along" for name in names)]
        return dict(zip(labels, self.reading.strengths.tolist(), strict=True))

    def answers(self, shares: NDArray, wholes: NDArray) -> NDArray[np.float64]:
        """Expected numbers (n, 1) of mixed shares (n, n_cells) and what trends say."""
        return self.means(self.reading(shares, wholes))[:, None]

    def with_voters(self, ensembles: list[Ensemble], voters: Voters) -> "NumberCommittee":
        """The same with other metrics and voters."""
        assert isinstance(voters, NumberVoters)
        return NumberCommittee(self.views, ensembles, self.mixture, voters, self.trends, self.scale, self.noises)

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "NumberCommittee":
        views, ensembles, mixture, voters = (state[name] for name in ("views", "ensembles", "mixture", "voters"))
        trends, scale, noises = state["trends"], state["scale"], state["noises"]
        require(type(voters) is NumberVoters, "voters of NumberCommittee", "are something else")
        check_parts(views, ensembles, mixture, voters)
        reading = mixture.calibration
        require(type(reading) is Reading, "mixture of NumberCommittee", "reads no numbers")
        same = np.array_equal(reading.told.low, voters.told.low) and np.array_equal(reading.told.high, voters.told.high)
        require(same, "mixture of NumberCommittee", "reads other numbers than voters tell")
        known = type(trends) is type(noises) is list and {type(t) for t in [*trends, *noises]} <= set(TRENDS.values())
        require(known and len(trends) == len(voters.told) - 2, "trends of NumberCommittee", "are something else")
        require(len(noises) == len(reading.seen), "noises of NumberCommittee", "are others than its reading has")
        fit = all(trend.n_features == voters.X.shape[1] for trend in [*trends, *noises])
        require(fit, "trends of NumberCommittee", "are of other features")
        require(type(scale) is Scale, "scale of NumberCommittee", "is something else")
        return cls(views, ensembles, mixture, voters, trends, scale, noises)


def trend_values(trends: Sequence[Trend], X: NDArray) -> NDArray[np.float64]:
    """What every trend says of patterns X (n, d), (n_trends, n)."""
    return np.array([trend(X) for trend in trends]).reshape(len(trends), len(X))
