"""The ensemble: sampled metrics, their weights, the training set and a head that makes predictions of votes."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn import config_context

from ..files.checks import check_numbers, require
from ..forking import effective_n_threads
from ..magnitudes import enlarged
from ..metrics.averaged_metric import EMBEDDINGS, OUTLIERS, Embedding, OutlierScores, averaged_matrices, feature_shares
from ..metrics.class_densities import CLASS_DENSITIES, ClassDensity, density_energies
from ..metrics.heads import Calibration, Mixture, Outlook, Reading, Scale
from ..metrics.index import INDICES, NeighborIndex, seen_in
from ..metrics.members import Member
from ..metrics.neighbor_votes import NeighborVotes, bytes_of, chunks, kept_searches
from ..metrics.training_set import RegressionTrainingSet, TrainingSet
from ..metrics.trends import TRENDS, Trend
from ..metrics.views import VIEWS, View

FEW_QUERIES, MOST_QUERIES = 64, 4096  # of a part: fewer do not pay a thread, more take memory


class BaseEnsemble:
    """Counts the votes of nearest neighbours in many metrics; subclasses make predictions of them.

    For a pattern x, ensemble e and k neighbours, the shares q_ek(x) of votes among the k nearest voters are averaged
    over the replicas of e; the mixture weighs them over e and k.
    A committee is a value: nothing in it is fitted, and predicting does not change it.

    Parameters
    ----------
    views : dict of View
        What the metrics see of the features, by name.
    members : list of Member
        The metrics.
    mixture : Mixture
        Weights (n_ensembles, n_neighbors), and what makes predictions of mixed shares.
    training_set : TrainingSet
        The rows that vote.
    """

    most_changed: float  # share of the votes that a shortlist may change

    def __init__(self, views: dict[str, View], members: list[Member], mixture: Mixture, training_set: TrainingSet):
        self.views, self.members, self.mixture, self.training_set = views, members, mixture, training_set

    @property
    def n_neighbors(self) -> int:
        """Most neighbours that vote."""
        return self.mixture.weights.shape[1]

    @property
    def n_replicas(self) -> int:
        """Sampled metrics; none where plain neighbours vote."""
        return sum(len(member.maps) for member in self.members)

    @property
    def member_weights(self) -> NDArray:
        """Weight of every ensemble, over all numbers of neighbours."""
        return self.mixture.weights.sum(axis=1)

    def shares(self, X: NDArray, n_jobs: int | None = None, device: str = "cpu") -> NDArray:
        """Shares (n_ensembles, n_neighbors, n, n_cells) of votes that patterns X (n, d) get, of every k alone."""
        seen = seen_in(self.views, X)
        size = len(self.members), self.n_neighbors, len(X), self.training_set.n_cells
        out = np.zeros(size, dtype=np.float32)
        with config_context(assume_finite=True, skip_parameter_validation=True):  # checked once, not by every replica
            every_search = self._searches(n_jobs, device)
            for total, member, searches in zip(out, self.members, every_search, strict=True):
                spaces = member.spaces(seen[member.candidate.view])
                for n, (search, Q) in enumerate(zip(searches, spaces, strict=True), start=1):
                    votes = search.of(Q)
                    total += (np.swapaxes(votes / votes.sum(axis=-1, keepdims=True), 0, 1) - total) / n
        return out

    def _searches(self, n_jobs, device):
        """For every ensemble a NeighborVotes per replica."""
        places = self.training_set.places

        def make():
            seen = seen_in(self.views, self.training_set.X[places.rows])
            for member in self.members:
                spaces = member.spaces(seen[member.candidate.view])
                yield [NeighborVotes(Z, places, self.n_neighbors, n_jobs, device) for Z in spaces]

        return kept_searches(self, (n_jobs, device), make, bytes_of(self.members, places))

    def parts(self, n: int) -> list[slice]:
        """Slices of n patterns whose shares fit the memory budget."""
        return chunks(n, self.mixture.weights.size, self.training_set.n_cells)

    def index(self) -> NeighborIndex:
        """What all predictions share, made once."""
        if self not in INDICES:
            INDICES[self] = NeighborIndex(
                self.views, self.members, self.mixture, self.training_set, self.averaged_matrices()
            )
        return INDICES[self]

    def mixed(
        self, X: NDArray, n_jobs: int | None = None, device: str = "cpu", shortlist: int | None = None
    ) -> NDArray[np.float64]:
        """Shares (n, n_cells) of all votes that patterns X (n, d) get, every ensemble and k by its weight.

        ``shortlist`` voters, the nearest in the averaged metric, are asked in every replica's space; all for None.
        """
        index = self.index()
        most = min(MOST_QUERIES, index.most_queries)
        n_parts = max(1, min(effective_n_threads(n_jobs), len(X) // FEW_QUERIES), -(-len(X) // most))
        parts = np.array_split(np.arange(len(X)), n_parts)
        with config_context(assume_finite=True, skip_parameter_validation=True):  # checked once, not by every view
            run = Parallel(n_jobs=n_jobs if n_parts > 1 else 1, require="sharedmem")
            shares = run(delayed(index.shares)(X[part], shortlist, device) for part in parts)
        return np.concatenate(shares)

    def feature_shares(self, groups: NDArray | None = None) -> tuple[NDArray, NDArray]:
        """Mean (d,) and standard deviation (d,) over replicas of every feature's share in the squared distances.

        With ``groups`` (d,), the numbers of groups that features belong to, the shares of groups.
        """
        return feature_shares(self.members, self.member_weights, self.views, self.training_set.X, groups)

    def averaged_matrices(self) -> dict[str, NDArray]:
        """For every view M (d_view, d_view): summed over views, (u - v)^T M (u - v) is the averaged squared distance.

        Replicas are scaled to a mean squared distance of one first. A view without any distances is left out, and where
        no metric mixes the columns of a view M is its diagonal (d_view,).
        """
        return averaged_matrices(self.members, self.member_weights, self.views, self.training_set.X)

    def embed(self, X: NDArray) -> NDArray:
        """Coordinates (n, n_axes) of patterns X (n, d) in the averaged metric, on its principal axes."""
        return self.embedding()(self.views, X)

    def embedding(self) -> Embedding:
        """What all embeddings of patterns share, made once."""
        if self not in EMBEDDINGS:
            EMBEDDINGS[self] = Embedding.of(self.averaged_matrices(), self.views, self.training_set.X)
        return EMBEDDINGS[self]

    def outlier_score(self, X: NDArray) -> NDArray:
        """How far outside of the voters patterns X (n, d) lie in the averaged metric, (n,) from 0 to 1."""
        if self not in OUTLIERS:
            OUTLIERS[self] = OutlierScores.of(self.training_set.X, self.embed(self.training_set.X))
        with np.errstate(over="ignore", invalid="ignore"):
            return OUTLIERS[self](X, self.embed(X))

    def answers(self, shares: NDArray, wholes: NDArray) -> NDArray[np.float64]:
        """Predictions (n, m) of mixed shares (n, n_cells) and what is known of the data as a whole."""
        raise NotImplementedError

    def to_state(self) -> dict[str, Any]:
        return dict(vars(self))


class Ensemble(BaseEnsemble):
    """Predicts classes by the votes of nearest neighbours in many metrics.

    Votes of neighbours are mixed over replicas, ensembles and numbers of neighbours, and calibrated to probabilities
    beside what the classes as wholes say.
    A committee is a value: nothing in it is fitted, and predicting does not change it.

    Parameters
    ----------
    views : dict of View
        What the metrics see of the features, by name.
    members : list of Member
        The metrics.
    mixture : Mixture
        Weights (n_ensembles, n_neighbors) and calibration.
    training_set : TrainingSet
        The rows that vote.
    densities : list of ClassDensity, default=()
        The classes as wholes, in the order of the calibration's strengths.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from freemetric import FreeEnergyClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> ensemble = FreeEnergyClassifier(n_replicas=6, random_state=0).fit(X, y).ensemble_
    >>> ensemble.predict_proba(X[:2]).shape
    (2, 3)
    >>> round(float(ensemble.member_weights.sum()), 6)
    1.0
    """

    most_changed = 0.01

    def __init__(
        self,
        views: dict[str, View],
        members: list[Member],
        mixture: Mixture,
        training_set: TrainingSet,
        densities: Sequence[ClassDensity] = (),
    ):
        super().__init__(views, members, mixture, training_set)
        self.densities = list(densities)

    def predict_proba(
        self, X: NDArray, n_jobs: int | None = None, device: str = "cpu", shortlist: int | None = None
    ) -> NDArray:
        """Class probabilities (n, n_classes) of patterns X (n, d), see ``mixed`` for the other parameters."""
        return self.answers(self.mixed(X, n_jobs, device, shortlist), self.density_energies(X))

    def density_energies(self, X: NDArray) -> NDArray:
        """Free energies (n_basins, n, n_classes) of patterns X (n, d) in the classes as wholes."""
        return density_energies(self.densities, X, self.training_set.n_classes)

    def answers(self, shares: NDArray, wholes: NDArray) -> NDArray[np.float64]:
        """Class probabilities (n, n_classes) of mixed shares (n, n_classes) and free energies of the classes."""
        return self.mixture.calibration(shares, wholes)

    def with_voters(self, members: list[Member], training_set: TrainingSet) -> "Ensemble":
        """The same with other metrics and voters."""
        return Ensemble(self.views, members, self.mixture, training_set, self.densities)

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "Ensemble":
        parts = (state[name] for name in ("views", "members", "mixture", "training_set", "basins"))
        views, members, mixture, training_set, densities = parts
        require(type(training_set) is TrainingSet, "voters of Ensemble", "are something else")
        check_parts(views, members, mixture, training_set)
        require(type(mixture.calibration) is Calibration, "mixture of Ensemble", "is of something else")
        require(len(mixture.calibration.bias) == training_set.n_classes, "mixture of Ensemble", "is of other classes")
        _check_basins(densities, len(mixture.calibration.strengths), (training_set.n_classes, training_set.X.shape[1]))
        return cls(views, members, mixture, training_set, densities)


def check_parts(views: Any, members: Any, mixture: Any, training_set: TrainingSet) -> None:
    """ValueError unless views, metrics, weights and voters fit together."""
    _check_views(views)
    require(type(members) is list and members, "ensembles of Ensemble", "are no list with something in it")
    require(type(mixture) is Mixture, "mixture of Ensemble", "is something else")
    n_ensembles, K = mixture.weights.shape
    require(len(members) == n_ensembles, "mixture of Ensemble", "has weights of other ensembles")
    require(len(training_set) > K, "mixture of Ensemble", "asks more neighbours than there are voters")
    _check_ensembles(members, views, training_set.X.shape[1])
    _check_distances(members, views, training_set.X)


def _check_views(views):
    require(type(views) is dict and views, "views of Ensemble", "are no dict with something in it")
    for name, view in views.items():
        require(VIEWS.get(name) is type(view), "views of Ensemble", "hold something else than views")


def _check_basins(densities, n_strengths, shape):
    known = type(densities) is list and {type(some) for some in densities} <= set(CLASS_DENSITIES.values())
    require(known, "basins of Ensemble", "are something else")
    require(len(densities) == n_strengths, "mixture of Ensemble", "has strengths of other basins")
    for some in densities:
        require(some.shape == shape, "basins of Ensemble", "are of other classes or features")


def _check_ensembles(members, views, n_features):
    for view in views.values():
        check_numbers(view.owner, n_features, "owners of a view")
        require(_width(view) in (None, n_features), "a view", "has another number of features")
    for member in members:
        require(type(member) is Member, "ensembles of Ensemble", "hold something else")
        name, width = member.candidate.view, member.maps.shape[2]
        fits = name in views and width == len(views[name].owner)
        require(fits, "an Ensemble", f"has maps of {width} features, which its view does not have")
    used = {member.candidate.view for member in members}
    require(used == set(views), "views of Ensemble", "hold one that nobody votes on")


def _check_distances(members, views, X):
    """Searches do not look for numbers that are not finite, and their trees could not be trusted with any."""
    with np.errstate(over="ignore", invalid="ignore"):
        sizes = {name: np.square(view(X)).sum() for name, view in views.items()}
        for member in members:
            longest = sizes[member.candidate.view] * max(1.0, np.square(member.maps).sum())
            require(np.isfinite(longest), "an Ensemble", "has maps or a view without finite distances")


def _width(view):
    """The number of features that a view takes, where it has one column for each; None where that cannot be said."""
    return len(view.owner) if np.array_equal(view.owner, np.arange(len(view.owner))) else None


MANY_ERRORS = 256  # that stand for all of them where a mean is taken over them


class RegressionEnsemble(BaseEnsemble):
    """Predicts numbers by the nearest neighbours in many metrics.

    As in :class:`Ensemble` the k nearest voters of every replica are asked, and the answers are mixed over replicas,
    ensembles and k. Voters tell numbers instead of classes; a reading makes a prediction of their means, beside trends.

    Parameters
    ----------
    views, ensembles : dict, list
        The metrics, as of a :class:`Ensemble`.
    mixture : Mixture
        Weights (n_ensembles, n_neighbors), and a :class:`Reading` in the place of a calibration.
    training_set : RegressionTrainingSet
        The rows that vote.
    trends : list of Trend
        The target as a whole.
    scale : Scale
        On which numbers are told.
    noises : list of Trend, default=()
        Where predictions are far off: trends of the logarithm of their squared errors.
    """

    mixture: Mixture
    training_set: RegressionTrainingSet
    most_changed = 0.002  # of a range, a tenth of a standard deviation or less

    def __init__(
        self,
        views: dict[str, View],
        members: list[Member],
        mixture: Mixture,
        training_set: RegressionTrainingSet,
        trends: Sequence[Trend],
        scale: Scale,
        noises: Sequence[Trend] = (),
    ):
        super().__init__(views, members, mixture, training_set)
        self.trends, self.scale, self.noises = list(trends), scale, list(noises)

    @property
    def reading(self) -> Reading:
        """What makes numbers of votes."""
        assert isinstance(self.mixture.calibration, Reading)
        return self.mixture.calibration

    def wholes(self, X: NDArray) -> NDArray[np.float64]:
        """What every trend and every noise says of patterns X (n, d), (n_trends + n_noises, n)."""
        return trend_values([*self.trends, *self.noises], X)

    def wholes_of(self, training_set: RegressionTrainingSet, numbers: NDArray) -> NDArray[np.float64]:
        """The same of voters number ``numbers`` (n,), trends without their own part in them."""
        return np.vstack([training_set.numbers[2:, numbers], trend_values(self.noises, training_set.X[numbers])])

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

    def with_voters(self, members: list[Member], training_set: TrainingSet) -> "RegressionEnsemble":
        """The same with other metrics and voters."""
        assert isinstance(training_set, RegressionTrainingSet)
        return RegressionEnsemble(self.views, members, self.mixture, training_set, self.trends, self.scale, self.noises)

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "RegressionEnsemble":
        views, members, mixture, training_set = (
            state[name] for name in ("views", "members", "mixture", "training_set")
        )
        trends, scale, noises = state["trends"], state["scale"], state["noises"]
        require(type(training_set) is RegressionTrainingSet, "voters of RegressionEnsemble", "are something else")
        check_parts(views, members, mixture, training_set)
        reading = mixture.calibration
        require(type(reading) is Reading, "mixture of RegressionEnsemble", "reads no numbers")
        same = np.array_equal(reading.told.low, training_set.told.low) and np.array_equal(
            reading.told.high, training_set.told.high
        )
        require(same, "mixture of RegressionEnsemble", "reads other numbers than voters tell")
        known = type(trends) is type(noises) is list and {type(t) for t in [*trends, *noises]} <= set(TRENDS.values())
        require(
            known and len(trends) == len(training_set.told) - 2, "trends of RegressionEnsemble", "are something else"
        )
        require(len(noises) == len(reading.seen), "noises of RegressionEnsemble", "are others than its reading has")
        fit = all(trend.n_features == training_set.X.shape[1] for trend in [*trends, *noises])
        require(fit, "trends of RegressionEnsemble", "are of other features")
        require(type(scale) is Scale, "scale of RegressionEnsemble", "is something else")
        return cls(views, members, mixture, training_set, trends, scale, noises)


def trend_values(trends: Sequence[Trend], X: NDArray) -> NDArray[np.float64]:
    """What every trend says of patterns X (n, d), (n_trends, n)."""
    return np.array([trend(X) for trend in trends]).reshape(len(trends), len(X))
