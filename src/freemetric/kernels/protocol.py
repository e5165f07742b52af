"""What every backend computes with: the costs of neighbours, trials of single elements,
and the functions themselves.

A backend is a module with the functions of :class:`Backend`. ``reference`` defines in
plain numpy what they compute."""

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from numpy.typing import NDArray


@dataclass(frozen=True)
class Similarity:
    """Neighbours are right as far as they are similar: a sample costs 1 - p, or -log(p
    + log_floor).

    p is the expected similarity of a sample and its neighbour.

    Parameters
    ----------
    kind : {"class", "target", "labels"}
        "class": 1 in the same class, else 0; y (1, N). "target": exp(-(y_i - y_j)^2); y
        (B, N). "labels": the Jaccard similarity of two sets of labels; y (1, N, m) or
        (B, N, m) holds zeros and ones.
    log_floor : float, default=0.0
        Where it is positive, the logarithm of p + log_floor is taken.
    """

    kind: str
    log_floor: float = 0.0


@dataclass(frozen=True)
class Loss:
    """Neighbours predict y (B, m, N), of mean zero and variance one, by their mean; a
    sample costs the loss of that.

    Parameters
    ----------
    name : {"squared", "log_likelihood", "absolute", "pinball"}
        The loss.
    quantile : float, default=0.5
        Level of the pinball loss.
    """

    name: str
    quantile: float = 0.5


class Trials(NamedTuple):
    """Trials of single elements, (R, n) each.

    A[r, row, column] changes by delta if the energy rises no more than allowed.
    """

    rows: NDArray
    columns: NDArray
    deltas: NDArray
    allowed: NDArray


class Backend(Protocol):
    """The functions of a backend.

    X (B, N, d) is a stack of data sets, and A (R, p, d) a stack of maps or, where
    ``diagonal``, (R, 1, d) of feature weights. B = R pairs map r with data set r; with
    B = 1 all maps have the same data. Sample weights (B, N) are positive, or None for
    equal ones; only their ratios matter."""

    def prepare(
        self,
        X: NDArray,
        y: NDArray,
        cost: Similarity | Loss,
        device: str,
        weights: NDArray | None = None,
    ) -> Any:
        """Data sets as the other functions want them."""

    def neighbor_lists(
        self, data: Any, A: NDArray, size: int, diagonal: bool = False, last: Any = None
    ) -> Any:
        """Lists of the ``size`` nearest others of every sample under every map.

        ``last`` are other lists of such maps: what they have in common is found faster.
        """

    def energy(
        self, data: Any, A: NDArray, lists: Any = None, diagonal: bool = False
    ) -> NDArray:
        """Energies (R,); of all pairs, or of those on the lists."""

    def energy_and_gradient(
        self, data: Any, A: NDArray, lists: Any = None, diagonal: bool = False
    ) -> tuple[NDArray, NDArray]:
        """Energies (R,) and their gradients, of the shape of A."""

    def can_sweep(self, data: Any) -> bool:
        """Whether there is an ``element_sweep`` for such data."""

    def element_sweep(
        self, data: Any, A: NDArray, trials: Trials, ridge: float = 0.0
    ) -> tuple[NDArray, NDArray, NDArray]:
        """Make all trials of every replica, one after another.

        Returns the new A, energies (R,) plus ridge * |A|^2, and which trials were
        accepted (R, n)."""
