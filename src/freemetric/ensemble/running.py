"""Running a search: parameters of the estimator, tasks in parallel, limits of time, checkpoints."""

import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import is_regressor

from ..energies import CallableEnergy, LogNCAEnergy, NCAEnergy
from ..exceptions import DataWarning, InterruptedFitWarning, callers_stacklevel
from ..files import save
from ..files.atomic import remove_with_drafts
from ..learners.base import one_blas_thread
from ..learners.fitting import FitSteps, tell
from ..learners.kept_results import Claim, checkpoint_folder, fingerprint, whole_result
from ..learners.parallel import in_parallel, is_on_a_cluster
from ..learners.sampling_run import steps_of
from ..mc import Annealing
from ..metrics import FORMS, VIEWS, Candidate
from ..metrics.forms import OWN, check_kind
from ..printable import counted, verb
from .candidates import candidate_of, check_affordable, is_affordable, simplest_first
from .population import Population, best_pair
from .sampling import SHARED, Replicas, ReplicaTask, replicas_of, replicas_of_all
from .search import Run, Search, SearchProblem, allocate_replicas, most_replicas
from .settings import Recipe, recipe_of


def kinds_to_try(kinds: Sequence[str], problem: SearchProblem, most_bytes: int = Recipe.map_bytes) -> list[str]:
    """Those of the kinds that the problem allows, the simpler ones first.

    Where one energy is given for all, kinds differ by view and form only. A callable allows only full
    maps of scaled features. Fewer dimensions than features exclude forms that cannot reduce. A view that would show
    nothing new is left out. Very many features exclude expensive views and maps; another view may stand in.
    """
    for kind in kinds:
        check_kind(kind)
    parts = [kind.split("/") for kind in kinds]
    if problem.task.energy != "log-nca":
        parts = [part for part in parts if len(part) == 2]
        if not parts:
            raise ValueError(f"candidates: {', '.join(kinds)} are for classes, one of each sample.")
        if isinstance(problem.energy, NCAEnergy | LogNCAEnergy):
            raise ValueError(f"{type(problem.energy).__name__} learns from classes, one of each sample.")
    if problem.energy is not None:
        energy = ["nca"] if isinstance(problem.energy, NCAEnergy) else []
        parts = [[view, form, *(energy if FORMS[form].learns else [])] for view, form, *_ in parts]
        if isinstance(problem.energy, CallableEnergy):
            plain = (VIEWS[view].keeps_features and FORMS[form].is_free for view, form, *_ in parts)
            parts = [part for part, is_plain in zip(parts, plain, strict=True) if is_plain or not FORMS[part[1]].learns]
    if problem.n_components is not None:
        parts = [part for part in parts if FORMS[part[1]].reduces]
    useful = {view: VIEWS[view].is_of_use(problem.training_set.X) for view in {part[0] for part in parts}}
    parts = [part for part in parts if useful[part[0]]] or parts
    n_features = problem.training_set.X.shape[1]
    affordable = parts
    if not isinstance(problem.energy, CallableEnergy):
        # of weights alone other energies would see matrices
        mixes = not isinstance(problem.energy, NCAEnergy | LogNCAEnergy | None)
        affordable = []
        for view, *rest in parts:
            fitting = view if is_affordable(view, rest[0], n_features, mixes) else VIEWS[view].for_more
            affordable += [] if fitting is None else [[fitting, *rest]]
    names = list(dict.fromkeys("/".join(part) for part in affordable or parts))
    if not names:
        raise ValueError(f"candidates: none of {', '.join(kinds)} fits the energy and n_components given.")
    check_affordable(names, n_features, most_bytes)
    return simplest_first(names)


def log_round(population: Population) -> None:
    """Log how many replicas there are, and which candidate is the best out of bag so far."""
    n_replicas = sum(len(result.maps) for result in population.results)
    n = len(population.results)
    sampled = f"{counted(n_replicas, 'replica')} of {counted(n, 'candidate')}"
    if not len(population.oob_samples):
        return tell(True, "%s; no sample was out of bag yet", sampled)
    scores = population.scores()
    number, column = best_pair(scores)
    best = population.results[number].candidate
    kind = f"{best.view}/{best.form}" + (f" at temperature {best.temperature:.2g}" if best.learns else "")
    found = f"{kind}, k = {column + 1}, {population.task.score_words} {scores[number, column]:.4f}"
    tell(True, "%s; best out of bag: %s", sampled, found)


class SearchStopped(Exception):  # noqa: N818 - the end of a search is no error
    """The search is to end with what it has."""


LONG = 10.0  # seconds; of a longer fit a forecast is logged
KNOWN_AFTER = 2.0  # seconds


