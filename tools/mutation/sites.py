"""Where a module can be mutated, and its mutants, by the operators of cosmic-ray."""

import ast
import pickle
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import MutationVisitor
from cosmic_ray.plugins import get_operator

from .mutant import Mutant, digest

SWAPS = {
    "Binary": "Add_Sub Sub_Add Mul_Div Div_Mul FloorDiv_Div Mod_Mul Pow_Mul RShift_LShift LShift_RShift BitOr_BitAnd "
    "BitAnd_BitOr BitXor_BitAnd",
    "Comparison": "Eq_NotEq NotEq_Eq Lt_LtE Lt_GtE LtE_Lt LtE_Gt Gt_GtE Gt_LtE GtE_Gt GtE_Lt Is_IsNot IsNot_Is",
    "Unary": "Delete_USub Delete_Not Delete_Invert",
}
"""Replacements that look like slips of a programmer; of all pairs that cosmic-ray has, any test notices most."""

OPERATORS = (
    *(f"Replace{kind}Operator_{swap}" for kind, swaps in SWAPS.items() for swap in swaps.split()),
    *("AddNot", "ReplaceTrueWithFalse", "ReplaceFalseWithTrue", "ReplaceAndWithOr", "ReplaceOrWithAnd"),
    *("ReplaceBreakWithContinue", "ReplaceContinueWithBreak", "ExceptionReplacer", "NumberReplacer"),
    "ZeroIterationForLoop",
)

Place = tuple[int, int]  # a line, from 1, and a column, from 0


def sample(files: Iterable[Path], root: Path, size: int, seed: int) -> list[Mutant]:
    """So many places, drawn evenly from all places of the files, with one mutant each.

    The draw orders places by a digest, so a change of one module hardly changes the sample of the others.
    """
    drawn = []
    for path in files:
        source, module = path.read_text(), path.relative_to(root).as_posix()
        lines = source.splitlines()
        seen: dict[str, int] = defaultdict(int)  # equal lines are distinguished by their number
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
    """The operators that apply at every place in a function, each with the number by which cosmic-ray finds it.

    Named constants and defaults of parameters are choices, and another choice is no fault: they are left alone.
    """
    found: dict[Place, list[tuple[str, int]]] = defaultdict(list)
    tree, nodes = ast.parse(source), list(ast_nodes(pickle.loads(parsed(source))))
    bodies, skipped = list(bodies_of(tree)), list(said_only(tree))
    for name in OPERATORS:
        operator = get_operator(f"core/{name}")()
        starts = (start for node in nodes for start, _ in operator.mutation_positions(node))
        for occurrence, start in enumerate(starts):
            if within(start, bodies) and not within(start, skipped):
                found[start].append((name, occurrence))
    return found


def within(place: Place, spans: list[tuple[Place, Place]]) -> bool:
    """Whether a place lies in one of some parts of a source."""
    return any(begin <= place < end for begin, end in spans)


def bodies_of(tree: ast.Module) -> Iterator[tuple[Place, Place]]:
    """From where to where functions do something."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            yield span(node.body[0])[0], span(node.body[-1])[1]


def said_only(tree: ast.Module) -> Iterator[tuple[Place, Place]]:
    """From where to where a source only says something to readers, type checkers, compilers or logs."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef():
                yield from map(span, [*node.decorator_list, *([node.returns] if node.returns else [])])
                yield span(node)[0], span(node.body[0])[0]
            case ast.AnnAssign(annotation=annotation):
                yield span(annotation)
            case ast.If(test=ast.Name(id="TYPE_CHECKING")):
                yield span(node)
            case ast.Call(func=ast.Attribute(value=ast.Name(id="logger" | "log" | "logging"))):
                yield span(node)


def span(node: ast.AST) -> tuple[Place, Place]:
    """Where a node begins and ends."""
    return (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]
