"""Mutants, each tried in a process of its own, a few at once."""

import json
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from . import core, mutated
from .core import Package
from .covering import Covering
from .interpreted import interpret
from .mutant import Mutant
from .tests import Chosen, Collected, apart, run

SECONDS_MORE, TIMES_MORE = 20, 5  # of processor time, beyond what a test takes without a mutant
WAITING = 900  # seconds until a process that no longer computes is ended

Work = Callable[[Mutant, dict[str, float]], tuple[bool, str]]


def try_package(
    package: Package, mutants: list[Mutant], covering: Covering, n_at_once: int, logs: Path, add: Callable
) -> None:
    """Try mutants; ``add`` is called with each and its outcome, in another process.

    A mutated function is put into a process that has imported everything and collected the tests. What already ran
    when modules were imported is imported anew.
    """
    logs.mkdir(parents=True, exist_ok=True)
    inside = [mutant for mutant in mutants if covering.is_called_by_tests(mutant)]
    outside = [mutant for mutant in mutants if mutant not in inside]

    def try_each(some: list[Mutant], work: Work) -> None:
        for mutant, outcome in try_all(some, work, covering, n_at_once, logs):
            add(mutant, outcome)

    def in_collected() -> None:
        server = Collected(lambda server: try_each(inside, lambda *given: swapped(server, *given)))
        run(package.test_files(), [server])

    for part, work in ((inside, in_collected), (outside, lambda: try_each(outside, imported))):
        if part:
            status = os.waitpid(apart(lambda work=work: as_wanted(package, work), logs / "trying.log"), 0)[1]
            if status:
                sys.exit(f"The mutants of {package.name} could not be tried, see {logs / 'trying.log'}.")


def as_wanted(package: Package, work: Callable[[], None]) -> None:
    """Do something in a process that compiles kernels or does not, as the package wants it."""
    if package.interpreted:
        interpret()
    work()


def swapped(server: Collected, mutant: Mutant, limits: dict[str, float]) -> tuple[bool, str]:
    """Whether a mutant survives in a process that has everything imported, and who noticed it."""
    place = mutated.function_at((core.SOURCES / mutant.module).read_text(), mutant.line)
    mutated.swap(os.environ[mutated.NAME], *place, mutant.source)
    server.run(limits)
    return not server.failed, server.failed


def imported(mutant: Mutant, limits: dict[str, float]) -> tuple[bool, str]:
    """The same in a process that has not imported freemetric yet."""
    mutated.install()
    chosen = Chosen(limits)
    code = run(dict.fromkeys(core.ROOT / name.partition("::")[0] for name in limits), [chosen], "-x")
    return code == 0, chosen.failed


def try_all(
    mutants: Iterable[Mutant], work: Work, covering: Covering, n_at_once: int, logs: Path
) -> Iterator[tuple[Mutant, dict]]:
    """Each mutant with its outcome, in the order in which they end."""
    waiting, running = iter(mutants), {}
    while True:
        while len(running) < n_at_once and (following := next(waiting, None)):
            trial = Trial(following, work, covering, logs)
            running[trial.child] = trial
        if not running:
            return
        child, status = os.waitpid(-1, os.WNOHANG)
        if child in running:
            trial = running.pop(child)
            yield trial.mutant, trial.ended(status)
        for trial in running.values():
            trial.end_if_stuck()
        if not child:
            time.sleep(0.02)


class Trial:
    """A child with a mutant, from its start to its outcome."""

    def __init__(self, mutant: Mutant, work: Work, covering: Covering, logs: Path) -> None:
        self.mutant, self.work, self.started = mutant, work, time.monotonic()
        self.folder = Path(tempfile.mkdtemp(prefix="mutant-"))
        names = covering.tests_for(mutant)
        self.limits = {name: SECONDS_MORE + TIMES_MORE * covering.seconds[name] for name in names}
        self.child = apart(self._live, logs / f"{mutant.key}.log")

    def _live(self) -> None:
        source = self.folder / "mutant.py"
        source.write_text(self.mutant.source)
        os.environ |= {
            mutated.NAME: module_name(self.mutant.module),
            mutated.FILE: str(core.SOURCES / self.mutant.module),
            mutated.SOURCE: str(source),
            "PYTHONPATH": os.pathsep.join([str(mutated.AT_START), str(core.SOURCES.parent)]),
            "TMPDIR": str(self.folder),
        }
        tempfile.tempdir = None
        survived, by = self.work(self.mutant, self.limits) if self.limits else (True, "")
        (self.folder / "outcome.json").write_text(json.dumps({"survived": survived, "by": by}))

    def end_if_stuck(self) -> None:
        """End a child that waits for ever; one that computes for ever ends itself."""
        if time.monotonic() - self.started > WAITING:
            os.killpg(self.child, signal.SIGALRM)

    def ended(self, status: int) -> dict:
        """What became of the mutant; what it started and wrote is removed."""
        with suppress(ProcessLookupError):
            os.killpg(self.child, signal.SIGKILL)
        file = self.folder / "outcome.json"
        known = json.loads(file.read_text()) if file.exists() else {"survived": False, "by": ""}
        shutil.rmtree(self.folder, ignore_errors=True)
        if os.WIFSIGNALED(status):
            number = os.WTERMSIG(status)
            known["by"] = "no end" if number in (signal.SIGPROF, signal.SIGALRM) else signal.Signals(number).name
        elif status or not (known["survived"] or known["by"]):
            return self._outcome("broken", f"exit code {os.waitstatus_to_exitcode(status)}")
        return self._outcome("survived" if known["survived"] else "killed", known["by"])

    def _outcome(self, outcome: str, by: str) -> dict:
        seconds = round(time.monotonic() - self.started, 1)
        return {"outcome": outcome, "by": by, "tests": len(self.limits), "seconds": seconds}


def module_name(module: str) -> str:
    """The name under which a file is imported."""
    return ".".join([core.SOURCES.name, *module.removesuffix(".py").removesuffix("/__init__").split("/")])
