"""Judges of numbers asked as predictions are asked: by a shortlist, where a search asked all voters.

On a shortlist stand the nearest in the averaged metric. They agree more than the nearest in every single metric do, and
a spread learned from all voters would be too small for what a few of them say.
"""

import numpy as np

from ...metrics import Mixture, NumberCommittee, NumberVoters
from .hearing import Hearing
from .jury import Jury
from .number_verdict import Judged, with_noises
from .recipe import Recipe

FEWEST_JUDGES = 20  # of fewer, the spread that all voters gave is the better one


def read_as_asked(committee: NumberCommittee, jury: Jury, asked: int | None, recipe: Recipe) -> NumberCommittee:
    """The same committee with spreads and errors for predictions that ask so many voters; None: all of them."""
    if asked is None or asked + 1 >= len(committee.voters.places.rows):
        return committee
    every = max(len(ensemble) for ensemble in committee.ensembles)
    hearing = Hearing(committee, jury, asked, len(jury), every)
    n = len(hearing.judges)
    if n < FEWEST_JUDGES:
        return committee
    assert isinstance(hearing.voters, NumberVoters)
    trends = committee.wholes_of(hearing.voters, hearing.judges)[: len(committee.trends)]
    judged = Judged(hearing.shares(hearing.X, np.arange(n)), trends, hearing.y, hearing.weights)
    reading, noises, _ = with_noises(committee.reading.without_spread(), judged, hearing.X, recipe.noises)
    mixture = Mixture(committee.mixture.weights, reading)
    return NumberCommittee(
        committee.views, committee.ensembles, mixture, committee.voters, committee.trends, committee.scale, noises
    )
