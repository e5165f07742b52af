"""Arrays in, arrays out: the arithmetic of the energies, one module per kind of machine.

Every module has the same functions with the same signatures::

    data = prepare(X, bounds, device, weights)
    lists = neighbor_lists(data, A, size, diagonal, last)
    nca_energy(data, A, log_floor, lists, diagonal)                      -> (R,)
    nca_energy_and_gradient(data, A, log_floor, lists, diagonal)         -> (R,), (R, p, d)
    nca_element_sweep(data, A, rows, columns, deltas, allowed, ridge)    where can_sweep(device)
    data = prepare_numbers(X, y, scale, loss, quantile, device, weights)
    regression_energy(data, A, lists, diagonal)                          -> (R,)
    regression_energy_and_gradient(data, A, lists, diagonal)             -> (R,), (R, p, d)
    regression_element_sweep(data, A, rows, columns, deltas, allowed, ridge)  not on GPUs
    NearestNeighbors(Z, device, n_jobs).kneighbors(Q, n_neighbors)       -> (len(Q), n_neighbors)
    neighbor_shares(Z, Q, candidates, counts, ballots, weights, device)  -> (Q.shape[1], C)

X is a stack (B, N, d) of data sets whose patterns are sorted by class, all with the same class ``bounds`` (C + 1,).
``weights`` (B, N) are positive, or None for equal ones; only their ratios matter. A is a stack (R, p, d) of maps, or
where ``diagonal`` (R, 1, d) of weights of the features. B = R pairs map r with data set r; with B = 1 all maps have the
same data. Numbers y (B, m, N) have mean zero and variance one, ``scale`` (B, m) is what a constant costs in the loss of
that name, and patterns are in any order. ``lists`` say which neighbours of a pattern count, and only their own module
can read them; without them all count.
"""

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

MODULES = {"cpu": "numba_", "reference": "reference", "cuda": "torch_", "mps": "torch_"}


def kernels_for(device: str) -> ModuleType:
    """The module that computes on ``device``: "cpu", "cuda", "cuda:1", "mps", or "reference" for plain numpy."""
    if _kind(device) not in MODULES:
        raise ValueError(f"Unknown device {device!r}; known devices: {', '.join(map(repr, MODULES))}.")
    return import_module(f".{MODULES[_kind(device)]}", __name__)


def can_sweep(device: str) -> bool:
    """Whether ``device`` does whole sweeps of element trials: CUDA's are written in triton, Apple's GPUs have none."""
    needs_triton = MODULES[_kind(device)] == "torch_"
    return not needs_triton or (_kind(device) == "cuda" and find_spec("triton") is not None)


def _kind(device):
    return device.split(":")[0] if isinstance(device, str) else device
