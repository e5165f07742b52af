"""Energies by name."""

from collections.abc import Callable
from typing import Any

from .base import CallableEnergy, Energy
from .large_margin import LMNNEnergy
from .ranking import RankingEnergy
from .regression import NeighborLikelihoodEnergy, RegressionEnergy
from .soft_neighbors import LogNCAEnergy, MultiLabelEnergy, NCAEnergy
from .votes import BalancedErrorEnergy, FBetaEnergy, KNNErrorEnergy

ENERGIES: dict[str, Callable[[], Energy]] = {
    "nca": NCAEnergy,
    "log-nca": LogNCAEnergy,
    "multi-label": MultiLabelEnergy,
    "regression": RegressionEnergy,
    "neighbor-likelihood": NeighborLikelihoodEnergy,
    "knn-error": KNNErrorEnergy,
    "balanced-error": BalancedErrorEnergy,
    "f-beta": FBetaEnergy,
    "ranking": RankingEnergy,
    "lmnn": LMNNEnergy,
}


def as_energy(energy: Any) -> Energy:
    """Return the energy itself, the one of that name, or a callable (R, p, d) -> (R,)
    as one.
    """
    if isinstance(energy, str):
        if energy not in ENERGIES:
            names = ", ".join(map(repr, ENERGIES))
            raise ValueError(f"Unknown energy {energy!r}; known energies: {names}.")
        return ENERGIES[energy]()
    if hasattr(energy, "bind"):
        return energy
    if callable(energy):
        return CallableEnergy(energy)
    raise TypeError(
        "energy must be an Energy, its name or a callable on (R, p, d); "
        f"got {energy!r}."
    )
