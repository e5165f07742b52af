"""Public functions say what they take and give."""

import ast
from functools import cache
from pathlib import Path

import pytest

import freemetric

from .test_imports import tree_of

ROOT = Path(freemetric.__file__).parent
PATHS = [path.relative_to(ROOT).as_posix() for path in sorted(ROOT.rglob("*.py"))]


def tree(path):
    return tree_of(ROOT / path)


@cache
def classes():
    return {node.name: node for path in PATHS for node in ast.walk(tree(path)) if isinstance(node, ast.ClassDef)}


def public_functions(node, owner=None):
    """Functions and methods that anyone may call, each with its class."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.ClassDef) and child.name.startswith("_"):
            continue
        if isinstance(child, ast.FunctionDef):
            yield child, owner
        else:
            yield from public_functions(child, child if isinstance(child, ast.ClassDef) else owner)


def is_compiled(function):
    """Kernels take arrays and numbers of the types that the compiler finds."""
    decorators = [ast.unparse(decorator).split("(")[0] for decorator in function.decorator_list]
    return any(name in ("njit", "jit", "intrinsic") for name in decorators)


def types(function, owner):
    """The type of every argument, by its name, and of what is returned; None where there is none."""
    args = function.args
    arguments = [*args.posonlyargs, *args.args, *args.kwonlyargs, *filter(None, (args.vararg, args.kwarg))]
    is_bound = owner is not None and "staticmethod" not in map(ast.unparse, function.decorator_list)
    return {"return": function.returns, **{argument.arg: argument.annotation for argument in arguments[is_bound:]}}


def untyped(function, owner):
    return {name for name, annotation in types(function, owner).items() if annotation is None}


def typed_above(function, owner):
    """Arguments whose types a method takes over from the one that it overrides."""
    names = set()
    for base in owner.bases if owner else ():
        parent = classes().get(ast.unparse(base))
        for method, _ in public_functions(parent) if parent else ():
            if method.name == function.name:
                names |= types(method, parent).keys() - untyped(method, parent)
        names |= typed_above(function, parent)
    return names


@pytest.mark.parametrize("part", sorted({path.split("/")[0] for path in PATHS}))
def test_public_functions_have_types(part):
    for path in (path for path in PATHS if path.split("/")[0] == part):
        for function, owner in public_functions(tree(path)):
            missing = set() if is_compiled(function) else untyped(function, owner) - typed_above(function, owner)
            assert not missing, f"{path}, line {function.lineno}: {function.name}"
