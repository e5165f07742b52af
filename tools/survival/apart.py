"""A row of the table, and work in a process of its own: it may crash, hang or ask for all memory."""

import os
import resource
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

MEMORY = 6 << 30  # bytes of addresses
SECONDS = 60  # of computing
MOST = 60_000  # letters, less than a pipe holds

Item = TypeVar("Item")


@dataclass
class Row:
    """What was done so many times, and what did not hold."""

    what: str
    tried: int
    wanted: str
    broken: list[str] = field(default_factory=list)
    measured: str = ""

    @property
    def markdown(self) -> str:
        """A line of a table of five columns."""
        return f"| {self.what} | {self.tried:,} | {self.wanted} | {len(self.broken)} | {self.measured} |"


HEAD = "| what | times | what is wanted | broken | measured |\n|---|---|---|---|---|"


def apart(work: Callable[[], str], seconds: int = SECONDS, memory: int = MEMORY) -> str:
    """The line that ``work`` gives in a forked process, or "died: ..." with the signal that ended it."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _in_the_child(work, writer, seconds, memory)
    os.close(writer)
    with os.fdopen(reader) as file:
        said = file.read()
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return said if code == 0 else f"died: {signal.Signals(-code).name if code < 0 else f'exit code {code}'}"


def lines_apart(work: Callable[[Item], str], items: list[Item]) -> list[str]:
    """A line of each; they share a process, as many cost more than the work, and where it dies each has its own."""
    said = apart(lambda: "\n".join(" ".join(work(item).split()) for item in items))
    if said.startswith("died") and len(items) > 1:
        return [line for item in items for line in lines_apart(work, [item])]
    return [said] if said.startswith("died") else said.split("\n")


def _in_the_child(work, writer, seconds, memory):
    code = 1
    try:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        signal.setitimer(signal.ITIMER_PROF, seconds)  # its signal ends the process
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
        os.write(writer, work().encode()[:MOST])
        code = 0
    finally:
        os._exit(code)
