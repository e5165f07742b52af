"""What a search may try: kinds by name, at temperatures."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...metrics import FORMS, VIEWS, Candidate
from .recipe import ENERGIES, Recipe, check_kind


def candidate_of(
    kind: str,
    recipe: Recipe,
    temperature: float | str = "auto",
    trap: float | str = "auto",
    bag_size: int = 0,
    usual_energy: str = ENERGIES[0],
) -> Candidate:
    """The candidate of a kind, at the given temperature and confinement or at the recipe's for "auto"."""
    check_kind(kind)
    view, form, *energy = kind.split("/")
    candidate = Candidate(view, form, energy[0] if energy else usual_energy)
    if not candidate.learns:
        return candidate
    usual = recipe.temperatures[candidate.energy]
    T = usual if temperature == "auto" else float(temperature)
    confinement = recipe.traps[candidate.energy] * (T or usual) if trap == "auto" else float(trap)
    return replace(candidate, temperature=T, confinement=confinement, bag_size=bag_size)


def other_temperatures(candidate: Candidate, factor: float, moves_trap: bool) -> Iterator[Candidate]:
    """The same kind colder and hotter by a factor; the trap follows unless it is given."""
    for change in (1 / factor, factor):
        trap = candidate.confinement * change if moves_trap else candidate.confinement
        yield replace(candidate, temperature=candidate.temperature * change, confinement=trap)


def simplest_first(kinds: Sequence[str]) -> list[str]:
    """Kinds in the order of their energies, forms and views: of equals the simplest is taken."""

    def place(kind):
        view, form, *energy = kind.split("/")
        return len(energy), list(FORMS).index(form), list(VIEWS).index(view)

    return sorted(kinds, key=place)


def spread(n: int, weights: ArrayLike) -> NDArray[np.intp]:
    """n replicas in proportion to the weights, whole numbers by largest remainders."""
    weights = np.asarray(weights, dtype=float)
    exact = n * weights / weights.sum()
    counts = np.floor(exact).astype(int)
    counts[np.argsort(counts - exact, kind="stable")[: n - counts.sum()]] += 1
    return counts
