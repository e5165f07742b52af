"""What a classifier has tried, candidate by candidate."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..learners.free_energy.recipe import ENERGIES
from ..metrics import FORMS


@dataclass(frozen=True)
class TriedCandidate:
    """A candidate's out-of-bag errors (K,) and its weights (K,) in the prediction, for every number of neighbours."""

    label: str
    form: str
    n_neighbors: NDArray
    error: NDArray
    weight: NDArray


def kind_name(view: str, form: str, energy: str) -> str:
    """The name of a kind as ``candidates`` takes it: the default energy is left out.

    Examples
    --------
    >>> kind_name("scaled", "full", "log-nca"), kind_name("scaled", "full", "nca")
    ('scaled/full', 'scaled/full/nca')
    """
    return "/".join([view, form] if energy == ENERGIES[0] else [view, form, energy])


def tried_candidates(selection: Mapping[str, NDArray]) -> list[TriedCandidate]:
    """The candidates of a ``selection_``, the heaviest first; none where no row could judge them."""
    if not np.isfinite(selection["oob_error"]).any():
        return []
    first = np.flatnonzero(selection["n_neighbors"] == 1)
    candidates = [
        _candidate({name: rows[part] for name, rows in selection.items()}) for part in _parts(first, selection)
    ]
    return sorted(candidates, key=lambda candidate: -candidate.weight.sum())


def _parts(first, selection):
    return [slice(a, b) for a, b in zip(first, [*first[1:], len(selection["n_neighbors"])], strict=True)]


def _candidate(rows):
    view, form, energy = (str(rows[name][0]) for name in ("view", "form", "energy"))
    label = kind_name(view, form, energy)
    if FORMS[form].learns:
        label += f", T = {rows['temperature'][0]:.2g}"
    return TriedCandidate(label, form, rows["n_neighbors"], rows["oob_error"], rows["weight"])
