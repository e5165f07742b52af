"""A committee that predicts numbers: the same metrics and votes, read in another way."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..files.checks import require
from ..magnitudes import enlarged
from .committee import BaseCommittee, check_parts
from .ensemble import Ensemble
from .mixture import Mixture
from .number_voters import NumberVoters
from .reading import Outlook, Reading
from .scales import Scale
from .trends import TRENDS, Trend
from .views import View
from .voters import Voters

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
