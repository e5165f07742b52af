"""pytest in this process: some tests in an order of ours, with a limit of processor time each."""

import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from . import core

LONGEST = 25  # seconds of processor time for all tests of a mutant, with their fixtures
OPTIONS = ("-q", "-s", "-p", "no:cacheprovider", "-p", "no:xdist", "-m", "not slow", "-o", "addopts=--strict-markers")


class Watch:
    """Names the first test that fails, and ends the process by SIGPROF where one computes far longer than it did."""

    def __init__(self, limits: dict[str, float]) -> None:
        self.limits, self.failed, self.n_run = limits, "", 0

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item):
        """Count the processor time of a test, with its share of fixtures."""
        signal.setitimer(signal.ITIMER_PROF, self.limits[item.nodeid])
        self.n_run += 1
        try:
            return (yield)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)

    def pytest_runtest_logreport(self, report):
        """Remember who noticed."""
        if report.failed and not self.failed:
            self.failed = report.nodeid

    def pytest_collectreport(self, report):
        """A module that cannot be imported is noticed as well."""
        if report.failed and not self.failed:
            self.failed = f"{report.nodeid} (import)"


class Chosen(Watch):
    """Collects tests in a process whose module is mutated, and runs those that have a limit, in the order of limits."""

    def pytest_collection_modifyitems(self, items):
        """Drop what is not wanted."""
        order = {name: place for place, name in enumerate(self.limits)}
        items[:] = sorted((item for item in items if item.nodeid in order), key=lambda item: order[item.nodeid])


class Collected(Watch):
    """Collects tests and hands them on instead of running them; what is forked then can run them at once."""

    def __init__(self, work: Callable[["Collected"], None]) -> None:
        super().__init__({})
        self.work = work

    def pytest_runtestloop(self, session):
        """Everything is imported now."""
        self.items = {item.nodeid: item for item in session.items}
        self.work(self)
        return True

    def run(self, limits: dict[str, float]) -> None:
        """Run tests in the order of their limits until one fails, or until shared fixtures have made them too long."""
        started = time.process_time()
        self.limits = limits
        items = [self.items[name] for name in limits]
        for item, following in zip(items, [*items[1:], None], strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if self.failed or time.process_time() - started > LONGEST:
                return


class Traced:
    """Tells coverage which test or which shared fixture is running, and times the tests."""

    def __init__(self, coverage) -> None:
        self.coverage = coverage
        self.fixtures: dict[str, list[str]] = {}
        self.seconds: dict[str, float] = {}  # of processor time, as the machine may have other things to do
        self.failed: list[str] = []
        self.running = [""]

    def _within(self, name):
        self.running.append(name)
        self.coverage.switch_context(name)

    def _back(self):
        self.running.pop()
        self.coverage.switch_context(self.running[-1])

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item):
        """Lines run for a test, from its setup to its teardown."""
        self.fixtures[item.nodeid] = [f"fixture {name}" for name in item.fixturenames]
        self._within(item.nodeid)
        started = time.process_time()
        try:
            return (yield)
        finally:
            self.seconds[item.nodeid] = round(time.process_time() - started, 3)
            self._back()

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef, request):
        """A fixture is set up for its first test, and its lines matter to every test that asks for it."""
        self._within(f"fixture {fixturedef.argname}")
        try:
            return (yield)
        finally:
            self._back()

    def pytest_runtest_logreport(self, report):
        """A test that fails without a mutant can say nothing about mutants."""
        if report.failed:
            self.failed.append(report.nodeid)


def run(files: Iterable[Path], plugins: list, *options: str) -> int:
    """Run the tests of some files with plugins of ours; pytest's exit code."""
    os.chdir(core.ROOT)
    names = [str(path.relative_to(core.ROOT)) for path in files]
    return int(pytest.main([*OPTIONS, *options, *names], plugins=plugins))


def apart(work: Callable[[], None], log: Path) -> int:
    """Run something in a child, which writes what it says to a file; the child's id."""
    child = os.fork()
    if child:
        return child
    code = 3
    try:
        os.setsid()  # with all that it starts it can be ended
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        said = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        for stream in (1, 2):
            os.dup2(said, stream)
        work()
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
