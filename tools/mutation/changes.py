"""Small faults: another operator, another comparison, another constant."""

import ast
import hashlib
from dataclasses import dataclass
from pathlib import Path

OPERATORS = {
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "/",
    ast.Div: "*",
    ast.Pow: "*",
    ast.FloorDiv: "/",
    ast.BitAnd: "|",
    ast.BitOr: "&",
}
COMPARISONS = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.In: "not in",
    ast.NotIn: "in",
}


@dataclass(frozen=True)
class Mutant:
    """A file with one change.

    Parameters
    ----------
    path : Path
        The file.
    line : int
        Its number.
    was, now : str
        The line before and after.
    source : str
        The whole changed file.
    """

    path: Path
    line: int
    was: str
    now: str
    source: str

    @property
    def place(self):
        """The module and the line before and after."""
        return self.path.name, self.was.strip(), self.now.strip()

    @property
    def key(self):
        """A name of this change of this source."""
        text = f"{self.path.name}\0{self.source}"
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def __str__(self):
        return f"{self.path}:{self.line}: `{self.was.strip()}` -> `{self.now.strip()}`"


def mutants_of(path):
    """Return all mutants of a file that lie within functions and on one line."""
    source = path.read_text()
    lines = source.splitlines(keepends=True)
    found = []
    for first, last, text in replacements(source):
        (line, start), (_, end) = first, last
        before = lines[line - 1].encode()
        now = (before[:start] + text.encode() + before[end:]).decode()
        changed = [*lines[: line - 1], now, *lines[line:]]
        was = lines[line - 1]
        found.append(Mutant(path, line, was, now, "".join(changed)))
    return [mutant for mutant in found if is_python(mutant.source)]


def is_python(source):
    try:
        ast.parse(source)
    except SyntaxError:
        return False
    return True


def replacements(source):
    """Yield the first and last position of parts of functions, and another text."""
    for function in ast.walk(ast.parse(source)):
        if isinstance(function, ast.FunctionDef):
            for statement in function.body:
                for node in ast.walk(statement):
                    if getattr(node, "end_lineno", None) == getattr(node, "lineno", 0):
                        yield from replacement(node)


def replacement(node):
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        left, right = ast.unparse(node.left), ast.unparse(node.right)
        yield whole(node, f"(({left}) {OPERATORS[type(node.op)]} ({right}))")
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        left, right = ast.unparse(node.left), ast.unparse(node.comparators[0])
        yield whole(node, f"(({left}) {COMPARISONS[type(node.ops[0])]} ({right}))")
    elif isinstance(node, ast.BoolOp):
        other = " or " if isinstance(node.op, ast.And) else " and "
        yield whole(node, f"({other.join(map(ast.unparse, node.values))})")
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
        yield whole(node, f"({node.value} + 1)")
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield whole(node, str(not node.value))
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        yield whole(node, f"({ast.unparse(node.operand)})")


def whole(node, text):
    first = node.lineno, node.col_offset
    return first, (node.end_lineno, node.end_col_offset), text
