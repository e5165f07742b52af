"""Threads of BLAS and OpenMP: one of BLAS in a fit, and none left over after a fork."""

import os
import sys
from contextlib import contextmanager
from functools import cache
from threading import Lock

from threadpoolctl import ThreadpoolController


class _Limit:
    """How many threads of this process are inside of ``one_blas_thread``.

    The number of BLAS threads belongs to the process. The first to enter lowers it, and
    the last to leave restores it: fits in parallel threads would else leave it low.
    """

    def __init__(self):
        self.lock = Lock()
        self.n_inside = 0
        self.limiter = None

    def enter(self):
        with self.lock:
            if self.n_inside == 0:
                self.limiter = _libraries().limit(limits=1, user_api="blas")
            self.n_inside += 1

    def leave(self):
        with self.lock:
            self.n_inside -= 1
            if self.n_inside == 0:
                self.limiter.restore_original_limits()


@cache
def _libraries():
    """The libraries of this process; cached, because the search takes milliseconds."""
    return ThreadpoolController()


_LIMIT = _Limit()


@contextmanager
def one_blas_thread():
    """Run matrix products of a block, or of a decorated function, in one thread."""
    _LIMIT.enter()
    try:
        yield
    finally:
        _LIMIT.leave()


def compute_alone():
    """Let OpenMP run one thread in a forked child.

    GNU's OpenMP, with which scikit-learn computes, keeps its threads between calls. A
    fork does not copy them, and a child would wait for its parent's forever.
    ``threadpoolctl.threadpool_limits`` gives it more.
    """
    if "threadpoolctl" in sys.modules:  # else nothing has computed
        sys.modules["threadpoolctl"].threadpool_limits(1, user_api="openmp")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=compute_alone)
