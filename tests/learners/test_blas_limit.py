"""The number of BLAS threads belongs to the process: whatever overlaps, it is in the end what it was."""

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import permutations
from threading import Barrier

import numpy as np
import pytest
from threadpoolctl import ThreadpoolController, threadpool_limits

from freemetric import NCA, FreeEnergyClassifier, Recipe
from freemetric.learners.base import one_blas_thread
from freemetric.learners.parallel import BLAS_LIMIT, BlasLimit

LIBRARIES = ThreadpoolController().select(user_api="blas")
pytestmark = pytest.mark.skipif(not len(LIBRARIES), reason="no BLAS whose threads can be counted")


def n_threads():
    return {library["num_threads"] for library in LIBRARIES.info()}


@pytest.fixture(autouse=True)
def three_threads():
    with threadpool_limits(3, user_api="blas"):
        yield
        assert n_threads() == {3}
        assert not BLAS_LIMIT.inside
        with ThreadPoolExecutor(1) as other:  # this thread may enter again even where it has kept the lock
            assert other.submit(BLAS_LIMIT.lock.acquire, timeout=10).result()
            other.submit(BLAS_LIMIT.lock.release).result()


@pytest.mark.parametrize("order", list(permutations(range(3))), ids=str)
def test_the_last_to_leave_restores(order):
    """Others enter between those that leave, too."""
    held = [one_blas_thread() for _ in range(4)]
    for limit in held[:3]:
        limit.__enter__()
    for number in order[:2]:
        held[number].__exit__(None, None, None)
        assert n_threads() == {1}
    with held[3]:
        held[order[2]].__exit__(None, None, None)
        assert n_threads() == {1}
    assert n_threads() == {3}


def test_eight_threads_that_overlap():
    meet = Barrier(8)

    def enter_and_leave(seed):
        rng, seen = np.random.default_rng(seed), set()
        for _ in range(50):
            meet.wait()
            with ExitStack() as stack:
                for _ in range(rng.integers(1, 4)):
                    stack.enter_context(one_blas_thread())
                    seen |= n_threads()
        return seen

    with ThreadPoolExecutor(8) as pool:
        assert set().union(*pool.map(enter_and_leave, range(8))) == {1}


def test_eight_fits_at_once(wine):
    X, y = wine
    meet = Barrier(8)

    def work(seed):
        meet.wait()
        if seed % 2:
            return NCA(max_iter=20, tol=1e-2, random_state=seed).fit(X, y)
        return (
            FreeEnergyClassifier(2, recipe=Recipe(candidates=["scaled/diagonal"]), random_state=seed)
            .fit(X, y)
            .predict(X)
        )

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert n_threads() == {3}


def test_an_error_inside():
    with pytest.raises(KeyboardInterrupt), one_blas_thread(), one_blas_thread():
        raise KeyboardInterrupt
    assert n_threads() == {3}


def test_an_interrupt_at_any_line():
    """Also where the limit is set and restored; the next that leaves then completes it.

    A tracer also interrupts where no signal can, between the end of a with-block and the release of its lock. So this
    test has limits of its own, or the lock of the process would stay closed to all other threads.
    """
    for n in range(1, 80):
        lines, limit = iter(range(n)), BlasLimit()

        def interrupt(frame, event, _, lines=lines):
            if not frame.f_code.co_filename.endswith("blas_threads.py"):
                return None
            if event == "line" and next(lines, None) is None:
                sys.settrace(None)
                raise KeyboardInterrupt
            return interrupt

        before = sys.gettrace()
        sys.settrace(interrupt)
        try:
            with limit.held():
                pass
        except KeyboardInterrupt:
            pass
        finally:
            sys.settrace(before)
        with limit.held():
            assert n_threads() == {1}
        assert n_threads() == {3}, n


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_child_starts_afresh():
    """A child of a process that is inside, with the lock held elsewhere, neither waits nor stays at one thread."""
    with one_blas_thread(), BLAS_LIMIT.lock:
        child = os.fork()
        if child == 0:
            code = 1
            try:
                assert not BLAS_LIMIT.inside
                with ThreadPoolExecutor(1) as pool:
                    pool.submit(lambda: one_blas_thread().__enter__()).result(timeout=5)
                BLAS_LIMIT.inside.clear()
                with one_blas_thread():
                    assert n_threads() == {1}
                code = 0 if n_threads() == {3} else 2
            finally:
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
