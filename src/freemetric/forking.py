"""Threads: their number, and their state after a fork.

scikit-learn computes with GNU's OpenMP, which keeps its threads between calls. A fork
does not copy them, so that a child would wait forever for threads of its parent: a fit
in a pool of forked workers would never end. A child therefore computes in one thread;
``threadpoolctl.threadpool_limits`` gives it more.
"""

import os
import sys


def effective_n_threads(n_jobs: int | None) -> int:
    """Return how many threads ``n_jobs`` means, in joblib's terms.

    ``joblib.effective_n_jobs`` answers for processes, and warns where a process may not
    have children.
    """
    from joblib.parallel import get_active_backend  # not imported with the package

    backend, default = get_active_backend(require="sharedmem")
    return backend.effective_n_jobs(default if n_jobs is None else n_jobs)


def _compute_alone():
    if "threadpoolctl" in sys.modules:  # else nothing has computed
        sys.modules["threadpoolctl"].threadpool_limits(1, user_api="openmp")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_compute_alone)
