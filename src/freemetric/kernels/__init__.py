"""Arrays in, arrays out: the arithmetic of the energies and of the neighbours, one backend per kind of machine.

``protocol`` says what a backend computes, ``reference`` defines it in plain numpy; numba/ and torch/ are fast.
"""

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import cast

from .protocol import SQUARED, Arrival, CpuKernels, Kernels, Launch, Loss, Places, Trials

__all__ = [
    "SQUARED",
    "Arrival",
    "CpuKernels",
    "Kernels",
    "Launch",
    "Loss",
    "Places",
    "Trials",
    "can_follow",
    "can_sweep",
    "cpu_kernels",
    "kernels_for",
]

BACKENDS = {"cpu": "numba.backend", "reference": "reference", "cuda": "torch.backend", "mps": "torch.backend"}


def kernels_for(device: str) -> Kernels:
    """The backend of ``device``: "cpu", "cuda", "cuda:1", "mps", or "reference" for plain numpy."""
    if _kind(device) not in BACKENDS:
        raise ValueError(f"Unknown device {device!r}; known devices: {', '.join(map(repr, BACKENDS))}.")
    return cast(Kernels, _backend(BACKENDS[_kind(device)]))


def cpu_kernels() -> CpuKernels:
    """The CPU's backend, with what it alone computes: indices, votes, and the inner loops of single learners."""
    return cast(CpuKernels, _backend(BACKENDS["cpu"]))


def can_sweep(device: str) -> bool:
    """Whether ``device`` does whole sweeps of element trials: CUDA's are written in triton, Apple's GPUs have none."""
    needs_triton = BACKENDS[_kind(device)].startswith("torch")
    return not needs_triton or (_kind(device) == "cuda" and find_spec("triton") is not None)


def can_follow(device: str, n_features: int, n_listed: int | None, diagonal: bool) -> bool:
    """Whether ``device`` follows whole trajectories: CUDA does, where so few neighbours are listed that it is fast."""
    if n_listed is None or _kind(device) != "cuda" or find_spec("triton") is None:
        return False
    return import_module(".torch.listed_trajectories", __name__).fits(n_features, n_listed, diagonal)


@cache
def _backend(name):  # an import that has been made is still a twentieth of one prediction
    return import_module(f".{name}", __name__)


def _kind(device):
    return device.split(":")[0] if isinstance(device, str) else device
