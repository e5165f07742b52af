"""Arrays in, arrays out: the arithmetic of the energies, one backend per kind of
machine.

``protocol`` says which functions a backend has, ``reference`` defines in plain numpy
what they compute; numba/ and torch/ are fast. Inner loops of single learners are
compiled for the CPU alone."""

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from .protocol import Loss, Similarity, Trials

__all__ = ["Loss", "Similarity", "Trials", "cpu_kernels", "kernels_for"]

BACKENDS = {
    "cpu": "numba.backend",
    "reference": "reference",
    "cuda": "torch.backend",
    "mps": "torch.backend",
}


def kernels_for(device: str) -> ModuleType:
    """Return the backend of a device: "cpu", "cuda", "cuda:1", "mps", or "reference"
    for plain numpy.
    """
    kind = device.split(":")[0] if isinstance(device, str) else device
    if kind not in BACKENDS:
        known = ", ".join(map(repr, BACKENDS))
        raise ValueError(f"Unknown device {device!r}; known devices: {known}.")
    return _backend(BACKENDS[kind])


def cpu_kernels() -> ModuleType:
    """Return the CPU's backend, with the inner loops that it alone has."""
    return _backend("numba.backend")


@cache
def _backend(name):  # compiled functions and torch are imported when they are needed
    if name.startswith("torch") and find_spec("torch") is None:
        raise ImportError("A GPU needs torch: pip install torch (extra 'gpu').")
    return import_module(f".{name}", __name__)
