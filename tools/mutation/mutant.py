"""One change of one module, and where it is."""

import ast
import hashlib
from dataclasses import dataclass


@dataclass(frozen=True)
class Mutant:
    """One change of one module."""

    module: str  # path of the file, from the folder of the sources
    line: int
    operator: str
    was: str  # the changed line
    now: str
    source: str

    @property
    def key(self) -> str:
        """Names this change of this source."""
        return digest(self.module, self.source)[:16]


def digest(*parts: object) -> str:
    """The same on every machine, unlike ``hash``."""
    return hashlib.sha256("\0".join(map(str, parts)).encode()).hexdigest()


def lines_of(source: str, line: int) -> range:
    """The lines of the innermost statement on a line; of a compound one, those before its body."""
    found = range(line, line + 1)
    for node in ast.walk(ast.parse(source)):  # outer ones come first
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or 0):
            body = getattr(node, "body", None)
            last = body[0].lineno - 1 if body else node.end_lineno or 0
            found = range(node.lineno, last + 1) if line <= last else range(line, line + 1)
    return found
