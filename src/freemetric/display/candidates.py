"""What a classifier has tried, candidate by candidate."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class TriedCandidate:
    """A candidate's out-of-bag errors (K,) and its weights (K,) in the prediction, for every number of neighbours."""

    label: str
    form: str
    n_neighbors: np.ndarray
    error: np.ndarray
    weight: np.ndarray


def tried_candidates(selection):
    """The candidates of a ``selection_``, the heaviest first; none where nobody could judge them."""
    if not np.isfinite(selection["oob_error"]).any():
        return []
    first = np.flatnonzero(selection["n_neighbors"] == 1)
    found = [_candidate({name: rows[part] for name, rows in selection.items()}) for part in _parts(first, selection)]
    return sorted(found, key=lambda candidate: -candidate.weight.sum())


def _parts(first, selection):
    return [slice(a, b) for a, b in zip(first, [*first[1:], len(selection["n_neighbors"])], strict=True)]


def _candidate(rows):
    label = f"{rows['view'][0]}/{rows['form'][0]}"
    if rows["form"][0] != "identity":
        label += f", T = {rows['temperature'][0]:.2g}"
    return TriedCandidate(label, str(rows["form"][0]), rows["n_neighbors"], rows["oob_error"], rows["weight"])