class Progress:
    """Calls ``on_replicas(task, replicas)`` of callbacks, and raises SearchStopped on their wish or out of time.

    Of ``n_steps`` in all it forecasts how long they take, once.
    """

    def __init__(
        self, steps: FitSteps, max_seconds: float | None, n_steps: int | None = None, verbose: bool = False
    ) -> None:
        self.steps, self.max_seconds, self.n_steps, self.verbose = steps, max_seconds, n_steps, verbose
        self.start, self.n_made = time.monotonic(), 0

    def __call__(self, task: ReplicaTask, replicas: Replicas) -> None:
        tell(False, "%d replicas of %s", len(replicas.maps), task.candidate)
        self.steps.show("on_replicas", task, replicas)
        energy = replicas.trace.get("energy", np.empty((0, 0)))
        if self.steps.made(energy.size):
            raise SearchStopped
        self.n_made += energy.size
        elapsed = time.monotonic() - self.start
        if self.n_steps is not None and self.n_made and elapsed > KNOWN_AFTER:
            seconds, self.n_steps = elapsed * self.n_steps / self.n_made, None
            tell(self.verbose and seconds > LONG, "the fit takes about %.0f s", seconds)
        if self.max_seconds is not None and elapsed > self.max_seconds:
            message = f"The fit was stopped after max_seconds={self.max_seconds:g}, with the replicas sampled so far."
            warnings.warn(message, InterruptedFitWarning, stacklevel=callers_stacklevel())
            raise SearchStopped


def runner(model: Any) -> Run:
    """What does as many tasks at a time as a model may; on a GPU of this process all at once that can be."""
    if model.device not in ("cpu", "reference") and not is_on_a_cluster():
        return replicas_of_all
    return lambda tasks: in_parallel(replicas_of, tasks, model._n_tasks, SHARED)


@contextmanager
def resuming(folder: str | PathLike | None, run: Run) -> Iterator[Run]:
    """A run that does only the tasks whose results are not in a folder yet, and keeps them; for None the run itself.

    The folder has one file a task, each written whole or not at all; its name is a fingerprint of all that the result
    depends on. The files lie in a subfolder that the fit claims, named by its first tasks. A block that ends without an
    error removes them.
    """
    if folder is None:
        yield run
        return
    kept, used, is_whole = checkpoint_folder(folder), list[Path](), False
    claim: Claim | None = None

    def resumed(tasks: Sequence[ReplicaTask]) -> Iterator[Replicas]:
        nonlocal claim
        names = [fingerprint(task._asdict()) for task in tasks]
        if claim is None:
            claim = Claim(kept, fingerprint({"tasks": names}))
        paths = [claim.path / f"{name}.task" for name in names]
        found = [whole_result(path) for path in paths]
        is_known = [isinstance(f, Replicas) and f.may_be_of(task) for f, task in zip(found, tasks, strict=True)]
        todo = iter(run([task for task, known in zip(tasks, is_known, strict=True) if not known]))
        for path, known, replicas in zip(paths, is_known, found, strict=True):
            if not known:
                replicas = next(todo)
                save(replicas, path)
            used.append(path)
            yield replicas
        for _ in todo:  # a run may do something at its end
            pass

    try:
        yield resumed
        is_whole = True
    finally:
        if claim is not None:
            with claim:
                for path in used if is_whole else ():
                    remove_with_drafts(path)


def given_recipe(model: Any, n_rows: int) -> Recipe:
    """The recipe of a model for so many rows, with its number of replicas in place."""
    recipe, given = recipe_of(model), dict[str, Any]()
    if model.n_replicas != "auto":
        so_many = int(model.n_replicas)  # whatever the size of bags
        given |= {"n_replicas": so_many, "cheap_bag": 1, "affordable_bag": n_rows}
    elif is_regressor(model) and model.recipe is None:  # means of votes gain more by replicas than shares of classes do
        given |= {"n_replicas": round(1.5 * recipe.n_replicas), "cheap_bag": 2 * recipe.cheap_bag}
    return replace(recipe, **given)


def run_to_the_end(search: Search, model: Any) -> None:
    """Run the search of a model to its end."""
    recipe, seen = search.recipe, search.problem.training_set
    sampler = Annealing(n_steps=recipe.n_steps) if recipe.sampler is None else recipe.sampler
    n_steps = steps_of(sampler, most_replicas(search))
    steps = FitSteps(model, seen.X, seen.y, n_steps)
    progress, population = Progress(steps, model.max_seconds, n_steps, model.verbose), search.population
    rounds = allocate_replicas(search, first_candidates(search))
    with one_blas_thread(), resuming(recipe.checkpoint, runner(model)) as run:
        try:
            for wanted in rounds:
                search.grow(wanted, run, progress)
                if wanted and model.verbose:
                    log_round(population)
                if wanted:
                    steps.show("on_round", population)
        except SearchStopped:
            population.forget_those_without_votes()
        steps.close()
    n_never_oob, n_scored = population.n_never_oob, len(population.scored)
    if n_never_oob > 0.1 * n_scored:
        who = f"{n_never_oob} of {n_scored} samples {verb(n_never_oob, 'was', 'were')} never out of bag"
        message = f"{who}; more replicas or a smaller subsample help."
        warnings.warn(message, DataWarning, stacklevel=callers_stacklevel())


def first_candidates(search: Search) -> list[Candidate]:
    """What is tried first, on the smallest bags, the simpler ones first."""
    problem, recipe = search.problem, search.recipe
    kinds = kinds_to_try(recipe.candidates, problem, recipe.map_bytes)
    pool = [candidate_of(kind, recipe, search.bag_sizes()[0], problem.task.energy) for kind in kinds]
    if problem.energy is not None and not isinstance(problem.energy, NCAEnergy | LogNCAEnergy):
        return [replace(candidate, energy=OWN) for candidate in pool]
    return pool
