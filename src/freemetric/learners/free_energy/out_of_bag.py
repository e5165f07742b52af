"""What a regressor says of its training rows out of bag: their numbers, and intervals by the votes of others."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...metrics import NumberVoters
from .hearing import Hearing
from .intervals import interval_chances

MOST_JUDGES, MOST_REPLICAS = 10_000, 1000
FEW_VOTERS = 1000  # all of which are asked where predictions ask all


class OutOfBag(NamedTuple):
    """Rows that judged, by their numbers in the table given to fit; (n,) each."""

    rows: NDArray[np.intp]
    truth: NDArray[np.float64]
    predicted: NDArray[np.float64]


def out_of_bag(model: Any) -> OutOfBag:
    """True and predicted numbers of the training rows of a fitted regressor."""
    voters, order = model.committee_.voters, np.argsort(model.committee_.voters.rows)
    rows, truth = voters.rows[order], model.committee_.scale.back(voters.y[order])
    predicted = model.oob_prediction_[rows]
    judged = np.isfinite(predicted)
    return OutOfBag(rows[judged], truth[judged], predicted[judged])


def hearing_of(model: Any) -> Hearing:
    """The judges of a fitted regressor, ready to be asked again, as predictions are."""
    size = model._asked or max(model.shortlist_, min(len(model.committee_.voters), FEW_VOTERS))
    return Hearing(model.committee_, model.jury_, size, MOST_JUDGES, MOST_REPLICAS)


def out_of_bag_intervals(model: Any, alpha: float) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Rows (n,) and intervals (n, 2) that miss a share alpha of them.

    Judges are asked again, by the replicas that left them out; of very many judges and replicas a part.
    """
    committee, hearing = model.committee_, hearing_of(model)
    if not len(hearing.judges):
        return np.empty(0, dtype=np.intp), np.empty((0, 2))
    shares = hearing.shares(hearing.X, np.arange(len(hearing.judges)))
    assert isinstance(hearing.voters, NumberVoters)
    wholes = committee.wholes_of(hearing.voters, hearing.judges)
    chances = interval_chances(len(committee.reading.errors), alpha)
    return hearing.voters.rows[hearing.judges], committee.quantiles(committee.reading(shares, wholes), chances)
