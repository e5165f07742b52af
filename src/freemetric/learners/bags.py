"""Stratified subsamples: what each replica learns on, and what is left to judge it by."""

import numpy as np


def stratified_bags(rng, y, n_bags, share):
    """Bags (n_bags, n) of pattern indices, all with the same number of patterns of every class.

    A class gives ``share`` of its patterns, two at least: a single one has no neighbour of its own class.
    """
    members = [np.flatnonzero(y == c) for c in range(y.max() + 1)]
    sizes = [min(len(m), max(2, round(share * len(m)))) for m in members]
    return np.array(
        [np.concatenate([rng.permutation(m)[:n] for m, n in zip(members, sizes, strict=True)]) for _ in range(n_bags)]
    )
