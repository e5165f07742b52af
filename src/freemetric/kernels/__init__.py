"""Arrays in, arrays out: the arithmetic of the energies, one backend per kind of
machine.

``devices`` says which functions a backend has, ``reference`` defines in plain numpy
what they compute; numba/ and torch/ are fast. Inner loops of single learners are
compiled for the CPU alone."""

from .devices import Trials, cpu_kernels, kernels_for, one_blas_thread
from .formulas import Loss, Similarity

__all__ = [
    "Loss",
    "Similarity",
    "Trials",
    "cpu_kernels",
    "kernels_for",
    "one_blas_thread",
]
