"""Candidates of a search: which there are, which are affordable, and how long they are sampled."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..metrics import FORMS, VIEWS, Candidate
from ..metrics.forms import check_kind
from .settings import ENERGIES, Recipe

MORE_CANDIDATES = 8  # than kinds: other temperatures, larger bags
BYTES_PER_ENTRY = 2048  # of a matrix of features by features, for all replicas together; measured


class Panel(NamedTuple):
    """How many samples are scored, and the most neighbours whose votes are counted for each."""

    n_scored: int
    n_neighbors: int


def affordable_panel(wanted: Panel, n_cells: int, largest: int, recipe: Recipe) -> Panel:
    """A panel whose votes, a number for every candidate, sample, k and cell, fit the memory.

    Of very many classes k is at most the size of the largest. Where that is still too much, fewer samples are scored.
    """
    row = 4 * (len(recipe.candidates) + MORE_CANDIDATES) * n_cells
    if row * wanted.n_scored * wanted.n_neighbors <= recipe.vote_bytes:
        return wanted
    n_neighbors = min(wanted.n_neighbors, largest)
    return Panel(max(1, min(wanted.n_scored, recipe.many_class_bytes // (row * n_neighbors))), n_neighbors)


def is_affordable(view: str, form: str, n_features: int, mixes: bool = False) -> bool:
    """Whether a view of so many features takes little memory, and its maps do; ``mixes``: even weights as matrices."""
    of_view, of_maps = (most or n_features for most in (VIEWS[view].most_features, VIEWS[view].most_mixed))
    return n_features <= (of_view if FORMS[form].keeps_apart and not mixes else min(of_view, of_maps))


def check_affordable(kinds: Sequence[str], n_features: int, most_bytes: int) -> None:
    """ValueError where the kinds given would take too much memory."""
    parts = {kind: kind.split("/") for kind in kinds}
    names = [kind for kind, part in parts.items() if not is_affordable(part[0], part[1], n_features)]
    size = BYTES_PER_ENTRY * n_features**2
    if names and size > most_bytes:
        what = f"candidates: {', '.join(names)} of {n_features} features would take some {size / 2**30:,.0f} GiB"
        hint = '"axes/full" and the default candidates take little'
        raise ValueError(f"{what}, more than the {most_bytes >> 30} GiB that a fit may take; {hint}.")


def candidate_of(kind: str, recipe: Recipe, bag_size: int = 0, usual_energy: str = ENERGIES[0]) -> Candidate:
    """The candidate of a kind, at the first temperature and confinement of the recipe."""
    check_kind(kind)
    view, form, *energy = kind.split("/")
    candidate = Candidate(view, form, energy[0] if energy else usual_energy)
    if not candidate.learns:
        return candidate
    T, trap = recipe.first_temperature(candidate.energy), recipe.first_confinement(candidate.energy)
    return replace(candidate, temperature=T, confinement=trap, bag_size=bag_size)


def other_temperatures(candidate: Candidate, recipe: Recipe) -> Iterator[Candidate]:
    """The same kind colder and hotter by a factor; the trap follows unless it is given."""
    for change in (1 / recipe.temperature_step, recipe.temperature_step):
        trap = candidate.confinement * change if recipe.moves_trap else candidate.confinement
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


PATIENT = ("neighbor-likelihood",)  # energies that are worth it: those of regression


def is_worth_patience(recipe: Recipe, candidate: Candidate) -> bool:
    """Whether it may be tried colder again and again, in longer walks: only where samples are many."""
    return recipe.colder > 0 and candidate.energy in PATIENT and candidate.bag_size >= recipe.patient_bag


def longer_walk(recipe: Recipe, bag_size: int) -> float:
    """How many times longer walks are on bags of so many samples."""
    return max(1.0, (bag_size / recipe.short_walk_bag) ** 0.5)


LONGEST_LIST = 2.0  # times the usual length


def listed_in(recipe: Recipe, bag_size: int) -> int:
    """Neighbours that an energy looks at in a bag of so many samples."""
    return round(recipe.listed_neighbors * min(max(1.0, bag_size / recipe.short_list_bag), LONGEST_LIST))


def walk_length(recipe: Recipe, candidate: Candidate) -> int:
    """Monte Carlo steps of a replica: more on larger bags, and more still where patience pays."""
    longer = longer_walk(recipe, candidate.bag_size)
    if is_worth_patience(recipe, candidate):
        usual, T = recipe.usual_temperature(candidate.energy), candidate.temperature
        longer = max(longer, usual / T if usual < recipe.longest_walk * T else recipe.longest_walk)
    return round(recipe.n_steps * longer)
