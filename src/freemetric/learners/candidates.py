"""What a free-energy classifier tries: on which view of the features, with how free a map, how hot and how confined."""

from dataclasses import dataclass, replace

import numpy as np

# Confinement in units of the temperature: lambda |A|^2 / T is the same trap at every temperature.
CONFINEMENT_PER_TEMPERATURE = 0.3
TEMPERATURE = 1e-3
TEMPERATURE_STEP = 3.0

KINDS = {
    "scaled/identity": ("scaled", "identity"),
    "quantiles/identity": ("quantiles", "identity"),
    "steps/identity": ("steps", "identity"),
    "scaled/diagonal": ("scaled", "diagonal"),
    "quantiles/diagonal": ("quantiles", "diagonal"),
    "steps/diagonal": ("steps", "diagonal"),
    "scaled/full": ("scaled", "full"),
    "quantiles/full": ("quantiles", "full"),
    "steps/full": ("steps", "full"),
}
"""View and form by name, the simpler ones first. The identity learns nothing: it is plain k-NN."""

AUTO = [name for name in KINDS if name not in ("steps/identity", "steps/full")]


@dataclass(frozen=True)
class Candidate:
    view: str
    form: str
    temperature: float = 0.0
    confinement: float = 0.0

    @property
    def learns(self):
        return self.form != "identity"

    def other_temperatures(self, moves_trap):
        """The same kind colder and hotter; the trap follows unless it is given."""
        for factor in (1 / TEMPERATURE_STEP, TEMPERATURE_STEP):
            trap = self.confinement * factor if moves_trap else self.confinement
            yield replace(self, temperature=self.temperature * factor, confinement=trap)


def first_candidates(names, temperature, confinement):
    """One candidate a kind, at the given temperature and confinement or the usual ones for "auto"."""
    T = TEMPERATURE if temperature == "auto" else float(temperature)
    trap = CONFINEMENT_PER_TEMPERATURE * (T or TEMPERATURE) if confinement == "auto" else float(confinement)
    pool = [Candidate(*KINDS[name]) for name in names]
    return [replace(c, temperature=T, confinement=trap) if c.learns else c for c in pool]


def spread(n, weights):
    """n replicas in proportion to the weights, whole numbers by largest remainders."""
    weights = np.asarray(weights, dtype=float)
    exact = n * weights / weights.sum()
    counts = np.floor(exact).astype(int)
    counts[np.argsort(counts - exact, kind="stable")[: n - counts.sum()]] += 1
    return counts
