"""The rows that judge a committee, and which of its replicas have not learned on them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...files.checks import check_array, require
from ...metrics import Ensemble, Voters


class Jury:
    """Judges, and for every replica those that it left out: what it takes to ask them again after the fit.

    A bit for each replica and judge, so that the largest jury takes a hundred kilobytes.

    Parameters
    ----------
    rows : ndarray of shape (n_judges,)
        Numbers of the judges in the table that the learner was given.
    bits : ndarray of shape (n_replicas, ceil(n_judges / 8)) of uint8
        Whether a replica left a judge out of its bag, packed; replicas stand in the order of their ensembles.
    """

    def __init__(self, rows: NDArray, bits: NDArray[np.uint8]):
        self.rows, self.bits = rows, bits

    @classmethod
    def of(cls, rows: NDArray, left_out: Iterable[NDArray[np.bool_]]) -> "Jury":
        """A jury of these rows, with an array (R, n_judges) for every ensemble that learns."""
        every = [np.empty((0, len(rows)), dtype=bool), *left_out]
        return cls(rows, np.packbits(np.concatenate(every), axis=1))

    def __len__(self) -> int:
        return len(self.rows)

    def left_out(self, ensembles: Sequence[Ensemble]) -> list[NDArray[np.bool_]]:
        """For every ensemble (R, n_judges): which judges its replicas left out, all where nothing is learned."""
        known = np.unpackbits(self.bits, axis=1, count=len(self.rows)).astype(bool)
        learned = np.split(known, np.cumsum([len(e.maps) for e in ensembles if e.form.learns])[:-1])
        everyone, of_learned = np.ones((1, len(self.rows)), dtype=bool), iter(learned)
        return [next(of_learned) if ensemble.form.learns else everyone for ensemble in ensembles]

    def check(self, ensembles: Sequence[Ensemble], voters: Voters) -> None:
        """ValueError unless the jury belongs to these metrics and rows."""
        n_replicas = sum(len(ensemble.maps) for ensemble in ensembles if ensemble.form.learns)
        require(len(self.bits) == n_replicas, "bits of Jury", "are of other replicas")
        require(np.isin(self.rows, voters.rows).all(), "rows of Jury", "are not among the voters")

    def to_state(self) -> dict[str, Any]:
        return dict(vars(self))

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "Jury":
        rows, bits = state["rows"], state["bits"]
        check_array(rows, "rows of Jury", 1, None, "iu")
        require(len(np.unique(rows)) == len(rows), "rows of Jury", "are there twice")
        check_array(bits, "bits of Jury", 2, None, "u")
        whole = bits.dtype == np.uint8 and bits.shape[1] == -(-len(rows) // 8)
        require(whole and not np.unpackbits(bits, axis=1)[:, len(rows) :].any(), "bits of Jury", "are of other judges")
        return cls(rows, bits)


def left_out_of(rows: NDArray, voters: Voters, bags: NDArray) -> NDArray[np.bool_]:
    """Which of the rows (n,), by their numbers in the table given, are not in bags (R, m) of these voters: (R, n)."""
    return np.array([~np.isin(rows, voters.rows[bag]) for bag in bags], dtype=bool).reshape(len(bags), len(rows))
