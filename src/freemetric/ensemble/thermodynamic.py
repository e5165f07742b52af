"""The thermodynamics of the learned candidate with the largest weight in an ensemble."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ..energies import as_energy, bind
from ..learners.base import generator
from ..learners.parameters import documented
from ..metrics import FORMS, TrainingSet
from ..metrics.views import view_of
from .sampling import Bags

if TYPE_CHECKING:
    from ..thermodynamics import FittedEnergy, ModelThermodynamics

MOST_SAMPLES = 1000


class ThermodynamicsMixin:
    """``thermodynamics`` of an estimator with an ``ensemble_`` and a ``selection_``."""

    ensemble_: Any
    selection_: dict[str, NDArray]
    snapshots_: Any
    temperature_: float
    confinement_: float
    device: str
    _energy: Any

    @documented()
    def thermodynamics(  # noqa: D417 - the shared text describes the rest
        self,
        *,
        temperatures: tuple[float, float] | None = None,
        settings: Any = None,
        random_state: Any = None,
    ) -> "ModelThermodynamics":
        """Free energy, energy, entropy and heat capacity of the best candidate; needs the extra ``thermo``.

        The candidate is the one of ``temperature_`` and ``confinement_``. Its energy on one bag of training samples, of
        at most 1,000, is sampled anew on a ladder of temperatures, from the confinement alone to a quarter of
        ``temperature_``. All pairs of samples count, and equally, so that moves are exact; the fit itself looks at the
        nearest ones. The result has error bars, the temperature at which the metric freezes, and error bars on M in the
        candidate's view; printed, it is a few sentences.

        Parameters
        ----------
        {ladder}

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from freemetric import FreeEnergyClassifier, Recipe
        >>> from freemetric.thermodynamics import TemperingSettings
        >>> X, y = load_iris(return_X_y=True)
        >>> recipe = Recipe(candidates=["scaled/diagonal"], temperature=1e-2)
        >>> model = FreeEnergyClassifier(4, recipe=recipe, random_state=0).fit(X[::3], y[::3])
        >>> short = TemperingSettings(n_steps=40, n_rungs=5, n_rounds=1)
        >>> found = model.thermodynamics(settings=short, random_state=0)
        >>> found.curves.is_absolute, found.metric.weights.shape
        (True, (4,))
        """
        from ..thermodynamics import thermodynamics_of

        check_is_fitted(self)
        if self.snapshots_ is None:
            raise ValueError("No candidate of this model learns, so there is nothing to sample.")
        return thermodynamics_of(self._fitted_energy(random_state), temperatures, settings, random_state)

    def _fitted_energy(self, random_state) -> "FittedEnergy":
        from ..thermodynamics import FittedEnergy

        training_set: TrainingSet = self.ensemble_.training_set
        view_name, form = self.snapshots_["view"], FORMS[self.snapshots_["form"]]
        view = self.ensemble_.views.get(view_name) or view_of(view_name, training_set)
        energy, size = self._best_energy()
        y = training_set.y
        strata = [np.flatnonzero(y == c) for c in np.unique(y)] if y.dtype.kind in "iu" else [np.arange(len(y))]
        share = min(size, MOST_SAMPLES) / len(y)
        rows = Bags(generator(random_state), strata, share, len(y)).first(1)[0]
        V = view(training_set.X)
        bound = bind(form.restrict(energy), V[rows][None], training_set.targets(rows[None]), None, self.device)
        start = self.snapshots_["map"][-1]
        return FittedEnergy(bound, start, self.confinement_, self.temperature_, V.var(axis=0), form.matrices)

    def _best_energy(self):
        """The energy of that candidate, over all pairs, and the size of its bags."""
        table = self.selection_
        wanted = {"view": self.snapshots_["view"], "form": self.snapshots_["form"]}
        wanted |= {"temperature": self.temperature_, "confinement": self.confinement_}
        found = np.flatnonzero(np.all([table[name] == value for name, value in wanted.items()], axis=0))
        row = int(found[table["weight"][found].argmax()]) if len(found) else int(table["weight"].argmax())
        energy = as_energy(str(table["energy"][row])) if self._energy is None else self._energy
        return energy, int(table["bag_size"][row])
