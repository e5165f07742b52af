"""Arrays in, arrays out: the arithmetic of the energies, one module per kind of machine.

Every module has the same functions with the same signatures::

    data = prepare(X, bounds, device, n_jobs)
    nca_energy(data, A)                  -> (R,)
    nca_energy_and_gradient(data, A)     -> (R,), (R, p, d)
    nca_element_sweep(data, A, rows, columns, deltas, allowed, ridge)    (not on a GPU)

X is a stack (B, N, d) of data sets whose patterns are sorted by class, all with the same class ``bounds`` (C + 1,).
A is a stack (R, p, d) of maps. B = R pairs map r with data set r; B = 1 gives all maps the same data.
"""

from importlib import import_module
from types import ModuleType

MODULES = {"cpu": "numba_", "reference": "reference", "cuda": "torch_", "mps": "torch_"}


def kernels_for(device: str) -> ModuleType:
    """The module that computes on ``device``: "cpu", "cuda", "cuda:1", "mps", or "reference" for plain numpy."""
    kind = device.split(":")[0] if isinstance(device, str) else device
    if kind not in MODULES:
        raise ValueError(f"Unknown device {device!r}; known devices: {', '.join(map(repr, MODULES))}.")
    return import_module(f".{MODULES[kind]}", __name__)
