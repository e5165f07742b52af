"""Neighbour searches in the spaces of many metrics, kept between predictions while they are small."""

from collections.abc import Callable, Iterable, Iterator
from weakref import WeakKeyDictionary

from .ensemble import Ensemble
from .places import Places
from .votes import NeighborVotes

KEPT_BYTES = 256 << 20
# No attribute of the owner: predicting must not change it, and its file holds no search trees.
KEPT: "WeakKeyDictionary[object, tuple[tuple, list[list[NeighborVotes]]]]" = WeakKeyDictionary()


def kept_searches(
    owner: object, made_for: tuple, make: Callable[[], Iterable[list[NeighborVotes]]], n_bytes: int
) -> Iterator[list[NeighborVotes]]:
    """What ``make()`` yields; kept for the owner while it is small and made for the same, anew where it is not."""
    before, kept = KEPT.get(owner, (None, []))
    if before == made_for:
        yield from kept
    elif n_bytes > KEPT_BYTES:
        yield from make()
    else:
        KEPT[owner] = made_for, list(make())
        yield from KEPT[owner][1]


def bytes_of(ensembles: list[Ensemble], places: Places) -> int:
    """About what the searches take: coordinates, and once more in a tree."""
    return len(places.rows) * sum(len(ensemble) * 16 * ensemble.n_coordinates for ensemble in ensembles)
