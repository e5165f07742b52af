"""What the parameters of a free-energy classifier mean for its search: the recipe, and how it runs."""

import warnings
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import Any

from sklearn.base import is_regressor

from ...energies import LogNCAEnergy, NCAEnergy
from ...exceptions import DataWarning, callers_stacklevel
from ...mc import Annealing
from ...metrics.ensemble import OWN
from ...printable import verb
from ..fitting import FitSteps
from ..sampling_run import steps_of
from .candidates import candidate_of
from .checkpoint import Checkpoint
from .kinds import kinds_to_try
from .population import Population
from .race import most_replicas, populate
from .recipe import Recipe
from .running import SearchStopped, TaskRunner
from .search import Search
from .telling import tell_round


def given_recipe(model: Any, n_rows: int) -> Recipe:
    """The recipe of a classifier for so many rows, with what its parameters say instead."""
    recipe = Recipe() if model.recipe is None else model.recipe
    given: dict[str, Any] = {}
    if model.n_replicas != "auto":
        so_many = int(model.n_replicas)  # whatever the size of bags
        given |= {"n_replicas": so_many, "cheap_bag": 1, "affordable_bag": n_rows}
    if model.n_neighbors != "auto":
        given["neighbors"] = (int(model.n_neighbors),)
    if model.subsample != "auto":
        # so large from the beginning
        given |= {"subsample": float(model.subsample), "smallest_bag": recipe.most_learned_on}
    if model.candidates != "auto":
        if not len(model.candidates):
            raise ValueError("candidates: the list is empty.")
        given["kinds"] = tuple(model.candidates)
    elif is_regressor(model):
        given["kinds"] = tuple(kind for kind in recipe.kinds if kind.count("/") == 1)  # others are of classes
    return replace(recipe, **given)


def run_to_the_end(search: Search, model: Any) -> None:
    """Let the search of a classifier come to its end."""
    problem, recipe = search.problem, search.recipe
    smallest = search.bag_sizes()[0]
    sampler = Annealing(n_steps=recipe.n_steps) if model.sampler is None else model.sampler
    steps = FitSteps(model, problem.voters.X, problem.voters.y, steps_of(sampler, most_replicas(search)))
    run = TaskRunner(model._n_tasks, steps, model.max_seconds)
    kept = None if model.checkpoint is None else Checkpoint(model.checkpoint)
    search.run = run if kept is None else kept.resuming(run)
    search.after_round = partial(_after_round, steps, model.verbose)
    kinds = kinds_to_try(recipe.kinds, problem)
    given = recipe, model.temperature, model.confinement, smallest, problem.target.energy
    pool = [candidate_of(kind, *given) for kind in kinds]
    if problem.energy is not None and not isinstance(problem.energy, NCAEnergy | LogNCAEnergy):
        pool = [replace(candidate, energy=OWN) for candidate in pool]
    tunes = recipe.other_temperatures and model.temperature == "auto" and model.sampler is None
    with nullcontext() if kept is None else kept:
        try:
            populate(search, pool, tunes, moves_trap=model.confinement == "auto")
        except SearchStopped:
            search.population.forget_those_without_votes()
        steps.close()
    _warn_about_judges(search.population)


def _after_round(steps, verbose, population):
    """A line for people, and the population for callbacks with a method ``on_round(population)``."""
    if verbose:
        tell_round(population)
    steps.show("on_round", population)


def _warn_about_judges(population: Population):
    n_silent, n_judged = population.n_silent, len(population.judged)
    if n_silent > 0.1 * n_judged:
        who = f"{n_silent} of {n_judged} patterns {verb(n_silent, 'was', 'were')} never out of bag"
        warnings.warn(
            f"{who}; more replicas or a smaller subsample help.", DataWarning, stacklevel=callers_stacklevel()
        )
