"""From mixed votes to numbers: where the target lies, how far it may be off, and with which chances."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..files.checks import check_array, is_number, require
from .told import Told

BEYOND = 0.1  # of the range of the target: so far may predictions leave it
LEAST_VARIANCE = 1e-4  # among neighbours, in units of the target's


class Outlook(NamedTuple):
    """What is expected, (n,) each."""

    place: NDArray[np.float64]
    spread: NDArray[np.float64]


class Reading:
    r"""What votes and trends say together.

    With m(x) the mean of the target among the neighbours that vote, f_t(x) the trends and :math:`\bar f_t(x)` their
    means among the same neighbours,

    .. math:: z(x) = c + s (m - c) + \sum_t a_t (f_t - m) + \sum_t b_t (f_t - \bar f_t).

    The last term carries the numbers of neighbours over the distance to x, along the trend: what local regression does.
    All coefficients are not negative. The spread,

    .. math:: \log \sigma(x) = \alpha + \tfrac12 \beta \log v(x) + \tfrac12 \sum_t \gamma_t h_t(x),

    follows the variance v of the target among neighbours, since predictions are far off where they disagree, and the
    noises h, trends of the logarithm of squared errors: noise may grow along a feature that says nothing else.

    Parameters
    ----------
    told : Told
        What voters tell: the target, its square, and every trend.
    centre : float
        c.
    strengths : ndarray of shape (1 + 2 n_trends,)
        s, all a and all b.
    spread : ndarray of shape (2 + n_noises,)
        alpha, beta and all gamma.
    errors : ndarray of shape (n,)
        Errors out of bag in units of the spread, sorted: the law that predictions are off by.
    seen : ndarray of shape (n_noises, 2)
        Least and largest of every noise among the rows that judged; it is not followed beyond.
    """

    def __init__(
        self, told: Told, centre: float, strengths: NDArray, spread: NDArray, errors: NDArray, seen: NDArray
    ) -> None:
        self.told, self.centre, self.strengths = told, centre, strengths
        self.spread, self.errors, self.seen = spread, errors, seen

    def __call__(self, shares: NDArray, wholes: NDArray) -> Outlook:
        """Place and spread of shares (n, n_cells) and wholes (n_trends + n_noises, n)."""
        terms, variance = terms_of(self.told, shares, wholes, self.centre)
        place = self._within(self.centre + terms @ self.strengths)
        noises = np.clip(wholes[len(self.told) - 2 :], self.seen[:, :1], self.seen[:, 1:])
        logs = self.spread[1] * np.log(variance) + self.spread[2:] @ noises
        return Outlook(place, np.exp(self.spread[0] + logs / 2))

    def without_spread(self) -> "Reading":
        """The same places, and nothing known of how far they are off."""
        return Reading(
            self.told, self.centre, self.strengths, np.zeros(2), np.array([-1.0, 0.0, 1.0]), np.empty((0, 2))
        )

    def _within(self, place):
        low, high = self.told.low[0], self.told.high[0]
        return np.clip(place, low - BEYOND * (high - low), high + BEYOND * (high - low))

    def to_state(self) -> dict[str, Any]:
        return dict(vars(self))

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "Reading":
        told, centre, strengths, spread, errors, seen = (
            state[name] for name in ("told", "centre", "strengths", "spread", "errors", "seen")
        )
        require(type(told) is Told, "told of Reading", "is something else")
        require(is_number(centre), "centre of Reading", "is no number")
        check_array(strengths, "strengths of Reading", 1, (2 * len(told) - 3,))
        check_array(seen, "seen of Reading", 2)
        require(seen.shape[1] == 2 and (seen[:, 0] <= seen[:, 1]).all(), "seen of Reading", "are no ranges")
        check_array(spread, "spread of Reading", 1, (2 + len(seen),))
        check_array(errors, "errors of Reading", 1)
        require(len(errors) and (np.diff(errors) >= 0).all(), "errors of Reading", "are not sorted")
        return cls(told, centre, strengths, spread, errors, seen)


def terms_of(told: Told, shares: NDArray, wholes: NDArray, centre: float) -> tuple[NDArray, NDArray]:
    """What strengths are multiplied with, (n, 1 + 2 n_trends), and the variance (n,) among neighbours.

    Wholes begin with the trends.
    """
    mean, square, *means = np.moveaxis(told.means(shares), -1, 0)
    variance = np.maximum(square - mean**2, LEAST_VARIANCE)
    low, high = told.low[0], told.high[0]
    inside = np.clip(wholes[: len(told) - 2], low - BEYOND * (high - low), high + BEYOND * (high - low))
    beside = [f - mean for f in inside]
    along = [f - over for f, over in zip(inside, means, strict=True)]
    return np.stack([mean - centre, *beside, *along], axis=1), variance
