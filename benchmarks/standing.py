"""Where a method stands among others: duels on the same splits, win rates, Elo ratings, and p-values for many tests."""

import numpy as np
from scipy.special import expit

SCALE = 400  # points of a rating for odds of ten to one
PULL = 1e-6  # towards equal ratings: one that wins everything stays finite
MOST_STEPS = 100


def duels(scores):
    """How often the row's method had the lower score than the column's, of every set: (sets, methods, methods).

    ``scores`` is a DataFrame (splits x methods) whose index begins with the data set. A tie is half a win. A set counts
    once, however many splits it has.
    """
    values = scores.to_numpy(dtype=float)
    won = (values[:, :, None] < values[:, None, :]) + 0.5 * (values[:, :, None] == values[:, None, :])
    sets = scores.index.get_level_values(0)
    return np.array([won[sets == name].mean(axis=0) for name in sets.unique()])


def elo(wins, anchor):
    """Ratings by maximum likelihood of Bradley and Terry's model, P(i beats j) = 1 / (1 + 10^((r_j - r_i) / 400)).

    ``wins`` (methods, methods) counts wins of rows over columns; method number ``anchor`` is rated 1000.
    """
    wins = np.where(np.eye(len(wins), dtype=bool), 0.0, wins)
    games, t = wins + wins.T, np.zeros(len(wins))
    for _ in range(MOST_STEPS):
        chance = expit(t[:, None] - t[None, :])
        slope = (wins - games * chance).sum(axis=1) - 2 * PULL * t
        spread = games * chance * (1 - chance)
        curvature = np.diag(spread.sum(axis=1) + 2 * PULL) - spread
        step = np.clip(np.linalg.solve(curvature, slope), -1, 1)  # Newton's, but not far beyond what it knows
        t += step
        if abs(step).max() < 1e-9:
            break
    return 1000 + SCALE / np.log(10) * (t - t[anchor])


def elo_interval(won, anchor, n_draws=200, seed=0):
    """95 % interval of the ratings, sets drawn again with replacement: (methods,) low and high."""
    rng = np.random.default_rng(seed)
    draws = [elo(won[rng.integers(len(won), size=len(won))].sum(axis=0), anchor) for _ in range(n_draws)]
    return np.quantile(draws, [0.025, 0.975], axis=0)


def holm(p_values):
    """p-values corrected for their number: Holm's step-down."""
    p = np.asarray(p_values, dtype=float)
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    corrected = np.empty(len(p))
    corrected[order] = np.minimum(stepped, 1.0)
    return corrected
