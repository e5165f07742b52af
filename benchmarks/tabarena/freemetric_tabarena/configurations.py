"""What a tuned run draws from: plain values, so that they can be written to files."""

import numpy as np

from freemetric import Recipe

KINDS, NEIGHBORS = Recipe().candidates, Recipe().n_neighbors
WHITENED = ("whitened/diagonal", "whitened/full")


def draw(rng):
    """One configuration: how cold, how large the bags, which kinds of metrics, how many neighbours."""
    more = WHITENED if rng.random() < 0.5 else ()
    kinds = [kind for kind in (*KINDS, *more) if rng.random() < 0.7] or [KINDS[0]]
    return {
        "n_replicas": int(rng.choice([90, 180])),
        "recipe__temperature": "auto"
        if rng.random() < 0.5
        else float(np.exp(rng.uniform(np.log(1e-4), np.log(1e-2)))),
        "recipe__subsample": float(rng.uniform(0.3, 0.8)),
        "recipe__n_neighbors": list(NEIGHBORS)
        if rng.random() < 0.7
        else int(rng.choice([1, 3, 5, 9, 15, 25])),
        "recipe__candidates": kinds,
    }


def draw_configurations(n_configurations, seed=1234):
    """The same ones for the same seed; the defaults are run beside them."""
    rng = np.random.default_rng(seed)
    return [draw(rng) for _ in range(n_configurations)]
