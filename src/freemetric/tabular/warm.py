"""Imported once by the server that forks the fits: whatever is loaded here is not loaded again by each of them."""

import numpy as np

from ..forking import let_children_have_threads
from ..learners import NCA
from . import evaluation

# One tiny fit loads the compiled kernels.
NCA().fit(np.array([[0.0], [0.1], [1.0], [1.1]]), [0, 0, 1, 1])
let_children_have_threads()  # nothing above uses OpenMP

__all__ = ["evaluation"]
