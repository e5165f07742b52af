"""What a tuned run draws from: plain values, so that they can be written to files."""

import numpy as np

from freemetric.ensemble.base import CANDIDATES, NEIGHBORS

SIZES_OF_VOTES = (1, 3, 5, 9, 15, 25)


def draw(rng):
    """Return one configuration: kinds of metrics, numbers of neighbours, replicas."""
    kinds = [kind for kind in CANDIDATES if rng.random() < 0.7] or [CANDIDATES[0]]
    one_size = rng.random() < 0.3
    return {
        "n_replicas": int(rng.choice([12, 36, 72])),
        "candidates": kinds,
        "n_neighbors": int(rng.choice(SIZES_OF_VOTES)) if one_size else list(NEIGHBORS),
    }


def draw_configurations(n_configurations, seed=1234):
    """Return configurations, the same ones for the same seed."""
    rng = np.random.default_rng(seed)
    return [draw(rng) for _ in range(n_configurations)]
