"""Threads: their number, and their state after a fork.

A process that is forked from one that has computed in several threads computes in one thread. GNU's OpenMP, which
scikit-learn uses, keeps its threads between calls. A fork does not copy them, and the child would wait forever.
A server or a pool that forks has a process for every core anyway; ``threadpoolctl.threadpool_limits`` gives it more.
"""

import os
import sys

ALONE = {"children": True}


def effective_n_threads(n_jobs: int | None) -> int:
    """Return how many threads ``n_jobs`` means where work is done in threads, in joblib's terms.

    ``joblib.effective_n_jobs`` answers for processes, and warns where a process may not have children.
    """
    from joblib.parallel import get_active_backend  # this module is imported with the package, joblib is not

    backend, default = get_active_backend(require="sharedmem")
    return backend.effective_n_jobs(default if n_jobs is None else n_jobs)


def let_children_have_threads() -> None:
    """For a process that has never run OpenMP in several threads, and only forks those that do."""
    ALONE["children"] = False


def _compute_alone():
    # without it nothing was imported that could have computed
    if ALONE["children"] and "threadpoolctl" in sys.modules:
        sys.modules["threadpoolctl"].threadpool_limits(1, user_api="openmp")
    ALONE["children"] = True  # of this one, which may compute


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_compute_alone)
