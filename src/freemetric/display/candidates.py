"""What a model has tried, candidate by candidate."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..ensemble.settings import ENERGIES
from ..metrics import FORMS

USUAL = (ENERGIES[0], "neighbor-likelihood")  # energies that candidates have unasked, of classes and of numbers


@dataclass(frozen=True)
class TriedCandidate:
    """A candidate's out-of-bag errors (K,) and its weights (K,) in the prediction, for every number of neighbours.

    Errors are shares of wrong classes, or squared errors of numbers in units of their variance.
    """

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
    return "/".join([view, form] if energy in USUAL else [view, form, energy])


def tried_candidates(selection: Mapping[str, NDArray]) -> list[TriedCandidate]:
    """The candidates of a ``selection_``, the heaviest first; none where no row could judge them."""
    if not np.isfinite(selection[error_column(selection)]).any():
        return []
    first = np.flatnonzero(selection["n_neighbors"] == 1)
    candidates = [
        _candidate({name: rows[part] for name, rows in selection.items()}) for part in _parts(first, selection)
    ]
    return sorted(candidates, key=lambda candidate: -candidate.weight.sum())


def error_column(selection: Mapping[str, NDArray]) -> str:
    """Where a ``selection_`` has the errors that candidates are shown with: of classes, or of numbers."""
    return "oob_error" if "oob_error" in selection else "oob_squared"


def _parts(first, selection):
    return [slice(a, b) for a, b in zip(first, [*first[1:], len(selection["n_neighbors"])], strict=True)]


def _candidate(rows):
    view, form, energy = (str(rows[name][0]) for name in ("view", "form", "energy"))
    label = kind_name(view, form, energy)
    if FORMS[form].learns:
        label += f", T = {rows['temperature'][0]:.2g}"
    return TriedCandidate(label, form, rows["n_neighbors"], rows[error_column(rows)], rows["weight"])
