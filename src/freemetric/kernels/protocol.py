"""What a kind of machine must compute: the functions that every backend has, with the same signatures.

X is a stack (B, N, d) of data sets. For classification the samples are sorted by class, all with the same class
``bounds`` (C + 1,); for regression they come in any order, with targets y (B, m, N) of mean zero and variance one,
and ``scale`` (B, m) is what a constant costs. ``weights`` (B, N) are positive, or None for equal ones; only their
ratios matter. A is a stack (R, p, d) of maps or, where ``diagonal``, (R, 1, d) of feature weights. B = R pairs map r
with data set r; with B = 1 all maps have the same data. ``lists`` say which neighbours of a sample count, and only
their own backend can read them; without them all count.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from numpy.typing import NDArray


class Trials(NamedTuple):
    """Trials of single elements, (R, n) each: A[r, row, column] changes by delta if the energy rises no more."""

    rows: NDArray
    columns: NDArray
    deltas: NDArray
    allowed: NDArray


class Launch(NamedTuple):
    """The beginning of leapfrog trajectories: maps, gradients and velocities (R, p, d), and time steps (R,)."""

    A: NDArray
    gradient: NDArray
    velocity: NDArray
    time_step: NDArray
    n_leapfrog: int


class Arrival(NamedTuple):
    """The end of leapfrog trajectories; where the velocity is NaN a map was lost, and is where it began."""

    A: NDArray
    energy: NDArray
    gradient: NDArray
    velocity: NDArray


class Loss(NamedTuple):
    """A loss of regression: "squared", "log_likelihood", "absolute", or "pinball" at a quantile."""

    name: str
    quantile: float = 0.5


SQUARED = Loss("squared")
Places = tuple[NDArray, NDArray]  # how many samples lie at every place, (M,), and what they vote for, (M, n_cells)


class NeighborSearch(Protocol):
    """A search for nearest neighbours."""

    def kneighbors(self, Q: NDArray, n_neighbors: int) -> NDArray:
        """Rows (n, n_neighbors) of those nearest to queries Q (n, p), nearest first."""


class Kernels(Protocol):
    """The functions of a backend."""

    def prepare(self, X: NDArray, bounds: NDArray, device: str = ..., weights: NDArray | None = None) -> Any:
        """Data of classes."""

    def prepare_alike(self, X: NDArray, y: NDArray, device: str = ..., weights: NDArray | None = None) -> Any:
        """Data of targets (B, N), alike as far as exp(-(y_i - y_j)^2) says."""

    def prepare_targets(
        self, X: NDArray, y: NDArray, scale: NDArray, loss: Loss, device: str = ..., weights: NDArray | None = None
    ) -> Any:
        """Data of targets whose means among neighbours are taken."""

    def neighbor_lists(self, data: Any, A: NDArray, size: int, diagonal: bool = False, last: Any = None) -> Any:
        """The nearest neighbours of every sample under every map; ``last`` are maps and lists that may serve again."""

    def nca_energy(
        self, data: Any, A: NDArray, log_floor: float = 0.0, lists: Any = None, diagonal: bool = False
    ) -> NDArray:
        """E (R,)."""

    def nca_energy_and_gradient(
        self, data: Any, A: NDArray, log_floor: float = 0.0, lists: Any = None, diagonal: bool = False
    ) -> tuple[NDArray, NDArray]:
        """E (R,) and dE/dA."""

    def nca_element_sweep(
        self, data: Any, A: NDArray, trials: Trials, ridge: float = 0.0
    ) -> tuple[NDArray, NDArray, NDArray]:
        """A after the trials, E (R,), and which were accepted; only where ``can_sweep``."""

    def nca_trajectory(
        self,
        data: Any,
        launch: Launch,
        log_floor: float = 0.0,
        lists: Any = None,
        diagonal: bool = False,
        ridge: float = 0.0,
    ) -> Arrival:
        """Where trajectories in E + ridge |A|^2 end; only where ``can_follow``."""

    def regression_energy(self, data: Any, A: NDArray, lists: Any = None, diagonal: bool = False) -> NDArray:
        """E (R,)."""

    def regression_energy_and_gradient(
        self, data: Any, A: NDArray, lists: Any = None, diagonal: bool = False
    ) -> tuple[NDArray, NDArray]:
        """E (R,) and dE/dA."""

    def left_out_shares(
        self, spaces: Any, seen: NDArray, maps: NDArray, outside: Sequence[NDArray], votes: tuple, device: str = ...
    ) -> NDArray:
        """Sums over spaces of the shares of votes (n, K, n_cells) that samples get without their own; only on GPUs.

        ``spaces(seen, maps, ops)`` gives places (M, p) of every space, ``outside`` the numbers of the samples that get
        votes in it. ``votes`` are ``Places``, the places (n,) of the samples, their own votes (n, n_cells), and K.
        """

    def NearestNeighbors(self, Z: NDArray, device: str = ..., n_jobs: int | None = None) -> NeighborSearch:
        """A search among rows Z (M, p)."""

    def neighbor_shares(
        self, Z: NDArray, Q: NDArray, candidates: NDArray, places: Places, weights: NDArray, device: str = ...
    ) -> NDArray:
        """Shares of votes (n, n_cells) that queries Q (R, n, p) get from their nearest places Z (R, M, p)."""

    def weighted_squares(self, Q: NDArray, Z: NDArray, shares: NDArray, device: str = ...) -> NDArray:
        """Squared distances (n, m) of Q (R, n, p) and Z (R, m, p), summed over R spaces by shares (R, n)."""

    def ridge_regression(
        self, Z: NDArray, Y: NDArray, length: float, ridges: NDArray, some: NDArray, device: str = ...
    ) -> tuple[NDArray, NDArray]:
        """G Y (m, C), and the rows ``some`` (r,) of G (m, m), the inverse of K + diag(ridges).

        K are the kernels exp(-|z - z'| / length) of samples Z (m, q) with targets Y (m, C) and ridges (m,).
        """


class CpuKernels(Kernels, Protocol):
    """What only the CPU computes beside: indices, votes that are merged, and the inner loops of single learners."""

    Cells: Any  # an inverted file of very many places
    as_places: Callable[[NDArray], NDArray]
    as_queries: Callable[[NDArray], NDArray]
    nearest: Callable[..., NDArray]  # of queries, places and a number
    others_nearest: Callable[[NDArray, int], NDArray]  # of samples in several spaces, in any order
    wide: Callable[[int], int]  # the length that rows are padded to

    NOBODY: int  # in lists of nearest places that are not full
    add_left_out_shares: Callable[..., None]
    cache_folder: Callable[[], str | None]
    filled_up: Callable[[NDArray], NDArray]
    nearest_places: Callable[..., None]
    merge: Callable[..., None]
    count_shares: Callable[..., None]
    diagonal_shares: Callable[..., NDArray]
    quantile_place: Callable[..., int]
    write_levels: Callable[..., None]

    Margin: Any  # of LMNN
    reaches: Callable[..., tuple[NDArray, NDArray]]
    farthest_move: Callable[..., float]
    searched_loss: Callable[..., tuple]
    kept_loss: Callable[..., tuple]
    triplet_loss: Callable[..., tuple]

    log_partition: Callable[..., float]  # of MCML
    logdet_cycle: Callable[..., None]  # of ITML
    DualAverage: Any  # of SCML
    descend: Callable[..., None]
    mean_hinge: Callable[..., float]
