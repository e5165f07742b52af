"""A few of many patterns, every class among them."""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def stratified_sample(rng: np.random.Generator, y: ArrayLike, most_patterns: int) -> NDArray[np.intp]:
    """Indices, in order, of at most this many patterns: two of each class if there is room, the rest by its share."""
    _, classes, counts = np.unique(y, return_inverse=True, return_counts=True)
    shuffled = rng.permutation(len(classes))
    shuffled = shuffled[np.argsort(classes[shuffled], kind="stable")]  # class by class
    place = np.concatenate([np.arange(count) for count in counts])  # within the class
    # Classes take turns evenly, each all along the way from 0 to 1; but the first two of each come before all others.
    turn = np.where(place < 2, place - 2, (place + 0.5) / np.repeat(counts, counts))
    return np.sort(shuffled[np.argsort(turn, kind="stable")[:most_patterns]])
