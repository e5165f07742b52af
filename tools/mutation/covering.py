"""Which tests run which lines, and how long they take: learned once for every file of tests."""

import json
import os
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from . import core
from .core import Package
from .interpreted import interpret
from .mutant import Mutant, digest, lines_of
from .tests import Traced, apart, run

AT_MOST = 12  # seconds of processor time for the tests of one mutant, those that run its line and are fast first


class Covering:
    """Tests with their seconds, and the tests that run a line of a module."""

    def __init__(self, files: Iterable[dict]) -> None:
        self.seconds: dict[str, float] = {}
        self.lines: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        for file in files:
            self.seconds |= file["seconds"]
            for module, lines in file["lines"].items():
                for line, names in lines.items():
                    self.lines[module][line] += names

    def is_called_by_tests(self, mutant: Mutant) -> bool:
        """Whether tests call the mutated function themselves, and not only what they import."""
        return bool(self._running(mutant))

    def tests_for(self, mutant: Mutant) -> list[str]:
        """Tests that run the mutated line, fastest first; all of them for a line that only runs on import."""
        running = self._running(mutant)
        if not running and "" in self._lines(mutant):
            running = set(self.seconds)
        return within(sorted(running, key=self.seconds.__getitem__), self.seconds)

    def _lines(self, mutant):
        lines = lines_of((core.SOURCES / mutant.module).read_text(), mutant.line)
        return {name for line in lines for name in self.lines[mutant.module][str(line)]}

    def _running(self, mutant):
        return self._lines(mutant) - {""}


def within(names: list[str], seconds: dict[str, float]) -> list[str]:
    """The first names whose seconds are below the limit together."""
    kept, total = [], 0.0
    for name in names:
        total += seconds[name]
        if total > AT_MOST and kept:
            break
        kept.append(name)
    return kept


def covering(package: Package, folder: Path, n_at_once: int) -> Covering:
    """Run every file of tests once, or read what that gave if neither it nor the sources have changed."""
    folder.mkdir(parents=True, exist_ok=True)
    sources = digest(*(path.read_bytes() for path in sorted(core.SOURCES.rglob("*.py"))))
    how = "interpreted" if package.interpreted else "compiled"
    kept = {
        file: folder / f"{file.stem}_{how}_{digest(file, file.read_bytes(), sources)[:12]}.json"
        for file in package.test_files()
    }
    _trace_all([file for file in kept if not kept[file].exists()], kept, package.interpreted, n_at_once)
    slow = [
        file for file, path in kept.items() if (found := json.loads(path.read_text()))["times"] == 1 and _is_slow(found)
    ]
    _trace_all(slow, kept, package.interpreted, n_at_once)
    return Covering(json.loads(path.read_text()) for path in kept.values())


def _is_slow(found: dict) -> bool:
    """Whether tests took so long that they may have compiled kernels, as only the first run of a file does."""
    return sum(found["seconds"].values()) > AT_MOST


def _trace_all(left: list[Path], kept: dict[Path, Path], interpreted: bool, n_at_once: int) -> None:
    running = {}
    while left or running:
        while left and len(running) < n_at_once:
            file = left.pop()
            log = kept[file].with_suffix(".log")
            running[apart(lambda file=file: _trace(file, kept[file], interpreted), log)] = log
        child, status = os.wait()
        if status:
            raise SystemExit(f"Tests fail without any mutant, see {running[child].relative_to(core.ROOT)}.")
        del running[child]


def _trace(file: Path, kept: Path, interpreted: bool) -> None:
    import coverage

    if interpreted:
        interpret()
    traced = coverage.Coverage(data_file=None, source=[str(core.SOURCES)], config_file=False, messages=False)
    plugin = Traced(traced)
    traced.start()
    code = run([file], [plugin], *(["--timeout=60", "-k", core.TOO_LONG] if interpreted else []))
    traced.stop()
    if code not in (0, 5) and not (code == 1 and interpreted):  # 5: all tests of the file are slow ones
        raise SystemExit(code)
    for name in plugin.failed:  # some tests are too slow without a compiler, or test the compiler
        plugin.seconds.pop(name, None)
        plugin.fixtures.pop(name, None)
    times = 2 if interpreted or kept.exists() else 1
    found = {"times": times, "seconds": plugin.seconds, "lines": _by_line(traced.get_data(), plugin.fixtures)}
    kept.with_suffix(".draft").write_text(json.dumps(found))
    kept.with_suffix(".draft").rename(kept)


def _by_line(data, fixtures: dict[str, list[str]]) -> dict[str, dict[str, list[str]]]:
    """Tests by modules and lines; "" stands for what ran while the tests were imported."""
    users: dict[str, set[str]] = {"": {""}}
    for test, names in fixtures.items():
        for name in [test, *names]:
            users.setdefault(name, set()).add(test)
    found = {}
    for file in data.measured_files():
        module = Path(file).relative_to(core.SOURCES).as_posix()
        found[module] = {
            str(line): sorted({test for name in names for test in users.get(name, ())})
            for line, names in data.contexts_by_lineno(file).items()
        }
    return found
