"""A row of the table, and work in a process of its own: it may crash or never end."""

import os
import resource
import signal
import sys
from dataclasses import dataclass, field

MEMORY = 6 << 30  # bytes of addresses
SECONDS = 60  # of computing
MOST = 60_000  # letters, fewer than a pipe holds
HEAD = "| what | times | what is wanted | broken | measured |\n|---|---|---|---|---|"


@dataclass
class Row:
    """What was done so many times, and what did not hold."""

    what: str
    times: int
    wanted: str
    broken: list = field(default_factory=list)
    measured: str = ""

    def markdown(self):
        """Return the line of a table."""
        cells = [self.what, f"{self.times:,}", self.wanted, len(self.broken)]
        return f"| {' | '.join(map(str, cells))} | {self.measured} |"


def apart(work, seconds=SECONDS, memory=MEMORY):
    """Return the text of ``work()`` in a forked process, or "died: ..." with why."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        in_the_child(work, writer, seconds, memory)
    os.close(writer)
    with os.fdopen(reader) as file:
        text = file.read()
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code == 0:
        return text
    return f"died: {signal.Signals(-code).name if code < 0 else f'exit code {code}'}"


def in_the_child(work, writer, seconds, memory):
    code = 1
    try:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        signal.setitimer(signal.ITIMER_PROF, seconds)  # its signal ends the process
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
        os.write(writer, work().encode()[:MOST])
        code = 0
    finally:
        os._exit(code)


def lines_apart(work, items):
    """Return a line of each item.

    They share a process, which costs more than most work; where it dies, each item gets
    a process of its own.
    """
    text = apart(lambda: "\n".join(" ".join(work(item).split()) for item in items))
    if not text.startswith("died"):
        return text.split("\n")
    if len(items) == 1:
        return [text]
    return [line for item in items for line in lines_apart(work, [item])]
