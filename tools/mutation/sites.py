"""Where a module can be mutated, and its mutants, by the operators of cosmic-ray."""

import ast
import hashlib
import pickle
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import MutationVisitor
from cosmic_ray.plugins import get_operator

SWAPS = {
    "Binary": "Add_Sub Sub_Add Mul_Div Div_Mul FloorDiv_Div Mod_Mul Pow_Mul RShift_LShift LShift_RShift BitOr_BitAnd "
    "BitAnd_BitOr BitXor_BitAnd",
    "Comparison": "Eq_NotEq NotEq_Eq Lt_LtE Lt_GtE LtE_Lt LtE_Gt Gt_GtE Gt_LtE GtE_Gt GtE_Lt Is_IsNot IsNot_Is",
    "Unary": "Delete_USub Delete_Not Delete_Invert",
}
"""Replacements that look like slips of a programmer; cosmic-ray knows all pairs, most of which any test would notice."""

OPERATORS = (
    *(f"Replace{kind}Operator_{swap}" for kind, swaps in SWAPS.items() for swap in swaps.split()),
    *("AddNot", "ReplaceTrueWithFalse", "ReplaceFalseWithTrue", "ReplaceAndWithOr", "ReplaceOrWithAnd"),
    *("ReplaceBreakWithContinue", "ReplaceContinueWithBreak", "ExceptionReplacer", "NumberReplacer"),
    "ZeroIterationForLoop",
)

Place = tuple[int, int]  # a line, from 1, and a column, from 0


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


def sample(files: Iterable[Path], root: Path, size: int, seed: int) -> list[Mutant]:
    """So many places, drawn evenly from all places of the files, with one mutant each.

    The draw orders places by a digest, so a change of one module hardly changes the sample of the others.
    """
    drawn = []
    for path in files:
        source, module = path.read_text(), path.relative_to(root).as_posix()
        lines = source.splitlines()
        seen: dict[str, int] = defaultdict(int)  # equal lines are told apart by their number
        for (line, column), ways in sorted(places(source).items()):
            text = f"{lines[line - 1]}@{column}"
            seen[text] += 1
            drawn.append((digest(seed, module, text, seen[text]), module, source, line, ways))
    mutants = (mutant_of(*place) for place in sorted(drawn))
    return [mutant for mutant, _ in zip(filter(None, mutants), range(size), strict=False)]


def mutant_of(rank: str, module: str, source: str, line: int, ways: list[tuple[str, int]]) -> Mutant | None:
    """The first mutant that is Python, in an order drawn by the rank."""
    for name, occurrence in sorted(ways, key=lambda way: digest(rank, *way)):
        visitor = MutationVisitor(occurrence, get_operator(f"core/{name}")())
        mutated = visitor.walk(pickle.loads(parsed(source))).get_code()
        if is_python(mutated):
            was, now = changed_line(source, mutated)
            return Mutant(module, line, name, was, now, mutated)
    return None


@cache
def parsed(source: str) -> bytes:
    """A tree for cosmic-ray, which changes what it is given; packed, as a copy is faster than to parse again."""
    return pickle.dumps(get_ast(source))


def is_python(source: str) -> bool:
    """Whether a mutant can be compiled: some operators take the star of a signature for a product."""
    try:
        ast.parse(source)
    except SyntaxError:
        return False
    return True


def changed_line(source: str, mutated: str) -> tuple[str, str]:
    """The first line that differs, before and after."""
    pairs = zip(source.splitlines(), mutated.splitlines(), strict=False)
    return next((was.strip(), now.strip()) for was, now in pairs if was != now)


def places(source: str) -> dict[Place, list[tuple[str, int]]]:
    """The operators that apply at every place, each with the number by which cosmic-ray finds it."""
    found: dict[Place, list[tuple[str, int]]] = defaultdict(list)
    nodes, skipped = list(ast_nodes(pickle.loads(parsed(source)))), list(said_only(ast.parse(source)))
    for name in OPERATORS:
        operator = get_operator(f"core/{name}")()
        starts = (start for node in nodes for start, _ in operator.mutation_positions(node))
        for occurrence, start in enumerate(starts):
            if not any(begin <= start < end for begin, end in skipped):
                found[start].append((name, occurrence))
    return found


def said_only(tree: ast.Module) -> Iterator[tuple[Place, Place]]:
    """From where to where a source only says something to readers, type checkers, compilers or logs."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield from map(span, [*node.decorator_list, *([node.returns] if node.returns else [])])
            case ast.ClassDef():
                yield from map(span, node.decorator_list)
            case ast.arg(annotation=ast.expr() as annotation) | ast.AnnAssign(annotation=annotation):
                yield span(annotation)
            case ast.If(test=ast.Name(id="TYPE_CHECKING")):
                yield span(node)
            case ast.Call(func=ast.Attribute(value=ast.Name(id="logger" | "log" | "logging"))):
                yield span(node)


def span(node: ast.AST) -> tuple[Place, Place]:
    """Where a node begins and ends."""
    return (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]


def lines_of(source: str, line: int) -> tuple[range, bool]:
    """The lines of the innermost statement on a line, and whether it stands in a function."""
    inner, inside = range(line, line + 1), False
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or 0):
            body = getattr(node, "body", None)
            last = body[0].lineno - 1 if body else node.end_lineno or 0
            inner = range(node.lineno, last + 1) if line <= last else range(line, line + 1)
            inside |= line > last and isinstance(node, ast.FunctionDef)
    return inner, inside
