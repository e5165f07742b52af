"""What a search may take of the memory: fewer judges where there are very many classes, and a word before it begins."""

from collections.abc import Sequence
from typing import NamedTuple

from ...metrics import FORMS, VIEWS

ORDINARY_BYTES = 512 << 20  # of the ballots of all candidates: what up to some fifty classes take
MANY_CLASSES_BYTES = 128 << 20  # what those of more classes are made to take
MORE_CANDIDATES = 8  # than kinds: other temperatures, larger bags
MOST_BYTES = 8 << 30  # of maps and what is computed from them
BYTES_PER_ENTRY = 2048  # of a matrix of features by features, for all replicas together; measured


class Panel(NamedTuple):
    """Rows that judge, and the most neighbours whose votes are counted for each."""

    n_judged: int
    n_neighbors: int


def affordable_panel(wanted: Panel, class_sizes: Sequence[int], n_kinds: int) -> Panel:
    """A panel whose ballots, a number for every candidate, judge, k and class, fit the memory.

    Of very many classes a row has no more neighbours of its class than the largest has rows: larger k have little to
    say. What is still too much costs judges.
    """
    row = 4 * (n_kinds + MORE_CANDIDATES) * len(class_sizes)
    if row * wanted.n_judged * wanted.n_neighbors <= ORDINARY_BYTES:
        return wanted
    n_neighbors = min(wanted.n_neighbors, max(class_sizes))
    return Panel(max(1, min(wanted.n_judged, MANY_CLASSES_BYTES // (row * n_neighbors))), n_neighbors)


def is_affordable(view: str, form: str, n_features: int, mixes: bool = False) -> bool:
    """Whether a view of so many features takes little memory, and its maps do; ``mixes``: even weights as matrices."""
    of_view, of_maps = (most or n_features for most in (VIEWS[view].most_features, VIEWS[view].most_mixed))
    return n_features <= (of_view if FORMS[form].keeps_apart and not mixes else min(of_view, of_maps))


def check_affordable(kinds: Sequence[str], n_features: int) -> None:
    """ValueError where kinds that were asked for would take more memory than there is likely to be."""
    parts = {kind: kind.split("/") for kind in kinds}
    names = [kind for kind, part in parts.items() if not is_affordable(part[0], part[1], n_features)]
    size = BYTES_PER_ENTRY * n_features**2
    if names and size > MOST_BYTES:
        what = f"candidates: {', '.join(names)} of {n_features} features would take some {size / 2**30:,.0f} GiB"
        hint = 'candidates="auto" or "axes/full" takes little'
        raise ValueError(f"{what}, more than the {MOST_BYTES >> 30} GiB that a fit may take; {hint}.")
