"""Arrays in, arrays out: the arithmetic of the energies and of the neighbours, one backend per kind of machine.

``reference`` defines in plain numpy what a backend computes, from the values in ``protocol``; numba/ and torch/ are
fast.
"""

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from .protocol import Loss, Places, Trials

__all__ = ["Loss", "Places", "Trials", "can_follow", "can_sweep", "cpu_kernels", "kernels_for"]

BACKENDS = {"cpu": "numba.backend", "reference": "reference", "cuda": "torch.backend", "mps": "torch.backend"}


def kernels_for(device: str) -> ModuleType:
    """The backend of ``device``: "cpu", "cuda", "cuda:1", "mps", or "reference" for plain numpy."""
    if _kind(device) not in BACKENDS:
        raise ValueError(f"Unknown device {device!r}; known devices: {', '.join(map(repr, BACKENDS))}.")
    return _backend(BACKENDS[_kind(device)])


def cpu_kernels() -> ModuleType:
    """The CPU's backend, with what it alone computes: indices, votes, and the inner loops of single learners."""
    return _backend("numba.backend")


def can_sweep(device: str, of_targets: bool = False) -> bool:
    """Whether ``device`` does whole sweeps of element trials: CUDA in triton, for classes; Apple's GPUs do none."""
    if not BACKENDS[_kind(device)].startswith("torch"):
        return True
    return not of_targets and _kind(device) == "cuda" and find_spec("triton") is not None


def can_follow(device: str, n_features: int, n_listed: int | None, diagonal: bool) -> bool:
    """Whether ``device`` follows whole trajectories: CUDA does, where so few neighbours are listed that it is fast."""
    if n_listed is None or _kind(device) != "cuda" or find_spec("triton") is None:
        return False
    return import_module(".torch.listed_trajectories", __name__).fits(n_features, n_listed, diagonal)


@cache
def _backend(name):  # an import that has been made is still a twentieth of one prediction
    if name.startswith("torch") and find_spec("torch") is None:
        raise ImportError("Computing on a GPU needs torch: pip install 'freemetric[gpu]'.")
    return import_module(f".{name}", __name__)


def _kind(device):
    return device.split(":")[0] if isinstance(device, str) else device
