"""The fitted attributes of a free-energy regressor, from a search and its verdict."""

from typing import Any

import numpy as np

from ...metrics import NumberCommittee, NumberVoters, Scale, Trend
from .description import chosen, describe_search
from .number_scoring import NumberScore
from .number_verdict import NumberVerdict
from .search import Search


def describe_numbers(
    search: Search, verdict: NumberVerdict, voters: NumberVoters, trends: list[Trend], scale: Scale
) -> dict[str, Any]:
    """The committee of these voters, what was tried, and what it weighs."""
    committee = NumberCommittee(*chosen(search, verdict), voters, trends, scale, verdict.noises)
    return describe_search(search, verdict, committee)


def describe_predictions(
    search: Search, verdict: NumberVerdict, committee: NumberCommittee, score: NumberScore, n_rows: int
) -> dict[str, Any]:
    """Out-of-bag predictions of every row given to fit, NaN where a row did not judge every candidate; their score."""
    population, predictions = search.population, np.full(n_rows, np.nan)
    known = committee.means(verdict.outlook)
    predictions[population.voters.rows[population.judges]] = known
    return {
        "oob_prediction_": predictions,
        "oob_score_": score(known[:, None], population.truth, population.judges_weights),
    }
