"""What a free-energy classifier tries: a view of the features, a form of the map, an energy, a temperature, a trap."""

from dataclasses import dataclass, replace

import numpy as np

TEMPERATURES = {"log-nca": 1e-3, "nca": 3e-4}
CONFINEMENT_PER_TEMPERATURE = {"log-nca": 0.3, "nca": 0.1}  # lambda |A|^2 / T is the same trap at every temperature
TEMPERATURE_STEP = 3.0

VIEW_NAMES = ("scaled", "quantiles", "steps")
FORMS = ("identity", "diagonal", "full")
KINDS = {f"{view}/{form}": (view, form, "log-nca") for form in FORMS for view in VIEW_NAMES}
KINDS |= {f"{view}/{form}/nca": (view, form, "nca") for form in FORMS[1:] for view in VIEW_NAMES}
"""View, form and energy by name, the simpler ones first. The identity learns nothing: it is plain k-NN."""

AUTO = (
    "scaled/identity",
    "quantiles/identity",
    "scaled/diagonal",
    "quantiles/diagonal",
    "steps/diagonal",
    "scaled/full",
    "quantiles/full",
    "scaled/full/nca",
)


@dataclass(frozen=True)
class Candidate:
    view: str
    form: str
    energy: str
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
    return [_tempered(Candidate(*KINDS[name]), temperature, confinement) for name in names]


def _tempered(candidate, temperature, confinement):
    if not candidate.learns:
        return candidate
    usual = TEMPERATURES[candidate.energy]
    T = usual if temperature == "auto" else float(temperature)
    trap = CONFINEMENT_PER_TEMPERATURE[candidate.energy] * (T or usual) if confinement == "auto" else float(confinement)
    return replace(candidate, temperature=T, confinement=trap)


def spread(n, weights):
    """n replicas in proportion to the weights, whole numbers by largest remainders."""
    weights = np.asarray(weights, dtype=float)
    exact = n * weights / weights.sum()
    counts = np.floor(exact).astype(int)
    counts[np.argsort(counts - exact, kind="stable")[: n - counts.sum()]] += 1
    return counts
