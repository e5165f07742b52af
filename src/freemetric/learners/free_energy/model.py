"""What free-energy models of classes and of numbers share: parameters, the search, and what they are made of."""

from numbers import Integral, Real
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from ...energies import as_energy, takes_weights
from ...metrics import Ensemble, View, Voters
from ...sklearn_compat import CallbackSupportMixin, HasMethods, Interval, StrOptions
from ..base import seed_sequence
from ..fitting import AtomicFit
from ..target import Target
from ..training_rows import NUMBERS, precise
from ..validation import check_samples
from .averaged import AveragedMetricMixin
from .description import rows_asked
from .given import given_recipe
from .importances_mixin import ImportancesMixin
from .recipe import Recipe
from .search import Problem, Search, panel_of

CONSTRAINTS: dict[str, list] = {
    "n_replicas": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
    "temperature": [Interval(Real, 0, None, closed="left"), StrOptions({"auto"})],
    "confinement": [Interval(Real, 0, None, closed="left"), StrOptions({"auto"})],
    "n_neighbors": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
    "subsample": [Interval(Real, 0, 1, closed="neither"), StrOptions({"auto"})],
    "candidates": [list, tuple, StrOptions({"auto"})],
    "n_components": [Interval(Integral, 1, None, closed="left"), None],
    "energy": [str, HasMethods("bind"), callable],
    "sampler": [HasMethods("iterate"), None],
    "recipe": [Recipe, None],
    "shortlist": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"}), None],
    "max_seconds": [Interval(Real, 0, None, closed="neither"), None],
    "checkpoint": [str, PathLike, None],
    "device": [str],
    "n_jobs": [Integral, None],
    "verbose": ["verbose"],
    "random_state": ["random_state"],
}
"""Of the parameters that all have."""


class FreeEnergyModel(AtomicFit, CallbackSupportMixin, AveragedMetricMixin, ImportancesMixin):
    """An estimator that searches metrics and has a ``committee_``; subclasses say what its target is."""

    energy: Any
    sampler: Any
    shortlist: Any
    device: str
    random_state: Any

    @property
    def _energy(self):
        return None if self.energy == "auto" else as_energy(self.energy)

    def _can_weigh(self):
        return self._energy is None or takes_weights(self._energy)

    def _target(self, voters: Voters) -> Target:
        """What these voters vote for."""
        raise NotImplementedError

    def _search(self, voters, judges=True):
        """The search, before it begins; where nobody judges, it depends on the number of voters."""
        recipe, target, seed = given_recipe(self, len(voters)), self._target(voters), seed_sequence(self.random_state)
        if not judges:
            seed = np.random.SeedSequence([*seed.generate_state(4).tolist(), len(voters)])
        panel = panel_of(voters, target, recipe.most_searched, seed)
        problem = Problem(panel, target, self._energy, self.sampler, self.n_components, self.device)
        return Search(problem, recipe, seed, judges=judges)

    @property
    def _n_tasks(self):
        """At a time; a GPU does one."""
        return self.n_jobs if self.device in ("cpu", "reference") else 1

    @property
    def ensembles_(self) -> list[Ensemble]:
        return self.committee_.ensembles

    @property
    def views_(self) -> dict[str, View]:
        return self.committee_.views

    def _patterns(self, X: ArrayLike) -> NDArray:
        check_is_fitted(self)
        return precise(check_samples(self, X, dtype=NUMBERS, reset=False))

    @property
    def _asked(self):
        """Voters that a prediction asks in every space; None: all."""
        return rows_asked(self.shortlist, self.shortlist_, self.committee_)
